// Package reconcile holds what the books say of money against everybody else who
// knows: the ledger against itself and its holds, claims against ledger and chain,
// top-ups against the ledger and Stripe.
//
// The one idea is that a check either ran to its end or did not: one that could not
// ask (no node, Stripe away) is an error of its own and never an agreement.
//
// It imports nothing of the packages whose books it compares: each brings its own
// check, and cmd/turnpike puts them together.
package reconcile
