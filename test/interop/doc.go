// Package interop tests the edge against other software and conditions (`make interop`, build tag interop): the x402
// packages from npm, unchanged, work with a running edge, on our node and on a foreign one (dev/anvil), on Base and on
// Base Sepolia. Without the tag, copies of one payment reach several edges at once.
//
//   - clients/ pay: each uses one package as documented. They refuse prices above their caps themselves.
//   - facilitators/ settle for the edge.
//   - servers/ charge, and have the edge's facilitator service settle.
//   - openapi/, and command-line tools, read the OpenAPI document: 0 errors by Redocly and swagger-parser. Types are generated
//     from it, compiled and used by use.ts and use.py; schemathesis sends requests that it describes.
//   - sdk/ is a client of another such service, from PyPI, which works by changing its base URL.
//   - python_test.go builds the wheel of sdk/python, and runs its tests in several versions of Python.
//   - typescript_test.go builds the package of sdk/typescript, and runs its tests in Node, Chromium and workerd.
//   - mcpserver/ has an MCP server from npm that the edge sells, the protocol's conformance suite, and clients that pay for
//     calls, from npm and PyPI.
//   - archives/ read and write WARC files: npm's warcio must agree with `turnpike warc`, as must Wget if installed.
//
// The programs read commands, a line of JSON each, so that each package is loaded once. The edges are the built binary,
// run by dev/rig. A table of all purchases is logged at the end.
package interop
