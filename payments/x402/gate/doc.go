// Package gate takes payment for HTTP requests with the x402 protocol.
//
// One signed authorisation buys one run of the upstream and one settlement, whatever happens in between. [Gate] checks a
// payment against its own quote, writes a durable claim that is unique on (network, asset, payer, nonce), and only then
// lets the request through. Every later step is one guarded statement on that claim. Duplicates of a payment therefore
// find the claim, wait for it and get the same response, and another edge finishes what a lost edge leaves behind
// ([Gate.Recover]).
//
// Invariants:
//
//   - Nothing is written before the checks have passed, and the upstream does not run before the claim is durable.
//   - A claim is settled at most once. A settlement of unknown outcome is looked up on the chain, and its payer is
//     never asked to pay again.
//   - Under settle-after, no response is sent before it is paid for. Under settle-before, a request that fails after
//     the payment is recorded as a refund due.
//   - A refund is paid once: its authorisation's nonce is derived from the claim, and the token refuses a second use of
//     it ([Refunds]).
//   - Of a payer's payments with the same identifier, which means for the same purchase, at most one is charged while
//     its response is kept.
//
// The parts: the extensions payment-identifier (identifier.go) and sign-in-with-x (signin.go), and the operator's side
// ([Refunds], [Auditor]). Package claims stores the claims. Package facilitator and its subfolders have what settles
// payments, package evm reads the chain, and package client pays.
//
// It knows net/http and no Caddy.
package gate
