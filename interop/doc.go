// Package interop holds the edge against software and conditions that are not ours (`make interop`, build tag interop):
// whatever npm has for x402, unchanged, does business with a running edge, on a node that is ours and on one that is not
// (dev/anvil), on Base and on Base Sepolia. Without the tag, copies of one payment come at several edges at once.
//
//   - clients/ pay: each is one package as its documentation has it. Prices above their caps they refuse themselves.
//   - facilitators/ settle for the edge.
//   - servers/ sell, and have the edge's facilitator service settle.
//   - openapi/, and tools of the command line, read the OpenAPI document: 0 errors by Redocly, types that compile.
//   - sdk/ is a client of another such service, from PyPI, which works by changing its base URL.
//   - archives/ read and write WARC files: npm's warcio has to agree with `turnpike warc`, as has Wget where there is one.
//
// The programs take orders, a line of JSON each, so that each package is loaded once. The edges are the built binary, run
// by dev/rig. A table of all purchases is logged at the end.
package interop
