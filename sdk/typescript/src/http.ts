// Sends requests: authentication or payment, time limits, retries, errors.
import { randomHex } from "./encoding.js";
import { APIError, ConnectionError, errorOf, TimeoutError, TurnpikeError, UsageError } from "./errors.js";
import type { Ref, Result } from "./types.js";
import type { USDC } from "./usdc.js";
import { type Payer, type Payment, type Receipt, receiptOf, refusal } from "./wallet.js";

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call. It then throws the signal's reason. What the server has begun may go on and be charged. */
  signal?: AbortSignal | undefined;
  /** The time limit of each attempt, in milliseconds. Default: the client's. */
  timeout?: number | undefined;
  /** How often to try again. Default: the client's. */
  maxRetries?: number | undefined;
  /** The most USDC that the call may cost, with a wallet. Default: the client's. */
  maxPerCall?: USDC | undefined;
  /** Of a POST: calls with the same key and body are done and charged once. Default: a random one for each call. */
  idempotencyKey?: string | undefined;
}

/** Facts about a call. */
export interface Call {
  status: number;
  /** Quote it when you ask for help. */
  requestId: string | null;
  /** The credits that the call has cost, or null if it did not say. A crawl or batch costs credits later: see its `credits_consumed`. */
  credits: number | null;
  /** The team's credits after the call. */
  creditsRemaining: number | null;
  /** The USDC that the wallet has paid for the call, or null. */
  usdc: string | null;
  receipt: Receipt | null;
  /** Whether the response is that of an earlier request with the same idempotency key. */
  replayed: boolean;
}

export interface Request {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** Whether a wallet can pay for it: it then goes to the path's twin below /x402. */
  paid?: boolean;
  headers?: Record<string, string>;
}

export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

export interface HTTPConfig {
  baseURL: string;
  key?: string | undefined;
  payer?: Payer | undefined;
  timeout: number;
  maxRetries: number;
  fetch: FetchFunction;
}

/** A longer Retry-After is not waited for: the error says it. */
const retryAfterMax = 60;
const delayFirst = 500;
const delayMax = 8_000;

interface Sent<T> {
  value: T;
  call: Call;
}

export class HTTP {
  readonly #config: HTTPConfig;

  constructor(config: HTTPConfig) {
    this.#config = config;
  }

  get payer(): Payer | undefined {
    return this.#config.payer;
  }

  /** Sends a request and returns the JSON of its response. */
  async json<T extends object>(request: Request, options?: CallOptions): Promise<Result<T>> {
    const { value, call } = await this.#send(request, options, async (response) => (await response.json()) as T);
    return withCall(value, call);
  }

  /** Sends a request and returns the text of its response. */
  async text(request: Request, options?: CallOptions): Promise<{ text: string; headers: Headers; call: Call }> {
    const { value, call } = await this.#send(request, options, async (response) => ({ text: await response.text(), headers: response.headers }));
    return { ...value, call };
  }

  /** Sends a request and returns the body of its response as it arrives. `timeout` limits the time until it begins. */
  async stream(request: Request, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    const { value } = await this.#send(request, options, async (response) => response.body ?? new Blob([]).stream());
    return value;
  }

  /** Sends bytes to a signed URL, without the key. */
  async put(url: string, body: BodyInit, options: CallOptions = {}): Promise<void> {
    const init = { method: "PUT", headers: { "Content-Type": "application/json" }, body };
    await this.#retry(options, () => this.#attempt("PUT of the content", url, init, options, (response) => response.text()));
  }

