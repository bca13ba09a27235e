package caddymodule

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/caddyauth"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// parseAPIKey parses the directive:
//
//	api_key [<matcher>] {
//		optional
//		anonymous <paths…>
//		public    <paths…>
//		scope     <scope> <paths…>
//	}
//
// <scope> is read, write or billing. The line may be repeated; the first match applies.
func parseAPIKey(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	k := new(APIKey)
	return k, k.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseAPIKey for the syntax.
func (k *APIKey) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "optional":
			return config.ParseFlag(d, &k.Optional)
		case "anonymous", "public":
			list := &k.Anonymous
			if d.Val() == "public" {
				list = &k.Public
			}
			paths := d.RemainingArgs()
			if len(paths) == 0 {
				return d.ArgErr()
			}
			if _, err := price.NewPaths(paths...); err != nil {
				return d.WrapErr(err)
			}
			*list = append(*list, paths...)
		case "scope":
			args := d.RemainingArgs()
			if len(args) < 2 {
				return d.ArgErr()
			}
			rule := ScopePaths{Scope: args[0], Paths: args[1:]}
			if _, err := rule.compile(); err != nil {
				return d.WrapErr(err)
			}
			k.Scopes = append(k.Scopes, rule)
		default:
			return config.Unrecognized(d)
		}
		return nil
	})
}

// parseStandardError parses the directive, for handle_errors:
//
//	turnpike_error [<matcher>]
func parseStandardError(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	e := new(StandardError)
	return e, e.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseStandardError for the syntax.
func (*StandardError) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return config.ParseNothing(d) }

// parseKeyAuth parses the directive:
//
//	turnpike_key [<matcher>]
func parseKeyAuth(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	if err := config.ParseNothing(h.Dispenser); err != nil {
		return nil, err
	}
	return &caddyauth.Authentication{
		ProvidersRaw: caddy.ModuleMap{"turnpike_key": caddyconfig.JSON(new(KeyAuth), nil)},
	}, nil
}

