// Package stripetest is a double of Stripe for tests: as much of its API, version
// 2023-10-16, as top-ups use, with state. Unlike a mock it remembers: customers and
// their cards, payments, idempotency keys for 24 hours of its clock, refunds and
// disputes, and the events of all that. Each card behaves in its own way, so that a
// test chooses by the card what becomes of a payment: also that the answer is lost
// after the charge.
//
// The one idea is the [Oracle]: what was really charged, which no client can see
// otherwise, to hold against what was credited.
//
// A [Double] is an http.Handler; [Double.Client] reaches it without a network.
// Beside the API it serves GET /_oracle, and POST /_pages/{session}, which does what
// a person does on a page of Stripe's.
//
// It is made for tests and is not part of the service. It imports stripe-go's
// webhook signer, nothing of this module.
package stripetest
