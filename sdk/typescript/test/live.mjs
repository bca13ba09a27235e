// Uses every method of the client against a running service, by key and by wallet. It runs unchanged in Node, browsers and workerd.
import * as sdk from "@turnpike-edge/sdk";
import { verifyWebhook } from "@turnpike-edge/sdk/webhooks";
import { privateKeyToAccount } from "viem/accounts";

const { Turnpike } = sdk;

/** env: url, key and walletKey of the service, and site, an address that it can fetch. Returns what was done; throws at the first failure. */
export async function live(env) {
  const done = [];
  const ok = (what, right, got) => {
    if (!right) throw new Error(`${what}: got ${show(got)}`);
    done.push(what);
  };
  const fails = async (what, kind, call, matches = () => true) => {
    const error = await call().then(
      (value) => new Error(`no error, but ${show(value)}`),
      (thrown) => thrown,
    );
    ok(what, error instanceof kind && matches(error), `${error?.name}: ${error?.stack}`);
    ok(`${what}: no secret in it`, ![env.key, env.walletKey].some((secret) => show(error).includes(secret)), "a secret");
  };
  const title = "How a toll road works";
  const called = new Set();
  const recorded = (url, init) => {
    called.add(`${init.method} ${new URL(url).pathname}`);
    return fetch(url, init);
  };
  const create = (options) => new Turnpike({ baseURL: env.url, fetch: recorded, ...options });
  await byKey(create({ key: env.key }), { ok, fails, title, create, ...env });
  await byWallet({ ok, fails, title, create, ...env });

  const { paths } = await (await fetch(`${env.url}/openapi.json`)).json();
  for (const [path, operations] of Object.entries(paths)) {
    const pattern = path.replaceAll(".", "\\.").replaceAll(/\{[^}]*\}/g, "[^/]+");
    for (const method of ["get", "post", "patch", "delete"]) {
      const matches = (call) => new RegExp(`^${method} ${pattern}$`, "i").test(call);
      if (operations[method]) ok(`${operations[method].operationId} has a method`, [...called].some(matches), `no call of ${method} ${path}`);
    }
  }
  return done;
}

