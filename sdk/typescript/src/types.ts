// The types of the API's operations, from its OpenAPI document.
import type { operations, Quote as CreditQuote } from "./openapi.js";
import type { Call } from "./http.js";

export type Operation = keyof operations;

type JSONOf<R> = R extends { content: { "application/json": infer T } } ? T : never;
type Responses<O extends Operation> = operations[O]["responses"];

/** What an operation returns. A quote is not part of it: `client.quotes` asks for quotes. */
export type Answer<O extends Operation> = Extract<Exclude<JSONOf<Responses<O>[keyof Responses<O> & (200 | 202)]>, CreditQuote>, object>;

/** A page of the list that an operation returns, and an item of it. */
export type PageOf<O extends Operation> = Extract<Answer<O>, { data: readonly unknown[] }>;
export type ItemOf<O extends Operation> = PageOf<O>["data"][number];

/** The body that an operation takes. */
export type Body<O extends Operation> = operations[O] extends { requestBody?: { content: { "application/json": infer T } } } ? T : never;

/** The query parameters that an operation takes. */
export type Query<O extends Operation> = NonNullable<operations[O]["parameters"]["query"]>;

/** A response's value, with facts about the call in `call`, which is not enumerable: JSON.stringify leaves it out. */
export type Result<T> = T & { readonly call: Call };

/** What a call would cost. */
export interface Quote {
  object: "quote";
  /** Null for a wallet, which pays in USDC. */
  credits: number | null;
  usd: number;
}

/** A resource, or its id. */
export type Ref = string | { readonly id: string };
