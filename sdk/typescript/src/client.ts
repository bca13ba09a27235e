import { UsageError } from "./errors.js";
import { type Call, type CallOptions, type FetchFunction, HTTP } from "./http.js";
import * as requests from "./requests.js";
import type { AnswerOptions, BatchInput, BatchOptions, CrawlOptions, MapOptions, ScrapeOptions, SearchOptions } from "./requests.js";
import * as resources from "./resources.js";
import type { Answer, Body } from "./types.js";
import type { USDC } from "./usdc.js";
import { Payer, type Wallet } from "./wallet.js";

export interface ClientOptions {
  /** The address of the service. Default: the environment's TURNPIKE_URL. */
  baseURL?: string | undefined;
  /** An API key. Default: the environment's TURNPIKE_KEY, unless there is a wallet. */
  key?: string | undefined;
  /** What pays by x402 in place of a key, such as viem's `privateKeyToAccount(key)`. */
  wallet?: Wallet | undefined;
  /** The most USDC that this client signs payments for, in all its calls together. Required with a wallet. */
  maxSpend?: USDC | undefined;
  /** The most USDC that one call may cost. Default: 1. */
  maxPerCall?: USDC | undefined;
  /** Tokens to pay with on networks other than Base and Base Sepolia, by CAIP-2 id. They must have six decimals and be worth a dollar each. */
  tokens?: Record<string, string> | undefined;
  /** The time limit of each attempt of a call, in milliseconds. Default: 180,000, as a map may take two minutes. */
  timeout?: number | undefined;
  /** How often a call that failed for a passing reason is tried again. Default: 3. */
  maxRetries?: number | undefined;
  /** What sends requests. Default: the global `fetch`. */
  fetch?: FetchFunction | undefined;
}

/** A page as markdown. */
export interface Reading {
  markdown: string;
  /** The id of its scrape. */
  scrapeId: string | null;
  /** The status code of the page itself. */
  targetStatus: number | null;
  call: Call;
}

/**
 * A client of Turnpike's web data API.
 *
 *     const client = new Turnpike({ baseURL: "https://api.example.com", key: process.env.TURNPIKE_KEY });
 *     const page = await client.scrape("https://example.com/", { formats: ["markdown"] });
 */
export class Turnpike {
  readonly #http: HTTP;
  readonly quotes: resources.Quotes;
  readonly scrapes: resources.Scrapes;
  readonly maps: resources.Maps;
  readonly crawls: resources.Crawls;
  readonly batches: resources.Batches;
  readonly files: resources.Files;
  readonly searches: resources.Searches;
  readonly answers: resources.Answers;
  readonly monitors: resources.Monitors;
  readonly schedules: resources.Schedules;
  readonly parsers: resources.Parsers;
  readonly webhooks: resources.Webhooks;
  readonly notifications: resources.Notifications;
  readonly keys: resources.Keys;
  readonly usage: resources.Usage;

  constructor(options: ClientOptions = {}) {
    const http = new HTTP(configOf(options));
    this.#http = http;
    this.quotes = new resources.Quotes(http);
    this.scrapes = new resources.Scrapes(http);
    this.maps = new resources.Maps(http);
    this.crawls = new resources.Crawls(http);
    this.batches = new resources.Batches(http);
    this.files = new resources.Files(http);
    this.searches = new resources.Searches(http);
    this.answers = new resources.Answers(http);
    this.monitors = new resources.Monitors(http);
    this.schedules = new resources.Schedules(http);
    this.parsers = new resources.Parsers(http);
    this.webhooks = new resources.Webhooks(http);
    this.notifications = new resources.Notifications(http);
    this.keys = new resources.Keys(http);
    this.usage = new resources.Usage(http);
  }

  /** What the wallet has spent or may still be charged, in USDC; null without a wallet. */
  get spent(): string | null {
    return this.#http.payer?.spent ?? null;
  }

  /** Reads a page, and returns its content in the `formats`: by default HTML and markdown. */
  scrape(url: string, body?: ScrapeOptions, options?: CallOptions) {
    return this.#http.json<Answer<"createScrape">>(requests.scrape(url, body), options);
  }

  /** Reads a page as markdown. */
  async read(url: string, options?: CallOptions): Promise<Reading> {
    const request = { method: "GET", path: `/v1/read/${encodeURIComponent(url)}`, paid: true, headers: { Accept: "text/markdown" } } as const;
    const { text, headers, call } = await this.#http.text(request, options);
    const status = headers.get("x-target-status");
    return { markdown: text, scrapeId: headers.get("x-scrape-id"), targetStatus: status === null ? null : Number(status), call };
  }

  /** Lists the URLs of a site. `client.maps.urls(map)` has them all if there are very many. */
  map(url: string, body?: MapOptions, options?: CallOptions) {
    return this.#http.json<Answer<"createMap">>(requests.map(url, body), options);
  }

  /** Starts to fetch the pages of a site. `client.crawls` waits for it and lists its pages. */
  crawl(url: string, body: CrawlOptions, options?: CallOptions) {
    return this.#http.json<Answer<"createCrawl">>(requests.crawl(url, body), options);
  }

  /** Starts to fetch up to 10,000 pages; `null` if they are in the file of `file_id`. `client.batches` waits for it and lists its items. */
  batch(items: readonly BatchInput[] | null, body?: BatchOptions, options?: CallOptions) {
    return this.#http.json<Answer<"createBatch">>(requests.batch(items, body), options);
  }

  /** Finds pages by a query. */
  search(query: string, body?: SearchOptions, options?: CallOptions) {
    return this.#http.json<Answer<"createSearch">>(requests.search(query, body), options);
  }

  /** Searches the web for a task, and answers it as JSON with sources. */
  answer(task: string, body?: AnswerOptions, options?: CallOptions) {
    return this.#http.json<Answer<"createAnswer">>(requests.answer(task, body), options);
  }

  /** Creates a monitor, which watches what the query says. `client.monitors.wait(monitor)` waits until it is prepared. */
  monitor(query: string, body?: Omit<Body<"createMonitor">, "query">, options?: CallOptions) {
    return this.#http.json<Answer<"createMonitor">>({ method: "POST", path: "/v1/monitors", body: { query, ...body } }, options);
  }
}

function configOf(options: ClientOptions) {
  const { wallet, maxSpend, maxPerCall = 1, tokens, timeout = 180_000, maxRetries = 3 } = options;
  const baseURL = options.baseURL ?? environment("TURNPIKE_URL");
  if (!baseURL || !URL.canParse(baseURL)) {
    throw new UsageError(`baseURL is the address of the service, such as https://api.example.com: got ${JSON.stringify(baseURL ?? null)}`);
  }
  if (wallet && options.key !== undefined) throw new UsageError("give a key or a wallet, not both");
  if (!wallet && maxSpend !== undefined) throw new UsageError("maxSpend limits a wallet, and there is none");
  const key = wallet ? undefined : (options.key ?? environment("TURNPIKE_KEY"));
  // Checked here, as fetch would show it in its error.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) throw new UsageError("the key has characters that no key has, such as a line break");
  const send = options.fetch;
  return {
    baseURL: baseURL.replace(/\/+$/, ""),
    key,
    payer: wallet && new Payer(wallet, maxSpend as USDC, maxPerCall, tokens),
    timeout,
    maxRetries,
    // Browsers want fetch to be called as a function of the global object.
    fetch: send ?? ((url: string, init: RequestInit) => fetch(url, init)),
  };
}

/** A variable of the environment, where there is one. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
