// Package reconcile compares the books with every other record of the same money: the ledger with itself and its holds,
// claims with ledger and chain, top-ups with the ledger and Stripe.
//
// A check either runs to its end or fails: if it could not ask (no node, Stripe unreachable), it is an error, never an
// agreement.
//
// It imports nothing of the packages whose books it compares: package checks has a
// check of each.
package reconcile