async function byKey(client, { ok, fails, title, site, create }) {
  const page = await client.scrape(site, { formats: ["markdown", "html"] });
  ok("scrape", page.result.markdown_content.includes(title), page);
  ok("its cost", page.call.credits === 1 && page.call.creditsRemaining >= 0 && page.call.usdc === null && page.call.status === 200, page.call);
  ok("its request id", /^req_/.test(page.call.requestId) && !JSON.stringify(page).includes(page.call.requestId), page.call);
  ok("scrapes.get", (await client.scrapes.get(page)).id === page.id, page.id);
  ok("scrapes.retrieve", (await client.scrapes.retrieve(page, { formats: ["markdown"] })).markdown_content.includes(title), page);
  const reading = await client.read(`${site}?a=1&b=/x`);
  ok("read", reading.markdown.includes(title) && reading.call.credits === 1 && /^scrape_/.test(reading.scrapeId), reading);

  const idempotencyKey = crypto.randomUUID();
  const first = await client.scrape(site, { formats: ["text"] }, { idempotencyKey });
  const again = await client.scrape(site, { formats: ["text"] }, { idempotencyKey });
  ok("the same key, done once", again.id === first.id && again.call.replayed && again.call.credits === 0, again.call);
  await fails("the same key for another body", sdk.InvalidRequestError, () => client.scrape(site, {}, { idempotencyKey }), (e) => e.code === "idempotency_key_reuse");

  const quotes = client.quotes;
  for (const [name, quote] of Object.entries({
    scrape: await quotes.scrape(site),
    map: await quotes.map(site),
    crawl: await quotes.crawl(site, { max_pages: 7 }),
    batch: await quotes.batch([site, `${site}?p=2`]),
    search: await quotes.search(title),
    answer: await quotes.answer(title),
    parserTest: await quotes.parserTest({ parser: "@turnpike/article", url: site }),
  })) {
    ok(`quotes.${name}`, quote.object === "quote" && quote.credits > 0 && quote.usd > 0 && quote.call.credits === 0, quote);
  }

  const map = await client.map(site);
  ok("map", map.urls.includes(site), map);
  ok("maps.get", (await client.maps.get(map)).id === map.id, map.id);
  ok("maps.urls", (await client.maps.urls(map).all()).length === map.urls_count, map);

  const crawl = await client.crawl(site, { max_pages: 5, scrape_options: { formats: ["markdown"] } });
  const states = [];
  const crawled = await client.crawls.wait(crawl, { onProgress: (state) => states.push(state.status), timeout: 60_000 });
  ok("crawls.wait", crawled.status === "completed" && crawled.outcome === "succeeded" && states.length > 0, crawled);
  const pages = await client.crawls.pages(crawl, { limit: 2 }).all();
  ok("crawls.pages, page by page", pages.length === crawled.completed && pages.length > 2, pages);
  ok("content of a crawl's page", (await client.scrapes.retrieve(pages[0])).markdown_content, pages[0]);
  ok("crawls.list", (await client.crawls.list({ limit: 1 }).all(1))[0].id === crawl.id, crawl.id);
  const recorded = await client.crawl(site, { max_pages: 1, record: true });
  await client.crawls.wait(recorded);
  const warc = await new Response(await client.crawls.warc(recorded)).arrayBuffer();
  ok("crawls.warc", warc.byteLength > 100, warc.byteLength);
  const second = await client.crawl(site, { max_pages: 5 });
  ok("crawls.cancel", (await client.crawls.cancel(second)).id === second.id, second);

  const batch = await client.batch([site, { url: `${site}?page=2`, custom_id: "two" }], { formats: ["markdown"] });
  const finished = await client.batches.wait(batch);
  ok("batches.wait", finished.completed_urls === 2 && finished.credits_consumed === 2, finished);
  const items = await client.batches.items(batch, { limit: 1 }).all();
  ok("batches.items, page by page", items.length === 2 && items.some((item) => item.custom_id === "two"), items);
  ok("batches.update", (await client.batches.update(batch, { metadata: { team: "a" } })).metadata.team === "a", batch);
  ok("batches.list", (await client.batches.list().first()).data[0].id === batch.id, batch.id);
  await client.batches.retry(batch).catch((error) => ok("batches.retry of none that failed", error instanceof sdk.APIError, error));
  await client.quotes.retry(batch).catch((error) => ok("quotes.retry of none that failed", error instanceof sdk.APIError, error));
  ok("batches.cancel", (await client.batches.cancel(batch)).id === batch.id, batch);

  const file = await client.files.upload("items.json", [{ url: site }], { purpose: "batch" });
  ok("files.upload", file.status === "completed" && file.items === 1, file);
  ok("files.get", (await client.files.get(file)).id === file.id, file);
  ok("files.content", (await (await fetch((await client.files.content(file)).download_url)).json())[0].url === site, file);
  ok("files.list", (await client.files.list({ purpose: "batch" }).all()).some(({ id }) => id === file.id), file);
  ok("batch of a file", (await client.batches.wait(await client.batch(null, { file_id: file.id }))).completed_urls === 1, file);
  ok("files.delete", (await client.files.delete(file)).deleted === true, file);

  const search = await client.search(title);
  ok("search", (await client.searches.get(search)).id === search.id, search);
  const answer = await client.answer(`What is ${site} about?`, { json_format: { title: "" } });
  ok("answer", (await client.answers.get(answer)).result.json_content === answer.result.json_content, answer);

  const monitor = await client.monitor(`Tell me when the text of ${site} changes`, { frequency: "every day at 9:00" });
  const events = [];
  for await (const { event, data } of client.monitors.stream(monitor)) events.push([event, data]);
  ok("monitors.stream", events.at(-1)[0] === "complete" && events.at(-1)[1].id === monitor.id && events.some(([event]) => event === "phase"), events);
  ok("monitors.wait", (await client.monitors.wait(monitor)).status === "active", monitor);
  ok("monitors.planning", (await client.monitors.planning(monitor)).dag, monitor);
  const run = await client.monitors.run(monitor).catch((error) => error);
  ok("monitors.run", run.object === "monitor.run" || run instanceof sdk.ConflictError, run);
  let runs;
  do runs = await client.monitors.runs(monitor).all(); // until the first run is over
  while (runs.some(({ status }) => status === "in_progress") && (await new Promise((done) => setTimeout(done, 200, true))));
  ok("monitors.runs", runs.length > 0 && (await client.monitors.getRun(monitor, runs[0])).id === runs[0].id, runs);
  const [event] = await client.monitors.events(monitor).all();
  ok("monitors.diff", event && (await client.monitors.diff(monitor, event)), event);
  ok("monitors.pause", (await client.monitors.pause(monitor)).status === "paused", monitor);
  ok("monitors.resume", (await client.monitors.resume(monitor)).status === "active", monitor);
  ok("monitors.update", (await client.monitors.update(monitor, { metadata: { a: "b" } })).metadata.a === "b", monitor);
  ok("monitors.list", (await client.monitors.list().all()).some(({ id }) => id === monitor.id), monitor);
  ok("monitors.delete", (await client.monitors.delete(monitor)).monitor_id === monitor.id, monitor);
  await fails("an error of a monitor", sdk.NotFoundError, () => client.monitors.get("monitor_0000000000000000"), (e) => e.status === 404 && e.requestId);

  const { schedule } = await client.schedules.create({ method: "POST", endpoint: "v1/scrapes", payload: { url_to_scrape: site }, cron_expression: "0 9 * * *" });
  ok("schedules.get", (await client.schedules.get(schedule.schedule_id)).schedule.schedule_id === schedule.schedule_id, schedule);
  ok("schedules.list", (await client.schedules.list().all()).some((s) => s.schedule_id === schedule.schedule_id), schedule);
  ok("schedules.delete", (await client.schedules.delete(schedule.schedule_id)).schedule, schedule);

  ok("parsers.list", (await client.parsers.list().all()).some(({ id }) => id === "@turnpike/article"), null);
  const name = `titles${Date.now().toString(36)}`;
  const schema = { type: "object", properties: { title: { type: "string" } } };
  const definition = { name, schema, fields: { title: { css: "h1" } } };
  const parser = await client.parsers.create(definition);
  ok("parsers.get", (await client.parsers.get(parser)).id === parser.id, parser);
  ok("parsers.versions", (await client.parsers.versions(parser).all()).length === 1, parser);
  ok("parsers.test", (await client.parsers.test({ parser: definition, url: site })).result.title === title, parser);
  ok("parsers.delete", (await client.parsers.delete(name)).deleted === true, parser);

  const { secret } = await client.webhooks.secret();
  const body = JSON.stringify({ id: "event_1", object: "event.batch.completed", timestamp: Date.now(), delivery_attempt: "1/8", data: {} });
  ok("verifyWebhook", (await verifyWebhook(body, await signed(body, secret), secret)).id === "event_1", secret.length);
  await fails("verifyWebhook of another's", sdk.WebhookError, async () => verifyWebhook(`${body} `, await signed(body, secret), secret));
  ok("webhooks.deliveries", Array.isArray(await client.webhooks.deliveries().all()), null);
  ok("notifications.deliveries", Array.isArray(await client.notifications.deliveries().all()), null);
  ok("webhooks.rotateSecret", (await client.webhooks.rotateSecret()).secret !== secret, null);
  await fails("webhooks.redeliver", sdk.NotFoundError, () => client.webhooks.redeliver("delivery_000000000000000000000000"));

  const key = await client.keys.create({ name: "of the SDK's test", scopes: ["read"] }).catch((error) => error);
  ok("keys.create", key.key?.startsWith("tp_"), key);
  ok("keys.list", (await client.keys.list().all()).some(({ id }) => id === key.id), key.id);
  const rotated = await client.keys.rotate(key, { overlap_seconds: 0 });
  ok("keys.rotate", rotated.key.startsWith("tp_"), rotated.id);
  await fails("a key without the scope", sdk.PermissionError, () => create({ key: rotated.key }).scrape(site));
  ok("keys.revoke", (await client.keys.revoke(rotated)).id === rotated.id, rotated.id);
  await fails("an unknown key", sdk.AuthenticationError, () => create({ key: `${rotated.key.slice(0, -4)}0000` }).usage.credits(), (e) => e.docs.includes("/errors/unauthorized"));

  ok("usage.get", (await client.usage.get({ group_by: "endpoint" })).credits > 0, null);
  ok("usage.credits", (await client.usage.credits()).credits > 0, null);
  ok("usage.pricing", (await client.usage.pricing()).packs.length > 0, null);

  await fails("a wrong field", sdk.InvalidRequestError, () => client.scrape(site, { formats: ["pictures"] }), (e) => e.code === "validation_error" && e.metadata.errors.length > 0 && !e.retryable);
  await fails("no such scrape", sdk.NotFoundError, () => client.scrapes.get("scrape_000000000000000000000000"), (e) => e.code === "scrape_not_found");
  await fails("a page that cannot be fetched", sdk.FetchFailedError, () => client.scrape("http://nowhere.invalid/"), (e) => e.metadata.reason === "dns" && !e.retryable);
  await fails("a wait that ends", sdk.TimeoutError, async () => client.crawls.wait(await client.crawl(site, { max_pages: 20 }), { timeout: 1 }));
  await fails("a signal", Error, () => client.scrape(site, {}, { signal: AbortSignal.abort(new Error("enough")) }), (e) => e.message === "enough");
  await fails("a time limit", sdk.TimeoutError, () => client.scrape(site, {}, { timeout: 1, maxRetries: 0 }));
}

