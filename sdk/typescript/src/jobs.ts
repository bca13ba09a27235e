// Waiting for what the server does in the background.
import { TimeoutError } from "./errors.js";
import { type CallOptions, sleep } from "./http.js";

/** Options of waiting. `timeout` limits the whole wait, in milliseconds; without it, the wait ends with the job. */
export interface WaitOptions<T> extends Pick<CallOptions, "signal" | "timeout" | "maxRetries"> {
  /** Called with each state that was read. */
  onProgress?: (state: T) => void;
}

const pollFirst = 300;
const pollMax = 5_000;

/** Reads a state until it is final: after 0.3 s, then after waits that grow to 5 s. */
export async function poll<T>(what: string, read: (options: CallOptions) => Promise<T>, isFinal: (state: T) => boolean, options: WaitOptions<T> = {}): Promise<T> {
  const { signal, timeout = Infinity, maxRetries, onProgress } = options;
  const until = Date.now() + timeout;
  for (let wait = pollFirst; ; wait = Math.min(wait * 1.5, pollMax)) {
    const state = await read({ signal, maxRetries });
    onProgress?.(state);
    if (isFinal(state)) return state;
    if (Date.now() + wait > until) throw new TimeoutError(`${what} is not done after ${timeout} ms; it goes on`);
    await sleep(wait, signal);
  }
}
