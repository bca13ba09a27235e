//go:build linux && !cgo

package main

// builtWithCGO: signers are recovered by the library in Go.
const builtWithCGO = false
