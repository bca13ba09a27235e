// What both facilitator services share: the protocol's three paths over HTTP, and a viem client that pays the gas.
import express from "express";
import { createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, serveLines } from "../lines.mjs";
import { listen } from "../listen.mjs";
import { networkOf } from "../networks.mjs";

// serveFacilitators has make return {verify, settle, supported} for each order.
export function serveFacilitators(make) {
  serveLines(async ({ chainId, rpc, key }) => {
    const network = networkOf(chainId);
    const account = privateKeyToAccount(key);
    const client = createWalletClient({
      account, chain: network.chain, transport: http(rpc), pollingInterval: 100,
    }).extend(publicActions);
    const facilitator = make({ network, account, client });
    const app = express();
    app.use(express.json());
    const answer = (work) => async (request, response) => {
      try {
        response.json(await work(request.body));
      } catch (error) {
        response.status(500).json({ error: describe(error) });
      }
    };
    app.post("/verify", answer(({ paymentPayload, paymentRequirements }) => facilitator.verify(paymentPayload, paymentRequirements)));
    app.post("/settle", answer(({ paymentPayload, paymentRequirements }) => facilitator.settle(paymentPayload, paymentRequirements)));
    app.get("/supported", answer(() => facilitator.supported()));
    return { address: await listen(app) };
  });
}
