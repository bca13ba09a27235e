// The version 2 client where it finds no header PAYMENT-REQUIRED, as at a server of version 1: it reads the body.
import { ExactEvmSchemeV1 } from "@x402/evm/v1";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { answered, countedFetch, servePurchases } from "./purchase.mjs";

servePurchases(async (purchase) => {
  const { url, method, body, headers, network, account, cap } = purchase;
  const send = countedFetch(purchase);
  const fetchV1 = async (...args) => {
    const response = await send(...args);
    const kept = new Headers(response.headers);
    kept.delete("payment-required");
    return new Response(response.body, { status: response.status, headers: kept });
  };
  const fetchWithPayment = wrapFetchWithPaymentFromConfig(fetchV1, {
    schemes: [{ network: network.v1, client: new ExactEvmSchemeV1(account), x402Version: 1 }],
    ...(cap ? { spendControls: { maxAmountPerPayment: `$${Number(cap) / 1e6}` } } : {}),
  });
  return answered(await fetchWithPayment(url, { method, body, headers }), "x-payment-response", decodePaymentResponseHeader);
});
