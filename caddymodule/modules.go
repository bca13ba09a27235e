package caddymodule

import (
	_ "github.com/turnpike-edge/turnpike/caddymodule/apikey" // registers its modules, as do the others
	_ "github.com/turnpike-edge/turnpike/caddymodule/facilitator"
	_ "github.com/turnpike-edge/turnpike/caddymodule/ledger"
	_ "github.com/turnpike-edge/turnpike/caddymodule/limits"
	_ "github.com/turnpike-edge/turnpike/caddymodule/mcp"
	_ "github.com/turnpike-edge/turnpike/caddymodule/meter"
	_ "github.com/turnpike-edge/turnpike/caddymodule/prices"
	_ "github.com/turnpike-edge/turnpike/caddymodule/server"
	_ "github.com/turnpike-edge/turnpike/caddymodule/topup"
	_ "github.com/turnpike-edge/turnpike/caddymodule/x402"
)
