// Package mcp has the directive that sells an MCP server's tools by key and by payment.
package mcp

import (
	"encoding/json"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/apikey"
	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/meter"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
	"github.com/turnpike-edge/turnpike/caddymodule/x402"
)

func init() { httpcaddyfile.RegisterHandlerDirective("mcp", parseMCP) }

// parseMCP parses the directive:
//
//	mcp [<matcher>] {
//		tool     <name> <credits> <usdc>
//		settle   before|after
//		timeout  <duration>
//		body_max <size>
//	}
//
// It stands for `api_key`, `meter` and `x402` with the prices of their `price mcp`. A call with a key is charged to it, and
// any other is asked for a payment.
func parseMCP(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	d := h.Dispenser
	d.Next()
	if d.NextArg() {
		return nil, d.ArgErr()
	}
	credits, usdc := prices.NewMCP(), prices.NewMCP()
	err := config.ParseBlock(d, func() error {
		switch d.Val() {
		case "tool":
			return parseTool(d, credits, usdc)
		case "settle", "timeout", "body_max":
			return usdc.Term(d)
		default:
			return config.Unrecognized(d)
		}
	})
	if err != nil {
		return nil, err
	}
	credits.BodyBytesMax = usdc.BodyBytesMax
	byKey, err := credits.JSON(d)
	if err != nil {
		return nil, err
	}
	byPayment, err := usdc.JSON(d)
	if err != nil {
		return nil, err
	}
	var routes caddyhttp.RouteList
	add := func(name string, handler any) {
		routes = append(routes, caddyhttp.Route{HandlersRaw: []json.RawMessage{caddyconfig.JSONModuleObject(handler, "handler", name, nil)}})
	}
	add("api_key", &apikey.Handler{Optional: true})
	add("meter", &meter.Handler{Optional: true, PricesRaw: []json.RawMessage{byKey}})
	add("x402", &x402.Handler{PricesRaw: []json.RawMessage{byPayment}})
	return &caddyhttp.Subroute{Routes: routes}, nil
}

// parseTool parses the two prices of a tool, or `free`. See parseMCP for the syntax.
func parseTool(d *caddyfile.Dispenser, credits, usdc *prices.MCP) error {
	args := d.RemainingArgs()
	if len(args) == 2 && args[1] == "free" {
		args = append(args, "free")
	}
	if len(args) < 3 {
		return d.ArgErr()
	}
	if err := credits.Add(d, args[0], args[1:2], prices.ParseCredits); err != nil {
		return err
	}
	return usdc.Add(d, args[0], args[2:], prices.ParseUSDC)
}
