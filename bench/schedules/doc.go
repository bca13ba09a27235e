// Command schedules measures how fast schedules that are due are claimed, set to their next times and enqueued, and holds
// that none is enqueued twice by four replicas and none is lost when claimers, or the database, are killed in the midst of
// their transactions: what was enqueued is compared with what had been due, one by one.
//
// It starts a database of its own, and itself as the claimers that are killed.
package main
