// Package answers does tasks: it searches and reads, and gives JSON in the form that was asked for, with the place where each
// value stands.
//
// The idea is that whoever answers (package keyless, or a model) sees the outside through one small window, the
// [ask.World] that is made for each request: it can search, open pages and read context files through it, and nothing
// else. So the limits of an answer, in pages, bytes, searches and time, are kept here once, whoever answers.
//
// Invariants:
//   - An answer belongs to the identity that paid for it: the row is unique on the identity's id and is claimed before
//     anything is searched. The repeats get the stored answer, and no second hold pays for it.
//   - Nothing found is an answer: its fields say NOT_FOUND. Only where nothing at all could be read because what was
//     tried has failed there is none, and nothing is charged.
//   - When the time is over there is what was supported by then, and it says so. A request that is gone has no answer.
//   - Each URL is fetched once, and what answers 400 or more is no source.
//   - What is held of pages and files is taken from the budget of memory.
//   - Whose answer it is decides who reads it; all others see no difference to an id that does not exist.
//   - Content is readable from the statement on that ends the work: what is stored before has no finished row.
//
// It imports backend/answers/ask, caller, extract, fetch, memory, metadata, problem and websearch, db, and
// payments/money and token.
package answers
