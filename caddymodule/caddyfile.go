package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/x402"
)

// The handlers run in this order, before anything that rewrites the request: they see the method and path that the client sent.
func init() {
	httpcaddyfile.RegisterGlobalOption("turnpike", parseApp)
	httpcaddyfile.RegisterHandlerDirective("turnpike_error", parseStandardError)
	httpcaddyfile.RegisterDirectiveOrder("api_key", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("team_limit", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("topup", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("meter", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("x402", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("mcp", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("turnpike_error", httpcaddyfile.Before, "respond")
	httpcaddyfile.RegisterDirectiveOrder("x402_discovery", httpcaddyfile.Before, "respond")
	// After everything that may change the path, because it serves /verify, /settle and /supported wherever it is mounted.
	httpcaddyfile.RegisterDirectiveOrder("x402_facilitator", httpcaddyfile.Before, "respond")
	httpcaddyfile.RegisterDirectiveOrder("turnpike_key", httpcaddyfile.After, "basic_auth")
}

// parseApp parses the global option:
//
//	turnpike {
//		ledger <name> …
//		x402 {
//			pay_to              <address>
//			network             <name>
//			asset               <address> [<name> <version>]
//			facilitator         <name> …
//			public_url          <url>
//			response_max        <size>
//			verify_timeout      <duration>
//			settle_timeout      <duration>
//			suspects_per_minute <payments>
//			payment_identifier  off
//			sign_in_with_x      off
//			network <name> {
//				pay_to      <address>
//				asset       <address> [<name> <version>]
//				facilitator <name> …
//			}
//		}
//		topup             <name> …
//		upstream          <address>
//		identity_secret   <secret>
//		identity_audience <name>
//		docs_url          <url>
//		error_text_below  <path>
//		buffer_max        <size>
//	}
func parseApp(d *caddyfile.Dispenser, existing any) (any, error) {
	if existing != nil {
		d.Next()
		return nil, d.Err("the turnpike option appears more than once")
	}
	app := new(App)
	if err := app.UnmarshalCaddyfile(d); err != nil {
		return nil, err
	}
	return httpcaddyfile.App{Name: "turnpike", Value: caddyconfig.JSON(app, nil)}, nil
}

// UnmarshalCaddyfile sets up the app: see parseApp for the syntax.
func (a *App) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() (err error) {
		switch d.Val() {
		case "ledger":
			a.LedgerRaw, err = config.ParseModule(d, "turnpike.ledgers", a.LedgerRaw)
		case "x402":
			if a.X402 != nil {
				return d.Err("x402 appears more than once")
			}
			a.X402 = new(x402.Config)
			return a.X402.Unmarshal(d)
		case "topup":
			a.TopUpRaw, err = config.ParseModule(d, "turnpike.topups", a.TopUpRaw)
		case "upstream":
			return config.ParseString(d, &a.Upstream)
		case "identity_secret":
			return config.ParseSecret(d, &a.IdentitySecret)
		case "identity_audience":
			return config.ParseString(d, &a.IdentityAudience)
		case "docs_url":
			return config.ParseString(d, &a.DocsURL)
		case "error_text_below":
			return config.ParseString(d, &a.ErrorTextBelow)
		case "buffer_max":
			return config.ParseSize(d, &a.BufferBytesMax)
		default:
			return config.Unrecognized(d)
		}
		return err
	})
}

// Interface guards
var _ caddyfile.Unmarshaler = (*App)(nil)
