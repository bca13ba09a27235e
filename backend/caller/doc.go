// Package caller says on whose behalf a request to the web data service runs:
// which team or wallet owns what it makes, under which identity the work is done
// once, and what it costs.
//
// backend/httpapi makes a [Caller] from the edge's signed identity and puts it
// into the request's context; features take it out and know nothing of how it
// got there. [Priced] is the answer of a paid creation, which may also be a dry
// run's quote. [Trait] is what an operation says of itself to backend/httpapi.
//
// It imports backend/problem, and payments/edgewire and money.
package caller
