// Package batches fetches up to ten thousand pages for one request, and shows what came of each.
//
// The idea is that a batch is a row, and whoever ends items of it does so under that row's lock, in one transaction with
// what follows from it: the tasks end by their tokens, the items get the next places in the list, what is kept of their
// pages becomes readable, and what they cost is captured from the batch's hold. So the list grows at its end only, what
// was captured is what the completed items cost, and a worker that was taken for dead writes nothing and is paid nothing.
//
//	Create   rows, tasks, deadline, the answer for repetitions, and last the request's hold adopted  (one transaction)
//	Run      fetches one page, in a slot of the queue
//	Finish   ends items; the last one ends the batch: event, rest of the hold released               (one transaction)
//	Cancel, Retry, deadline: the same lock, the same end
//
// Invariants:
//   - An item ends once in a round, with one place. Places are 1 to n without holes, and never change but for those of
//     failed items that are retried, which get new ones.
//   - credits of a batch = completed items × unit_credits = what its holds captured.
//   - A batch in progress has open items, a task for each, and a deadline. One that is completed has none of these.
//   - Locks are taken in one order: batch, lane, task, Idempotency-Key, hold, account; the meter's row, which
//     adoption locks, is last. Items are locked by whoever has the batch alone.
//
// It imports backend/body, caller, funding, jobs, metadata, outbox, page, paging and problem, db, and payments/credits, edgewire,
// money, price and token. What it needs of other features it declares: [Pages], [Files].
package batches
