package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("x402_discovery", parseX402Discovery)
	httpcaddyfile.RegisterDirectiveOrder("x402_discovery", httpcaddyfile.Before, "respond")
}

// parseX402Discovery parses the directive:
//
//	x402_discovery [<matcher>] {
//		name             <name>
//		description      <text>
//		contact          <address>
//		instructions     <text>
//		ownership_proofs <proofs…>
//	}
func parseX402Discovery(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	x := new(X402Discovery)
	return x, x.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseX402Discovery for the syntax.
func (x *X402Discovery) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "name":
			if err := config.ParseString(d, &x.Name); err != nil {
				return err
			}
			return config.Locate(d, x.Validate())
		case "description":
			return config.ParseString(d, &x.Description)
		case "contact":
			return config.ParseString(d, &x.Contact)
		case "instructions":
			return config.ParseString(d, &x.Instructions)
		case "ownership_proofs":
			if x.OwnershipProofs != nil {
				return d.Err("ownership_proofs appears more than once: list all proofs on one line")
			}
			if x.OwnershipProofs = d.RemainingArgs(); len(x.OwnershipProofs) == 0 {
				return d.ArgErr()
			}
			return nil
		default:
			return config.Unrecognized(d)
		}
	})
}

// Interface guards
var _ caddyfile.Unmarshaler = (*X402Discovery)(nil)
