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
