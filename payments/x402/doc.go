// Package x402 takes payment for HTTP requests by the x402 protocol, versions 1
// and 2, scheme exact with EIP-3009 authorisations of USDC.
//
// The one idea is that one signed authorisation buys one run of the upstream and
// one settlement, whatever happens in between. [Gate] checks a payment against
// what it quoted itself, writes a durable claim that is unique on (network,
// asset, payer, nonce), and only then lets the request through. Every later step
// is one guarded statement on that claim, so copies of a payment find it, wait
// for it and get the same answer, and what a lost edge leaves behind is finished
// by another ([Gate.Recover]).
//
// Invariants:
//
//   - Nothing is written before the checks have passed, and the upstream does
//     not run before the claim is durable.
//   - The claim is settled at most once; a settlement of unknown outcome is
//     looked up on the chain, and its payer is never asked to pay again.
//   - Under settle-after no response leaves before it is paid for; under
//     settle-before what fails after the payment is recorded as a refund due.
//   - What is owed back to a payer goes back once: the token refuses a second use
//     of an authorisation whose nonce is made from the claim ([Refunds]).
//   - Of the payments that one payer makes for one purchase, as its identifier says, at
//     most one is charged while that one's answer is kept.
//   - Amounts are integers, and what the client says about price, resource or
//     recipient is compared with our own quote, never used.
//
// The parts: wire formats (challenge.go, payment.go, receipt.go), local
// verification (verify.go), the extensions payment-identifier (identifier.go) and
// sign-in-with-x (siwx.go, eip4361.go), claims ([ClaimStore] with [MemoryClaims] and
// [PostgresClaims]), settlement ([Facilitator] with [LocalFacilitator] and
// [HTTPFacilitator], for several chains [NewFacilitators], and the [Outbox] of what
// the first sends), the operator's side ([Refunds], [Auditor]), and the client's
// ([Buyer]).
//
// It imports payments/money, payments/edgewire, payments/price (types) and db.
// It knows net/http and no Caddy.
package x402
