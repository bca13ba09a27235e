package caddymodule

import (
	"encoding/json"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/dustin/go-humanize"
)

// The handlers run in this order, and before anything that rewrites the request:
// they see the method and path that the client sent.
func init() {
	httpcaddyfile.RegisterGlobalOption("turnpike", parseApp)
	httpcaddyfile.RegisterHandlerDirective("api_key", parseAPIKey)
	httpcaddyfile.RegisterHandlerDirective("team_limit", parseTeamLimit)
	httpcaddyfile.RegisterHandlerDirective("meter", parseMeter)
	httpcaddyfile.RegisterHandlerDirective("x402", parseX402)
	httpcaddyfile.RegisterHandlerDirective("turnpike_error", parseStandardError)
	httpcaddyfile.RegisterDirectiveOrder("api_key", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("team_limit", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("meter", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("x402", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("turnpike_error", httpcaddyfile.Before, "respond")
}

// parseApp parses the global option:
//
//	turnpike {
//		ledger <name> …
//		x402 {
//			pay_to       <address>
//			network      <name>
//			asset        <address> [<name> <version>]
//			facilitator  <name> …
//			public_url   <url>
//			response_max <size>
//		}
//		upstream          <address>
//		identity_secret   <secret>
//		identity_audience <name>
//		docs_url          <url>
//	}
func parseApp(d *caddyfile.Dispenser, existing any) (any, error) {
	if existing != nil {
		d.Next()
		return nil, d.Err("the turnpike option is there twice")
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
	for d.NextBlock(0) {
		var err error
		switch d.Val() {
		case "ledger":
			a.LedgerRaw, err = parseGuest(d, "turnpike.ledgers", "type", a.LedgerRaw)
		case "x402":
			if a.X402 != nil {
				return d.Err("x402 is there twice")
			}
			a.X402 = new(X402Config)
			err = a.X402.unmarshal(d)
		case "upstream":
			err = parseString(d, &a.Upstream)
		case "identity_secret":
			err = parseString(d, &a.IdentitySecret)
		case "identity_audience":
			err = parseString(d, &a.IdentityAudience)
		case "docs_url":
			err = parseString(d, &a.DocsURL)
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *X402Config) unmarshal(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.ArgErr()
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var err error
		switch d.Val() {
		case "pay_to":
			err = parseString(d, &c.PayTo)
		case "network":
			err = parseString(d, &c.Network)
		case "asset":
			args := d.RemainingArgs()
			if c.Asset != nil || (len(args) != 1 && len(args) != 3) {
				return d.ArgErr()
			}
			c.Asset = &X402Asset{Address: args[0]}
			if len(args) == 3 {
				c.Asset.Name, c.Asset.Version = args[1], args[2]
			}
		case "facilitator":
			c.FacilitatorRaw, err = parseGuest(d, "turnpike.facilitators", "type", c.FacilitatorRaw)
		case "public_url":
			err = parseString(d, &c.PublicURL)
		case "response_max":
			var n int64
			n, err = parseSize(d)
			c.ResponseBytesMax = int(n)
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseGuest parses "<subdirective> <module name> …" into the module's JSON.
func parseGuest(d *caddyfile.Dispenser, namespace, inlineKey string, existing json.RawMessage) (json.RawMessage, error) {
	subdirective := d.Val()
	if existing != nil {
		return nil, d.Errf("%s is there twice", subdirective)
	}
	if !d.NextArg() {
		return nil, d.ArgErr()
	}
	name := d.Val()
	if _, err := caddy.GetModule(namespace + "." + name); err != nil {
		return nil, d.Errf("unrecognized %s '%s'", subdirective, name)
	}
	guest, err := caddyfile.UnmarshalModule(d, namespace+"."+name)
	if err != nil {
		return nil, err
	}
	return caddyconfig.JSONModuleObject(guest, inlineKey, name, nil), nil
}

// parseString parses the one argument of a subdirective that may be there once.
func parseString(d *caddyfile.Dispenser, to *string) error {
	name := d.Val()
	if *to != "" {
		return d.Errf("%s is there twice", name)
	}
	if !d.AllArgs(to) {
		return d.ArgErr()
	}
	if *to == "" {
		return d.Errf("%s is empty", name)
	}
	return nil
}

// parseSize parses the one argument as a number of bytes: 65536, 64KiB, 1MB.
func parseSize(d *caddyfile.Dispenser) (int64, error) {
	var text string
	if !d.AllArgs(&text) {
		return 0, d.ArgErr()
	}
	size, err := humanize.ParseBytes(text)
	if err != nil || size == 0 || size > 1<<40 {
		return 0, d.Errf("'%s' is no size, want one such as 1MiB", text)
	}
	return int64(size), nil
}

func parseInt(d *caddyfile.Dispenser, text, what string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, d.Errf("'%s' is no number of %s", text, what)
	}
	return n, nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*App)(nil)
