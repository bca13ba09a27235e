package prices

import (
	"errors"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(Fixed))
}

// Fixed charges the same for every request that it matches, or nothing.
type Fixed struct {
	Terms

	// The amount: credits in `meter`, millionths of a USDC in `x402`. Default: 0.
	Amount int64 `json:"amount,omitempty"`

	// Let requests pass without payment. Default: false.
	Free bool `json:"free,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*Fixed) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.prices.fixed",
		New: func() caddy.Module { return new(Fixed) },
	}
}

// Validate refuses an amount together with free, and neither of the two: what passes without payment must be marked free.
func (p *Fixed) Validate() error {
	if p.Free == (p.Amount != 0) {
		return errors.New("price: want either an amount above 0 or free")
	}
	return nil
}

// Rules implements RuleSource.
func (p *Fixed) Rules() []price.Rule {
	if p.Free {
		return []price.Rule{p.rule(price.Free())}
	}
	return []price.Rule{p.rule(price.Fixed(p.Amount))}
}

// Interface guards
var (
	_ RuleSource      = (*Fixed)(nil)
	_ caddy.Validator = (*Fixed)(nil)
)
