// The errors that calls throw. No message has a key, a signature or a header in it: messages end in logs.

/** The base of all errors of this package. */
export class TurnpikeError extends Error {
  /** Whether the same call may succeed later. The client has then tried it again already, `maxRetries` times. */
  readonly retryable: boolean = false;
  /** Whether the server said that it has not charged the payment that came with the call. */
  readonly notCharged: boolean = false;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The client was configured or called in a way that cannot work. Nothing was sent. */
export class UsageError extends TurnpikeError {}

/** No complete response came. The server may have received the request; a retry of it is not done or charged twice. */
export class ConnectionError extends TurnpikeError {
  override readonly retryable: boolean = true;
}

/** An attempt took longer than `timeout`, or waiting for a job took longer than its `timeout`. */
export class TimeoutError extends ConnectionError {}

/** A cap of the wallet does not allow the payment. Nothing was signed or charged. */
export class SpendingCapError extends TurnpikeError {
  constructor(
    /** What the call costs, in USDC. */
    readonly price: string,
    /** The cap that it exceeds, in USDC. */
    readonly cap: string,
    /** Which cap it is: `maxSpend` of the client, or `maxPerCall`. */
    readonly scope: "client" | "call",
    /** What the client has signed payments for before, in USDC. */
    readonly spent: string,
  ) {
    super(`this call costs ${price} USDC, and ${scope === "call" ? `maxPerCall is ${cap}` : `maxSpend is ${cap}, of which ${spent} are spent`}`);
  }
}

/** The challenge has no offer that this wallet takes, or the server refused its payment. */
export class PaymentError extends TurnpikeError {
  override readonly notCharged = true;

  constructor(
    message: string,
    /** Why, as the server said it: `insufficient_funds`, for example. See docs/errors.md, "Payments". */
    readonly reason: string,
    readonly requestId: string | null,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A webhook is not signed by a secret of yours, or is too old. Respond with 401 and ignore it. */
export class WebhookError extends TurnpikeError {}

/** What an error response says. */
export interface Problem {
  status: number;
  code: string;
  detail: string;
  requestId: string | null;
  /** The page about this kind of error. */
  docs: string | null;
  /** The id of the error, to quote when asking for help. */
  errorId: string | null;
  metadata: Record<string, unknown>;
  /** Seconds after which the server wants to be asked again. */
  retryAfter: number | null;
  notCharged: boolean;
}

/** The server refused the request or failed. */
export class APIError extends TurnpikeError implements Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly docs: string | null;
  readonly errorId: string | null;
  readonly metadata: Record<string, unknown>;
  readonly retryAfter: number | null;
  override readonly retryable: boolean;
  override readonly notCharged: boolean;

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}${problem.requestId ? ` (request ${problem.requestId})` : ""}`);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.docs = problem.docs;
    this.errorId = problem.errorId;
    this.metadata = problem.metadata;
    this.retryAfter = problem.retryAfter;
    this.notCharged = problem.notCharged;
    this.retryable = isRetryable(problem);
  }
}

/** 400, 405, 413, 422: the request is wrong. `metadata.errors` lists the fields. */
export class InvalidRequestError extends APIError {}
/** 401: the key is missing, wrong, expired or revoked. */
export class AuthenticationError extends APIError {}
/** 402: too few credits, or a card was declined. */
export class CreditsError extends APIError {}
/** 403: the key lacks a scope, or the page may not be fetched. */
export class PermissionError extends APIError {}
/** 404: there is no such resource for this key. */
export class NotFoundError extends APIError {}
/** 409: the state of the resource does not allow it. */
export class ConflictError extends APIError {}
/** 429: too many requests. */
export class RateLimitError extends APIError {}
/** 502 `fetch_failed`: the page could not be fetched. `metadata.reason` says why. */
export class FetchFailedError extends APIError {}
/** 5xx: the service failed, or lacks a component. */
export class ServerError extends APIError {}

const inProgress = new Set(["idempotency_key_in_progress", "payment_in_progress"]);

function isRetryable({ status, code }: Problem): boolean {
  if (status === 409) return inProgress.has(code);
  // The page failed, not the service, and took its time. A search fails for lack of its provider, which may be back soon.
  if (code === "fetch_failed" || code === "request_timeout") return false;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

function classOf({ status, code }: Problem): typeof APIError {
  switch (status) {
    case 401:
      return AuthenticationError;
    case 402:
      return CreditsError;
    case 403:
      return PermissionError;
    case 404:
      return NotFoundError;
    case 409:
      return ConflictError;
    case 429:
      return RateLimitError;
  }
  if (code === "fetch_failed") return FetchFailedError;
  return status >= 500 ? ServerError : InvalidRequestError;
}

/** Makes the error of a response that is not a success. */
export function errorOf(status: number, headers: Headers, text: string): APIError {
  const body = parsed(text);
  const said = (name: string) => (typeof body[name] === "string" ? (body[name] as string) : null);
  const metadata = body["metadata"];
  // Payments say {error, message}; a proxy before the edge may say anything.
  const code = said("code") ?? said("error");
  const problem: Problem = {
    status,
    code: code ?? `http_${status}`,
    detail: said("detail") ?? said("message") ?? "the response has no description of the error",
    requestId: headers.get("x-request-id"),
    docs: said("type"),
    errorId: said("id"),
    metadata: isRecord(metadata) ? metadata : {},
    retryAfter: retryAfter(headers),
    notCharged: code !== null && !headers.has("payment-response") && ![409, 500, 503].includes(status),
  };
  return new (classOf(problem))(problem);
}

function retryAfter(headers: Headers): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
