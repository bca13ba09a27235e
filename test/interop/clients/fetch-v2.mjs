import { ExactEvmScheme } from "@x402/evm";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { answered, countedFetch, servePurchases } from "./purchase.mjs";

servePurchases(async (purchase) => {
  const { url, method, body, headers, account, cap } = purchase;
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(account));
  if (cap) client.setSpendControls({ maxAmountPerPayment: `$${Number(cap) / 1e6}` });
  const fetchWithPayment = wrapFetchWithPayment(countedFetch(purchase), client);
  return answered(await fetchWithPayment(url, { method, body, headers }), "payment-response", decodePaymentResponseHeader);
});
