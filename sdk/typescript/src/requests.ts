// What the paid operations are asked: the same for a call and for its quote.
import type { Request } from "./http.js";
import type { Body } from "./types.js";

/** A page of a batch: its URL, or with an id and metadata of yours. */
export type BatchInput = string | NonNullable<Body<"createBatch">["items"]>[number];

export type ScrapeOptions = Omit<Body<"createScrape">, "url_to_scrape">;
export type MapOptions = Omit<Body<"createMap">, "url">;
export type CrawlOptions = Omit<Body<"createCrawl">, "start_url" | "url">;
export type BatchOptions = Omit<Body<"createBatch">, "items">;
export type SearchOptions = Omit<Body<"createSearch">, "query">;
export type AnswerOptions = Omit<Body<"createAnswer">, "task">;

const post = (path: string, body: unknown): Request => ({ method: "POST", path, body, paid: true });

export const scrape= (url: string, options?: ScrapeOptions) => post("/v1/scrapes", { url_to_scrape: url, ...options });
export const map= (url: string, options?: MapOptions) => post("/v1/maps", { url, ...options });
export const crawl= (url: string, options: CrawlOptions) => post("/v1/crawls", { start_url: url, ...options });
export const search= (query: string, options?: SearchOptions) => post("/v1/searches", { query, ...options });
export const answer= (task: string, options?: AnswerOptions) => post("/v1/answers", { task, ...options });
export const parserTest= (body: Body<"testParser">) => post("/v1/parsers/test", body);

/** The pages of a batch are given here, or are in a file: `null` and `file_id`. */
export const batch= (items: readonly BatchInput[] | null, options?: BatchOptions) =>
  post("/v1/batches", { ...(items && { items: items.map((item) => (typeof item === "string" ? { url: item } : item)) }), ...options });
