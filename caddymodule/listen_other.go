//go:build !unix || solaris

package caddymodule

// keptAddress returns the same: here Caddy itself has one socket for all configurations.
func keptAddress(address string) string { return address }
