// What no healthy service shows: lost connections, hostile offers, errors of all kinds. The service is a function here.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";
import * as sdk from "@turnpike-edge/sdk";
import { eventsOf } from "./node_modules/@turnpike-edge/sdk/dist/sse.js";

const { Turnpike } = sdk;
const key = "tp_secret";

/** A client whose requests are answered by these functions in turn; the last one answers all further ones. */
function clientOf(answers, options = { key }) {
  const sent = [];
  const fetch = async (url, init) => {
    sent.push({ url, ...init });
    return answers[Math.min(sent.length, answers.length) - 1](url, init);
  };
  return { client: new Turnpike({ baseURL: "https://api.test/", fetch, ...options }), sent };
}

const json = (value, { status = 200, ...headers } = {}) => () =>
  new Response(JSON.stringify(value), { status, headers: { "x-request-id": "req_1", ...headers } });
const problem = (status, code, headers = {}, more = {}) =>
  json({ id: "error_1", object: "error", code, type: `https://docs.test/errors/${code}`, status, title: "T", detail: "why", created: 1, metadata: {}, ...more }, { status, ...headers });
const lost = () => {
  throw new TypeError("fetch failed");
};
const cut = () => new Response('{"id":');

test("a POST is tried again with the same idempotency key", async (t) => {
  const failures = {
    overloaded: problem(503, "overloaded", { "retry-after": "0" }),
    "rate limited": problem(429, "rate_limit_exceeded", { "retry-after": new Date(Date.now() - 1000).toUTCString() }),
    "in progress": problem(409, "idempotency_key_in_progress", { "retry-after": "0" }),
    "a proxy's error": () => new Response("<html>bad gateway</html>", { status: 502, headers: { "retry-after": "0" } }),
    "a lost connection": lost,
    "half a response": cut,
  };
  for (const [name, failure] of Object.entries(failures)) {
    await t.test(name, async () => {
      const { client, sent } = clientOf([failure, json({ id: "scrape_1" })]);
      assert.equal((await client.scrape("https://a.test/")).id, "scrape_1");
      assert.equal(sent.length, 2);
      assert.match(sent[0].headers["Idempotency-Key"], /^[0-9a-f]{32}$/);
      assert.deepEqual(sent[1].headers, sent[0].headers);
      assert.equal(sent[1].body, sent[0].body);
    });
  }
});

test("calls have keys of their own", async () => {
  const { client, sent } = clientOf([json({})]);
  await Promise.all([client.scrape("https://a.test/"), client.scrape("https://a.test/")]);
  assert.notEqual(sent[0].headers["Idempotency-Key"], sent[1].headers["Idempotency-Key"]);
});

test("what is not tried again", async (t) => {
  const failures = {
    "a wrong request": problem(400, "validation_error"),
    "a page that cannot be fetched": problem(502, "fetch_failed"),
    "work over its time limit": problem(504, "request_timeout"),
    "a missing component": problem(501, "renderer_unavailable"),
    "a conflict": problem(409, "invalid_state"),
    "a long Retry-After": problem(429, "rate_limit_exceeded", { "retry-after": "3600" }),
    "a redirect": () => new Response(null, { status: 307, headers: { location: "https://b.test/" } }),
  };
  for (const [name, failure] of Object.entries(failures)) {
    await t.test(name, async () => {
      const { client, sent } = clientOf([failure]);
      await assert.rejects(client.scrape("https://a.test/"), sdk.TurnpikeError);
      assert.equal(sent.length, 1);
      assert.equal(sent[0].redirect, "manual");
    });
  }
  await t.test("more often than maxRetries", async () => {
    const { client, sent } = clientOf([problem(503, "overloaded", { "retry-after": "0" })], { key, maxRetries: 2 });
    await assert.rejects(client.scrapes.get("scrape_1"), { code: "overloaded", retryable: true, retryAfter: 0 });
    assert.equal(sent.length, 3);
  });
});

