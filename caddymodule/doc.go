// Package caddymodule makes a Caddy server charge for the HTTP APIs that it serves. Its modules take payment for
// requests, by prepaid credits or by x402.
//
// The modules are thin. Each decodes its configuration, finds the others through the app `turnpike`, calls a plain type
// of payments/… and translates the result to HTTP. All decisions about money are made there. What outlives a
// configuration (connections, meters, price books, the x402 gate, the state of limits) is kept in one usage pool, so
// that a reload drops nothing.
//
// Invariants:
//
//   - A request that reaches the upstream has been paid for, or a rule or path list of the operator lets it pass unpaid.
//   - Every accepted hold is captured, voided, or adopted by the upstream, whatever the upstream and the client do.
//   - The edge removes the headers between edge and upstream from what a client sends.
//
// The package imports payments/… and Caddy, and never the backend.
package caddymodule
