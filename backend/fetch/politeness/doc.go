// Package politeness keeps fetches from being a burden to the hosts that they go to, by whatever number of processes:
// how many requests are under way at a host and how many begin in a second, what its robots.txt asks for, and that a
// host which says that it has had enough is left alone.
//
// The idea is one row for each host and port in Postgres, and one guarded statement that takes a turn or does not
// (queries/fetch.sql). Who gets none asks how long to wait. In one process, one request at a time asks for a host, in
// the order in which they came; so what the database sees of a host is as many askers as there are processes. Who has no
// time to wait is told when to come back, each at another time, and in the meantime is turned away without the database.
//
// Invariants:
//   - No more than Config.Concurrency requests are under way at a host. A turn whose process was killed counts no more
//     after Config.Lease.
//   - No more than Config.Burst requests begin at once, and then one in each Config.Interval, or as far apart as a
//     robots.txt that was read asks for.
//   - After 429 or 503 nobody asks until Retry-After has passed, or, without it, for a time that doubles.
//   - The time is the database's, so clocks that differ do no harm.
//   - A robots.txt counts for at most 24 hours (RFC 9309 section 2.4).
//
// The package imports backend/fetch, whose client it serves, backend/fetch/robots, and db.
package politeness