async function byWallet({ ok, fails, title, site, walletKey, create }) {
  const wallet = privateKeyToAccount(`0x${walletKey}`);
  const client = create({ wallet, maxSpend: "0.30" });
  ok("quote by wallet", (await client.quotes.scrape(site)).usd === 0.01 && client.spent === "0", client.spent);
  ok("quote of a crawl by wallet", (await client.quotes.crawl(site, { max_pages: 10 })).usd === 0.05, null);
  const page = await client.scrape(site, { formats: ["markdown"] });
  ok("scrape by wallet", page.result.markdown_content.includes(title), page);
  ok("its cost in USDC", page.call.usdc === "0.01" && /^0x[0-9a-f]{64}$/.test(page.call.receipt.transaction) && client.spent === "0.01", page.call);
  ok("scrapes.get by wallet", (await client.scrapes.get(page)).id === page.id, page.id);
  const reading = await client.read(`${site}?a=1&b=/x`);
  ok("read by wallet", reading.markdown.includes(title) && reading.call.usdc === "0.01", reading);
  ok("map by wallet", (await client.map(site)).urls.includes(site), null);
  const crawl = await client.crawl(site, { max_pages: 4 });
  ok("crawl by wallet", (await client.crawls.wait(crawl)).outcome === "succeeded" && crawl.call.usdc === "0.02", crawl.call);
  ok("its pages", (await client.crawls.pages(crawl).all()).length > 0, crawl);
  const batch = await client.batch([site]);
  ok("batch by wallet", (await client.batches.wait(batch)).completed_urls === 1, batch);
  ok("its items", (await client.batches.items(batch).all()).length === 1, batch);
  ok("search by wallet", (await client.search(title)).call.usdc === "0.03", null);
  const answer = await client.answer(`What is ${site} about?`);
  ok("answer by wallet", (await client.answers.get(answer)).id === answer.id && answer.call.usdc === "0.05", answer.call);
  ok("parsers.test by wallet", (await client.parsers.test({ parser: "@turnpike/article", url: site })).call.usdc === "0.01", null);
  ok("what was spent", client.spent === "0.15", client.spent);

  await fails("the cap of a call", sdk.SpendingCapError, () => client.scrape(site, {}, { maxPerCall: "0.009999" }), (e) => e.scope === "call" && e.price === "0.01");
  await fails("the cap of the client", sdk.SpendingCapError, () => client.crawl(site, { max_pages: 100 }), (e) => e.scope === "client" && e.price === "0.5");
  await fails("a resource of a team", sdk.AuthenticationError, () => client.monitors.list().all());
  await fails("a wrong field, not paid", sdk.InvalidRequestError, () => client.scrape(site, { formats: ["pictures"] }));

  const capped = create({ wallet, maxSpend: 0.05 });
  const calls = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => capped.scrape(`${site}?n=${i}`, { formats: ["text"] })));
  const paid = calls.filter(({ status }) => status === "fulfilled");
  const refused = calls.filter(({ reason }) => reason instanceof sdk.SpendingCapError);
  ok("a cap under 50 parallel calls", paid.length === 5 && refused.length === 45 && capped.spent === "0.05", calls.map(({ reason }) => String(reason)));
  ok("each paid by a transaction of its own", new Set(paid.map(({ value }) => value.call.receipt.transaction)).size >= 1 && paid.every(({ value }) => value.call.usdc === "0.01"), null);
}

async function signed(body, secret) {
  const id = "event_1";
  const timestamp = String(Math.floor(Date.now() / 1000));
  const raw = Uint8Array.from(atob(secret.slice("whsec_".length)), (c) => c.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${timestamp}.${body}`)));
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${btoa(String.fromCharCode(...mac))}` };
}

function show(value) {
  if (value instanceof Error) return `${value.stack} ${JSON.stringify({ ...value })} ${value.cause ? show(value.cause) : ""}`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
