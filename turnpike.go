// Package turnpike is the module's root: importing it gives a Caddy server the
// toll of caddymodule, so that `xcaddy build --with` this module path makes the
// edge. It also carries the Caddyfile that is shipped with the binary.
package turnpike

import (
	_ "embed"

	_ "github.com/turnpike-edge/turnpike/caddymodule" // registers the Caddy modules
)

// Caddyfile is the configuration of the edge in front of the web data service:
// `turnpike run` takes it as a file, `turnpike dev` from here. Everything that
// differs between installations comes from the environment.
//
//go:embed Caddyfile
var Caddyfile []byte
