package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
	"github.com/turnpike-edge/turnpike/caddymodule/upstream"
)

// parseX402 parses the directive; see prices.ParseBlock for prices:
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
	return prices.ParseBlock(d, prices.ParseUSDC, &x.PricesRaw, func() error {
		switch d.Val() {
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
	})
}

// unmarshal parses the block x402. See parseApp for the syntax.
func (c *X402Config) unmarshal(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.ArgErr()
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var err error
		switch d.Val() {
		case "pay_to":
			err = config.ParseString(d, &c.PayTo)
		case "network":
			err = c.unmarshalNetwork(d)
		case "asset":
			c.Asset, err = parseAsset(d, c.Asset)
		case "facilitator":
			c.FacilitatorRaw, err = config.ParseModule(d, "turnpike.facilitators", c.FacilitatorRaw)
		case "public_url":
			err = config.ParseString(d, &c.PublicURL)
		case "response_max":
			n := int64(c.ResponseBytesMax)
			err = config.ParseSize(d, &n)
			c.ResponseBytesMax = int(n)
		case "verify_timeout":
			err = config.ParseDuration(d, &c.VerifyTimeout)
		case "settle_timeout":
			err = config.ParseDuration(d, &c.SettleTimeout)
		case "suspects_per_minute":
			err = config.ParseCount(d, &c.UnverifiedPerMinute)
		case "payment_identifier":
			err = parseOff(d, &c.NoPaymentIdentifier)
		case "sign_in_with_x":
			err = parseOff(d, &c.NoSignInWithX)
		default:
			return d.Errf("unrecognized subdirective '%s'", d.Val())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unmarshalNetwork parses "network <name>". Without a block it names the network of the options around it; with a block
// it is one of several.
func (c *X402Config) unmarshalNetwork(d *caddyfile.Dispenser) error {
	var name string
	if !d.AllArgs(&name) {
		return d.ArgErr()
	}
	if name == "" {
		return d.Err("network is empty")
	}
	isThere := c.Network == name
	for _, other := range c.Networks {
		isThere = isThere || other.Network == name
	}
	if isThere {
		return d.Errf("network %s appears more than once", name)
	}
	n := &X402Network{Network: name}
	hasBlock, err := n.unmarshal(d)
	switch {
	case err != nil:
		return err
	case hasBlock && n.FacilitatorRaw == nil:
		return d.Errf("network %s has no facilitator: want `local` or `http` in its block", name)
	case hasBlock:
		c.Networks = append(c.Networks, n)
	case c.Network != "":
		return d.Errf("network %s has no block, and neither has %s: only one network can be without a block", name, c.Network)
	default:
		c.Network = name
	}
	return nil
}

// unmarshal parses the block network. See parseApp for the syntax.
func (n *X402Network) unmarshal(d *caddyfile.Dispenser) (hasBlock bool, err error) {
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		hasBlock = true
		switch d.Val() {
		case "pay_to":
			err = config.ParseString(d, &n.PayTo)
		case "asset":
			n.Asset, err = parseAsset(d, n.Asset)
		case "facilitator":
			n.FacilitatorRaw, err = config.ParseModule(d, "turnpike.facilitators", n.FacilitatorRaw)
		default:
			return hasBlock, d.Errf("unrecognized subdirective '%s'", d.Val())
		}
		if err != nil {
			return hasBlock, err
		}
	}
	return hasBlock, nil
}

// parseAsset parses "asset <address> [<name> <version>]".
func parseAsset(d *caddyfile.Dispenser, existing *X402Asset) (*X402Asset, error) {
	if existing != nil {
		return nil, d.Err("asset appears more than once")
	}
	args := d.RemainingArgs()
	switch len(args) {
	case 1:
		return &X402Asset{Address: args[0]}, nil
	case 3:
		return &X402Asset{Address: args[0], Name: args[1], Version: args[2]}, nil
	default:
		return nil, d.ArgErr()
	}
}

// parseOff parses the argument of a subdirective that turns off a default.
func parseOff(d *caddyfile.Dispenser, off *bool) error {
	name := d.Val()
	var word string
	switch {
	case *off:
		return d.Errf("%s appears more than once", name)
	case !d.AllArgs(&word):
		return d.ArgErr()
	case word != "off":
		return d.Errf("%s: unknown value '%s', want off (it is on by default)", name, word)
	}
	*off = true
	return nil
}

// Interface guard
var _ caddyfile.Unmarshaler = (*X402)(nil)
