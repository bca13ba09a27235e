// Package decode reads request bodies into the types of operations, for the operation ([Body]) and for its quote ([Request]).
// Both take the values that an [edgewire.Body] has decoded once, check them against the type's schema and fill its fields.
//
// A quote and its request are refused for the same faults, in the same words. The quote comes before a wallet pays; the
// request is checked again in case it did not pass the edge.
//
// Explain describes what is wrong with a value that may have several forms: Huma's own messages name none of them.
package decode
