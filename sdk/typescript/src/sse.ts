// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html

export interface SSEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/** The events of a stream, until it ends. An event that is cut off is not one. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<SSEvent, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event = "";
  let id: string | undefined;
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A CR at the end may be half of a CRLF.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
          event = "";
          data = [];
          continue;
        }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "event") event = text;
        else if (field === "data") data.push(text);
        else if (field === "id") id = text;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
