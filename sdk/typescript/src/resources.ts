// The resources of the API, a method for each operation. Bodies and answers are as in its reference.
import { ConnectionError } from "./errors.js";
import { type CallOptions, type HTTP, path, type Request, sleep } from "./http.js";
import { poll, type WaitOptions } from "./jobs.js";
import type * as api from "./openapi.js";
import { List } from "./pages.js";
import * as requests from "./requests.js";
import type { AnswerOptions, BatchInput, BatchOptions, CrawlOptions, MapOptions, ScrapeOptions, SearchOptions } from "./requests.js";
import { eventsOf } from "./sse.js";
import type { Answer, Body, ItemOf, Operation, PageOf, Query, Quote, Ref, Result } from "./types.js";

class Resource {
  constructor(protected readonly http: HTTP) {}

  protected read<O extends Operation>(path: string, options?: CallOptions, query?: object): Promise<Result<Answer<O>>> {
    return this.http.json<Answer<O>>({ method: "GET", path, query }, options);
  }

  protected send<O extends Operation>(path: string, options?: CallOptions, body?: unknown, method: Request["method"] = "POST"): Promise<Result<Answer<O>>> {
    return this.http.json<Answer<O>>({ method, path, body }, options);
  }

  protected listOf<O extends Operation>(path: string, query?: object, options?: CallOptions): List<ItemOf<O>, PageOf<O>> {
    return new List((cursor) => this.http.json<PageOf<O>>({ method: "GET", path, query: { ...query, cursor } }, options));
  }
}

/** What the paid operations would cost. Nothing is done or charged. */
export class Quotes extends Resource {
  scrape(url: string, body?: ScrapeOptions, options?: CallOptions) {
    return this.#quote(requests.scrape(url, body), options);
  }
  map(url: string, body?: MapOptions, options?: CallOptions) {
    return this.#quote(requests.map(url, body), options);
  }
  crawl(url: string, body: CrawlOptions, options?: CallOptions) {
    return this.#quote(requests.crawl(url, body), options);
  }
  batch(items: readonly BatchInput[] | null, body?: BatchOptions, options?: CallOptions) {
    return this.#quote(requests.batch(items, body), options);
  }
  retry(batch: Ref, options?: CallOptions) {
    return this.#quote({ method: "POST", path: path`/v1/batches/${batch}/retry` }, options);
  }
  search(query: string, body?: SearchOptions, options?: CallOptions) {
    return this.#quote(requests.search(query, body), options);
  }
  answer(task: string, body?: AnswerOptions, options?: CallOptions) {
    return this.#quote(requests.answer(task, body), options);
  }
  parserTest(body: Body<"testParser">, options?: CallOptions) {
    return this.#quote(requests.parserTest(body), options);
  }

  async #quote(request: Request, options?: CallOptions): Promise<Quote> {
    // A wallet's price is in the challenge that the request gets without a payment.
    if (this.http.payer && request.paid) return { object: "quote", credits: null, usd: Number(await this.http.price(request, options)) };
    return this.http.json<Quote>({ ...request, query: { dry_run: "true" } }, options);
  }
}

/** Pages that were scraped. `client.scrape(url)` makes one. */
export class Scrapes extends Resource {
  get(scrape: Ref, options?: CallOptions) {
    return this.read<"getScrape">(path`/v1/scrapes/${scrape}`, options);
  }
  /** The content of a page of a scrape, crawl or batch, by its `retrieve_id`. */
  retrieve(page: string | { readonly retrieve_id: string }, query?: Omit<Query<"retrieveContent">, "retrieve_id">, options?: CallOptions) {
    return this.read<"retrieveContent">("/v1/retrieve", options, { ...query, retrieve_id: typeof page === "string" ? page : page.retrieve_id });
  }
}

/** URLs of sites. `client.map(url)` makes one. */
export class Maps extends Resource {
  get(map: Ref, query?: Query<"getMap">, options?: CallOptions) {
    return this.read<"getMap">(path`/v1/maps/${map}`, options, query);
  }
  /** All URLs of a map, of which a response has the first 100,000 at most. */
  urls(map: Ref, options?: CallOptions): List<string, api.Map> {
    return new List((cursor) => this.read<"getMap">(path`/v1/maps/${map}`, options, { cursor }), (page) => page.urls);
  }
}

