// Package hostlimits limits the load that fetches put on each host, across all processes: how many requests are in progress
// and how many start per second. It follows the host's robots.txt, and backs off from a host that refuses requests.
//
// Each host and port has one row in Postgres, and one guarded statement takes a turn or fails (queries/fetch.sql). A
// request that gets no turn asks how long to wait. Within a process, one request at a time asks for a host, in order of
// arrival, so the database sees at most one per process and host. A request that cannot wait so long gets a time to come
// back, each another one, and until then is refused without asking the database.
//
// Invariants:
//   - At most Config.Concurrency requests are in progress at a host. A turn of a killed process expires after Config.Lease.
//   - At most Config.Burst requests start at once, and then one per Config.Interval, or per Crawl-delay of a robots.txt
//     that was read.
//   - After 429 or 503, no request is sent until Retry-After has passed or, without it, for a time that doubles.
//   - The database's clock is used, so clock differences do no harm.
//   - A robots.txt is used for at most 24 hours (RFC 9309 section 2.4).
package hostlimits
