// Package answers implements answers: it searches the web for a task, reads pages, and returns JSON in the requested form
// with the source of each value.
//
// The component that answers (package reader, or a model) reaches the outside only through the [ask.World] of its
// request: it can search, open pages and read context files, and nothing else. So the limits of an answer, in pages,
// bytes, searches and time, are enforced in one place for all components.
//
// Invariants:
//   - An answer belongs to the identity that paid for it: the row is unique on the identity's id and is claimed before
//     anything is searched. Repeated requests get the stored answer, without a second hold.
//   - An answer without any values is an answer: its fields say NOT_FOUND. Only if nothing could be read because every
//     attempt failed is there no answer, and no charge.
//   - At the time limit the answer has what is supported so far, and says so. A cancelled request has no answer.
//   - Each URL is fetched once. A response with status 400 or more is not a source.
//   - The memory of pages and files counts against the memory budget.
//   - Who paid for an answer determines who can read it; for all others it does not exist.
//   - Content is readable once the statement that ends the work has run; content stored before that has no finished row.
package answers
