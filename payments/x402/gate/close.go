package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// closeAfter is how long after its payment has lapsed a failed claim is compared with the chain: by then there is a
// block that no longer accepts the payment.
const closeAfter = 10 * time.Second

// closeFailed checks failed claims once more after their payments have lapsed. Until then the payment can still be sent,
// by the facilitator that refused it or by anyone who saw it. If it was paid after all, a refund is due, because the
// payer got an answer that says it was not.
func (g *Gate) closeFailed(ctx context.Context) error {
	if g.cfg.Watcher == nil {
		return nil
	}
	var visible []string
	for _, a := range g.cfg.Accepts {
		if x402.Sees(g.cfg.Watcher, a.Network) { // on other networks nothing can be checked, so nothing is closed
			visible = append(visible, claims.SettledAs(a.Network.ID(), a.Network.Asset.Hex()))
		}
	}
	if len(visible) == 0 {
		return nil
	}
	keys, err := g.cfg.Store.Unclosed(ctx, visible, g.cfg.Now().Add(-closeAfter))
	if err != nil {
		return fmt.Errorf("looking for failed x402 claims: %w", err)
	}
	var errs []error
	for _, key := range keys {
		if ctx.Err() != nil {
			break // the next round finds them again
		}
		if err := g.closeClaim(ctx, key); err != nil && !errors.Is(err, claims.ErrMoved) {
			errs = append(errs, fmt.Errorf("closing failed x402 claim of %s: %w", key, err))
		}
	}
	return errors.Join(errs...)
}

func (g *Gate) closeClaim(ctx context.Context, key claims.Key) error {
	rec, err := g.cfg.Store.Find(ctx, key)
	if err != nil {
		return err
	}
	p, req, err := g.restore(rec)
	if err != nil {
		return err
	}
	lookCtx, cancel := context.WithTimeout(ctx, g.cfg.VerifyTimeout)
	defer cancel()
	seen, err := g.cfg.Watcher.Lookup(lookCtx, p, req, rec.CreatedAt)
	switch {
	case err != nil:
		return fmt.Errorf("looking up the settlement: %w", err)
	case seen.Outcome == x402.OutcomePaid:
		g.cfg.Logger.Warn("x402 refund due: a refused payment was settled nevertheless",
			"claim", rec.ID, "payer", rec.Key.Payer, "amount", rec.Amount.String(), "transaction", seen.Transaction)
		return g.cfg.Store.PaidAfterAll(ctx, rec.ID, seen.Settlement())
	case (seen.Outcome == x402.OutcomeUnused || seen.Outcome == x402.OutcomeSpent) && !seen.ChainTime.Before(rec.LapsesAt):
		return g.cfg.Store.Close(ctx, rec.ID)
	}
	return seen.Doubt // the next round looks again
}