  /** The price of a paid request, by the challenge that it gets without a payment. */
  async price(request: Request, options: CallOptions = {}): Promise<string> {
    const payer = this.#config.payer!;
    return this.#retry(options, async () => {
      const { url, init, label } = this.#prepare(request, undefined);
      return this.#attempt(label, url, init, options, async () => "0", (response) => payer.price(response.headers));
    });
  }

  async #send<T>(request: Request, options: CallOptions = {}, read: (response: Response) => Promise<T>): Promise<Sent<T>> {
    const key = request.method === "POST" ? (options.idempotencyKey ?? randomHex(16)) : undefined;
    if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) throw new UsageError("idempotencyKey is 1 to 255 visible ASCII characters");
    const { url, init, label } = this.#prepare(request, key);
    const payer = request.paid ? this.#config.payer : undefined;
    const purchase = key ?? randomHex(16);
    let payment: Payment | undefined;
    let notCharged = true; // as each response to the payment said
    const done = async (response: Response) => ({ value: await read(response), call: callOf(response, payment) });
    const attempt = () => {
      if (!payer) return this.#attempt(label, url, init, options, done);
      // A payment that was sent is sent again. A second one is never signed, as the first may be charged.
      const paying = () => {
        const headers = { ...(init.headers as Record<string, string>), "PAYMENT-SIGNATURE": payment!.header };
        const refused = (response: Response) => Promise.reject(refusal(response.headers));
        return this.#attempt(label, url, { ...init, headers }, options, done, refused).catch((error) => {
          notCharged &&= error instanceof TurnpikeError && error.notCharged;
          throw error;
        });
      };
      if (payment) return paying();
      return this.#attempt(label, url, init, options, done, async ({ headers }) => {
        payment = await payer.pay(headers, purchase, options.maxPerCall);
        return paying();
      });
    };
    try {
      const sent = await this.#retry(options, attempt, () => !payment || Date.now() < payment.expires);
      notCharged &&= sent.call.receipt === null; // the response of an earlier call, or free
      return sent;
    } finally {
      if (notCharged) payment?.release();
    }
  }

  #prepare(request: Request, key: string | undefined): { url: string; init: RequestInit; label: string } {
    const { method, path, query, body, paid } = request;
    const { baseURL, key: apiKey, payer } = this.#config;
    const headers: Record<string, string> = { Accept: "application/json", ...request.headers };
    if (apiKey !== undefined) headers["Authorization"] = `Bearer ${apiKey}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    const url = `${baseURL}${payer && paid ? "/x402" : ""}${path}${searchOf(query)}`;
    return { url, init, label: `${method} ${path.replace(/^(\/v1\/read\/).*/, "$1…")}` };
  }

  /**
   * Sends once, and has the response read within the time limit. onPayment handles a 402 with a challenge.
   * Redirects are not followed: they would take the key or the payment elsewhere.
   */
  async #attempt<T>(
    label: string,
    url: string,
    init: RequestInit,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
    onPayment?: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const { signal, timeout = this.#config.timeout } = options;
    signal?.throwIfAborted();
    const abort = new AbortController();
    const onAbort = () => abort.abort(signal!.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      abort.abort();
    }, timeout);
    let challenge: Response | undefined;
    let streaming = false;
    try {
      const response = await this.#config.fetch(url, { ...init, redirect: "manual", signal: abort.signal });
      if (response.ok) {
        const value = await read(response);
        streaming = value instanceof ReadableStream || (value as Sent<unknown>)?.value instanceof ReadableStream;
        return value;
      }
      if (response.status < 400) throw new UsageError(`${label}: the server redirects elsewhere: baseURL is the address of the API itself`);
      const text = await response.text();
      if (response.status === 402 && onPayment && response.headers.has("payment-required")) challenge = response;
      else throw errorOf(response.status, response.headers, text);
    } catch (cause) {
      if (cause instanceof TurnpikeError) throw cause;
      if (signal?.aborted) throw signal.reason;
      if (timedOut) throw new TimeoutError(`${label}: no response within ${timeout} ms`);
      throw new ConnectionError(`${label}: the connection failed, or the response was not complete JSON`, { cause });
    } finally {
      clearTimeout(timer);
      // The caller's signal goes on to end a stream that it reads.
      if (!streaming) signal?.removeEventListener("abort", onAbort);
    }
    return onPayment!(challenge);
  }

  async #retry<T>(options: CallOptions, attempt: () => Promise<T>, mayRetry: () => boolean = () => true): Promise<T> {
    const { signal, maxRetries = this.#config.maxRetries } = options;
    for (let retries = 0; ; retries++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof TurnpikeError) || !error.retryable || retries >= maxRetries || !mayRetry()) throw error;
        const after = error instanceof APIError ? error.retryAfter : null;
        if (after !== null && after > retryAfterMax) throw error;
        const delay = Math.min(delayFirst * 2 ** retries, delayMax) * (0.75 + Math.random() / 2);
        await sleep(after === null ? delay : after * 1000 + Math.random() * 250, signal);
      }
    }
  }
}

/** Waits. An aborted signal ends it by throwing its reason. */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** A path with its variables encoded. */
export function path(parts: TemplateStringsArray, ...refs: Ref[]): string {
  return parts.reduce((text, part, i) => text + idOf(refs[i - 1]!) + part);
}

function idOf(ref: Ref): string {
  const id = typeof ref === "string" ? ref : ref?.id;
  if (typeof id !== "string" || id === "") throw new UsageError("an id is missing: pass a resource, or its id");
  return encodeURIComponent(id);
}

function searchOf(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  }
  return search.size > 0 ? `?${search}` : "";
}

function callOf(response: Response, payment: Payment | undefined): Call {
  const { headers, status } = response;
  const number = (name: string) => (headers.has(name) ? Number(headers.get(name)) : null);
  const receipt = receiptOf(headers);
  return {
    status,
    requestId: headers.get("x-request-id"),
    credits: number("x-credits-used"),
    creditsRemaining: number("x-credits-remaining"),
    usdc: receipt ? (payment?.usdc ?? null) : null,
    receipt,
    replayed: headers.get("idempotent-replayed") === "true",
  };
}

function withCall<T extends object>(value: T, call: Call): Result<T> {
  return Object.defineProperty(value, "call", { value: call }) as Result<T>;
}
