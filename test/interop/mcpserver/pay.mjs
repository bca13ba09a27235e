// Calls a tool of an MCP server with the official SDK, by key or with a payment from the x402 packages: npm has no client for
// x402's binding for MCP.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm";
import { privateKeyToAccount } from "viem/accounts";
import { serveLines } from "../lines.mjs";

serveLines(async ({ url, bearer, wallet, tool, args, copies = 1 }) => {
  const requestInit = bearer ? { headers: { Authorization: `Bearer ${bearer}` } } : undefined;
  const client = new Client({ name: "buyer", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const call = (meta) => client.request({ method: "tools/call", params: { name: tool, arguments: args, _meta: meta } }, CallToolResultSchema);
  try {
    const { tools } = await client.listTools();
    let results = [await call(undefined)];
    const required = results[0].isError ? results[0].structuredContent : undefined;
    if (wallet && required?.accepts) {
      if (results[0].content[0].text !== JSON.stringify(required)) throw new Error("the text differs from the structured content");
      const buyer = new x402Client().register("eip155:*", new ExactEvmScheme(privateKeyToAccount(wallet)));
      const payment = await buyer.createPaymentPayload(required);
      results = await Promise.all(Array.from({ length: copies }, () => call({ "x402/payment": payment })));
    }
    return { tools: tools.length, price: required?.accepts?.[0].amount, results };
  } finally {
    await client.close();
  }
});
