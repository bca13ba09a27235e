package meter

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
)

func init() { httpcaddyfile.RegisterHandlerDirective("meter", parseMeter) }

// parseMeter parses the directive; see prices.ParseBlock for prices:
//
//	meter [<matcher>] {
//		price …
//		optional
//		charge_client_errors
//	}
func parseMeter(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	m := new(Handler)
	return m, m.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseMeter for the syntax.
func (m *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return prices.ParseBlock(d, prices.ParseCredits, &m.PricesRaw, func() error {
		switch d.Val() {
		case "optional":
			return config.ParseFlag(d, &m.Optional)
		case "charge_client_errors":
			return config.ParseFlag(d, &m.ChargeClientErrors)
		default:
			return config.Unrecognized(d)
		}
	})
}

// Interface guard
var _ caddyfile.Unmarshaler = (*Handler)(nil)