test("errors have a class by their kind", async (t) => {
  const kinds = [
    [400, "validation_error", sdk.InvalidRequestError],
    [401, "invalid_api_key", sdk.AuthenticationError],
    [402, "credits_exhausted", sdk.CreditsError],
    [403, "access_denied", sdk.PermissionError],
    [404, "crawl_not_found", sdk.NotFoundError],
    [409, "invalid_state", sdk.ConflictError],
    [413, "payload_too_large", sdk.InvalidRequestError],
    [422, "idempotency_key_reuse", sdk.InvalidRequestError],
    [429, "rate_limit_exceeded", sdk.RateLimitError],
    [500, "internal_server_error", sdk.ServerError],
    [502, "fetch_failed", sdk.FetchFailedError],
    [504, "request_timeout", sdk.ServerError],
  ];
  for (const [status, code, kind] of kinds) {
    await t.test(`${status} ${code}`, async () => {
      const { client } = clientOf([problem(status, code, {}, { metadata: { a: 1 } })], { key, maxRetries: 0 });
      const error = await client.crawls.get("crawl_1").catch((e) => e);
      assert.equal(error.constructor, kind);
      const { name, message, docs, requestId, errorId, metadata, detail } = error;
      assert.deepEqual(
        { name, message, docs, requestId, errorId, metadata, detail, status: error.status, code: error.code },
        { name: kind.name, message: `${status} ${code}: why (request req_1)`, docs: `https://docs.test/errors/${code}`, requestId: "req_1", errorId: "error_1", metadata: { a: 1 }, detail: "why", status, code },
      );
    });
  }
  await t.test("of a payment", async () => {
    const { client } = clientOf([json({ error: "payment_already_used", message: "sign another" }, { status: 409 })]);
    await assert.rejects(client.scrape("https://a.test/"), { constructor: sdk.ConflictError, code: "payment_already_used", detail: "sign another" });
  });
  await t.test("of a proxy", async () => {
    const { client } = clientOf([() => new Response("<html>", { status: 403 })]);
    await assert.rejects(client.scrape("https://a.test/"), { constructor: sdk.PermissionError, code: "http_403", requestId: null, docs: null });
  });
});

test("no secret is shown", async () => {
  assert.throws(
    () => new Turnpike({ baseURL: "https://api.test", key: `${key}\n` }),
    (error) => error instanceof sdk.UsageError && !inspect(error).includes(key),
  );
  const { client } = clientOf([lost], { key, maxRetries: 0 });
  for (const call of [() => client.scrape("https://user:password@a.test/"), () => client.read("https://user:password@a.test/"), () => client.keys.list().all()]) {
    await assert.rejects(call, (error) => error instanceof sdk.ConnectionError && error.cause && !/tp_secret|password/.test(inspect(error)));
  }
  assert.ok(!inspect(client, { depth: 9, showHidden: true }).includes(key));
  assert.ok(!JSON.stringify(client).includes(key));
});

test("what cannot work is refused before anything is sent", async () => {
  const wallet = walletOf().wallet;
  for (const options of [{ baseURL: "api.test" }, { key, wallet, maxSpend: 1 }, { wallet }, { wallet: {}, maxSpend: 1 }, { maxSpend: 1 }, { wallet, maxSpend: "1,5" }, { wallet, maxSpend: 0.0000001 }, { wallet, maxSpend: -1 }]) {
    assert.throws(() => new Turnpike({ baseURL: "https://api.test", ...options }), sdk.UsageError, inspect(options));
  }
  const { client, sent } = clientOf([json({})]);
  for (const id of ["", undefined, {}]) assert.throws(() => client.scrapes.get(id), sdk.UsageError);
  await assert.rejects(client.scrape("https://a.test/", {}, { idempotencyKey: "a b" }), sdk.UsageError);
  assert.equal(sent.length, 0);
});

test("an id cannot lead to another path", async () => {
  const { client, sent } = clientOf([json({})]);
  await client.scrapes.get("../keys?x#y");
  assert.equal(sent[0].url, "https://api.test/v1/scrapes/..%2Fkeys%3Fx%23y");
});

test("lists are read page by page, only as far as needed", async (t) => {
  const pages = [json({ data: [{ id: "a" }, { id: "b" }], has_more: true, next_cursor: "2" }), json({ data: [{ id: "c" }], has_more: false, next_cursor: null })];
  await t.test("to the end", async () => {
    const { client, sent } = clientOf(pages);
    assert.deepEqual((await client.crawls.list({ limit: 2 }).all()).map(({ id }) => id), ["a", "b", "c"]);
    assert.deepEqual(sent.map(({ url }) => url), ["https://api.test/v1/crawls?limit=2", "https://api.test/v1/crawls?limit=2&cursor=2"]);
  });
  await t.test("the first two", async () => {
    const { client, sent } = clientOf(pages);
    assert.equal((await client.crawls.list().all(2)).length, 2);
    assert.equal(sent.length, 1);
  });
  await t.test("the URLs of a map", async () => {
    const { client, sent } = clientOf([json({ urls: ["a"], cursor: "2" }), json({ urls: ["b"], cursor: null })]);
    assert.deepEqual(await client.maps.urls("map_1").all(), ["a", "b"]);
    assert.equal(sent[1].url, "https://api.test/v1/maps/map_1?cursor=2");
  });
});

