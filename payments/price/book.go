package price

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/mcp"
)

// DocumentVersion is the version of [Document] that this package reads and writes.
const DocumentVersion = 1

// Document is a price book as JSON, as an upstream publishes it.
type Document struct {
	Version int    `json:"version"`
	Rules   []Rule `json:"rules"`
}

// Book is an ordered list of rules: the first that matches a request's method, path and unit sets its price. It is
// immutable and safe for concurrent use.
type Book struct {
	rules []*compiledRule
}

var _ Pricer = (*Book)(nil)

// New compiles rules. The error joins all errors of all rules.
func New(rules []Rule) (*Book, error) {
	b := &Book{rules: make([]*compiledRule, 0, len(rules))}
	var errs []error
	for i := range rules {
		c, err := compileRule(&rules[i])
		if err != nil {
			errs = append(errs, fmt.Errorf("rule %d (%s): %w", i+1, rules[i].Path, err))
			continue
		}
		b.rules = append(b.rules, c)
	}
	return b, errors.Join(errs...)
}

// Parse reads a [Document]. It refuses unknown fields: if a rule has a condition that this version does not know, its
// price must not apply without it.
func Parse(data []byte) (*Book, error) {
	if err := edgewire.CheckJSON(data); err != nil {
		return nil, fmt.Errorf("price book: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var doc Document
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("price book: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("price book: has trailing data")
	}
	if doc.Version != DocumentVersion {
		return nil, fmt.Errorf("price book: version is %d, want %d", doc.Version, DocumentVersion)
	}
	b, err := New(doc.Rules)
	if err != nil {
		return nil, fmt.Errorf("price book: %w", err)
	}
	return b, nil
}

// Document returns the rules as they were given.
func (b *Book) Document() Document {
	doc := Document{Version: DocumentVersion, Rules: make([]Rule, 0, len(b.rules))}
	for _, c := range b.rules {
		doc.Rules = append(doc.Rules, c.rule)
	}
	return doc
}

// Price returns what r costs in unit. Errors: [ErrNoRule] (also as [MethodError]), [ErrBadRequest] or [ErrBodyTooLarge]
// if the request has no price. The body is read only if the price depends on it, and put back. A rule with a fixed
// amount costs no allocation (BenchmarkPriceFixed). A rule that needs a quote returns [ErrUnavailable]: see
// [Remote.Quoting].
func (b *Book) Price(ctx context.Context, r *http.Request, unit edgewire.Unit) (Quote, error) {
	return b.price(ctx, r, unit, nil)
}

func (b *Book) price(ctx context.Context, r *http.Request, unit edgewire.Unit, quoter Quoter) (Quote, error) {
	if r.URL.Opaque != "" {
		return Quote{}, fmt.Errorf("%w: URL has no path", ErrNoRule)
	}
	req := Request{Method: r.Method, URL: r.URL}
	var message *mcp.Message
	c, err := b.match(r.Method, r.URL.EscapedPath(), unit, func(c *compiledRule) (*mcp.Message, error) {
		var err error
		message, err = req.takeMessage(r, c.quote.BodyBytesMax)
		return message, err
	})
	if err != nil {
		return Quote{Message: message}, err
	}
	q, err := c.price(ctx, r, &req, unit, quoter)
	q.carry(message)
	return q, err
}

// price prices r. The body in req is nil if it has not been read.
func (c *compiledRule) price(ctx context.Context, r *http.Request, req *Request, unit edgewire.Unit, quoter Quoter) (Quote, error) {
	switch {
	case c.fixed(r.URL.RawQuery):
		q := c.fixedQuote(unit, r.URL.RawQuery)
		q.Body = req.Body
		return q, nil
	case c.isQuoted():
		return c.ask(ctx, r, req.Body, unit, quoter)
	case c.program.usesBody && req.Body == nil:
		body, err := readBody(r, c.quote.BodyBytesMax)
		if err != nil {
			return Quote{}, fmt.Errorf("pricing %s: %w", c, err)
		}
		req.Body = edgewire.NewBody(body)
	}
	return c.evaluate(ctx, unit, req)
}

// Request is what a price depends on, for work that did not arrive as an HTTP request.
type Request struct {
	Method string
	URL    *url.URL       // path and query
	Body   *edgewire.Body // if the price depends on it
}

// Quote returns what a request costs in unit, like [Book.Price]. It is for work that is priced outside of an HTTP
// request, such as scheduled calls. With [ErrUnavailable], it also returns the terms of the rule, without the amount.
func (b *Book) Quote(ctx context.Context, req *Request, unit edgewire.Unit) (Quote, error) {
	var message *mcp.Message
	c, err := b.match(req.Method, req.URL.EscapedPath(), unit, func(*compiledRule) (*mcp.Message, error) {
		var err error
		message, err = readMessage(req.Body, nil)
		return message, err
	})
	if err != nil {
		return Quote{}, err
	}
	q, err := c.quoted(ctx, unit, req)
	q.carry(message)
	return q, err
}

// quoted is price for work that did not arrive as an HTTP request.
func (c *compiledRule) quoted(ctx context.Context, unit edgewire.Unit, req *Request) (Quote, error) {
	if c.fixed(req.URL.RawQuery) {
		return c.fixedQuote(unit, req.URL.RawQuery), nil
	}
	if c.isQuoted() {
		q := c.quote
		q.Unit = unit
		return q, fmt.Errorf("pricing %s: %w: its price is the upstream's quote", c, ErrUnavailable)
	}
	return c.evaluate(ctx, unit, req)
}

// Rule returns the rule for requests with a method and path in a unit that call no MCP tool. The error is [ErrNoRule], or
// a [MethodError].
func (b *Book) Rule(method, escapedPath string, unit edgewire.Unit) (Rule, error) {
	c, err := b.match(method, escapedPath, unit, func(*compiledRule) (*mcp.Message, error) { return &mcp.Message{}, nil })
	if err != nil {
		return Rule{}, err
	}
	return c.rule, nil
}

// match returns the rule that applies. read returns the message to an MCP server that the request carries; it is called at
// most once, with the first rule for which that matters.
func (b *Book) match(method, escapedPath string, unit edgewire.Unit, read func(*compiledRule) (*mcp.Message, error)) (*compiledRule, error) {
	if !strings.HasPrefix(escapedPath, "/") {
		return nil, fmt.Errorf("%w: URL has no path", ErrNoRule)
	}
	loose, err := loosen(escapedPath)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRule, err)
	}
	method = pricedMethod(method)
	var message *mcp.Message
	for _, c := range b.rules {
		if !c.covers(method, unit) || !c.pattern.matchLoose(loose) {
			continue
		}
		if !c.pattern.matchExact(escapedPath) {
			return nil, ErrNoRule
		}
		if c.rule.Tool == "" && message.IsCall() {
			break // free for other messages is not free for a tool without a price
		}
		if c.rule.Tool != "" && message == nil {
			if message, err = read(c); err != nil {
				return nil, fmt.Errorf("pricing %s: %w", c, err)
			}
		}
		if c.rule.Tool == "" || c.coversTool(message) {
			return c, nil
		}
	}
	if message.IsCall() {
		return nil, messageError(message.NoPrice())
	}
	return nil, b.noRule(escapedPath, unit)
}

