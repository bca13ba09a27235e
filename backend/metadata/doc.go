// Package metadata holds the rules of the `metadata` that callers attach to
// resources: one place for every feature that has it.
//
// It imports backend/problem.
package metadata
