// Package body reads the bodies of requests where Huma does not: for the price of a request, which is asked for before
// the request itself comes, and for values that JSON's own types are too lax for.
//
// The idea is that a request is refused for the same faults, in the same words, when its price is asked for and when it
// comes: the one before a wallet has paid, the other if somebody comes past the edge.
//
// What is wrong with a value that may have several forms is said here for both (Explain): Huma's own words name none of them.
//
// It imports backend/problem.
package body
