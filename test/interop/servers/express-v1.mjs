// A shop by x402-express that has another settle for it, as the package's documentation has it.
import express from "express";
import { paymentMiddleware } from "x402-express";
import { serveLines } from "../lines.mjs";
import { listen } from "../listen.mjs";
import { networkOf } from "../networks.mjs";

serveLines(async ({ chainId, facilitator, payTo, price }) => {
  const app = express();
  app.use(paymentMiddleware(payTo, {
    "GET /report": { price, network: networkOf(chainId).v1, config: { description: "A report" } },
  }, { url: facilitator }));
  let calls = 0;
  app.get("/report", (_, response) => { response.json({ call: ++calls }); });
  return { address: await listen(app) };
});
