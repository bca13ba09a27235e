// Package workshop is the environment for tests of jobs, whatever the jobs are: a database with a ledger and an edge's
// meter, teams that pay, and workers that can be killed.
//
// A test supplies its feature (a service, the handler of its queue, the conditions at the end) and gets the rest from
// here, so that all features are tested by the same rules.
//
// An [Outpost] is the same for code that notifies others of events: an outbox, its listeners and their tasks.
//
// It is for tests only.
package workshop
