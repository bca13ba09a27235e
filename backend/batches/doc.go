// Package batches fetches up to ten thousand pages for one request, and lists the result of each.
//
// A batch is a row. Items end under that row's lock, in one transaction with all consequences: the tasks end by their
// tokens, the items get the next positions in the list, the stored content of their pages becomes readable, and their
// cost is captured from the batch's hold. So the list grows only at its end, the captured amount is the cost of the
// completed items, and a worker that was taken for dead writes nothing and is paid nothing.
//
//	Create   rows, tasks, deadline, the answer for repetitions, and last the request's hold adopted  (one transaction)
//	Run      fetches one page, in a slot of the queue
//	Finish   ends items; the last one ends the batch: event, rest of the hold released               (one transaction)
//	Cancel, Retry, deadline: the same lock, the same end
//
// Invariants:
//   - An item ends once in a round, with one position. Positions are 1 to n without gaps, and never change, except that
//     retried items get new ones.
//   - credits of a batch = completed items × unit_credits = what its holds captured.
//   - A batch in progress has open items, a task for each, and a deadline. A completed batch has none of these.
//   - Locks are taken in one order: batch, lane, task, Idempotency-Key, hold, account; the meter's row, which adoption
//     locks, is last. Only code that holds the batch's lock locks items.
//
// What it needs of other features it declares: [Pages], [Files].
package batches
