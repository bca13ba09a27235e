// In Node: the live checks, and a webhook that the service itself has sent.
import { createServer } from "node:http";
import { inspect } from "node:util";
import { Turnpike, verifyWebhook } from "@turnpike-edge/sdk";
import { live } from "./live.mjs";

const env = JSON.parse(process.env.LIVE);
const done = await live(env);

const client = new Turnpike({ baseURL: env.url, key: env.key });
if (inspect(client, { depth: 9, showHidden: true }).includes(env.key)) throw new Error("an inspected client shows its key");

const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const delivery = new Promise((resolve) => {
  server.on("request", async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    response.end();
    resolve({ body: Buffer.concat(parts), headers: request.headers });
  });
});
const batch = await client.batch([env.site], { webhook: `http://127.0.0.1:${server.address().port}/` });
const { body, headers } = await delivery;
const { secret } = await client.webhooks.secret();
const event = await verifyWebhook(body, headers, secret);
if (event.object !== "event.batch.completed" || event.data.id !== batch.id) throw new Error(`a webhook: got ${body}`);
server.close();
console.log(`Node ${process.version}: ${done.length + 2} checks`);
