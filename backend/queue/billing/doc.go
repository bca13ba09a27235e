// Package billing implements job billing: how jobs with many items, such as batches and crawls, are paid.
//
// There are two ways to pay. With credits, the job takes over the hold of its request, captures it item by item, and
// closes it. A wallet pays in full beforehand, and gets all of it back or nothing. A feature reports what happened to
// its items, in the same transaction; the rest is the same for all features.
//
//	Covered   the request has set aside what the job may cost        before anything is written
//	Adopt     the request's hold is the job's from here on           the last statement of the creation
//	Capture   items are finished, and paid                           with the items
//	Settle    nothing more will be paid: the rest is given back      with the job's end
//	Repeated  a request that asks for what was made before           instead of all these
package billing
