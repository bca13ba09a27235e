// Package paging is how lists are asked for: it reads the parameters of their queries, and writes the opaque cursors of
// those that go from the latest to the oldest: the place behind the last entry that was answered. What is added meanwhile
// moves nothing.
//
// It imports backend/problem and payments/token.
package paging
