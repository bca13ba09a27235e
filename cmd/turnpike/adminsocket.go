package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// socketPathMax keeps below what a socket's path may be on any system (104 bytes on macOS).
const socketPathMax = 99

// fitsSocket reports whether Caddy takes a path for a socket's address.
func fitsSocket(path string) bool {
	return len(path) <= socketPathMax && !strings.ContainsAny(path, "|{}")
}

// socketAddress is Caddy's address of a socket that only this user reaches.
func socketAddress(path string) string { return "unix/" + path + "|0600" }

// privateAdmin has configurations that do not name an admin address use a socket in a directory of this user's own. Caddy's
// default is a port, which every user of the machine reaches, and so does every page in a browser that can be talked into it:
// whoever does may replace the configuration, read it, and profile the process. CADDY_ADMIN names another default.
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
	// A configuration may do without, so that Caddy is who fails where the socket is wanted.
	if !fitsSocket(path) {
		fmt.Fprintf(os.Stderr, "turnpike: %s cannot be the admin socket: set CADDY_ADMIN, or admin in the global options\n", path)
		return
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700) //nolint:gosec // a directory
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "turnpike: making the admin socket's directory: %v\n", err)
	}
}
