// Package stripe charges a saved card for packs of credits, with Stripe.
//
// A purchase is one row (topup) with one payment at Stripe, and the row is durable before the request to Stripe. If
// anything is lost on the way (the request, the response, the edge, the database), a row of unknown outcome remains.
// Its outcome is found with the same idempotency key or by reading from Stripe, never by charging again. A request
// without a known outcome returns "pending"; the webhook or the sweeper ([Service.Run]) completes the purchase.
//
// Invariants:
//
//   - Credits are granted by one statement only (CreditTopup in queries/stripe.sql), which marks the row and writes the
//     ledger together, and only for what Stripe says it received: amount, currency, customer and mode must be the
//     row's. A payment that does not match is recorded for a person and not credited.
//   - A team has at most one purchase that may still be charged.
//   - A row's key is sent to Stripe for 23 hours at most: Stripe forgets keys after 24, and a forgotten key charges
//     again.
//   - Refunds and disputes are applied as Stripe's current state of the payment, not as steps that events describe. So
//     late, duplicate and reordered events lead to the same result.
//   - Of a webhook, only the id of its object is trusted; the object itself is read from Stripe.
//
// The package has the same name as stripe-go, which is imported as stripego here.
package stripe
