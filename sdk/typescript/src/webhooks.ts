// Verifies webhooks (Standard Webhooks), with nothing but WebCrypto: a receiver needs no client.
import { bytesOfBase64 } from "./encoding.js";
import { WebhookError } from "./errors.js";

export { WebhookError };

/** An event, as Turnpike sends it. It may come twice: keep the ids of events that you have handled. */
export interface WebhookEvent<Data = Record<string, unknown>> {
  /** The same in all tries. */
  id: string;
  /** What happened: `event.batch.completed`, `event.crawl.completed`, `event.monitor.changed` and so on. */
  object: string;
  /** When this try began, in milliseconds since 1970. */
  timestamp: number;
  /** Which try it is, of how many: `1/8`. */
  delivery_attempt: string;
  data: Data;
}

/** The headers of a request: `Headers`, or an object with lower-case names, as Node's `request.headers`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How far the timestamp may be off, in seconds. Default: 300. */
  tolerance?: number;
  /** The present time, in milliseconds since 1970. Default: the clock's. */
  now?: number;
}

/**
 * Returns the event of a webhook, or throws a {@link WebhookError} if it is not signed by the secret.
 * @param body the body as received: parsing it and writing it again would change it
 * @param secret `whsec_…` of `client.webhooks.secret()`, or several while secrets rotate
 */
export async function verifyWebhook<Data = Record<string, unknown>>(
  body: string | Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent<Data>> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature").split(" ");
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError("webhook-timestamp is not a time in seconds");
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= tolerance)) {
    throw new WebhookError(`webhook-timestamp is more than ${tolerance} seconds off: it is old, or a clock is wrong`);
  }
  const encoder = new TextEncoder();
  const content = typeof body === "string" ? encoder.encode(body) : body;
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await keyOf(one);
    for (const signature of signatures) {
      // subtle.verify compares in constant time.
      if (signature.startsWith("v1,") && (await crypto.subtle.verify("HMAC", key, decoded(signature.slice(3)), signed))) {
        return JSON.parse(new TextDecoder().decode(content)) as WebhookEvent<Data>;
      }
    }
  }
  throw new WebhookError("no signature of the webhook is by the secret");
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ""));
  if (bytes.length === 0) throw new WebhookError("the secret is whsec_ and base64, as client.webhooks.secret() returns it");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** Nothing for what is not base64, which no signature equals. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  try {
    return bytesOfBase64(text);
  } catch {
    return new Uint8Array();
  }
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string") throw new WebhookError(`the header ${name} is missing: this is not a webhook of Turnpike`);
  return value;
}
