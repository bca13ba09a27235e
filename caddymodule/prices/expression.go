package prices

import (
	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(Expression))
}

// Expression computes the price from the request, with an expression in CEL (https://cel.dev). It sees `method`,
// `path` (decoded), `query` (name to string, or to a list if a name is repeated) and `body` (JSON; integers are exact),
// and has the `math` extensions and optional values. If it fails on a request, the response is 400.
type Expression struct {
	Terms

	// The expression. Its result is an int, 0 or more: credits in `meter`,
	// millionths of a USDC in `x402`. Required.
	Expression string `json:"expression"`
}

// CaddyModule returns the Caddy module information.
func (*Expression) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.prices.expression",
		New: func() caddy.Module { return new(Expression) },
	}
}

// Rules implements RuleSource.
func (p *Expression) Rules() []price.Rule {
	return []price.Rule{p.rule(price.Expression(p.Expression))}
}

// Interface guards
var _ RuleSource = (*Expression)(nil)
