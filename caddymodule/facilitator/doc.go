// Package facilitator has the modules that verify and settle x402 payments: with a node and a key of the operator's own, or
// with a remote service.
package facilitator
