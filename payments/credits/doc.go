// Package credits is the ledger of prepaid credits and the meter that requests
// pass through.
//
// The one idea is group commit: concurrent authorisations of all keys queue up,
// one statement takes the whole queue in one transaction, and each waiting
// request is answered when that commit is durable. So a committed authorisation
// survives the loss of any process, no balance is ever overspent by however many
// edges, and there are no leases and no clocks in the way.
//
// A request authorises a hold, then captures it (wholly or in part) or voids it.
// Ends ride along in later batches. What an edge leaves open when it dies is
// voided by the sweeper: that loss is the operator's, never the customer's.
//
// A batch is one row of meter_batch, and a hold is a slot of it: see [HoldID]. The
// id is made with the decision, by the edge, so that no client can name it. What
// has ended is a bit of the row, and what was captured is added up per account,
// key and operation into one row of meter_usage for each batch, and of those some
// minutes later into ledger_usage. So a request costs Postgres one update of its
// account when it is held, and its places in two rows; on a hot account, nearly
// nothing. A job that goes on after its request takes the
// hold over with [Adopt].
//
// The statement decides only what it can decide from sums that the edge has made.
// A key that has ended, or an end whose slot is not open or whose batch somebody
// has locked, is answered as such: the edge parts the batch and sends the rest
// again. Locks are taken in one order everywhere: rows of batches, then holds of
// jobs, then accounts, each by id; and nobody who meters waits for a batch's row.
//
// A batch of unknown outcome (the connection broke after it was sent) has refused
// its requests by then. Its id is barred, so that it cannot commit any more; if it
// had, what it accepted is voided.
//
// Measured on one core of a shared machine with 100,000 accounts and 1,000
// requesters, per 1,000 requests that were held and captured: 19 ms of Postgres'
// CPU on random accounts and 1.4 ms on one (BenchmarkMeter), where a row per hold
// took 49 to 57 and 19 to 28. A request by itself takes 1.05 times a durable
// commit (BenchmarkLone).
//
// A job's hold lasts: it is adopted from a request's ([Adopt]) or opened for
// scheduled work ([Ledger.OpenHold]), captured item by item in the items' own
// transactions, and settles its account once, when it closes or expires.
//
// Invariants: balance less owed is the sum of an account's movements; balance is
// never below held; nothing is available while something is owed; the log is only
// added to, and what is wrong is mended by its opposite. Every statement keeps
// them by itself, and [Ledger.Audit] compares them.
//
// [Postgres] is the ledger; [Memory] is the reference model that it is held
// against by one conformance suite, and serves trials without a database.
//
// It imports payments/money and db.
package credits
