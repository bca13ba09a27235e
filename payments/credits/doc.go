// Package credits is the ledger of prepaid credits, and the meter that authorizes and charges requests against it.
//
// The meter uses group commit: concurrent authorizations of all keys queue up, one statement takes the whole queue in
// one transaction, and each waiting request is answered when that commit is durable. So a committed authorization
// survives the loss of any process, no number of edges can overspend a balance, and no leases or clocks are involved.
//
// A request authorizes a hold, then captures it (wholly or in part) or voids it. These ends are committed in later
// batches. If an edge dies, the sweeper voids the holds that it left open: the operator bears that loss, never the
// customer.
//
// A batch is one row of meter_batch, and a hold is a slot of it: see [HoldID]. The edge makes the id when it commits,
// so no client can choose it. Ended slots are bits of the row. Captures are added up per account, key and operation
// into one row of meter_usage for each batch, and some minutes later into ledger_usage. So a request costs Postgres one
// update of its account when it is held, and its places in two rows; on a hot account, nearly nothing. A job that
// continues after its request takes the hold over with [Adopt].
//
// The statement decides only from sums that the edge has computed. If a key has ended, or an end's slot is not open or
// its batch is locked, the statement reports it; the edge splits the batch and sends the rest again. Locks are taken in
// one order everywhere: rows of batches, then holds of jobs, then accounts, each by id. The meter never waits for the
// row of a batch.
//
// If the outcome of a batch is unknown (the connection broke after it was sent), its requests have been refused. Its id
// is barred, so that it can no longer commit; if it was committed, what it accepted is voided.
//
// Measured on one core of a shared machine with 100,000 accounts and 1,000 requesters, per 1,000 requests that were
// held and captured: 19 ms of Postgres' CPU on random accounts and 1.4 ms on one (BenchmarkMeter), where a row per hold
// took 49 to 57 and 19 to 28. A single request takes 1.05 times a durable commit (BenchmarkLone).
//
// A job's hold lasts longer: it is adopted from a request's ([Adopt]) or opened for scheduled work ([Ledger.OpenHold]),
// captured item by item in the items' own transactions, and settles its account once, when it closes or expires.
//
// Invariants: balance minus owed is the sum of an account's movements; balance is never below held; nothing is
// available while something is owed; the log is append-only, and mistakes are corrected by reversals. Every statement
// keeps them by itself, and [Ledger.Audit] checks them.
//
// [Postgres] is the ledger. [Memory] is the reference model, tested with the same conformance suite, and serves trials
// without a database.
package credits
