// Package webhooks sends events to customers' servers, in the format of Standard Webhooks (standardwebhooks.com).
//
// It listens to the outbox and turns each event that names an address into a delivery. A delivery is a task of
// backend/queue/jobs, in the lane of its address, and a try is one POST.
//
//	Take    event → delivery and its task              (the transaction that marks the event as seen)
//	Run     one try: signed, posted                    (a slot of the queue)
//	Finish  the log, the delivery, the task            (one transaction)
//
// Invariants:
//   - An event is delivered at least once, or its delivery has failed and says so. If a worker is lost between the POST
//     and its log, the try is made again with the same id. The id is the event's, also for redeliveries.
//   - A try is stored once. The next one follows until there was a 2xx response or no tries are left.
//   - An address that hangs or fails has one try under way at a time, and no team has more than half of the slots: only
//     deliveries to the same address wait for it.
//   - Every POST goes through the guard of backend/page/fetch, and follows no redirects.
//   - Secrets are in no table: they are derived, and a new one only needs a higher number.
package webhooks