// parseMeter parses the directive; see parsePrice for prices:
//
//	meter [<matcher>] {
//		price …
//		optional
//		charge_client_errors
//	}
func parseMeter(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	m := new(Meter)
	return m, m.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseMeter for the syntax.
func (m *Meter) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	err := config.ParseBlock(d, func() error {
		switch d.Val() {
		case "price":
			raw, err := parsePrice(d, parseCredits)
			if err != nil {
				return err
			}
			m.PricesRaw = append(m.PricesRaw, raw)
		case "optional":
			return config.ParseFlag(d, &m.Optional)
		case "charge_client_errors":
			return config.ParseFlag(d, &m.ChargeClientErrors)
		default:
			return config.Unrecognized(d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(m.PricesRaw) == 0 {
		return d.Err("meter has no price")
	}
	return nil
}

// parseX402 parses the directive; see parsePrice for prices:
//
//	x402 [<matcher>] {
//		price …
//		mime_type <type>
//		no_browser_page
//		openapi [<address>] {
//			refresh <duration>
//		}
//		require_payment_identifier
//	}
func parseX402(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	x := new(X402)
	return x, x.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseX402 for the syntax.
func (x *X402) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	err := config.ParseBlock(d, func() error {
		switch d.Val() {
		case "price":
			raw, err := parsePrice(d, parseUSDC)
			if err != nil {
				return err
			}
			x.PricesRaw = append(x.PricesRaw, raw)
		case "mime_type":
			return config.ParseString(d, &x.MimeType)
		case "no_browser_page":
			return config.ParseFlag(d, &x.NoBrowserPage)
		case "openapi":
			return parseOpenAPI(d, &x.OpenAPI)
		case "require_payment_identifier":
			return config.ParseFlag(d, &x.RequirePaymentIdentifier)
		default:
			return config.Unrecognized(d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(x.PricesRaw) == 0 {
		return d.Err("x402 has no price")
	}
	return nil
}

// parsePrice parses a price. The first one that matches a request applies; a request that matches none is refused.
//
//	price upstream [<address>] {
//		refresh <duration>
//	}
//
//	price [<methods>] [<path>] <amount> {
//		operation   <name>
//		description <text>
//		settle      before|after
//		timeout     <duration>
//		body_max    <size>
//		dry_run
//	}
//
// <methods> are HTTP methods, separated by commas; any, if left out. <path> is a pattern; every path, if left out.
// <amount> is `free`, or
//
//   - in meter: a number of credits, or a CEL expression to one;
//   - in x402: a decimal amount of USDC, or `micro` and then a number of
//     millionths of a USDC or a CEL expression to one.
func parsePrice(d *caddyfile.Dispenser, parseAmount amountParser) (json.RawMessage, error) {
	args := d.RemainingArgs()
	if len(args) == 0 {
		return nil, d.ArgErr()
	}
	if args[0] == "upstream" {
		return parseUpstreamPrice(d, args[1:])
	}
	terms := PriceTerms{Path: "/*"}
	if len(args) > 1 && config.IsMethodList(args[0]) {
		terms.Methods, args = strings.Split(args[0], ","), args[1:]
	}
	if len(args) > 1 && strings.HasPrefix(args[0], "/") {
		terms.Path, args = args[0], args[1:]
	}
	amount, err := parseAmount(d, args)
	if err != nil {
		return nil, err
	}
	if err := parseTerms(d, &terms); err != nil {
		return nil, err
	}
	rule := terms.rule(amount)
	rule.Unit = "credit" // any unit does, because only the rest is checked
	if err := rule.Validate(); err != nil {
		return nil, d.WrapErr(err)
	}
	if units, isFixed := amount.Units(); isFixed || amount.IsFree() {
		if isFixed && units == 0 {
			return nil, d.Err("for a price of 0, write 'free'")
		}
		return caddyconfig.JSONModuleObject(&PriceFixed{PriceTerms: terms, Amount: units, Free: amount.IsFree()}, "source", "fixed", nil), nil
	}
	return caddyconfig.JSONModuleObject(&PriceExpression{PriceTerms: terms, Expression: amount.String()}, "source", "expression", nil), nil
}

// parseUpstreamPrice parses the price upstream. See parsePrice for the syntax.
func parseUpstreamPrice(d *caddyfile.Dispenser, args []string) (json.RawMessage, error) {
	p := new(PriceUpstream)
	switch len(args) {
	case 0:
	case 1:
		p.URL = args[0]
	default:
		return nil, d.ArgErr()
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		switch d.Val() {
		case "refresh":
			if err := config.ParseDuration(d, &p.Refresh); err != nil {
				return nil, err
			}
		default:
			return nil, d.Errf("unrecognized subdirective '%s'", d.Val())
		}
	}
	return caddyconfig.JSONModuleObject(p, "source", "upstream", nil), nil
}

// parseTerms parses the block of a price. See parsePrice for the syntax.
func parseTerms(d *caddyfile.Dispenser, t *PriceTerms) error {
	return config.ParseBlock(d, func() (err error) {
		switch d.Val() {
		case "operation":
			return config.ParseString(d, &t.Operation)
		case "description":
			return config.ParseString(d, &t.Description)
		case "settle":
			return config.ParseString(d, (*string)(&t.Settle))
		case "timeout":
			err = config.ParseDuration(d, &t.Timeout)
			if t.Timeout%caddy.Duration(time.Second) != 0 {
				return d.Err("timeout must be in whole seconds")
			}
		case "body_max":
			return config.ParseSize(d, &t.BodyBytesMax)
		case "dry_run":
			return config.ParseFlag(d, &t.DryRun)
		default:
			return config.Unrecognized(d)
		}
		return err
	})
}

// amountParser parses the remaining arguments of a price.
type amountParser func(d *caddyfile.Dispenser, args []string) (price.Amount, error)

func parseCredits(d *caddyfile.Dispenser, args []string) (price.Amount, error) {
	if len(args) != 1 {
		return price.Amount{}, d.ArgErr()
	}
	return parseUnits(d, args[0], "credits")
}

func parseUSDC(d *caddyfile.Dispenser, args []string) (price.Amount, error) {
	switch {
	case len(args) == 2 && args[0] == "micro":
		return parseUnits(d, args[1], "millionths of a USDC")
	case len(args) != 1:
		return price.Amount{}, d.ArgErr()
	case args[0] == "free":
		return price.Free(), nil
	}
	amount, err := money.ParseUSDC(args[0])
	if err != nil {
		return price.Amount{}, d.Errf("%v (write an expression after the word micro; its result is in millionths of a USDC)", err)
	}
	return price.Fixed(int64(amount)), nil
}

func parseUnits(d *caddyfile.Dispenser, text, what string) (price.Amount, error) {
	switch text {
	case "free":
		return price.Free(), nil
	case "quote":
		return price.Amount{}, d.Err("quotes come from an upstream that publishes a price book: write 'price upstream'")
	}
	if strings.Trim(text, "0123456789") != "" {
		return price.Expression(text), nil
	}
	n, err := config.ParseInt(d, text, what)
	if err != nil {
		return price.Amount{}, err
	}
	return price.Fixed(n), nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*APIKey)(nil)
	_ caddyfile.Unmarshaler = (*Meter)(nil)
	_ caddyfile.Unmarshaler = (*X402)(nil)
)
