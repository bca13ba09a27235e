// Package workshop is what the tests of jobs work in, whatever the jobs are: a database with a ledger and an edge's meter,
// teams that pay, and workers that can be killed.
//
// The idea is that a test says what its feature is (a service, the handler of its queue, what must hold when all is over) and
// has the rest from here, so that all features are held to the same.
//
// An [Outpost] is the same for what tells others of events: an outbox, its listeners and their tasks.
//
// It is for tests alone.
package workshop
