// Package turnpike registers the modules of caddymodule, which make Caddy charge for HTTP APIs. The edge is built by xcaddy with
// the path of this module: xcaddy build --with. The web data service behind it is in backend, the command in cmd/turnpike.
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
