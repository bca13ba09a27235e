package prices

import (
	"maps"
	"net/http"
	"slices"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(MCP))
}

// MCP prices the calls of an MCP server's tools, by the tool's name. Everything else that a client sends to the server is
// free: lists, reads, pings, notifications and the opening of sessions. Refusals, payments and receipts have the form of MCP
// (x402's binding for MCP). A call that fails costs nothing. A batch of messages is refused, and so is a request whose
// headers `Mcp-Method` or `Mcp-Name` differ from its body.
type MCP struct {
	Terms

	// The prices by the names of tools: a number (credits in `meter`, millionths of a USDC in `x402`), `free`, or a CEL
	// expression as in `expression`, in which `body.params.arguments` has the tool's arguments. `*` is any other tool;
	// without it, a tool that is not listed is refused. Required.
	Tools map[string]price.Amount `json:"tools,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*MCP) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.prices.mcp",
		New: func() caddy.Module { return new(MCP) },
	}
}

// Rules implements RuleSource.
func (p *MCP) Rules() []price.Rule {
	rules := make([]price.Rule, 0, len(p.Tools)+2)
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		if name != price.AnyTool {
			rules = append(rules, p.tool(name))
		}
	}
	if _, isThere := p.Tools[price.AnyTool]; isThere {
		rules = append(rules, p.tool(price.AnyTool))
	}
	return append(rules, price.FreeRule("", p.Path))
}

// tool returns the rule for one tool. Only a POST calls one.
func (p *MCP) tool(name string) price.Rule {
	rule := p.rule(p.Tools[name])
	rule.Tool, rule.Methods = name, []string{http.MethodPost}
	if name != price.AnyTool {
		rule.Operation = name
	}
	return rule
}

// Interface guards
var _ RuleSource = (*MCP)(nil)
