import { decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch";
import { answered, countedFetch, servePurchases } from "./purchase.mjs";

servePurchases(async (purchase) => {
  const { url, method, body, headers, wallet, cap } = purchase;
  const args = cap ? [BigInt(cap)] : [];
  const fetchWithPayment = wrapFetchWithPayment(countedFetch(purchase), wallet, ...args);
  return answered(await fetchWithPayment(url, { method, body, headers }), "x-payment-response", decodeXPaymentResponse);
});
