package price

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/mcp"
)

const (
	// TimeoutDefault is how long an upstream may take if a rule does not set it.
	TimeoutDefault = 60 * time.Second
	// TimeoutMax bounds the validity of a payment, which is derived from it.
	TimeoutMax = time.Hour
	// BodyBytesMaxDefault is the size limit of a body that is read for its price.
	BodyBytesMaxDefault = 1 << 20
	// BodyBytesMaxMax is the highest limit that a rule may set: bodies are held in memory.
	BodyBytesMaxMax = 16 << 20
)

// Rule is one line of a price book: what a request to some path costs.
type Rule struct {
	// Methods are HTTP methods in capitals; none means any. HEAD is priced as GET.
	Methods []string `json:"methods,omitempty"`
	// Path is a pattern for the path that the client sent. A segment `*` is any one segment that is not empty; `/*` at
	// the end is one or more further segments (and `/*` alone is every path). Everything else is literal and
	// case-sensitive. A path that a lenient upstream could read as another rule's path (`//`, `%2e`, `;x`, other case,
	// a trailing slash) matches no rule.
	Path string `json:"path"`
	// Tool limits the rule to calls of an MCP tool with this name, `*` to calls of any. The request's body is then one
	// JSON-RPC message. Rules without it, after those with it, are for messages that call no tool. Refusals, payments and
	// receipts then have the form of MCP.
	Tool string `json:"tool,omitempty"`
	// Unit is `credit` or `usdc6` (millionths of a USDC). A free rule may leave it out and then applies to both.
	Unit edgewire.Unit `json:"unit,omitempty"`
	// Price is the amount in Unit: an integer, a CEL expression, `quote` (the upstream quotes each request), or `free`.
	Price Amount `json:"price"`
	// Operation names the charged operation, for usage reports: "scrape".
	Operation string `json:"operation,omitempty"`
	// Description is shown to clients that must pay. Default: Operation.
	Description string `json:"description,omitempty"`
	// Settle says when an x402 payment is settled: `after` the upstream has responded (the default), or `before` the
	// request is sent to it.
	Settle Settle `json:"settle,omitempty"`
	// TimeoutSeconds is how long the upstream may take. Default: 60.
	TimeoutSeconds int `json:"timeout_seconds,omitempty"`
	// BodyBytesMax caps a body that the price depends on. Default: 1 MiB; at most 16 MiB.
	BodyBytesMax int64 `json:"body_bytes_max,omitempty"`
	// DryRun prices `?dry_run=true` at 0. Set it only for an upstream that then does no work.
	DryRun bool `json:"dry_run,omitempty"`
}

// FreeRule is the rule of requests that cost nothing.
func FreeRule(operation, path string, methods ...string) Rule {
	return Rule{Methods: methods, Path: path, Price: Free(), Operation: operation}
}

// Validate returns all errors of the rule, joined.
func (r *Rule) Validate() error {
	_, err := compileRule(r)
	return err
}

type compiledRule struct {
	rule    Rule
	pattern pattern
	program *program // nil unless the price is an expression
	quote   Quote    // without what an expression and a body add
}

func compileRule(r *Rule) (*compiledRule, error) {
	c := &compiledRule{rule: *r}
	var errs []error
	var err error
	if c.pattern, err = compilePattern(r.Path); err != nil {
		errs = append(errs, err)
	}
	for _, m := range r.Methods {
		if !isMethod(m) {
			errs = append(errs, fmt.Errorf("method %q: want an HTTP method in capitals", m))
		}
	}
	switch r.Price.kind {
	case amountNone:
		errs = append(errs, fmt.Errorf("price: missing; want an integer, a CEL expression, %q or %q", quoteWord, freeWord))
	case amountFixed:
		if r.Price.units < 0 {
			errs = append(errs, fmt.Errorf("price: got %d, want 0 or more", r.Price.units))
		}
	case amountExpression:
		if c.program, err = compileExpression(r.Price.expr); err != nil {
			errs = append(errs, fmt.Errorf("price: %w", err))
		}
	case amountFree, amountQuoted:
	}
	errs = append(errs, validateTerms(r)...)
	c.quote = quoteOf(r)
	return c, errors.Join(errs...)
}

func validateTerms(r *Rule) []error {
	var errs []error
	if knownUnit := r.Unit == edgewire.UnitCredit || r.Unit == edgewire.UnitUSDC; !knownUnit && (r.Unit != "" || !r.Price.IsFree()) {
		errs = append(errs, fmt.Errorf("unit: got %q, want %q or %q", r.Unit, edgewire.UnitCredit, edgewire.UnitUSDC))
	}
	if r.Settle != "" && r.Settle != SettleAfter && r.Settle != SettleBefore {
		errs = append(errs, fmt.Errorf("settle: got %q, want %q or %q", r.Settle, SettleAfter, SettleBefore))
	}
	if r.TimeoutSeconds < 0 || time.Duration(r.TimeoutSeconds) > TimeoutMax/time.Second {
		errs = append(errs, fmt.Errorf("timeout_seconds: got %d, want 1 to %d", r.TimeoutSeconds, TimeoutMax/time.Second))
	}
	if r.BodyBytesMax < 0 || r.BodyBytesMax > BodyBytesMaxMax {
		errs = append(errs, fmt.Errorf("body_bytes_max: got %d, want 1 to %d", r.BodyBytesMax, BodyBytesMaxMax))
	}
	return errs
}

func quoteOf(r *Rule) Quote {
	q := Quote{
		Free:        r.Price.IsFree(),
		Unit:        r.Unit,
		Amount:      r.Price.units,
		Pattern:     r.Path,
		Operation:   r.Operation,
		Description: r.Description,
		Settle:      r.Settle,
		Timeout:     time.Duration(r.TimeoutSeconds) * time.Second,

		BodyBytesMax: r.BodyBytesMax,
	}
	if q.BodyBytesMax == 0 {
		q.BodyBytesMax = BodyBytesMaxDefault
	}
	if q.Description == "" {
		q.Description = q.Operation
	}
	if q.Settle == "" {
		q.Settle = SettleAfter
	}
	if q.Timeout == 0 {
		q.Timeout = TimeoutDefault
	}
	return q
}

// covers reports whether the rule applies to this method and unit.
func (c *compiledRule) covers(method string, unit edgewire.Unit) bool {
	return c.coversUnit(unit) && (len(c.rule.Methods) == 0 || slices.Contains(c.rule.Methods, method))
}

func (c *compiledRule) coversUnit(unit edgewire.Unit) bool {
	return c.rule.Unit == unit || c.rule.Unit == ""
}

func (c *compiledRule) coversTool(m *mcp.Message) bool {
	return m.IsCall() && (c.rule.Tool == m.Name || c.rule.Tool == AnyTool)
}

func (c *compiledRule) String() string {
	text := c.rule.Path
	if c.rule.Tool != "" {
		text += " tool " + c.rule.Tool
	}
	if len(c.rule.Methods) == 0 {
		return text
	}
	return strings.Join(c.rule.Methods, ",") + " " + text
}

// pricedMethod returns the method whose price applies: a HEAD does the work of its GET.
func pricedMethod(method string) string {
	switch method {
	case "", http.MethodHead:
		return http.MethodGet
	}
	return method
}

func isMethod(m string) bool {
	if m == "" || m == http.MethodHead {
		return false
	}
	for i := range len(m) {
		if c := m[i]; (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
