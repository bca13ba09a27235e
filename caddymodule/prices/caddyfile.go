package prices

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/upstream"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// ParseBlock parses the block of a handler with prices, whose other subdirectives other parses. See parsePrice for prices.
func ParseBlock(d *caddyfile.Dispenser, parseAmount AmountParser, prices *[]json.RawMessage, other func() error) error {
	d.Next()
	name := d.Val()
	if d.NextArg() {
		return d.ArgErr()
	}
	err := config.ParseBlock(d, func() error {
		if d.Val() != "price" {
			return other()
		}
		raw, err := parsePrice(d, parseAmount)
		*prices = append(*prices, raw)
		return err
	})
	if err == nil && len(*prices) == 0 {
		return d.Errf("%s has no price", name)
	}
	return err
}

// parsePrice parses a price. The first one that matches a request applies; a request that matches none is refused.
//
//	price upstream [<address>] {
//		refresh <duration>
//	}
//
//	price [<methods>] [<path>] <amount> {
//		operation   <name>
//		description <text>
//		settle      before|after
//		timeout     <duration>
//		body_max    <size>
//		dry_run
//	}
//
//	price mcp [<path>] {
//		tool     <name> <amount>
//		settle   before|after
//		timeout  <duration>
//		body_max <size>
//	}
//
// <name> is the name of an MCP server's tool, or `*` for any other.
//
// <methods> are HTTP methods, separated by commas; any, if left out. <path> is a pattern; every path, if left out.
// <amount> is `free`, or
//
//   - in meter: a number of credits, or a CEL expression to one;
//   - in x402: a decimal amount of USDC, or `micro` and then a number of
//     millionths of a USDC or a CEL expression to one.
func parsePrice(d *caddyfile.Dispenser, parseAmount AmountParser) (json.RawMessage, error) {
	args := d.RemainingArgs()
	if len(args) == 0 {
		return nil, d.ArgErr()
	}
	if args[0] == "upstream" {
		p := new(Upstream)
		err := upstream.ParseDocument(d, args[1:], &p.URL, &p.Refresh)
		return caddyconfig.JSONModuleObject(p, "source", "upstream", nil), err
	}
	if args[0] == "mcp" {
		return parseMCP(d, args[1:], parseAmount)
	}
	terms := Terms{Path: "/*"}
	if len(args) > 1 && config.IsMethodList(args[0]) {
		terms.Methods, args = strings.Split(args[0], ","), args[1:]
	}
	if len(args) > 1 && strings.HasPrefix(args[0], "/") {
		terms.Path, args = args[0], args[1:]
	}
	amount, err := parseAmount(d, args)
	if err != nil {
		return nil, err
	}
	if err := parseTerms(d, &terms); err != nil {
		return nil, err
	}
	if err := checkRule(d, terms.rule(amount)); err != nil {
		return nil, err
	}
	if units, isFixed := amount.Units(); isFixed || amount.IsFree() {
		if isFixed && units == 0 {
			return nil, d.Err("for a price of 0, write 'free'")
		}
		return caddyconfig.JSONModuleObject(&Fixed{Terms: terms, Amount: units, Free: amount.IsFree()}, "source", "fixed", nil), nil
	}
	return caddyconfig.JSONModuleObject(&Expression{Terms: terms, Expression: amount.String()}, "source", "expression", nil), nil
}