test("a signal ends a call while it waits to try again", async () => {
  const abort = new AbortController();
  const { client, sent } = clientOf([
    () => {
      queueMicrotask(() => setImmediate(() => abort.abort(new Error("enough"))));
      return problem(503, "overloaded", { "retry-after": "60" })();
    },
  ]);
  await assert.rejects(client.scrape("https://a.test/", {}, { signal: abort.signal }), { message: "enough" });
  assert.equal(sent.length, 1);
});

test("a time limit ends an attempt whose response does not come, or does not end", async (t) => {
  const hang = (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const dribble = (_, { signal }) => new Response(new ReadableStream({ start: (c) => (c.enqueue(new Uint8Array([123])), signal.addEventListener("abort", () => c.error(signal.reason))) }));
  for (const answer of [hang, dribble]) {
    await t.test(answer.name, async () => {
      const { client } = clientOf([answer], { key, timeout: 20, maxRetries: 0 });
      await assert.rejects(client.scrape("https://a.test/"), sdk.TimeoutError);
    });
  }
});

test("server-sent events", async () => {
  const text = "\uFEFFevent: phase\r\ndata: {\r\ndata: }\r\nid: 1\r\n\r\n: a comment\n\nid: 2\rdata:ä\r\rdata: cut";
  for (const size of [1, 2, 7, 1000]) {
    const bytes = new TextEncoder().encode(text);
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
    const events = [];
    for await (const event of eventsOf(ReadableStream.from(parts))) events.push(event);
    assert.deepEqual(events, [{ event: "phase", data: "{\n}", id: "1" }, { event: "message", data: "ä", id: "2" }], `parts of ${size}`);
  }
});

test("a monitor's stream goes on where it broke off", async () => {
  const { client, sent } = clientOf([
    () => new Response('id: 1\nevent: phase\ndata: {"phase":"spec"}\n\nid: 2\nevent: pha'),
    () => new Response('id: 2\nevent: phase\ndata: {"phase":"planning"}\n\nevent: complete\ndata: {"id":"monitor_1"}\n\n'),
  ]);
  const events = [];
  for await (const { event } of client.monitors.stream("monitor_1")) events.push(event);
  assert.deepEqual(events, ["phase", "phase", "complete"]);
  assert.equal(sent[1].headers["Last-Event-ID"], "1");
});

const address = "0x00000000000000000000000000000000000000aa";
const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const offer = { scheme: "exact", network: "eip155:8453", amount: "10000", asset: usdc, payTo: address, maxTimeoutSeconds: 60, extra: { name: "USD Coin", version: "2" } };
const base64 = (value) => btoa(JSON.stringify(value));
const challenge = (accepts, more = {}) =>
  json({ x402Version: 1 }, { status: 402, "payment-required": base64({ x402Version: 2, error: "payment_required", resource: { url: "https://api.test/" }, accepts, ...more }) });
const settled = json({ id: "scrape_1" }, { "payment-response": base64({ success: true, transaction: "0x1", network: "eip155:8453", payer: address }) });

function walletOf() {
  const signed = [];
  return { signed, wallet: { address, signTypedData: async (data) => (signed.push(data), "0x51") } };
}
const paymentOf = ({ headers }) => JSON.parse(atob(headers["PAYMENT-SIGNATURE"]));

test("a payment", async () => {
  const { wallet, signed } = walletOf();
  const extensions = { "payment-identifier": { info: { required: false }, schema: {} }, bazaar: { info: 1 } };
  const { client, sent } = clientOf([challenge([offer], { extensions }), settled], { wallet, maxSpend: 1 });
  const { call } = await client.scrape("https://a.test/");
  assert.deepEqual([call.usdc, call.receipt.transaction, client.spent], ["0.01", "0x1", "0.01"]);
  assert.deepEqual(sent.map(({ url }) => url), ["https://api.test/x402/v1/scrapes", "https://api.test/x402/v1/scrapes"]);
  assert.equal(sent[0].headers["Authorization"], undefined);
  const payment = paymentOf(sent[1]);
  assert.deepEqual([payment.x402Version, payment.accepted, payment.resource], [2, offer, { url: "https://api.test/" }]);
  assert.equal(payment.extensions["payment-identifier"].info.id, sent[0].headers["Idempotency-Key"]);
  assert.deepEqual(payment.extensions.bazaar, { info: 1 });
  const { from, to, value, validAfter, validBefore, nonce } = payment.payload.authorization;
  assert.deepEqual([from, to, value, validAfter], [address, address, "10000", "0"]);
  assert.ok(Math.abs(Number(validBefore) - Date.now() / 1000 - 60) < 5);
  assert.match(nonce, /^0x[0-9a-f]{64}$/);
  assert.deepEqual(signed[0].domain, { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: usdc });
});

test("a payment whose response is lost is sent again, and no second one is signed", async (t) => {
  const failures = { "a lost connection": lost, "half a response": cut, pending: problem(503, "settlement_pending", { "retry-after": "0" }), "in progress": problem(409, "payment_in_progress", { "retry-after": "0" }) };
  for (const [name, failure] of Object.entries(failures)) {
    await t.test(name, async () => {
      const { wallet, signed } = walletOf();
      const { client, sent } = clientOf([challenge([offer]), failure, settled], { wallet, maxSpend: 1 });
      assert.equal((await client.scrape("https://a.test/")).call.usdc, "0.01");
      assert.equal(signed.length, 1);
      assert.equal(sent[2].headers["PAYMENT-SIGNATURE"], sent[1].headers["PAYMENT-SIGNATURE"]);
    });
  }
  await t.test("until it has expired", async () => {
    const { wallet, signed } = walletOf();
    const { client, sent } = clientOf([challenge([{ ...offer, maxTimeoutSeconds: 5 }]), lost], { wallet, maxSpend: 1 });
    await assert.rejects(client.scrape("https://a.test/"), sdk.ConnectionError);
    assert.deepEqual([sent.length, signed.length], [2, 1]);
  });
  await t.test("unless it was refused", async () => {
    const { wallet, signed } = walletOf();
    const { client } = clientOf([challenge([offer]), challenge([offer], { error: "insufficient_funds" })], { wallet, maxSpend: 1 });
    await assert.rejects(client.scrape("https://a.test/"), { constructor: sdk.PaymentError, reason: "insufficient_funds", requestId: "req_1" });
    assert.equal(signed.length, 1);
  });
});

test("the cap holds whatever the server says", async (t) => {
  const answers = { "nothing charged": problem(500, "internal_server_error"), "refused for ever": challenge([offer]), "lost for ever": lost };
  for (const [name, answer] of Object.entries(answers)) {
    await t.test(name, async () => {
      const { wallet, signed } = walletOf();
      const fetch = async (url, init) => (init.headers["PAYMENT-SIGNATURE"] ? answer() : challenge([offer])());
      const client = new Turnpike({ baseURL: "https://api.test", wallet, maxSpend: "0.055", maxRetries: 0, fetch });
      const calls = await Promise.allSettled(Array.from({ length: 50 }, () => client.scrape("https://a.test/")));
      assert.equal(calls.filter(({ reason }) => reason instanceof sdk.SpendingCapError).length, 45);
      assert.deepEqual([signed.length, client.spent], [5, "0.05"]);
    });
  }
  await t.test("until what was not charged has expired", async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
    const receipt = { "payment-response": base64({ success: true, transaction: "0x1" }) };
    const after = {
      refused: [challenge([offer], { error: "insufficient_funds" }), "0"],
      "a page that cannot be fetched": [problem(502, "fetch_failed"), "0"],
      "the response of an earlier call": [json({ id: "scrape_1" }), "0"],
      charged: [settled, "0.01"],
      "charged, though it failed": [problem(502, "fetch_failed", receipt), "0.01"],
      pending: [problem(503, "settlement_pending"), "0.01"],
      "a proxy's error": [() => new Response("<html>", { status: 502 }), "0.01"],
      lost: [lost, "0.01"],
      "unknown, and then refused": [problem(503, "overloaded", { "retry-after": "0" }), "0.01", problem(400, "validation_error")],
    };
    for (const [name, [answer, spent, ...more]] of Object.entries(after)) {
      const { wallet } = walletOf();
      const { client } = clientOf([challenge([offer]), answer, ...more, challenge([offer])], { wallet, maxSpend: "0.015", maxRetries: more.length });
      await client.scrape("https://a.test/").catch((error) => assert.ok(error instanceof sdk.TurnpikeError, name));
      t.mock.timers.tick(59_999);
      assert.equal(client.spent, "0.01", name);
      await assert.rejects(client.scrape("https://a.test/"), { constructor: sdk.SpendingCapError, scope: "client" }, name);
      t.mock.timers.tick(1);
      assert.equal(client.spent, spent, name);
    }
  });
  await t.test("a call's", async () => {
    const { wallet } = walletOf();
    const dear = challenge([{ ...offer, amount: "1000001" }]);
    const { client } = clientOf([dear], { wallet, maxSpend: 5 });
    await assert.rejects(client.scrape("https://a.test/"), { constructor: sdk.SpendingCapError, scope: "call", cap: "1", message: /maxPerCall is 1$/ });
    await assert.rejects(client.scrape("https://a.test/", {}, { maxPerCall: "1.000001" }), { constructor: sdk.PaymentError });
    assert.equal(client.spent, "1.000001");
  });
  await t.test("a wallet that does not sign", async () => {
    const wallet = { address, signTypedData: () => Promise.reject(new Error("the user said no")) };
    const { client } = clientOf([challenge([offer])], { wallet, maxSpend: 1 });
    await assert.rejects(client.scrape("https://a.test/"), { constructor: sdk.PaymentError, reason: "not_signed" });
    assert.equal(client.spent, "0");
  });
});

