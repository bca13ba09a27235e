package prices

import (
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// RuleSource is a module in the namespace `turnpike.prices` that gives rules. The rules of a handler, in their order, form
// one price book.
type RuleSource interface {
	Rules() []price.Rule
}

// PricerSource is a module in the namespace `turnpike.prices` that prices by itself. It must be the only one in its handler.
type PricerSource interface {
	Pricer() price.Pricer
}

// Terms are the conditions that `fixed` and `expression` prices share.
type Terms struct {
	// HTTP methods in capitals. HEAD is priced as GET. Default: any method.
	Methods []string `json:"methods,omitempty"`

	// The pattern of paths, as the client sends them: a segment `*` is any one segment, a trailing `/*` any further ones. Case
	// matters. Paths that an upstream might read as another (`//`, `%2e`, `;x`) match nothing. Required; `/*` is every path.
	Path string `json:"path"`

	// What is charged for, for usage reports. Default: none.
	Operation string `json:"operation,omitempty"`

	// The description that clients see when they are asked to pay. Default: the operation.
	Description string `json:"description,omitempty"`

	// When an x402 payment is settled: `after` the upstream has responded, or `before` it gets the request. Default: `after`.
	Settle price.Settle `json:"settle,omitempty"`

	// How long the upstream may take, in whole seconds. An x402 payment must be valid for longer. Default: 60s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// The largest body that is read to price it, in bytes. Default: 1 MiB; at most 16 MiB.
	BodyBytesMax int64 `json:"body_bytes_max,omitempty"`

	// Price `?dry_run=true` at 0. Use it only if the upstream then does no work. Default: false.
	DryRun bool `json:"dry_run,omitempty"`
}

func (t *Terms) rule(amount price.Amount) price.Rule {
	return price.Rule{
		Methods: t.Methods, Path: t.Path, Price: amount,
		Operation: t.Operation, Description: t.Description, Settle: t.Settle,
		TimeoutSeconds: int(t.Timeout / caddy.Duration(1e9)),
		BodyBytesMax:   t.BodyBytesMax, DryRun: t.DryRun,
	}
}

// Load combines the price modules of a handler into one pricer.
func Load(ctx caddy.Context, handler any, field string, unit edgewire.Unit) (price.Pricer, error) {
	mods, err := ctx.LoadModule(handler, field)
	if err != nil {
		return nil, fmt.Errorf("loading prices: %w", err)
	}
	loaded, _ := mods.([]any)
	if len(loaded) == 0 {
		return nil, errors.New("no price: configure at least one, such as `price upstream` or `price POST /reports 5`")
	}
	var rules []price.Rule
	for _, mod := range loaded {
		switch mod := mod.(type) {
		case PricerSource:
			if len(loaded) > 1 {
				return nil, errors.New("an upstream's price book cannot be combined with other prices")
			}
			return mod.Pricer(), nil
		case RuleSource:
			for _, rule := range mod.Rules() {
				rule.Unit = unit
				rules = append(rules, rule)
			}
		default:
			return nil, fmt.Errorf("price module %T does not set a price", mod)
		}
	}
	book, err := price.New(rules)
	if err != nil {
		return nil, fmt.Errorf("prices: %w", err)
	}
	return book, nil
}
