package pricebook

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// toolsPath is where the tools of backend/mcp are called.
const toolsPath = "/mcp"

// tool is an MCP tool that does the work of an HTTP request, at its price.
type tool struct {
	name, path string
	// credits and usdc are the prices where the request's own rule reads them from its body, or leaves them to a quote.
	credits, usdc *price.Amount
}

// argument is the expression of a whole-numbered argument of a tool. The tool refuses one that is out of range or no
// number, and that costs nothing.
func argument(name string, otherwise, most int) string {
	value := fmt.Sprintf("body.params.?arguments.?%s.orValue(%d)", name, otherwise)
	return fmt.Sprintf("(type(%[1]s) == int ? math.least(%[2]d, math.greatest(1, %[1]s)) : 1)", value, most)
}

func expression(format string, args ...any) *price.Amount {
	return new(price.Expression(fmt.Sprintf(format, args...)))
}

// tools are the tools with a price. The defaults and limits are those of their schemas.
func tools() []tool {
	pages := argument("max_pages", 20, 10_000)
	return []tool{
		{name: "scrape", path: "/v1/scrapes", credits: new(price.Fixed(1))},
		{name: "search", path: "/v1/searches", credits: expression(
			"5 + (body.params.?arguments.?scrape.orValue(false) == true ? %s : 0)", argument("limit", 8, 25))},
		{name: "map", path: "/v1/maps", credits: expression("1 + (%s - 1) / 1000", argument("limit", 1000, 10_000))},
		{name: "crawl", path: "/v1/crawls", credits: expression("%s", pages), usdc: expression("math.greatest(10000, 5000 * %s)", pages)},
		{name: "ask", path: "/v1/answers"},
	}
}

// toolRules prices the tools like the requests whose work they do. All other messages are free.
func toolRules(rules []price.Rule) []price.Rule {
	post := []string{http.MethodPost}
	var priced []price.Rule
	for _, t := range tools() {
		for _, rule := range rules {
			if rule.Path != t.path && rule.Path != "/x402"+t.path || rule.Methods[0] != http.MethodPost {
				continue
			}
			amount := t.credits
			if rule.Unit == edgewire.UnitUSDC {
				amount = t.usdc
			}
			what, _, _ := strings.Cut(rule.Description, ":") // the rest is about fields that tools do not have
			rule.Description = "MCP tool " + t.name + ": " + what
			if amount != nil {
				rule.Price = *amount
			}
			rule.Path, rule.Tool, rule.DryRun, rule.BodyBytesMax = toolsPath, t.name, false, 0
			priced = append(priced, rule)
		}
	}
	return append(
		priced,
		price.Rule{Methods: post, Path: toolsPath, Tool: "job", Price: price.Free(), Operation: "read"},
		price.Rule{Methods: post, Path: toolsPath, Tool: "monitor", Price: price.Free(), Operation: "monitors"},
		price.FreeRule("mcp", toolsPath, http.MethodPost),
	)
}