test("offers that are not taken", async (t) => {
  const offers = {
    "another token": { ...offer, asset: address },
    "another network": { ...offer, network: "eip155:1" },
    "a name of every object": { ...offer, network: "constructor" },
    "another scheme": { ...offer, scheme: "upto" },
    "an amount in hex": { ...offer, amount: "0x10" },
    "a negative amount": { ...offer, amount: "-1" },
    "another way to transfer": { ...offer, extra: { ...offer.extra, assetTransferMethod: "permit2" } },
    "no domain": { ...offer, extra: {} },
    "no offer": null,
  };
  for (const [name, one] of Object.entries(offers)) {
    await t.test(name, async () => {
      const { wallet, signed } = walletOf();
      const { client } = clientOf([challenge([one])], { wallet, maxSpend: 1 });
      await assert.rejects(client.scrape("https://a.test/"), { constructor: sdk.PaymentError, reason: "no_offer" });
      assert.equal(signed.length, 0);
    });
  }
  await t.test("the one that is taken", async () => {
    const { wallet, signed } = walletOf();
    const polygon = { ...offer, network: "eip155:137", asset: address };
    const { client } = clientOf([challenge([offers["another token"], polygon, offer]), settled], { wallet, maxSpend: 1, tokens: { "eip155:137": address } });
    await client.scrape("https://a.test/");
    assert.equal(signed[0].domain.chainId, 137);
  });
});

