package caddymodule

// The modules of these packages register themselves.
import (
	_ "github.com/turnpike-edge/turnpike/caddymodule/apikey"
	_ "github.com/turnpike-edge/turnpike/caddymodule/limits"
	_ "github.com/turnpike-edge/turnpike/caddymodule/prices"
	_ "github.com/turnpike-edge/turnpike/caddymodule/server"
	_ "github.com/turnpike-edge/turnpike/caddymodule/topup"
)
