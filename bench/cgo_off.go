//go:build linux && !cgo

package main

// builtWithCGO is false: the Go library recovers signers.
const builtWithCGO = false
