package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
	"github.com/turnpike-edge/turnpike/caddymodule/upstream"
)

// parseStandardError parses the directive, for handle_errors:
//
//	turnpike_error [<matcher>]
func parseStandardError(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	e := new(StandardError)
	return e, e.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseStandardError for the syntax.
func (*StandardError) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return config.ParseNothing(d) }

// parseMeter parses the directive; see prices.Parse for prices:
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
			raw, err := prices.Parse(d, prices.ParseCredits)
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

// parseX402 parses the directive; see prices.Parse for prices:
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
			raw, err := prices.Parse(d, prices.ParseUSDC)
			if err != nil {
				return err
			}
			x.PricesRaw = append(x.PricesRaw, raw)
		case "mime_type":
			return config.ParseString(d, &x.MimeType)
		case "no_browser_page":
			return config.ParseFlag(d, &x.NoBrowserPage)
		case "openapi":
			return upstream.ParseOpenAPI(d, &x.OpenAPI)
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

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*Meter)(nil)
	_ caddyfile.Unmarshaler = (*X402)(nil)
)
