package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// usageKey is where results say what they cost. It is in _meta, and results have no structuredContent: many hosts show
// a model that instead of the text.
const usageKey = "turnpike/usage"

// result is what a tool returns.
type result struct {
	text string
	// id is that of what was made or read, cursor where job reads on; "" if there is none.
	id, cursor string
	status     string // of a job
	// used is what a job that has ended has cost; nil: what is said of the call itself.
	used *money.Credits
}

// usage is the price of a call, and what is left.
type usage struct {
	ID      string `json:"id,omitempty"`
	Status  string `json:"status,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
	Credits int64  `json:"credits_used"`
	USD     string `json:"usd_paid,omitempty"`
	// Left and Held are nil for wallets, whose balance is not known here.
	Left *int64 `json:"credits_left,omitempty"`
	Held int64  `json:"credits_held,omitempty"`
	// Code and Retry are those of an error.
	Code  problem.Code `json:"code,omitempty"`
	Retry float64      `json:"retry_after_seconds,omitempty"`
}

// succeed makes the protocol's result of a call that c pays for.
func (s *Service) succeed(ctx context.Context, c *principal.Caller, r *result) *sdk.CallToolResult {
	u := &usage{ID: r.id, Status: r.status, Cursor: r.cursor}
	var line string
	switch {
	case c.Unit == edgewire.UnitUSDC && c.Cost() > 0:
		u.USD = money.MicroUSDC(c.Cost()).String()
		line = "Paid " + u.USD + " USD."
	case c.Adopted() && r.used != nil:
		u.Credits, line = int64(*r.used), usedLine(int64(*r.used))
	case c.Adopted():
		u.Held = int64(c.Credits)
		line = fmt.Sprintf("%d credits held; each page that is fetched costs its part, the rest is returned.", c.Credits)
	case c.Unit == edgewire.UnitCredit && c.Cost() > 0:
		u.Credits, line = c.Cost(), usedLine(c.Cost())
	default:
		line = "Free."
	}
	line += s.left(ctx, c, u)
	if r.cursor != "" {
		line += fmt.Sprintf(` More: job with cursor %q (free).`, r.cursor)
	}
	return &sdk.CallToolResult{
		Meta:    sdk.Meta{usageKey: u},
		Content: []sdk.Content{&sdk.TextContent{Text: r.text}, &sdk.TextContent{Text: "[" + line + "]"}},
	}
}

func usedLine(credits int64) string {
	if credits == 1 {
		return "1 credit used."
	}
	return fmt.Sprintf("%d credits used.", credits)
}

// left says what a team has after the call: its hold still stands, and is reduced to the cost by the edge.
func (s *Service) left(ctx context.Context, c *principal.Caller, u *usage) string {
	if c.Kind != edgewire.PayerTeam {
		return ""
	}
	available, err := s.config.Available(ctx, c.TeamID)
	if err != nil {
		s.config.Logger.WarnContext(ctx, "the balance for a result is not known", "team", c.TeamID, "error", err)
		return ""
	}
	left := int64(available)
	if !c.Adopted() {
		left += c.Covered - c.Cost()
	}
	u.Left = &left
	return fmt.Sprintf(" %d credits left.", left)
}

// fail makes the protocol's result of a call that failed, which costs nothing. The model sees what the client of an HTTP
// request would.
func (s *Service) fail(ctx context.Context, c *principal.Caller, tool string, err error) *sdk.CallToolResult {
	e := problem.From(err)
	if e.GetStatus() >= http.StatusInternalServerError {
		s.config.Logger.ErrorContext(ctx, "a tool failed", "tool", tool, "team", c.TeamID, "error", e)
	}
	c.Fail(e.GetStatus())
	u := &usage{Code: e.Code, Retry: e.RetryAfter.Seconds()}
	text := string(e.Code) + ": " + e.Detail
	if u.Retry > 0 {
		text += fmt.Sprintf(" Try again in %.0f seconds.", u.Retry)
	}
	text += " [Free." + s.left(ctx, c, u) + "]"
	return &sdk.CallToolResult{Meta: sdk.Meta{usageKey: u}, Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: true}
}

// reason is the part of a pricing error that is for the client.
func reason(err error) string {
	if refused, ok := errors.AsType[*price.RequestError](err); ok {
		return refused.Where() + ": " + refused.Reason
	}
	return "the message cannot be read"
}

// list is a text of lines.
type list struct{ strings.Builder }

func (l *list) linef(format string, args ...any) {
	fmt.Fprintf(l, format, args...)
	l.WriteByte('\n')
}

// fault is a problem of one argument.
func fault(field, msg string) error {
	return problem.Validation(problem.Fault{Loc: []any{"arguments", field}, Msg: msg, Type: problem.FaultInvalid})
}

// oneLine shortens a text from a page to one line of at most runesMax characters.
func oneLine(text string, runesMax int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > runesMax {
		return string(runes[:runesMax-1]) + "…"
	}
	return text
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
