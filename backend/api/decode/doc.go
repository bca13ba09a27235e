// Package decode decodes request bodies where Huma does not: for quotes, which come before the request itself, and for
// values that JSON's own types accept too loosely.
//
// A quote and its request are refused for the same faults, in the same words. The quote comes before a wallet pays; the
// request is checked again in case it did not pass the edge.
//
// Explain describes what is wrong with a value that may have several forms: Huma's own messages name none of them.
package decode
