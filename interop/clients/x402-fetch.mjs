import { decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch";
import { body, method, report, url, wallet } from "./purchase.mjs";

const fetchWithPayment = wrapFetchWithPayment(fetch, wallet);
const headers = body ? { "Content-Type": "application/json" } : {};
const response = await fetchWithPayment(url, { method, body, headers });
const receipt = response.headers.get("x-payment-response");
report({ status: response.status, body: await response.text(), receipt: receipt && decodeXPaymentResponse(receipt) });
