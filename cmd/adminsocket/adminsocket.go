// Package adminsocket gives Caddy's admin API an address that only this user can reach: a Unix socket. Caddy's own default is
// a port, which every user of the machine can reach, as can web pages that trick a browser into requests to it. With access
// to it, one can replace and read the configuration, and profile the process.
package adminsocket

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

// Fits reports whether Caddy accepts a path as a socket's address.
func Fits(path string) bool {
	return len(path) <= socketPathMax && !strings.ContainsAny(path, "|{}")
}

// Address returns Caddy's address for a socket that only this user can reach.
func Address(path string) string { return "unix/" + path + "|0600" }

// MakeDefault makes the admin address default to a socket in a directory of this user, which it creates if args are those of a
// program that runs an edge. CADDY_ADMIN sets another default.
func MakeDefault(args []string) {
	if _, set := os.LookupEnv("CADDY_ADMIN"); set {
		return
	}
	dir := filepath.Join(caddy.AppDataDir(), "admin")
	path := filepath.Join(dir, "admin.sock")
	caddy.DefaultAdminListen = Address(path)
	if len(args) < 2 || !slices.Contains([]string{"run", "start"}, args[1]) {
		return
	}
	// A configuration may not use the default, so only warn here; Caddy fails if the socket is really needed.
	if !Fits(path) {
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
