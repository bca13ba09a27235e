// Package webhooks tells callers' servers what happened, in the form of Standard Webhooks (standardwebhooks.com).
//
// Nobody calls it: it listens to the outbox, and makes each event that names an address a delivery. A delivery is a task
// of backend/jobs, in the lane of its address, and a try is one POST.
//
//	Take    event → delivery and its task              (the transaction that marks the event as seen)
//	Run     one try: signed, posted                    (a slot of the queue)
//	Finish  the log, the delivery, the task            (one transaction)
//
// Invariants:
//   - An event is delivered at least once, or its delivery has failed and says so: a worker that is lost between the POST
//     and its log has the try made again, with the same id. The id is the event's, also for redeliveries.
//   - A try is written down once, and is followed by the next one until there is no more to be had or there was an answer
//     of 2xx.
//   - An address that hangs or fails has one try under way at a time, and no team more than half of the slots: nobody
//     waits for it but what else goes there.
//   - Every POST goes through the guard of backend/fetch, and follows no redirects.
//   - Secrets are in no table: they are derived, and a team's next one needs no more than a number.
//
// It imports backend/caller, delivery, fetch, jobs, outbox, paging and problem, db, and payments/token.
package webhooks
