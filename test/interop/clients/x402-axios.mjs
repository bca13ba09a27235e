import axios from "axios";
import { decodeXPaymentResponse, withPaymentInterceptor } from "x402-axios";
import { servePurchases } from "./purchase.mjs";

servePurchases(async ({ url, method, body, headers, wallet, counted }) => {
  const client = axios.create();
  client.interceptors.request.use((config) => {
    counted();
    return config;
  });
  const api = withPaymentInterceptor(client, wallet); // it has no cap
  let response;
  try {
    response = await api.request({ url, method, data: body, headers });
  } catch (error) {
    if (!error.response) throw error;
    response = error.response; // axios throws what is not 2xx
  }
  const receipt = response.headers["x-payment-response"];
  return { status: response.status, body: JSON.stringify(response.data), receipt: receipt && decodeXPaymentResponse(receipt) };
});
