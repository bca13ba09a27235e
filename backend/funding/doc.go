// Package funding is how jobs of many items are paid, whatever the items are: batches, crawls.
//
// The idea is that a job is paid either from the credits that its request has set aside, which it takes over, captures
// item by item and closes; or by a wallet, in full and beforehand, which gets all of it back or nothing. A feature says
// what happened to its items, in the transaction in which it happened, and the rest is the same everywhere.
//
//	Covered   the request has set aside what the job may cost        before anything is written
//	Adopt     the request's hold is the job's from here on           the last statement of the creation
//	Capture   items are finished, and paid                           with the items
//	Settle    nothing more will be paid: the rest is given back      with the job's end
//	Repeated  a request that asks for what was made before           instead of all these
//
// It imports backend/caller and problem, and payments/credits, edgewire and money.
package funding
