// Package x402test has what tests of x402 payments share: a chain that settles them, payers of all kinds, and nodes whose
// answers a test can change.
package x402test
