// Makes the first call of every resource with types generated from the OpenAPI document, and reads what it returns by these
// types. A field that the document and the service disagree about does not compile, or fails here.
import createClient from "openapi-fetch";

import type { components, paths } from "./types.js";

const { EDGE: edge = "", KEY: key = "", SITE: site = "", TITLE: title = "" } = process.env;
const client = createClient<paths>({ baseUrl: edge, headers: { Authorization: `Bearer ${key}` } });

function check(what: string, right: boolean, got: unknown): asserts right {
  if (!right) throw new Error(`${what}: got ${JSON.stringify(got)}`);
  console.log("ok", what);
}

// data of a response, or its error.
function good<T>(what: string, answer: { data?: T; error?: unknown }): T {
  check(what, answer.data !== undefined, answer.error);
  return answer.data;
}

// A resource, told apart from the quote of a dry run by its object alone.
function made<R extends { object: string }>(what: string, answer: { data?: R | components["schemas"]["Quote"]; error?: unknown }) {
  const data = good(what, answer);
  check(what + " is no quote", data.object !== "quote", data);
  return data as Exclude<typeof data, { object: "quote" }>;
}

const body = { url_to_scrape: site }; // no other field is required
const scraped = good("scrape", await client.POST("/v1/scrapes", { body: { ...body, formats: ["markdown"] } }));
if (scraped.object === "quote") throw new Error("a quote without a dry run");
check("its markdown", scraped.result.markdown_content?.includes(title) === true, scraped.result);
const quote = good("dry run", await client.POST("/v1/scrapes", { body, params: { query: { dry_run: "true" } } }));
if (quote.object === "scrape") throw new Error("a scrape from a dry run");
check("its price", quote.credits === 1 && quote.usd === 0.001, quote);
good("scrape, read again", await client.GET("/v1/scrapes/{scrape_id}", { params: { path: { scrape_id: scraped.id } } }));
const retrieved = await client.GET("/v1/retrieve", { params: { query: { retrieve_id: scraped.retrieve_id, formats: ["markdown"] } } });
check("content", good("retrieve", retrieved).markdown_content?.includes(title) === true, retrieved);
const read = await client.GET("/v1/read/{url}", { params: { path: { url: site } }, parseAs: "text" });
check("page as markdown", read.data?.includes(title) === true, read);

const map = made("map", await client.POST("/v1/maps", { body: { url: site } }));
check("its URLs", map.urls.length > 0, map);

const batch = made("batch", await client.POST("/v1/batches", { body: { items: [{ url: site }], formats: ["markdown"] } }));
check("counts by both names", batch.total_urls === 1 && batch.items_total === 1 && batch.created_at === batch.start_date, batch);
const items = await client.GET("/v1/batches/{batch_id}/items", { params: { path: { batch_id: batch.id } } });
check("its items", Array.isArray(good("list of items", items).data), items);

const crawl = made("crawl", await client.POST("/v1/crawls", { body: { start_url: site, max_pages: 2 } }));
check("times by both names", crawl.created === crawl.start_epoch && crawl.pages_count === crawl.urls_count, crawl);
const pages = good("list of pages", await client.GET("/v1/crawls/{crawl_id}/pages", { params: { path: { crawl_id: crawl.id } } }));
check("no more pages yet", pages.data.length === pages.pages.length, pages);

const search = made("search", await client.POST("/v1/searches", { body: { query: title } }));
good("search, read again", await client.GET("/v1/searches/{search_id}", { params: { path: { search_id: search.id } } }));
const answer = made("answer", await client.POST("/v1/answers", { body: { task: `What is the title of ${site}?`, json_format: { title: "" } } }));
good("answer, read again", await client.GET("/v1/answers/{answer_id}", { params: { path: { answer_id: answer.id } } }));

const monitor = await client.POST("/v1/monitors", { body: { query: `Tell me when ${site} changes` } });
const watching = good("create a monitor", monitor); // with stream it would be an event
check("monitor", "object" in watching && watching.object === "monitor", watching);
const missing = await client.GET("/v1/monitors/{monitor_id}", { params: { path: { monitor_id: "monitor_0" } } });
check("error of a monitor", missing.error !== undefined && "monitor_id" in missing.error && missing.error.error === missing.error.detail, missing.error);

const parser = good("parser", await client.POST("/v1/parsers", {
  body: { name: "heading", schema: { type: "object", properties: { title: { type: "string" } } }, fields: { title: { css: "h1" } } },
}));
check("its version", parser.version >= 1, parser);
const tested = made("test of a parser", await client.POST("/v1/parsers/test", { body: { parser: parser.name, url: site } }));
check("what it found", tested.valid, tested);

const file = good("file", await client.POST("/v1/files", { body: { filename: "context.json" } }));
const put = await fetch(file.upload_url, { method: "PUT", headers: { "Content-Type": "application/json" }, body: "{}" });
check("upload", put.ok, put.status);
good("complete a file", await client.POST("/v1/files/{file_id}/complete", { params: { path: { file_id: file.id } } }));

const schedule = await client.POST("/v1/schedules", { body: { method: "GET", endpoint: "v1/scrapes/" + scraped.id, text: "every day" } });
check("schedule", good("create a schedule", schedule).schedule.execute_at === null, schedule);

// All lists have the same shape.
interface Page { object: "list"; data: unknown[]; has_more: boolean; next_cursor: string | null }
const lists = {
  batches: await client.GET("/v1/batches"), crawls: await client.GET("/v1/crawls"), monitors: await client.GET("/v1/monitors"),
  parsers: await client.GET("/v1/parsers"), files: await client.GET("/v1/files"), schedules: await client.GET("/v1/schedules"),
  keys: await client.GET("/user/keys"), webhooks: await client.GET("/v1/webhooks/deliveries"), notifications: await client.GET("/v1/notifications/deliveries"),
};
for (const [name, list] of Object.entries(lists)) {
  const { data, has_more, next_cursor } = good<Page>(`list of ${name}`, list);
  check(`page of ${name}`, Array.isArray(data) && has_more === (next_cursor !== null), list);
}

good("secret of webhooks", await client.GET("/v1/webhooks/secret"));
good("credits", await client.GET("/user/credits/info"));
good("usage", await client.GET("/user/usage"));
good("prices", await client.GET("/pricing"));

const refused = await client.POST("/v1/scrapes", { body: { url_to_scrape: "" } });
check("error", refused.error !== undefined && refused.error.object === "error" && refused.error.code === "validation_error", refused.error);
const unpaid = await client.POST("/x402/v1/scrapes", { body });
check("challenge", unpaid.response.status === 402 && unpaid.error !== undefined && "accepts" in unpaid.error && unpaid.error.accepts.length > 0, unpaid.error);
