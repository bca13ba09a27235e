package caddymodule

import "github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

// unmarshal: see parseApp for the syntax.
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
			if c.Asset != nil {
				return d.Err("asset is there twice")
			}
			if len(args) != 1 && len(args) != 3 {
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
			n := int64(c.ResponseBytesMax)
			err = parseSize(d, &n)
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
