import type { Result } from "./types.js";

type Cursor = string | number | undefined;

/** What all pages have. A map has its URLs in place of data, and `cursor`. */
interface Page {
  data?: readonly unknown[];
  next_cursor?: string | number | null;
  cursor?: string | number | null;
}

/**
 * A list. Iterating yields its items, and requests one page after the other as they are needed.
 *
 *     for await (const crawl of client.crawls.list()) console.log(crawl.id);
 */
export class List<Item, P extends object> implements AsyncIterable<Item> {
  readonly #read: (cursor: Cursor) => Promise<Result<P>>;
  readonly #items: (page: P) => readonly Item[];

  constructor(read: (cursor: Cursor) => Promise<Result<P>>, items: (page: P) => readonly Item[] = (page) => (page as Page).data as Item[]) {
    this.#read = read;
    this.#items = items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#items(page);
  }

  /** The pages themselves, for what they have beside the items. */
  async *pages(): AsyncGenerator<Result<P>, void, undefined> {
    let cursor: Cursor;
    do {
      const page: Result<P> = await this.#read(cursor);
      yield page;
      const { next_cursor, cursor: next } = page as Page;
      cursor = next_cursor ?? next ?? undefined;
    } while (cursor !== undefined);
  }

  /** The first page alone. */
  async first(): Promise<Result<P>> {
    return this.#read(undefined);
  }

  /** All items, or the first ones up to a limit. */
  async all(limit = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    if (limit <= 0) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }
}
