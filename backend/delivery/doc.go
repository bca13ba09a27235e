// Package delivery tries to hand things over until they are taken or nobody need try any more.
//
// The one idea: what is delivered is a task of backend/jobs in the lane of whom it goes to, and a try is one run of it.
// When, how often and how many at once is decided here, for webhooks and notifications alike. What a try is, and where it
// is written down, is the [Carrier]'s.
//
//	Run     one try                                    (a slot of the queue)
//	Finish  the verdict, the carrier's log, the task   (one transaction)
//
// Invariants:
//   - A try is written down once, and is followed by the next one until there is no more to be had or it was taken. A
//     worker that is lost between a try and its log has the try made again.
//   - Who hangs or fails has one try under way at a time, and no team more than half of the slots: nobody waits for it
//     but what else goes there.
//
// It imports backend/jobs.
package delivery
