// Package api serves the web data API over HTTP: it mounts the routes of all features and handles what they have in common.
//
// A feature gets a checked request and a known principal. A request passes these steps in this order: request id, log
// and panics, CORS, the route (404, 405), the identity signed by the edge (401), the body (413, 400), the
// Idempotency-Key (409, 422, or the stored response), the price (402). Errors become the standard error object in one
// place. Turnpike-Cost tells the edge what the request cost: nothing, unless it succeeded.
//
// Invariants:
//   - A route needs an identity unless it is marked otherwise. Only the signature is trusted, never the network or
//     another header.
//   - The cost of a request is computed here from the same bytes and the same book, or the same feature's quote, as at
//     the edge. A request that costs more than its identity covers is not executed.
//   - The response to a request with an Idempotency-Key is sent only after it is stored.
//   - Clients see only texts that were written for them: inner errors go to the log with the request id.
package api
