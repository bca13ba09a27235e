package caddymodule

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/dustin/go-humanize"
)

// The handlers run in this order, before anything that rewrites the request: they see the method and path that the client sent.
func init() {
	httpcaddyfile.RegisterGlobalOption("turnpike", parseApp)
	httpcaddyfile.RegisterHandlerDirective("api_key", parseAPIKey)
	httpcaddyfile.RegisterHandlerDirective("team_limit", parseTeamLimit)
	httpcaddyfile.RegisterHandlerDirective("topup", parseTopUp)
	httpcaddyfile.RegisterHandlerDirective("meter", parseMeter)
	httpcaddyfile.RegisterHandlerDirective("x402", parseX402)
	httpcaddyfile.RegisterHandlerDirective("turnpike_error", parseStandardError)
	httpcaddyfile.RegisterHandlerDirective("turnpike_key", parseKeyAuth)
	httpcaddyfile.RegisterDirectiveOrder("api_key", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("team_limit", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("topup", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("meter", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("x402", httpcaddyfile.Before, "method")
	httpcaddyfile.RegisterDirectiveOrder("turnpike_error", httpcaddyfile.Before, "respond")
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
	return parseBlock(d, func() (err error) {
		switch d.Val() {
		case "ledger":
			a.LedgerRaw, err = parseModule(d, "turnpike.ledgers", a.LedgerRaw)
		case "x402":
			if a.X402 != nil {
				return d.Err("x402 appears more than once")
			}
			a.X402 = new(X402Config)
			return a.X402.unmarshal(d)
		case "topup":
			a.TopUpRaw, err = parseModule(d, "turnpike.topups", a.TopUpRaw)
		case "upstream":
			return parseString(d, &a.Upstream)
		case "identity_secret":
			return parseSecret(d, &a.IdentitySecret)
		case "identity_audience":
			return parseString(d, &a.IdentityAudience)
		case "docs_url":
			return parseString(d, &a.DocsURL)
		case "buffer_max":
			return parseSize(d, &a.BufferBytesMax)
		default:
			return unrecognized(d)
		}
		return err
	})
}

// parseBlock calls parse for each subdirective of a block. parse returns unrecognized for those that it does not know.
func parseBlock(d *caddyfile.Dispenser, parse func() error) error {
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		if err := parse(); err != nil {
			return err
		}
	}
	return nil
}

func unrecognized(d *caddyfile.Dispenser) error {
	return d.Errf("unrecognized subdirective '%s'", d.Val())
}

// parseModule parses "<subdirective> <module name> …" into the module's JSON.
func parseModule(d *caddyfile.Dispenser, namespace string, existing json.RawMessage) (json.RawMessage, error) {
	subdirective := d.Val()
	if existing != nil {
		return nil, d.Errf("%s appears more than once", subdirective)
	}
	if !d.NextArg() {
		return nil, d.ArgErr()
	}
	name := d.Val()
	if _, err := caddy.GetModule(namespace + "." + name); err != nil {
		return nil, d.Errf("unrecognized %s '%s'", subdirective, name)
	}
	mod, err := caddyfile.UnmarshalModule(d, namespace+"."+name)
	if err != nil {
		return nil, err
	}
	return caddyconfig.JSONModuleObject(mod, "type", name, nil), nil
}

// parseString parses the one argument of a subdirective that may occur once.
func parseString(d *caddyfile.Dispenser, to *string) error {
	name := d.Val()
	if *to != "" {
		return d.Errf("%s appears more than once", name)
	}
	if !d.AllArgs(to) {
		return d.ArgErr()
	}
	if *to == "" {
		return d.Errf("%s is empty", name)
	}
	return nil
}

// parseSecret parses the one argument of a subdirective that takes a secret.
func parseSecret(d *caddyfile.Dispenser, to *string) error {
	name := d.Val()
	if err := parseString(d, to); err != nil {
		return err
	}
	return locate(d, checkSecret(name, *to))
}

// parseNodes parses the arguments of a subdirective that takes the addresses of nodes.
func parseNodes(d *caddyfile.Dispenser, to *string) error {
	name := d.Val()
	if *to != "" {
		return d.Errf("%s appears more than once: list all nodes on one line", name)
	}
	if *to = strings.Join(d.RemainingArgs(), " "); *to == "" {
		return d.ArgErr()
	}
	return locate(d, checkNodes(name, *to))
}

// locate adds the position in the Caddyfile to an error.
func locate(d *caddyfile.Dispenser, err error) error {
	if err == nil {
		return nil
	}
	return d.WrapErr(err)
}

// parseNothing parses a directive without arguments and block.
func parseNothing(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return noBlock(d)
}

// noBlock refuses a block after a directive that has none.
func noBlock(d *caddyfile.Dispenser) error {
	if d.NextBlock(d.Nesting()) {
		return d.Errf("unrecognized subdirective '%s'", d.Val())
	}
	return nil
}

// parseFlag parses a subdirective without arguments.
func parseFlag(d *caddyfile.Dispenser, to *bool) error {
	name := d.Val()
	if d.NextArg() {
		return d.ArgErr()
	}
	if *to {
		return d.Errf("%s appears more than once", name)
	}
	*to = true
	return nil
}

// parseSize parses the one argument as a number of bytes: 65536, 64KiB, 1MB.
func parseSize(d *caddyfile.Dispenser, to *int64) error {
	var text string
	if *to != 0 {
		return d.Errf("%s appears more than once", d.Val())
	}
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	size, err := humanize.ParseBytes(text)
	if err != nil || size == 0 || size > 1<<40 {
		return d.Errf("'%s' is not a size, want a value such as 1MiB", text)
	}
	*to = int64(size)
	return nil
}

// parseCount parses the one argument as a number above 0.
func parseCount(d *caddyfile.Dispenser, to *int) error {
	name := d.Val()
	var text string
	if *to != 0 {
		return d.Errf("%s appears more than once", name)
	}
	if !d.AllArgs(&text) {
		return d.ArgErr()
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		return d.Errf("%s: '%s' is not a number above 0", name, text)
	}
	*to = int(n)
	return nil
}

func parseInt(d *caddyfile.Dispenser, text, what string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, d.Errf("'%s' is not a number of %s", text, what)
	}
	return n, nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*App)(nil)