/** Crawls of sites. `client.crawl(url, { max_pages })` starts one. */
export class Crawls extends Resource {
  get(crawl: Ref, options?: CallOptions) {
    return this.read<"getCrawl">(path`/v1/crawls/${crawl}`, options);
  }
  list(query?: Query<"listCrawls">, options?: CallOptions) {
    return this.listOf<"listCrawls">("/v1/crawls", query, options);
  }
  /** The pages found so far. Their content: `client.scrapes.retrieve(page)`. */
  pages(crawl: Ref, query?: Query<"listCrawlPages">, options?: CallOptions) {
    return this.listOf<"listCrawlPages">(path`/v1/crawls/${crawl}/pages`, query, options);
  }
  cancel(crawl: Ref, options?: CallOptions) {
    return this.send<"cancelCrawl">(path`/v1/crawls/${crawl}`, options, undefined, "DELETE");
  }
  /** The recorded requests and responses of a crawl that was made with `record`, as a WARC file. */
  warc(crawl: Ref, options?: CallOptions) {
    return this.http.stream({ method: "GET", path: path`/v1/crawls/${crawl}/warc`, headers: { Accept: "application/warc" } }, options);
  }
  wait(crawl: Ref, options?: WaitOptions<api.Crawl>) {
    return poll("the crawl", (o) => this.get(crawl, o), (state) => state.status === "completed", options);
  }
}

/** Many pages at once. `client.batch(urls)` starts one. */
export class Batches extends Resource {
  get(batch: Ref, options?: CallOptions) {
    return this.read<"getBatch">(path`/v1/batches/${batch}`, options);
  }
  list(query?: Query<"listBatches">, options?: CallOptions) {
    return this.listOf<"listBatches">("/v1/batches", query, options);
  }
  /** The pages that are done. Their content: `client.scrapes.retrieve(item)`. */
  items(batch: Ref, query?: Query<"listBatchItems">, options?: CallOptions) {
    return this.listOf<"listBatchItems">(path`/v1/batches/${batch}/items`, query, options);
  }
  update(batch: Ref, body: Body<"updateBatch">, options?: CallOptions) {
    return this.send<"updateBatch">(path`/v1/batches/${batch}`, options, body, "PATCH");
  }
  /** Fetches the failed pages again. */
  retry(batch: Ref, options?: CallOptions) {
    return this.send<"retryBatch">(path`/v1/batches/${batch}/retry`, options);
  }
  cancel(batch: Ref, options?: CallOptions) {
    return this.send<"cancelBatch">(path`/v1/batches/${batch}`, options, undefined, "DELETE");
  }
  wait(batch: Ref, options?: WaitOptions<api.Batch>) {
    return poll("the batch", (o) => this.get(batch, o), (state) => state.status === "completed", options);
  }
}

/** JSON files: the items of a batch, or context for answers. */
export class Files extends Resource {
  /** Creates a file, sends its content and completes it. Content that is not a string, bytes or a Blob is written as JSON. */
  async upload(filename: string, content: unknown, body?: Omit<Body<"createFile">, "filename">, options?: CallOptions) {
    const raw = typeof content === "string" || content instanceof Blob || content instanceof ArrayBuffer || ArrayBuffer.isView(content);
    const file = await this.create({ filename, ...body }, options);
    await this.http.put(file.upload_url, raw ? (content as BodyInit) : JSON.stringify(content), options);
    return this.complete(file, options && { ...options, idempotencyKey: undefined });
  }
  create(body: Body<"createFile">, options?: CallOptions) {
    return this.send<"createFile">("/v1/files", options, body);
  }
  complete(file: Ref, options?: CallOptions) {
    return this.send<"completeFile">(path`/v1/files/${file}/complete`, options);
  }
  get(file: Ref, options?: CallOptions) {
    return this.read<"getFile">(path`/v1/files/${file}`, options);
  }
  list(query?: Query<"listFiles">, options?: CallOptions) {
    return this.listOf<"listFiles">("/v1/files", query, options);
  }
  /** The file with a `download_url`. */
  content(file: Ref, options?: CallOptions) {
    return this.read<"getFileContent">(path`/v1/files/${file}/content`, options);
  }
  delete(file: Ref, options?: CallOptions) {
    return this.send<"deleteFile">(path`/v1/files/${file}`, options, undefined, "DELETE");
  }
}

