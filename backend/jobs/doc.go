// Package jobs runs work that outlives a request, fairly between those who asked for it.
//
// The one idea: what there is to do is a row of table task, made in the transaction that promises it, and whoever may
// finish it holds the row's token. River (riverqueue.com) only carries tickets to the workers. So that no team's ten
// thousand items make another team's one wait, tasks stand in lanes, a feeder in each process promotes a few at a time
// from the lanes that have waited longest, and each lane has a limit of tasks under way.
//
//	Enqueue            task: ready, in its lane                     (the creator's transaction)
//	feeder             lane's turn → token and lease, ticket to River
//	Handler.Run        the work itself, in one of the queue's slots
//	Handler.Finish     Complete ends the tasks whose tokens are still theirs, and in the same transaction
//	                   the feature writes what came of them
//
// Invariants:
//   - A task is ended by one token, once: who lost its lease, was cancelled, or comes a second time ends nothing, and
//     Complete says so. What a feature writes and charges in Finish, it writes for the tasks that Complete returned.
//   - Work may be done more than once (a killed worker's tasks are run again, and a crash of the database may take a
//     promotion with it); it is finished once.
//   - Whoever changes tasks locks their lanes first, in the order of their names. A transaction of several calls asks
//     for one queue at a time; Enqueue takes all it has to add at once for that reason.
//   - The counters of a lane are the counts of its tasks in every snapshot; no ready task is below its clock, and no
//     promoted one above it.
//
// System jobs (deadlines, sweepers) go to River directly: InsertTx, AddWorker, Periodic.
//
// It imports db, River, and nothing else of ours but what db/outage says of errors.
package jobs
