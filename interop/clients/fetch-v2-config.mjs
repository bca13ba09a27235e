import { ExactEvmScheme } from "@x402/evm";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { account, body, method, report, url } from "./purchase.mjs";

const fetchWithPayment = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:84532", client: new ExactEvmScheme(account) }],
});
const headers = body ? { "Content-Type": "application/json" } : {};
const response = await fetchWithPayment(url, { method, body, headers });
const receipt = response.headers.get("payment-response");
report({ status: response.status, body: await response.text(), receipt: receipt && decodePaymentResponseHeader(receipt) });