/** Searches that were made. `client.search(query)` makes one. */
export class Searches extends Resource {
  get(search: Ref, options?: CallOptions) {
    return this.read<"getSearch">(path`/v1/searches/${search}`, options);
  }
}

/** Answers that were given. `client.answer(task)` asks for one. */
export class Answers extends Resource {
  get(answer: Ref, options?: CallOptions) {
    return this.read<"getAnswer">(path`/v1/answers/${answer}`, options);
  }
}

/** What a monitor's stream tells while the monitor is prepared. */
export type MonitorProgress =
  | { event: "phase"; data: { phase: string; message: string; at: string } }
  | { event: "reasoning_token"; data: { token: string } }
  | { event: "error"; data: { error: string; monitor_id: string } }
  | { event: "complete"; data: api.Monitor };

/** How often a stream may break off without a new event before it counts as lost. */
const streamBreaksMax = 3;

/** Pages that are watched. `client.monitor(query)` creates one. */
export class Monitors extends Resource {
  get(monitor: Ref, query?: Query<"getMonitor">, options?: CallOptions) {
    return this.read<"getMonitor">(path`/v1/monitors/${monitor}`, options, query);
  }
  list(query?: Query<"listMonitors">, options?: CallOptions) {
    return this.listOf<"listMonitors">("/v1/monitors", query, options);
  }
  update(monitor: Ref, body: Body<"updateMonitor">, options?: CallOptions) {
    return this.send<"updateMonitor">(path`/v1/monitors/${monitor}`, options, body);
  }
  pause(monitor: Ref, options?: CallOptions) {
    return this.send<"pauseMonitor">(path`/v1/monitors/${monitor}/pause`, options);
  }
  resume(monitor: Ref, options?: CallOptions) {
    return this.send<"resumeMonitor">(path`/v1/monitors/${monitor}/resume`, options);
  }
  delete(monitor: Ref, options?: CallOptions) {
    return this.send<"deleteMonitor">(path`/v1/monitors/${monitor}`, options, undefined, "DELETE");
  }
  /** Starts a run now. */
  run(monitor: Ref, options?: CallOptions) {
    return this.send<"runMonitor">(path`/v1/monitors/${monitor}/run`, options);
  }
  runs(monitor: Ref, query?: Query<"listMonitorRuns">, options?: CallOptions) {
    return this.listOf<"listMonitorRuns">(path`/v1/monitors/${monitor}/runs`, query, options);
  }
  getRun(monitor: Ref, run: Ref, options?: CallOptions) {
    return this.read<"getMonitorRun">(path`/v1/monitors/${monitor}/runs/${run}`, options);
  }
  events(monitor: Ref, query?: Omit<Query<"listMonitorEvents">, "count_only">, options?: CallOptions) {
    return this.listOf<"listMonitorEvents">(path`/v1/monitors/${monitor}/events`, query, options);
  }
  diff(monitor: Ref, event: Ref, options?: CallOptions) {
    return this.read<"getMonitorEventDiff">(path`/v1/monitors/${monitor}/events/${event}/diff`, options);
  }
  /** How the monitor's query was understood, and what a run does. */
  planning(monitor: Ref, options?: CallOptions) {
    return this.read<"getMonitorPlanning">(path`/v1/monitors/${monitor}/planning`, options);
  }

  /** The progress of a monitor that is being prepared, from the beginning. A stream that breaks off goes on where it was. */
  async *stream(monitor: Ref, options: CallOptions = {}): AsyncGenerator<MonitorProgress, void, undefined> {
    let last: string | undefined;
    for (let breaks = 0; ; ) {
      const headers = { Accept: "text/event-stream", ...(last !== undefined && { "Last-Event-ID": last }) };
      const body = await this.http.stream({ method: "GET", path: path`/v1/monitors/${monitor}/stream`, headers }, options);
      let cause: unknown;
      try {
        for await (const { event, data, id } of eventsOf(body)) {
          last = id ?? last;
          breaks = 0;
          yield { event, data: JSON.parse(data) } as MonitorProgress;
          if (event === "complete") return;
        }
      } catch (error) {
        options.signal?.throwIfAborted();
        cause = error;
      }
      if (++breaks > streamBreaksMax) throw new ConnectionError("the monitor's stream of events broke off again and again", { cause });
      await sleep(500 * breaks, options.signal);
    }
  }

