// Package openapi completes the OpenAPI document of the web data API, so that clients can be generated from it.
//
// Huma writes an operation's parameters, body and response from its Go types. This package adds what no single operation
// says: the errors of the edge and those that all operations share, what each request costs (x-price, from the price book),
// the paths that are paid by x402, and examples. It also corrects schemas that are right in Go and wrong in generated code:
// see schemas.go.
//
// It only describes: nothing here changes how requests are handled.
package openapi
