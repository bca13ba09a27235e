// Package openapi reads of an upstream's OpenAPI document (versions 3.0 and 3.1,
// JSON) what a buyer needs to know: which routes there are, what a request to one
// looks like, and what it is answered with.
//
// The one idea is that the document is somebody else's: nothing in it can make
// the reader loop, recurse without end or grow. References are written out up to a
// depth and a budget, and what lies beyond, or does not stand by the rules, is left
// open (the schema that takes anything) and never guessed. What comes out is JSON
// Schema (2020-12) of well-known words alone, without references, and examples that
// fit it.
//
// It imports nothing of this module.
package openapi