  /** Waits until the monitor is prepared: it is then `active`, or `failed` with its `error_message`. */
  wait(monitor: Ref, options?: WaitOptions<api.Monitor>) {
    return poll("the monitor", (o) => this.get(monitor, undefined, o), (state) => state.status !== "provisioning", options);
  }
}

/** Calls at set times. */
export class Schedules extends Resource {
  create(body: Body<"createSchedule">, options?: CallOptions) {
    return this.send<"createSchedule">("/v1/schedules", options, body);
  }
  get(schedule: string, options?: CallOptions) {
    return this.read<"getSchedule">(path`/v1/schedules/${schedule}`, options);
  }
  list(query?: Query<"listSchedules">, options?: CallOptions) {
    return this.listOf<"listSchedules">("/v1/schedules", query, options);
  }
  delete(schedule: string, options?: CallOptions) {
    return this.send<"deleteSchedule">(path`/v1/schedules/${schedule}`, options, undefined, "DELETE");
  }
}

/** Rules that make JSON of pages. */
export class Parsers extends Resource {
  create(body: Body<"createParser">, options?: CallOptions) {
    return this.send<"createParser">("/v1/parsers", options, body);
  }
  get(parser: Ref, options?: CallOptions) {
    return this.read<"getParser">(path`/v1/parsers/${parser}`, options);
  }
  list(query?: Query<"listParsers">, options?: CallOptions) {
    return this.listOf<"listParsers">("/v1/parsers", query, options);
  }
  versions(parser: Ref, query?: Query<"listParserVersions">, options?: CallOptions) {
    return this.listOf<"listParserVersions">(path`/v1/parsers/${parser}/versions`, query, options);
  }
  /** Deletes a parser with all its versions, by its name. */
  delete(name: string, options?: CallOptions) {
    return this.send<"deleteParser">(path`/v1/parsers/${name}`, options, undefined, "DELETE");
  }
  /** Runs a parser on a page without storing anything. Costs as much as a scrape. */
  test(body: Body<"testParser">, options?: CallOptions) {
    return this.http.json<Answer<"testParser">>(requests.parserTest(body), options);
  }
}

/** Webhooks that were sent, and the secret that signs them. {@link verifyWebhook} verifies one. */
export class Webhooks extends Resource {
  deliveries(query?: Query<"listWebhookDeliveries">, options?: CallOptions) {
    return this.listOf<"listWebhookDeliveries">("/v1/webhooks/deliveries", query, options);
  }
  redeliver(delivery: Ref, options?: CallOptions) {
    return this.send<"redeliverWebhook">(path`/v1/webhooks/deliveries/${delivery}/redeliver`, options);
  }
  secret(options?: CallOptions) {
    return this.read<"getWebhookSecret">("/v1/webhooks/secret", options);
  }
  /** Makes a new secret. The previous one signs beside it for a day. */
  rotateSecret(options?: CallOptions) {
    return this.send<"rotateWebhookSecret">("/v1/webhooks/secret", options);
  }
}

/** Mails and messages that monitors have sent. */
export class Notifications extends Resource {
  deliveries(query?: Query<"listNotificationDeliveries">, options?: CallOptions) {
    return this.listOf<"listNotificationDeliveries">("/v1/notifications/deliveries", query, options);
  }
}

/** API keys of the team. */
export class Keys extends Resource {
  list(options?: CallOptions) {
    return this.listOf<"listKeys">("/user/keys", undefined, options);
  }
  create(body: Body<"createKey">, options?: CallOptions) {
    return this.send<"createKey">("/user/keys", options, body);
  }
  rotate(key: Ref, body: Body<"rotateKey"> = {}, options?: CallOptions) {
    return this.send<"rotateKey">(path`/user/keys/${key}/rotate`, options, body);
  }
  revoke(key: Ref, options?: CallOptions) {
    return this.send<"revokeKey">(path`/user/keys/${key}`, options, undefined, "DELETE");
  }
}

/** The team's credits, and what they were used for. */
export class Usage extends Resource {
  get(query?: Query<"getUsage">, options?: CallOptions) {
    return this.read<"getUsage">("/user/usage", options, query);
  }
  credits(options?: CallOptions) {
    return this.read<"getCredits">("/user/credits/info", options);
  }
  /** What everything costs. Needs no key. */
  pricing(options?: CallOptions) {
    return this.read<"getPricing">("/pricing", options);
  }
}
