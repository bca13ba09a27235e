// Package schedules makes calls of the API when it is time, on behalf of teams: each hour, on weekdays at nine, or once.
//
// The idea is that a schedule is a row with the time at which it is due, and a call is one like any other. Any replica
// takes the rows that are due, sets their next times and enqueues a run for each, in one transaction; any replica takes the
// runs, and makes the calls through the backend's own http.Handler, under an identity that is signed as the edge signs it
// and for a hold that is opened as the edge would have. Nothing here knows a price, or what a call does.
//
//	LockDueSchedules    what is due, that nobody else has taken       one transaction,
//	AdvanceSchedules    the next time after now; a run for each       one index scan and one statement
//	TakeRuns            one run of each team in its turn, for a lease
//	call                price → hold → request → what it did cost
//	EndRun              capture, or give back, with what came of it   one transaction
//
// Invariants:
//   - A schedule is due once at each of its times, in all replicas together: the run's key is (schedule_id, due_at). Times
//     that passed while nobody looked are passed over, and so is one at which the run before has not ended: nothing piles up.
//   - A run's id is the identity of its call and its hold's. Whoever makes the call again, for one who was lost in the middle,
//     makes the same: the backend does the work of one identity once, and the hold is captured once. So a call is made at
//     least once, and what it has made is paid once: the repeated call is told what the work did cost (see
//     caller.SetCredits), and that is taken in the transaction that ends the run, by the one attempt that ends it. Where the
//     hold has expired by then, it is taken from what the team has. The operator bears what is left: a call that is given up
//     since every try was lost, and what a team cannot pay any more.
//   - A call that lacks credits is written down as such (unpaid), and the schedule goes on.
//   - A schedule belongs to its team, and no key: revoking keys stops nothing. Another team sees no difference to none.
//   - What a team has in hand of others' capacity is one run in its turn: see TakeRuns.
//
// It imports backend/caller, frequency and problem, db, and payments/credits, edgewire, money, price and token.
package schedules
