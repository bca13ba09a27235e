// Package stripetest is a stateful fake of Stripe for tests: the part of its API, version 2023-10-16, that top-ups use.
// Unlike a mock it has state: customers and their cards, payments, idempotency keys for 24 hours of its clock, refunds
// and disputes, and the events of all these. Each card has a behaviour, so a test chooses the result of a payment by
// the card, for example that the response is lost after the charge.
//
// The [Oracle] shows what was really charged, which no client can see otherwise, to compare with what was credited.
//
// A [Double] is an http.Handler; [Double.Client] reaches it without a network. Besides the API it serves GET /_oracle,
// and POST /_pages/{session}, which does what a person does on a Stripe page.
//
// It is for tests only and not part of the service. It imports stripe-go's webhook signer, and nothing of this module.
package stripetest
