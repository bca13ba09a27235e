// Package turnpike is the edge as a plugin: a Caddy that is built with it, by
// xcaddy or by a blank import, has the toll's modules. The code is in caddymodule.
package turnpike

import (
	_ "github.com/turnpike-edge/turnpike/caddymodule" // registers the modules
)
