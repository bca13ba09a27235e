// Package stripe sells packs of credits against a saved card, by Stripe.
//
// The one idea is that a purchase is one row (topup) with one payment at Stripe,
// and that the row is durable before Stripe is asked: whatever is lost on the way
// (the request, the answer, the edge, the database), what remains is a row whose
// outcome is not known yet, and that is found out with the same idempotency key
// or by looking, never by charging again. A request that cannot say how it ended
// answers "pending"; the webhook or the sweeper ([Service.Run]) ends it.
//
// Invariants:
//
//   - Credits are granted by one statement only (CreditTopup in queries/stripe.sql),
//     which marks the row and writes the ledger together, and only for what Stripe
//     says it received: amount, currency, customer and mode have to be the row's.
//     What does not match is recorded for a person and not credited.
//   - A team has at most one purchase that may still be charged.
//   - A row's key is sent to Stripe for 23 hours at most: Stripe forgets keys after
//     24, and a forgotten key charges again.
//   - Refunds and disputes are applied as what Stripe says now of the payment, not
//     as steps that events describe: late, doubled and reordered events end alike.
//   - Nothing a webhook says is believed but which object it is about; the object
//     is read from Stripe.
//
// It imports payments/money, payments/price (the packs), payments/token and db. It
// knows no Caddy. The package's name is that of stripe-go, which is imported as
// stripego here.
package stripe
