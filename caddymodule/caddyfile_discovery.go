package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
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
	return parseBlock(d, func() error {
		switch d.Val() {
		case "name":
			if err := parseString(d, &x.Name); err != nil {
				return err
			}
			return locate(d, x.Validate())
		case "description":
			return parseString(d, &x.Description)
		case "contact":
			return parseString(d, &x.Contact)
		case "instructions":
			return parseString(d, &x.Instructions)
		case "ownership_proofs":
			proofs := d.RemainingArgs()
			if len(proofs) == 0 {
				return d.ArgErr()
			}
			x.OwnershipProofs = append(x.OwnershipProofs, proofs...)
			return nil
		default:
			return unrecognized(d)
		}
	})
}

// Interface guards
var _ caddyfile.Unmarshaler = (*X402Discovery)(nil)
