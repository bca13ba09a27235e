// A shop by @x402/express that has another settle for it, as the package's documentation has it.
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import express from "express";
import { serveLines } from "../lines.mjs";
import { listen } from "../listen.mjs";
import { networkOf } from "../networks.mjs";

serveLines(async ({ chainId, facilitator, payTo, price }) => {
  const network = networkOf(chainId).v2;
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator }))
    .register(network, new ExactEvmScheme());
  const app = express();
  app.use(paymentMiddleware({
    "GET /report": { accepts: { scheme: "exact", price, network, payTo }, description: "A report" },
  }, server));
  let calls = 0;
  app.get("/report", (_, response) => { response.json({ call: ++calls }); });
  return { address: await listen(app) };
});
