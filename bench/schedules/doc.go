// Command schedules measures how fast due schedules are claimed, set to their next times and enqueued. It checks that
// four replicas enqueue none twice, and that none is lost when claimers, or the database, are killed within their
// transactions: it compares what was enqueued with what was due, one by one.
//
// It starts its own database, and itself as the claimers that are killed.
package main
