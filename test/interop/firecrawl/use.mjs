// Uses Firecrawl's client from npm and its MCP server, unchanged, on a site and a service that the environment names. It says
// what it did, and ends with an error at the first answer that a client does not take.
import { Firecrawl } from "firecrawl";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { KEY, API, SITE, TITLE, SERVER } = process.env;
const client = new Firecrawl({ apiKey: KEY, apiUrl: API });

function check(what, right, got) {
  if (!right) throw new Error(`${what}: got ${JSON.stringify(got)?.slice(0, 2000)}`);
  console.log("ok", what);
}

async function refused(what, call, ...parts) {
  let error;
  const got = await call().catch((err) => (error = err) && undefined);
  check(`refused: ${what}`, error && parts.every((part) => typeof part === "number" ? error.status === part : error.message.includes(part)), error?.message ?? got);
}

const scraped = await client.scrape(SITE, { formats: ["markdown", "links"] });
check("scrape", scraped.markdown.includes(TITLE) && scraped.links.length > 0 && scraped.metadata.statusCode === 200 && scraped.metadata.sourceURL === SITE && scraped.metadata.creditsUsed === 1, scraped);
const whole = await client.scrape(SITE, { formats: ["html", "rawHtml", "images"], onlyMainContent: false });
check("html, rawHtml, images", whole.html && whole.rawHtml.includes("<") && Array.isArray(whole.images), whole);
const filled = await client.scrape(SITE, { formats: [{ type: "json", schema: { type: "object", properties: { title: { type: "string" } } } }] });
check("json by a schema", filled.json && "title" in filled.json && filled.metadata.creditsUsed === 20, filled);

const crawled = await client.crawl(SITE, { limit: 12, scrapeOptions: { formats: ["markdown"] }, pollInterval: 1, timeout: 60 });
check("crawl", crawled.status === "completed" && crawled.data.length === crawled.completed && crawled.data.every((d) => d.markdown), crawled);
const started = await client.startCrawl(SITE);
check("crawl without a limit", started.id && started.url.includes("/v2/crawl/"), started);
check("active crawls", (await client.getActiveCrawls()).crawls.some((c) => c.id === started.id), started);
check("status of a crawl", ["scraping", "completed"].includes((await client.getCrawlStatus(started.id)).status), started);
check("errors of a crawl", Array.isArray((await client.getCrawlErrors(started.id)).errors), started);
check("cancel a crawl", await client.cancelCrawl(started.id).catch((err) => err.status === 409), started);

const batch = await client.batchScrape([SITE, SITE + "about", "no address"], { options: { formats: ["markdown"] }, idempotencyKey: "interop-" + Date.now(), pollInterval: 1, timeout: 60 });
check("batch", batch.status === "completed" && batch.data.length === batch.completed && batch.data.some((d) => d.markdown.includes(TITLE)), batch);
const many = await client.batchScrape(Array.from({ length: 12 }, (_, n) => `${SITE}?page=${n}`), { pollInterval: 1, timeout: 60 });
check("documents of more than one response", many.data.length === 12 && new Set(many.data.map((d) => d.metadata.sourceURL)).size === 12, many);
const key = "interop-again-" + Date.now();
const [first, again] = [await client.startBatchScrape([SITE], { idempotencyKey: key }), await client.startBatchScrape([SITE], { idempotencyKey: key })];
check("a batch once for its x-idempotency-key", first.id === again.id, [first, again]);
check("errors of a batch", Array.isArray((await client.getBatchScrapeErrors(first.id)).errors), first);
check("cancel a batch", await client.cancelBatchScrape(first.id).catch((err) => err.status === 409), first);

const mapped = await client.map(SITE, { limit: 5 });
check("map", mapped.links.length > 1 && mapped.links.length <= 5 && mapped.links[0].url, mapped);
const found = await client.search(TITLE, { limit: 3, scrapeOptions: { formats: ["markdown"] } });
check("search", Array.isArray(found.web) && found.web.some((r) => r.markdown), found);
const extracted = await client.extract({ urls: [SITE], schema: { type: "object", properties: { title: { type: "string" } } } });
check("extract", extracted.status === "completed" && "title" in extracted.data, extracted);
const agent = await client.agent({ prompt: "What is the title of the page?", urls: [SITE], schema: { type: "object", properties: { title: { type: "string" } } } });
check("agent", agent.status === "completed" && "title" in agent.data, agent);