// noRule returns the error for a method that no rule covers: a [MethodError] if rules for other methods match this
// exact path.
func (b *Book) noRule(escapedPath string, unit edgewire.Unit) error {
	var allowed []string
	for _, c := range b.rules {
		if !c.coversUnit(unit) || !c.pattern.matchExact(escapedPath) {
			continue
		}
		for _, method := range c.rule.Methods {
			if !slices.Contains(allowed, method) {
				allowed = append(allowed, method)
			}
			if method == http.MethodGet && !slices.Contains(allowed, http.MethodHead) {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	if len(allowed) == 0 {
		return ErrNoRule
	}
	return &MethodError{Allowed: allowed}
}

// fixed reports whether the price needs no evaluation.
func (c *compiledRule) fixed(rawQuery string) bool {
	return c.program == nil && !c.isQuoted() || c.isDryRun(rawQuery)
}

func (c *compiledRule) fixedQuote(unit edgewire.Unit, rawQuery string) Quote {
	q := c.quote
	q.Unit = unit
	if c.isDryRun(rawQuery) {
		q.Amount = 0
	}
	return q
}

// isDryRun requires exactly one dry_run with the exact value "true", so that edge and upstream cannot read it
// differently.
func (c *compiledRule) isDryRun(rawQuery string) bool {
	if !c.rule.DryRun || !strings.Contains(rawQuery, "dry_run") {
		return false
	}
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return false
	}
	v := values["dry_run"]
	return len(v) == 1 && v[0] == "true"
}

func (c *compiledRule) evaluate(ctx context.Context, unit edgewire.Unit, req *Request) (Quote, error) {
	amount, err := c.program.eval(ctx, req)
	if err != nil {
		return Quote{}, fmt.Errorf("pricing %s: %w", c, err)
	}
	q := c.quote
	q.Unit, q.Amount = unit, amount
	if c.program.usesBody || c.rule.Tool != "" {
		q.Body = req.Body
	}
	return q, nil
}
