// Package caddymodule puts a toll on what a Caddy server serves: modules that
// take payment for requests, by prepaid credits or by x402.
//
// The one idea is that these are skins. Each decodes its configuration, finds
// its collaborators through the app `turnpike`, calls a plain type of payments/…
// and translates the answer to HTTP; what is true about money is decided there.
// What outlives a configuration (connections, meters, price books, the x402
// gate, what counts towards limits) is kept in one usage pool, so that a reload drops nothing.
//
// Invariants:
//
//   - A request that reaches the upstream has been paid for, or a rule or path
//     list of the operator says that it need not be.
//   - Every hold that was accepted is captured, voided, or adopted by the
//     upstream, whatever the upstream and the client do.
//   - What a client sends in the headers between edge and upstream is removed.
//
// It imports payments/… and Caddy, and never the backend.
package caddymodule
