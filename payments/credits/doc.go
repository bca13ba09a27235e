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
// [Postgres] is the ledger; [Memory] is the reference model that it is held
// against by one conformance suite, and serves trials without a database.
//
// It imports payments/money and db.
package credits
