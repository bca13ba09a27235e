import axios from "axios";
import { decodeXPaymentResponse, withPaymentInterceptor } from "x402-axios";
import { body, method, report, url, wallet } from "./purchase.mjs";

const api = withPaymentInterceptor(axios.create(), wallet);
const headers = body ? { "Content-Type": "application/json" } : {};
const response = await api.request({ url, method, data: body, headers });
const receipt = response.headers["x-payment-response"];
report({ status: response.status, body: JSON.stringify(response.data), receipt: receipt && decodeXPaymentResponse(receipt) });
