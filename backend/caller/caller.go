package caller

import (
	"context"
	"sync/atomic"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Caller is who stands behind a request.
type Caller struct {
	Kind edgewire.PayerKind
	// TeamID owns what the request makes: a subscriber's team, or the team that
	// stands for a wallet. Empty for anonymous callers.
	TeamID string
	// KeyID is the subscriber's key that asks; empty for others.
	KeyID string
	// IdentityID is the hold's or claim's id. The work of one id is done once.
	IdentityID string
	// Unit is what the caller pays in.
	Unit edgewire.Unit
	// Credits is what the request costs, 0 where it is paid in USDC.
	Credits money.Credits
	// DryRun is what the request would cost, where it asks only for that: the
	// handler checks the request, does nothing and answers with it.
	DryRun *Quote

	cost atomic.Int64
}

// Anonymous reports whether nobody stands behind the request: it may read what
// wallets made, and nothing else.
func (c *Caller) Anonymous() bool { return c.Kind == edgewire.PayerAnonymous }

// SetCost says what the request did cost, in c.Unit, where that is not what was announced.
func (c *Caller) SetCost(amount int64) { c.cost.Store(amount) }

// Cost returns what the request did cost, in c.Unit.
func (c *Caller) Cost() int64 { return c.cost.Load() }

type contextKey struct{}

// With returns a context that carries c.
func With(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// From returns the caller of a request. Every handler but those of public routes
// has one; a caller of nobody is returned where there is none, so that a route
// that was forgotten shows nothing.
func From(ctx context.Context) *Caller {
	if c, ok := ctx.Value(contextKey{}).(*Caller); ok {
		return c
	}
	return &Caller{Kind: edgewire.PayerAnonymous}
}
