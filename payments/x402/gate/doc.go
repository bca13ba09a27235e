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
//   - Of a payer's payments with the same identifier, which means for the same purchase, at most one is charged while
//     its response is kept.
//
// The extensions payment-identifier and sign-in-with-x are in identifier.go and signin.go. Package claims stores the
// claims, facilitator and its subfolders settle payments, evm reads the chain, refunds pays back and audits, and client pays.
//
// It knows net/http and no Caddy.
package gate
