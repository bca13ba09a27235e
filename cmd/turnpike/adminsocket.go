package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// socketPathMax is below the limit for a socket's path on any system (104 bytes on macOS).
const socketPathMax = 99

// fitsSocket reports whether Caddy accepts a path as a socket's address.
func fitsSocket(path string) bool {
	return len(path) <= socketPathMax && !strings.ContainsAny(path, "|{}")
}

// socketAddress returns Caddy's address for a socket that only this user can reach.
func socketAddress(path string) string { return "unix/" + path + "|0600" }

// privateAdmin makes the admin address default to a socket in a directory of this user. Caddy's own default is a port,
// which every user of the machine can reach, as can web pages that trick a browser into requests to it. With access to
// it, one can replace and read the configuration, and profile the process. CADDY_ADMIN sets another default.
func privateAdmin(args []string) {
	if _, set := os.LookupEnv("CADDY_ADMIN"); set {
		return
	}
	dir := filepath.Join(caddy.AppDataDir(), "admin")
	path := filepath.Join(dir, "admin.sock")
	caddy.DefaultAdminListen = socketAddress(path)
	if len(args) < 2 || !slices.Contains([]string{"run", "start"}, args[1]) {
		return
	}
	// A configuration may not use the default, so only warn here; Caddy fails if the socket is really needed.
	if !fitsSocket(path) {
		fmt.Fprintf(os.Stderr, "turnpike: %s is not a valid path for the admin socket: set CADDY_ADMIN, or admin in the global options\n", path)
		return
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700) //nolint:gosec // a directory
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "turnpike: creating the admin socket's directory: %v\n", err)
	}
}
