package principal

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Caller is the principal of a request.
type Caller struct {
	Kind edgewire.PayerKind
	// TeamID is the team that owns what the request creates: a subscriber's team, or the team of a wallet. Empty for
	// anonymous clients.
	TeamID string
	// KeyID is the id of the subscriber's key; empty for others.
	KeyID string
	// IdentityID is the id under which the work is done once: that of the request's hold or claim or, if the request
	// repeats another with its Idempotency-Key, that of the first.
	IdentityID string
	// HoldID is the id of this request's own hold or claim, which a job adopts.
	HoldID string
	// Unit is the currency that the principal pays in.
	Unit edgewire.Unit
	// Covered is the most that the request may cost, in Unit: the amount of its hold or claim. It is 0 while nothing is
	// held, as in a quote.
	Covered int64
	// Credits is what the request costs, 0 if it is paid in USDC.
	Credits money.Credits
	// DryRun is the price, if the request asks only for that. The handler then checks the request, does nothing, and
	// returns the price.
	DryRun *Quote

	cost    atomic.Int64
	adopted atomic.Bool
	status  atomic.Int64
	record  RecordFunc
}

// Part returns a principal with the same identity and hold, for a part of the request whose result becomes part of the
// response. What it records for a retry is only that the work was done, because its own response is not the request's.
func (c *Caller) Part() *Caller {
	part := &Caller{
		Kind: c.Kind, TeamID: c.TeamID, KeyID: c.KeyID, IdentityID: c.IdentityID, HoldID: c.HoldID, Unit: c.Unit, Covered: c.Covered, Credits: c.Credits,
	}
	part.SetCost(c.Cost())
	part.OnRecord(func(ctx context.Context, tx pgx.Tx, _ any) error {
		c.SetCost(part.Cost())
		return c.Record(ctx, tx, nil)
	})
	return part
}

// RecordFunc stores in tx the response that a retry of the request gets.
type RecordFunc func(ctx context.Context, tx pgx.Tx, answer any) error

// Anonymous reports whether the request has no principal. It may only read what wallets created.
func (c *Caller) Anonymous() bool { return c.Kind == edgewire.PayerAnonymous }

// walletKind is the kind of a wallet's team.
const walletKind = "wallet"

// Reads refuses c a resource that it may not read. teamID and teamKind are the owner's; both are "" if there is no such
// resource. Others cannot tell a team's resource from a missing one: other teams get missing for both, and anonymous
// clients, which may read what wallets created, need a key for both.
func (c *Caller) Reads(teamID, teamKind string, missing error) error {
	switch {
	case c.Anonymous() && teamKind != walletKind:
		return problem.NeedsKey(nil)
	case !c.Anonymous() && (teamID == "" || teamID != c.TeamID):
		return missing
	}
	return nil
}

// SetCost sets what the request cost, in c.Unit, if that differs from the announced price.
func (c *Caller) SetCost(amount int64) { c.cost.Store(amount) }

// SetCredits sets what the work of the request cost in credits, now or when it was done before under the request's
// identity. In USDC the cost is the announced price. Features need not know whether earlier work is already paid:
// backend/api knows, and then charges nothing.
func (c *Caller) SetCredits(cost money.Credits) {
	if c.Unit == edgewire.UnitCredit {
		c.SetCost(int64(cost))
	}
}

// Cost returns what the request cost, in c.Unit.
func (c *Caller) Cost() int64 { return c.cost.Load() }

// Adopt says that a committed transaction has taken over the request's hold, for work that outlives the request. The
// edge then neither captures nor voids it, even if the response is an error.
func (c *Caller) Adopt() { c.adopted.Store(true) }

// Adopted reports whether Adopt was called.
func (c *Caller) Adopted() bool { return c.adopted.Load() }

// Fail says that the request failed although its response has another status: one for which the error's would be wrong
// in the response's protocol. It costs nothing, and is stored for a retry only if an error with this status is.
func (c *Caller) Fail(status int) {
	c.SetCost(0)
	c.status.Store(int64(status))
}

// Failed returns the status of [Caller.Fail], 0 if it was not called.
func (c *Caller) Failed() int { return int(c.status.Load()) }

// Record stores the response that a retry with the same Idempotency-Key gets. Called in the transaction that does the
// work, it makes sure that the work is done if and only if its response is stored. answer is the body as the operation
// returns it, without what must not be stored, such as a new secret; nil for a large one, which is rebuilt from the
// work of IdentityID. Call it once, before credits.Adopt, and return its error unchanged: it is a problem for the
// client, and the transaction must not be committed. Without a key it does nothing.
func (c *Caller) Record(ctx context.Context, tx pgx.Tx, answer any) error {
	if c.record == nil {
		return nil
	}
	return c.record(ctx, tx, answer)
}

// RecordAs makes [Caller.Record] store as(answer) instead: for an operation that answers in another form than the feature
// that does its work.
func (c *Caller) RecordAs(as func(answer any) any) {
	if record := c.record; record != nil {
		c.record = func(ctx context.Context, tx pgx.Tx, answer any) error { return record(ctx, tx, as(answer)) }
	}
}

// OnRecord sets what [Caller.Record] does.
func (c *Caller) OnRecord(f RecordFunc) { c.record = f }

type contextKey struct{}

// With returns a context that carries c.
func With(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// From returns the principal of a request. All routes have one except public ones. Without one it returns an anonymous
// principal, so that a route that was set up wrongly reveals nothing.
func From(ctx context.Context) *Caller {
	if c, ok := ctx.Value(contextKey{}).(*Caller); ok {
		return c
	}
	return &Caller{Kind: edgewire.PayerAnonymous}
}