// checkRule validates a rule at the place where it is configured.
func checkRule(d *caddyfile.Dispenser, rule price.Rule) error {
	rule.Unit = "credit" // any unit does, because only the rest is checked
	if err := rule.Validate(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// parseMCP parses a price of an MCP server's tools. See parsePrice for the syntax.
func parseMCP(d *caddyfile.Dispenser, args []string, parseAmount AmountParser) (json.RawMessage, error) {
	p := NewMCP()
	switch {
	case len(args) == 1 && strings.HasPrefix(args[0], "/"):
		p.Path = args[0]
	case len(args) > 0:
		return nil, d.ArgErr()
	}
	err := config.ParseBlock(d, func() error {
		switch d.Val() {
		case "tool":
			args := d.RemainingArgs()
			if len(args) == 0 {
				return d.ArgErr()
			}
			return p.Add(d, args[0], args[1:], parseAmount)
		case "settle", "timeout", "body_max":
			return parseTerm(d, &p.Terms)
		default:
			return config.Unrecognized(d)
		}
	})
	if err != nil {
		return nil, err
	}
	return p.JSON(d)
}

// NewMCP returns a price without tools, for every path.
func NewMCP() *MCP {
	return &MCP{Terms: Terms{Path: "/*"}, Tools: map[string]price.Amount{}}
}

// Add adds a tool, whose amount is parsed from args.
func (p *MCP) Add(d *caddyfile.Dispenser, name string, args []string, parseAmount AmountParser) error {
	if _, isThere := p.Tools[name]; isThere {
		return d.Errf("the tool %s appears more than once", name)
	}
	amount, err := parseAmount(d, args)
	if err != nil {
		return err
	}
	if units, isFixed := amount.Units(); isFixed && units == 0 {
		return d.Err("for a price of 0, write 'free'")
	}
	p.Tools[name] = amount
	return nil
}

// Term parses one of the options settle, timeout and body_max. See parsePrice for the syntax.
func (p *MCP) Term(d *caddyfile.Dispenser) error { return parseTerm(d, &p.Terms) }

// JSON validates the price and returns it as a module.
func (p *MCP) JSON(d *caddyfile.Dispenser) (json.RawMessage, error) {
	if len(p.Tools) == 0 {
		return nil, d.Err("no tool has a price: want a line `tool` for each, or one for `*`, which is any other")
	}
	for _, rule := range p.Rules() {
		if err := checkRule(d, rule); err != nil {
			return nil, err
		}
	}
	return caddyconfig.JSONModuleObject(p, "source", "mcp", nil), nil
}

// parseTerms parses the block of a price. See parsePrice for the syntax.
func parseTerms(d *caddyfile.Dispenser, t *Terms) error {
	return config.ParseBlock(d, func() error { return parseTerm(d, t) })
}

// parseTerm parses a line of the block of a price. See parsePrice for the syntax.
func parseTerm(d *caddyfile.Dispenser, t *Terms) (err error) {
	switch d.Val() {
	case "operation":
		return config.ParseString(d, &t.Operation)
	case "description":
		return config.ParseString(d, &t.Description)
	case "settle":
		return config.ParseString(d, (*string)(&t.Settle))
	case "timeout":
		err = config.ParseDuration(d, &t.Timeout)
		if t.Timeout%caddy.Duration(time.Second) != 0 {
			return d.Err("timeout must be in whole seconds")
		}
	case "body_max":
		return config.ParseSize(d, &t.BodyBytesMax)
	case "dry_run":
		return config.ParseFlag(d, &t.DryRun)
	default:
		return config.Unrecognized(d)
	}
	return err
}

// AmountParser parses the remaining arguments of a price.
type AmountParser func(d *caddyfile.Dispenser, args []string) (price.Amount, error)

// ParseCredits parses an amount of credits, or an expression to one.
func ParseCredits(d *caddyfile.Dispenser, args []string) (price.Amount, error) {
	if len(args) != 1 {
		return price.Amount{}, d.ArgErr()
	}
	return parseUnits(d, args[0], "credits")
}

// ParseUSDC parses an amount of USDC, or an expression to one.
func ParseUSDC(d *caddyfile.Dispenser, args []string) (price.Amount, error) {
	switch {
	case len(args) == 2 && args[0] == "micro":
		return parseUnits(d, args[1], "millionths of a USDC")
	case len(args) != 1:
		return price.Amount{}, d.ArgErr()
	case args[0] == "free":
		return price.Free(), nil
	}
	amount, err := money.ParseUSDC(args[0])
	if err != nil {
		return price.Amount{}, d.Errf("%v (write an expression after the word micro; its result is in millionths of a USDC)", err)
	}
	return price.Fixed(int64(amount)), nil
}

func parseUnits(d *caddyfile.Dispenser, text, what string) (price.Amount, error) {
	switch text {
	case "free":
		return price.Free(), nil
	case "quote":
		return price.Amount{}, d.Err("quotes come from an upstream that publishes a price book: write 'price upstream'")
	}
	if strings.Trim(text, "0123456789") != "" {
		return price.Expression(text), nil
	}
	n, err := config.ParseInt(d, text, what)
	if err != nil {
		return price.Amount{}, err
	}
	return price.Fixed(n), nil
}
