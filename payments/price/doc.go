// Package price says what a request costs. A [Book] is an ordered list of rules
// over method and path; each has a number, a CEL expression over the request,
// `quote` (the upstream is asked for that request) or `free`. The same rules are written in a Caddyfile or fetched from an upstream
// as a JSON document, and are evaluated by both sides.
//
// The one idea is that a price is an integer or an error: an expression that
// fails, overflows or gives no integer refuses the request, and so does a
// request that no rule matches.
//
// It imports payments/money, payments/edgewire and payments/follow.
package price
