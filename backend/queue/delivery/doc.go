// Package delivery retries deliveries until they are accepted or have finally failed.
//
// A delivery is a task of backend/queue/jobs in the lane of its receiver, and a try is one run of it. This package decides when,
// how often and how many at once, for webhooks and notifications alike. The [Carrier] makes the try and stores it.
//
//	Run     one try                                    (a slot of the queue)
//	Finish  the verdict, the carrier's log, the task   (one transaction)
//
// Invariants:
//   - A try is stored once. The next one follows until the delivery is accepted or no tries are left. If a worker is
//     lost between a try and its log, the try is made again.
//   - A receiver that hangs or fails has one try under way at a time, and no team has more than half of the slots: only
//     deliveries to the same receiver wait for it.
package delivery
