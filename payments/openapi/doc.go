// Package openapi reads from an upstream's OpenAPI document (versions 3.0 and 3.1, JSON or YAML) what a buyer needs to know:
// which routes there are, what a request looks like, and what its response looks like.
//
// The document is not trusted: nothing in it can make the reader loop, recurse without end or grow. References are
// resolved up to a depth and a budget. What lies beyond, or is invalid, becomes the schema that accepts anything;
// nothing is guessed. The result is JSON Schema (2020-12) of well-known keywords only, without references, and examples
// that fit it.
package openapi
