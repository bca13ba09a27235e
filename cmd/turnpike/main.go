// Command turnpike is Caddy with Turnpike's modules and subcommands: the edge,
// the backend, both of them together for development, and the operator's tools.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/turnpike-edge/turnpike"
)

func main() { caddycmd.Main() }
