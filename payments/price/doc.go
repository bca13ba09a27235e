// Package price determines what a request costs. A [Book] is an ordered list of rules over method and path. The price
// of a rule is a number, a CEL expression over the request, `quote` (the upstream quotes each request) or `free`. The
// rules are written in a Caddyfile or fetched from an upstream as a JSON document; edge and upstream evaluate them in
// the same way.
//
// A price is an integer or an error: if an expression fails, overflows or returns no integer, or if no rule matches,
// the request is refused.
package price
