// Package edgewire is the contract between an edge and the upstream behind it: the names of the headers between them,
// and [Identity], the signed statement of who pays for a request and how much it may cost at most.
//
// The upstream trusts the signature only, no network and no other header. An [Identity] is a compact JWS (RFC 7515)
// with JWT claims (RFC 7519). It is bound to one method, one URI and, if the price depends on it, one body, and it
// expires after [Lifetime].
//
// Both sides import this package, and it imports payments/money only.
package edgewire
