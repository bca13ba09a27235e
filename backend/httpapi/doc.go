// Package httpapi is the web data service over HTTP: it assembles the features'
// routes and does for all of them what none should do itself.
//
// The one idea is that a feature sees a checked request and a known caller. On
// the way in stand, in this order: request id, log and panics, CORS, the route
// (404, 405), the edge's signed identity (401), the body (413, 400), the
// Idempotency-Key (409, 422, or the answer that was given before), the price
// (402). On the way out an error becomes the standard error object in one place,
// and Turnpike-Cost tells the edge what the request did cost: nothing, unless it
// succeeded.
//
// Invariants:
//   - A route needs an identity unless it is marked otherwise. What is trusted is
//     the signature alone, never the network and no other header.
//   - The cost of a request is computed here from the same bytes and by the same
//     book, or the same feature's quote, as at the edge. What costs more than the
//     identity covers is not done.
//   - An answer to a request with a key goes out when it is written down.
//   - Nothing that was not written for callers reaches them: inner errors go to
//     the log with the request id.
//
// It imports the features, backend/idempotency, and of payments edgewire, money and price.
package httpapi
