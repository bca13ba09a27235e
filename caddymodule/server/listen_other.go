//go:build !unix || solaris

package server

// keptAddress returns address: on this system, Caddy keeps one socket for all configurations.
func keptAddress(address string) string { return address }
