// Package schedules calls the API at set times on behalf of teams: every hour, on weekdays at nine, or once.
//
// A schedule is a row with the time at which it is due, and its call is an ordinary call. Any replica claims the due
// rows, sets their next times and enqueues a run for each, in one transaction. Any replica takes the runs and makes the
// calls through the backend's own http.Handler, with a signed identity and a hold, both as the edge would make them. This
// package knows no prices and nothing of what a call does.
//
//	LockDueSchedules    what is due, that nobody else has taken       one transaction,
//	AdvanceSchedules    the next time after now; a run for each       one index scan and one statement
//	TakeRuns            one run of each team in its turn, for a lease
//	call                price → hold → request → what it did cost
//	EndRun              capture, or give back, with what came of it   one transaction
//
// Invariants:
//   - A schedule is due once at each of its times across all replicas: a run's key is (schedule_id, due_at). Times missed
//     while no replica ran are skipped, and so is a time at which the previous run has not ended. So no backlog builds up.
//   - A run's id is also the identity of its call and the name of its hold. If a process is lost during a call, another
//     repeats the same call: the backend does the work of an identity once, and the hold is captured once. So a call is made
//     at least once, and its work is paid once: the repeated call returns the cost of the work (see caller.SetCredits), which
//     is charged in the transaction that ends the run. If the hold has expired, the team's balance is charged. The operator
//     bears what remains: a call given up because every attempt was lost, and what a team can no longer pay.
//   - A call without enough credits is recorded as unpaid, and the schedule continues.
//   - A schedule belongs to its team, not to a key: revoking keys stops no schedule. For other teams it does not exist.
//   - Each team gets one run per turn of the shared capacity: see TakeRuns.
package schedules
