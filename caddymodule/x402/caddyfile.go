package x402

import (
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
	"github.com/turnpike-edge/turnpike/caddymodule/upstream"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("x402", parseHandler)
	httpcaddyfile.RegisterHandlerDirective("x402_discovery", parseDiscovery)
	httpcaddyfile.RegisterHandlerDirective("x402_facilitator", parseFacilitatorAPI)
}

// parseHandler parses the directive; see prices.ParseBlock for prices:
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
func parseHandler(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	x := new(Handler)
	return x, x.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseHandler for the syntax.
func (x *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
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

// Unmarshal parses the block x402. See caddymodule.parseApp for the syntax.
func (c *Config) Unmarshal(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() (err error) {
		switch d.Val() {
		case "pay_to":
			return config.ParseString(d, &c.PayTo)
		case "network":
			return c.unmarshalNetwork(d)
		case "asset":
			c.Asset, err = parseAsset(d, c.Asset)
		case "facilitator":
			c.FacilitatorRaw, err = config.ParseModule(d, "turnpike.facilitators", c.FacilitatorRaw)
		case "public_url":
			return config.ParseString(d, &c.PublicURL)
		case "response_max":
			n := int64(c.ResponseBytesMax)
			err = config.ParseSize(d, &n)
			c.ResponseBytesMax = int(n)
		case "verify_timeout":
			return config.ParseDuration(d, &c.VerifyTimeout)
		case "settle_timeout":
			return config.ParseDuration(d, &c.SettleTimeout)
		case "suspects_per_minute":
			return config.ParseCount(d, &c.UnverifiedPerMinute)
		case "payment_identifier":
			return parseOff(d, &c.NoPaymentIdentifier)
		case "sign_in_with_x":
			return parseOff(d, &c.NoSignInWithX)
		default:
			return config.Unrecognized(d)
		}
		return err
	})
}

// unmarshalNetwork parses "network <name>". Without a block it names the network of the options around it; with a block
// it is one of several.
func (c *Config) unmarshalNetwork(d *caddyfile.Dispenser) error {
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
	n := &Network{Network: name}
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

// unmarshal parses the block network. See caddymodule.parseApp for the syntax.
func (n *Network) unmarshal(d *caddyfile.Dispenser) (hasBlock bool, err error) {
	err = config.ParseBlock(d, func() (err error) {
		hasBlock = true
		switch d.Val() {
		case "pay_to":
			return config.ParseString(d, &n.PayTo)
		case "asset":
			n.Asset, err = parseAsset(d, n.Asset)
		case "facilitator":
			n.FacilitatorRaw, err = config.ParseModule(d, "turnpike.facilitators", n.FacilitatorRaw)
		default:
			return config.Unrecognized(d)
		}
		return err
	})
	return hasBlock, err
}

// parseAsset parses "asset <address> [<name> <version>]".
func parseAsset(d *caddyfile.Dispenser, existing *Asset) (*Asset, error) {
	if existing != nil {
		return nil, d.Err("asset appears more than once")
	}
	args := d.RemainingArgs()
	switch len(args) {
	case 1:
		return &Asset{Address: args[0]}, nil
	case 3:
		return &Asset{Address: args[0], Name: args[1], Version: args[2]}, nil
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

// parseDiscovery parses the directive:
//
//	x402_discovery [<matcher>] {
//		name             <name>
//		description      <text>
//		contact          <address>
//		instructions     <text>
//		ownership_proofs <proofs…>
//	}
func parseDiscovery(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	x := new(Discovery)
	return x, x.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseDiscovery for the syntax.
func (x *Discovery) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "name":
			return config.ParseChecked(d, &x.Name, func(_, _ string) error { return x.Validate() })
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

// parseFacilitatorAPI parses the directive:
//
//	x402_facilitator [<matcher>] {
//		pay_to <addresses…>
//		require_key
//	}
func parseFacilitatorAPI(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	x := new(FacilitatorAPI)
	return x, x.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler: see parseFacilitatorAPI for the syntax.
func (x *FacilitatorAPI) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	err := config.ParseBlock(d, func() error {
		switch d.Val() {
		case "pay_to":
			return x.unmarshalPayTo(d)
		case "require_key":
			return config.ParseFlag(d, &x.RequireKey)
		default:
			return config.Unrecognized(d)
		}
	})
	if err != nil {
		return err
	}
	return config.Locate(d, x.checkClosed())
}

func (x *FacilitatorAPI) unmarshalPayTo(d *caddyfile.Dispenser) error {
	if len(x.PayTo) > 0 {
		return d.Err("pay_to appears more than once: list all addresses on one line")
	}
	for _, text := range d.RemainingArgs() {
		if !strings.Contains(text, "{") { // a placeholder's value is known only at run time
			if _, err := resolveRecipient(text); err != nil {
				return config.Locate(d, err)
			}
		}
		x.PayTo = append(x.PayTo, text)
	}
	if len(x.PayTo) == 0 {
		return d.ArgErr()
	}
	return nil
}

// Interface guards
var (
	_ caddyfile.Unmarshaler = (*Handler)(nil)
	_ caddyfile.Unmarshaler = (*Discovery)(nil)
	_ caddyfile.Unmarshaler = (*FacilitatorAPI)(nil)
)
