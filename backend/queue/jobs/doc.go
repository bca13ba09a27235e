// Package jobs runs background work that outlives a request, and schedules it fairly between teams.
//
// Each item of work is a row of table task, created in the transaction that promises it. Only the holder of the row's token
// may finish the task. Tasks wait in lanes, so that ten thousand items of one team do not delay the single item of
// another: the scheduler of each process promotes as many tasks as the process can run, from the lanes that have waited
// longest, and each lane limits how many of its tasks run.
//
//	Enqueue            task: ready, in its lane                     (the creator's transaction)
//	scheduler          lane's turn → token and lease
//	Handler.Run        the work itself, in one of the queue's slots
//	Handler.Finish     Complete ends the tasks whose tokens are still theirs, and in the same transaction
//	                   the feature writes what came of them
//
// Invariants:
//   - A task is ended once, by one token. A worker whose lease was lost, whose task was cancelled, or that finishes a
//     second time ends nothing, and Complete reports that. In Finish, features write and charge only for the tasks that
//     Complete returned.
//   - Work may be done more than once, but is finished once: a killed worker's tasks run again, and a database crash
//     may lose a promotion.
//   - Code that changes tasks first locks their lanes, in the order of their names. A transaction with several calls
//     uses one queue at a time, and for the same reason Enqueue adds all its work at once.
//   - In every snapshot, a lane's counters equal the counts of its tasks. No ready task is below the lane's clock, and
//     no promoted task is above it.
//
// What the whole installation does repeatedly (deleting what has expired, ending what is late) is [Periodic].
package jobs