const monitor = await client.createMonitor({ name: "toll", schedule: { text: "every day at 9:00" }, targets: [{ type: "scrape", urls: [SITE] }] });
check("monitor", monitor.name === "toll" && monitor.status === "active" && monitor.targets[0].urls[0] === SITE, monitor);
for (let n = 0; n < 120 && !(await client.getMonitor(monitor.id)).nextRunAt; n++) await new Promise((later) => setTimeout(later, 500));
check("its schedule", (await client.updateMonitor(monitor.id, { schedule: { cron: "0 * * * *" } })).schedule.cron, monitor);
check("list of monitors", (await client.listMonitors()).some((m) => m.id === monitor.id), monitor);
const run = await client.runMonitor(monitor.id);
check("run a monitor", run.id && run.monitorId === monitor.id, run);
check("its checks", (await client.listMonitorChecks(monitor.id, { limit: 5 })).length > 0, run);
check("a check", (await client.getMonitorCheck(monitor.id, run.id)).id === run.id, run);
check("pause a monitor", (await client.updateMonitor(monitor.id, { status: "paused" })).status === "paused", monitor);
check("delete a monitor", await client.deleteMonitor(monitor.id), monitor);

check("credits", (await client.getCreditUsage()).remainingCredits > 0, null);
check("concurrency", (await client.getConcurrency()).maxConcurrency > 0, null);

await refused("a format", () => client.scrape(SITE, { formats: ["branding"] }), 400, "branding", "markdown");
await refused("rawHtml of the main content", () => client.scrape(SITE, { formats: ["markdown", "rawHtml"] }), 400, "onlyMainContent: false");
await refused("includeTags", () => client.scrape(SITE, { includeTags: ["h1"] }), 400, "includeTags", "excludeTags");
await refused("an action", () => client.scrape(SITE, { actions: [{ type: "press", key: "Enter" }] }), 400, "press");
await refused("a proxy", () => client.scrape(SITE, { proxy: "stealth" }), 400, "proxy");
await refused("a host that does not exist", () => client.scrape("http://no-such-host.invalid/"), "");
await refused("a prompt for a crawl", () => client.crawl(SITE, { prompt: "the blog" }), 400, "prompt");
await refused("a webhook with other events", () => client.startCrawl(SITE, { webhook: "https://example.com/" }), 400, "completed");
await refused("another source of a search", () => client.search("x", { sources: ["news"] }), 400, "news");
await refused("several pages at once", () => client.extract({ urls: [SITE, SITE], prompt: "x" }), 400, "/v2/agent");
await refused("a crawl that is none", () => client.getCrawlStatus("crawl_x"), 404);
await refused("the parameters of a crawl from a prompt", () => client.crawlParamsPreview(SITE, "the blog"), 404, "params-preview");
await refused("a browser", () => client.browser({}), 404, "actions");
await refused("the queue", () => client.getQueueStatus(), 404);
await refused("tokens", () => client.getTokenUsage(), 404, "credit-usage");
await refused("an upload", () => client.parse({ data: "<p>x", filename: "x.html", contentType: "text/html" }), 404, "parse");
await refused("version 1", () => client.v1.scrapeUrl(SITE, {}), "404");
await refused("a wrong key", () => new Firecrawl({ apiKey: "fc-none", apiUrl: API }).scrape(SITE), 401, "API key");

const mcp = new Client({ name: "interop", version: "1" });
await mcp.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER], env: { ...process.env, FIRECRAWL_API_KEY: KEY, FIRECRAWL_API_URL: API } }));
async function tool(name, args) {
  const answer = await mcp.callTool({ name, arguments: args });
  check(`tool ${name}`, !answer.isError, answer);
  return answer.structuredContent ?? JSON.parse(answer.content[0].text);
}
check("tool firecrawl_scrape gives the page", (await tool("firecrawl_scrape", { url: SITE, formats: ["markdown"] })).markdown.includes(TITLE), null);
await tool("firecrawl_map", { url: SITE, limit: 5 });
await tool("firecrawl_search", { query: TITLE, limit: 3 });
check("tool firecrawl_crawl ends", (await tool("firecrawl_crawl", { url: SITE, limit: 2 })).status === "completed", null);
await tool("firecrawl_agent", { prompt: "What is the title of the page?", urls: [SITE] });
await mcp.close();
