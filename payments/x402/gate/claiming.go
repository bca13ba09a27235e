package gate

import (
	"context"
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// refuseShort tells the payer what is missing. Amounts in flight become available if those payments fail.
func refuseShort(e *claims.InFlightError, seen x402.Checked, amount money.MicroUSDC) *x402.Refusal {
	if e.InFlight == 0 {
		return x402.Refuse(x402.CodeInsufficientFunds, "the payer has %s USDC, but this costs %s", seen.Balance, amount)
	}
	return x402.Refuse(x402.CodeInsufficientFunds, "the payer has %s USDC, of which other unsettled payments reserve %s, but this costs %s",
		seen.Balance, e.InFlight, amount).Again(x402.RetryAfterSeconds * time.Second)
}

// refuseTries tells a contract that too many of its payments fail.
func refuseTries() *x402.Refusal {
	return x402.Refuse(x402.CodeTransactionState, "the payer is a contract with %d open or failed payments within the last hour: wait until they are settled",
		x402.UnpaidTriesMax).Again(retryAfterTries)
}

// retryAfterTries is the wait after which one of several failed payments may be an hour old.
const retryAfterTries = 10 * time.Minute

// claim claims the payment. If the outcome of the claim is unknown, it is disclaimed: nothing has run under it.
func (g *Gate) claim(v *visit, rec *claims.Record, seen x402.Checked) (claims.Record, bool, error) {
	ctx, cancel := g.decision(context.WithoutCancel(v.r.Context()))
	defer cancel()
	stored, won, err := g.cfg.Store.Claim(ctx, rec, seen)
	if err != nil && !isNotClaimed(err) {
		g.process.active.add(rec.ID)
		go g.disclaim(context.WithoutCancel(v.r.Context()), rec)
	}
	return stored, won, err
}

// isNotClaimed reports whether the store has said that it did not claim a payment.
func isNotClaimed(err error) bool {
	_, isShort := errors.AsType[*claims.InFlightError](err)
	return isShort || errors.Is(err, claims.ErrUnpaidTries) || errors.Is(err, claims.ErrGasBudget) || errors.Is(err, claims.ErrNotSettler)
}

// disclaimEvery is the interval between attempts to disclaim a payment.
const disclaimEvery = time.Second

// disclaim tells the store that a payment was not claimed. It retries until the store has recorded that, or the payment
// has lapsed. Recover finds what is left then.
func (g *Gate) disclaim(ctx context.Context, rec *claims.Record) {
	defer g.process.active.remove(rec.ID)
	defer g.process.board.ring(rec.Key)
	ticker := time.NewTicker(disclaimEvery)
	defer ticker.Stop()
	for g.cfg.Now().Before(rec.LapsesAt) {
		storeCtx, cancel := g.storeContext(ctx)
		err := g.cfg.Store.Disclaim(storeCtx, rec)
		cancel()
		if err == nil {
			return
		}
		g.cfg.Logger.Warn("x402 claim with unknown outcome not released yet", "claim", rec.ID, "error", err)
		<-ticker.C
	}
}

// find calls the store's Find within DecisionTimeout.
func (g *Gate) find(ctx context.Context, key claims.Key) (claims.Record, error) {
	if err := g.process.Live(); err != nil {
		return claims.Record{}, err // this process may not act on any claim
	}
	ctx, cancel := g.decision(ctx)
	defer cancel()
	return g.cfg.Store.Find(ctx, key)
}

func (g *Gate) findIdentified(ctx context.Context, identity claims.Identity) (claims.Record, error) {
	if err := g.process.Live(); err != nil {
		return claims.Record{}, err
	}
	ctx, cancel := g.decision(ctx)
	defer cancel()
	return g.cfg.Store.FindIdentified(ctx, identity, g.cfg.Now())
}

// decision limits store calls that are made before the upstream runs or money moves.
func (g *Gate) decision(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, g.cfg.DecisionTimeout)
}
