package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
)

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

// Interface guard
var _ caddyfile.Unmarshaler = (*Meter)(nil)