test("webhooks", async (t) => {
  const secret = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
  const other = `whsec_${btoa("another secret of thirty-two byte")}`;
  const body = '{"id":"event_1","object":"event.crawl.completed","data":{"title":"ä"}}';
  const at = Math.floor(Date.now() / 1000);
  const sign = (timestamp, by = secret) => `v1,${createHmac("sha256", Buffer.from(by.slice(6), "base64")).update(`event_1.${timestamp}.${body}`).digest("base64")}`;
  const headers = (signature, timestamp = at) => ({ "webhook-id": "event_1", "webhook-timestamp": String(timestamp), "webhook-signature": signature });
  const verify = sdk.verifyWebhook;
  const good = {
    "a string": () => verify(body, headers(sign(at)), secret),
    bytes: () => verify(new TextEncoder().encode(body), new Headers(headers(sign(at))), secret),
    "the second signature": () => verify(body, headers(`v1,AAAA v2,x ${sign(at)}`), secret),
    "the second secret": () => verify(body, headers(sign(at)), [other, secret]),
    "an old one, by a wider tolerance": () => verify(body, headers(sign(at - 900), at - 900), secret, { tolerance: 1000 }),
  };
  for (const [name, call] of Object.entries(good)) await t.test(name, async () => assert.equal((await call()).data.title, "ä"));
  const bad = {
    "another secret": () => verify(body, headers(sign(at)), other),
    "another body": () => verify(`${body} `, headers(sign(at)), secret),
    "another time": () => verify(body, headers(sign(at), at + 1), secret),
    "an old one": () => verify(body, headers(sign(at - 301), at - 301), secret),
    "one of the future": () => verify(body, headers(sign(at + 302), at + 302), secret),
    "no signature": () => verify(body, { ...headers(""), "webhook-signature": undefined }, secret),
    "not base64": () => verify(body, headers("v1,ä"), secret),
    "no time": () => verify(body, headers(sign("x"), "x"), secret),
    "an empty secret": () => verify(body, headers(`v1,${createHmac("sha256", Buffer.alloc(0)).update(`event_1.${at}.${body}`).digest("base64")}`), "whsec_"),
  };
  for (const [name, call] of Object.entries(bad)) {
    await t.test(name, () => assert.rejects(call, (error) => error instanceof sdk.WebhookError && !error.message.includes(secret)));
  }
});
