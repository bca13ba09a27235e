// Package edgewire is the contract between an edge and the upstream behind it:
// the names of the headers that pass between them and [Identity], the signed
// statement of who pays for a request and how much it may cost at most.
//
// The one idea is that the upstream trusts no network and no header but the
// signature. An [Identity] is a compact JWS (RFC 7515) with JWT claims
// (RFC 7519), bound to one method, one URI and, where the price depended on it,
// one body, and it lapses after [Lifetime].
//
// Both sides import this package, and it imports payments/money only.
package edgewire
