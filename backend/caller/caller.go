package caller

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/problem"
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
	// IdentityID is the id under which the work is done once: that of the request's
	// hold or claim or, where the request repeats another by its Idempotency-Key,
	// that of the first.
	IdentityID string
	// HoldID is the id of this very request's hold or claim: what a job adopts.
	HoldID string
	// Unit is what the caller pays in.
	Unit edgewire.Unit
	// Covered is the most that the request may cost, in Unit: what its hold or claim is for. 0 where nothing is held yet,
	// as when a price is asked for.
	Covered int64
	// Credits is what the request costs, 0 where it is paid in USDC.
	Credits money.Credits
	// DryRun is what the request would cost, where it asks only for that: the
	// handler checks the request, does nothing and answers with it.
	DryRun *Quote

	cost    atomic.Int64
	adopted atomic.Bool
	record  RecordFunc
}

// RecordFunc writes down in tx what a repetition of the request is answered.
type RecordFunc func(ctx context.Context, tx pgx.Tx, answer any) error

// Anonymous reports whether nobody stands behind the request: it may read what
// wallets made, and nothing else.
func (c *Caller) Anonymous() bool { return c.Kind == edgewire.PayerAnonymous }

// walletKind is the kind of team that stands for a wallet.
const walletKind = "wallet"

// Reads refuses c what is not its to read: a thing of a team of a kind, or of none, "", where there is no such thing. A
// team's and none at all look alike to all others: to another team both are missing, which is the error to answer then; to
// nobody, who reads what wallets made, both need a key.
func (c *Caller) Reads(teamID, teamKind string, missing error) error {
	switch {
	case c.Anonymous() && teamKind != walletKind:
		return problem.NeedsKey(nil)
	case !c.Anonymous() && (teamID == "" || teamID != c.TeamID):
		return missing
	}
	return nil
}

// SetCost says what the request did cost, in c.Unit, where that is not what was announced.
func (c *Caller) SetCost(amount int64) { c.cost.Store(amount) }

// SetCredits says what the work of the request did cost in credits, now or when it was done before under the request's
// identity. In USDC it costs what was announced. Whether somebody has paid for work that was done before is not the
// feature's to ask: backend/httpapi knows, and takes nothing then.
func (c *Caller) SetCredits(cost money.Credits) {
	if c.Unit == edgewire.UnitCredit {
		c.SetCost(int64(cost))
	}
}

// Cost returns what the request did cost, in c.Unit.
func (c *Caller) Cost() int64 { return c.cost.Load() }

// Adopt says that the request's hold was taken over for work that outlives the
// request, in a transaction that is committed. The edge then neither captures nor
// voids it, also if the answer is an error after all.
func (c *Caller) Adopt() { c.adopted.Store(true) }

// Adopted reports whether Adopt was called.
func (c *Caller) Adopted() bool { return c.adopted.Load() }

// Record writes down, in the transaction that does the request's work, the answer
// that a repetition with the same Idempotency-Key gets: then the work is done if
// and only if its answer is kept. answer is the body as the operation returns it,
// without what must not be stored, such as a new secret; nil if it is to be made
// again by the work's IdentityID, being large. Call it once, before credits.Adopt,
// and return its error as it is: it is a problem for the caller, and the
// transaction must not be committed. It does nothing for a request without a key.
func (c *Caller) Record(ctx context.Context, tx pgx.Tx, answer any) error {
	if c.record == nil {
		return nil
	}
	return c.record(ctx, tx, answer)
}

// OnRecord sets what [Caller.Record] does.
func (c *Caller) OnRecord(f RecordFunc) { c.record = f }

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
