import { ExactEvmScheme } from "@x402/evm";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { account, body, method, report, url } from "./purchase.mjs";

const client = new x402Client().register("eip155:*", new ExactEvmScheme(account));
const fetchWithPayment = wrapFetchWithPayment(fetch, client);
const headers = body ? { "Content-Type": "application/json" } : {};
const response = await fetchWithPayment(url, { method, body, headers });
const receipt = response.headers.get("payment-response");
report({ status: response.status, body: await response.text(), receipt: receipt && decodePaymentResponseHeader(receipt) });
