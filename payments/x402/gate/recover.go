package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// Recover takes over unfinished claims that can be settled here: those of processes that have ended or settle other
// things, and this process's own whose last step failed. Run it at the start, when other processes have ended, and
// periodically. Several gates and processes may run it at once. It returns what failed; the next call tries again.
func (g *Gate) Recover(ctx context.Context) error {
	if err := g.process.Live(); err != nil {
		return fmt.Errorf("recovering x402 claims: %w", err)
	}
	left, err := g.writeEndings(ctx)
	errs := []error{err}
	orphans, err := g.cfg.Store.TakeOrphans(ctx, g.settles(), append(g.process.active.list(), left...), g.cfg.Now())
	if err != nil {
		return errors.Join(append(errs, fmt.Errorf("recovering x402 claims: %w", err))...)
	}
	errs = append(errs, g.recoverAll(ctx, g.begin(orphans)), g.closeFailed(ctx))
	if _, err := g.cfg.Store.ForgetResponses(ctx, g.cfg.Now()); err != nil {
		errs = append(errs, fmt.Errorf("deleting old x402 responses: %w", err))
	}
	if err := g.cfg.Store.ForgetSignIns(ctx, g.cfg.Now()); err != nil {
		errs = append(errs, fmt.Errorf("deleting old x402 sign-ins: %w", err))
	}
	return errors.Join(errs...)
}

// begin drops the claims that this process works on by now, and marks the others as active. A request that came after
// the list of active claims was made may have its claim among the orphans. It became active before its claim was
// stored, so it is seen here. If it has finished since, the guarded steps notice.
func (g *Gate) begin(orphans []claims.Record) []claims.Record {
	known := g.process.endings.list()
	return slices.DeleteFunc(orphans, func(rec claims.Record) bool {
		_, isKnown := known[rec.ID]
		return isKnown || !g.process.active.addIdle(rec.ID)
	})
}

// recoverWorkers is how many claims of one network are recovered at the same time.
const recoverWorkers = 8

// recoverAll recovers claims in parallel, with separate workers for each network: a node that hangs delays only its own
// network, and each claim no longer than a settlement may take. Claims that ctx leaves no time for belong to this edge
// and are taken again.
func (g *Gate) recoverAll(ctx context.Context, orphans []claims.Record) error {
	byNetwork := map[string]chan claims.Record{}
	for i := range orphans {
		name := orphans[i].Key.Network
		if byNetwork[name] == nil {
			byNetwork[name] = make(chan claims.Record, len(orphans))
		}
		byNetwork[name] <- orphans[i]
	}
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		errs   []error
		undone int
	)
	recoverOne := func(rec claims.Record) {
		defer g.process.active.remove(rec.ID)
		err := ctx.Err()
		if err == nil {
			err = g.recoverBounded(ctx, rec)
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil, errors.Is(err, claims.ErrMoved):
		case ctx.Err() != nil:
			undone++
		default:
			errs = append(errs, fmt.Errorf("recovering x402 claim %s: %w", rec.ID, err))
		}
	}
	for _, claims := range byNetwork {
		close(claims)
		for range min(recoverWorkers, len(claims)) {
			wg.Go(func() {
				for rec := range claims {
					recoverOne(rec)
				}
			})
		}
	}
	wg.Wait()
	if undone > 0 {
		errs = append(errs, fmt.Errorf("recovering x402 claims: not enough time for %d of %d: %w", undone, len(orphans), ctx.Err()))
	}
	return errors.Join(errs...)
}

// recoverBounded limits one claim to the time of a lookup and a settlement.
func (g *Gate) recoverBounded(ctx context.Context, rec claims.Record) error {
	ctx, cancel := context.WithTimeout(ctx, g.resolveTimeout())
	defer cancel()
	return g.recoverClaim(ctx, rec)
}

// resolveTimeout limits the lookup, the settlement and the writes of one claim.
func (g *Gate) resolveTimeout() time.Duration {
	return g.cfg.VerifyTimeout + g.cfg.SettleTimeout + g.cfg.StoreTimeout
}

func (g *Gate) recoverClaim(ctx context.Context, rec claims.Record) error {
	defer g.process.board.ring(rec.Key)
	store := g.cfg.Store
	switch rec.State {
	case claims.StateClaimed:
		if rec.Settle == price.SettleBefore { // nothing was sent and nothing ran
			return store.Release(ctx, rec.ID, "", nil)
		}
		return store.Abandon(ctx, rec.ID)
	case claims.StateServed:
		if !rec.ResponseKept { // the rest would have been streamed after the settlement
			return store.Abandon(ctx, rec.ID)
		}
		if err := store.Settling(ctx, rec.ID); err != nil {
			return err
		}
		rec.State = claims.StateSettling
		return g.resolve(ctx, rec, false)
	case claims.StateSettling, claims.StateUnknown:
		return g.resolve(ctx, rec, false)
	case claims.StateSettled:
		if rec.RunAt != nil { // the edge was lost while it ran or streamed
			return store.Finish(ctx, rec.ID, true, nil)
		}
		if g.cfg.Now().After(rec.KeepUntil) { // no client came for it
			return store.RefundDue(ctx, rec.ID)
		}
	case claims.StateFailed, claims.StateReleased, claims.StateAbandoned, claims.StateRefundDue, claims.StateRefunded:
	}
	return nil
}

// resolveAsked resolves for a waiting client. It goes on if the client leaves.
func (g *Gate) resolveAsked(v *visit, rec claims.Record) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), g.resolveTimeout())
	defer cancel()
	if err := g.resolve(ctx, rec, true); err != nil && !errors.Is(err, claims.ErrMoved) {
		g.cfg.Logger.Warn("x402 settlement still has an unknown outcome", "claim", rec.ID, "error", err)
	}
}

// resolve finds out the outcome of a settlement, and brings the claim to its final state if the outcome is certain. If
// the authorisation is unused and the response can still be delivered, it settles now.
func (g *Gate) resolve(ctx context.Context, rec claims.Record, asked bool) error {
	_, err, _ := g.process.resolves.Do(rec.ID.String(), func() (any, error) {
		p, req, err := g.restore(rec)
		if err == nil && rec.EdgeID != g.process.ID() { // only the owner may finish a claim
			err = g.cfg.Store.TakeUnknown(ctx, rec.ID)
		}
		if err != nil {
			return nil, err
		}
		return nil, g.resolveOnce(ctx, rec, p, req, asked)
	})
	return err
}

func (g *Gate) resolveOnce(ctx context.Context, rec claims.Record, p *x402.Payment, req *x402.Requirements, asked bool) error {
	var settlement x402.SettlementStatus
	if g.cfg.Watcher != nil {
		var err error
		lookCtx, cancel := context.WithTimeout(ctx, g.cfg.VerifyTimeout)
		settlement, err = g.cfg.Watcher.Lookup(lookCtx, p, req, rec.CreatedAt)
		cancel()
		switch {
		case err != nil:
			return fmt.Errorf("looking up the settlement: %w", err)
		case settlement.Outcome == x402.OutcomePaid:
			return g.cfg.Store.Settled(ctx, rec.ID, settlement.Settlement(), false)
		case settlement.Outcome == x402.OutcomeSpent:
			return g.cfg.Store.Fail(ctx, rec.ID, x402.CodeTransactionState)
		case settlement.Outcome == x402.OutcomeUnclear:
			return settlement.Doubt
		case settlement.Outcome == x402.OutcomeUnused && !settlement.ChainTime.Before(rec.LapsesAt):
			return g.cfg.Store.Fail(ctx, rec.ID, x402.CodeValidBefore)
		}
	}
	if !deliverable(&rec, asked) || !g.cfg.Now().Add(x402.LapseMargin).Before(rec.LapsesAt) {
		// A sent transaction may still be mined. Recover and clients that ask look up unknown claims again.
		if rec.State == claims.StateSettling {
			return errors.Join(g.cfg.Store.Unknown(ctx, rec.ID, ""), settlement.Doubt)
		}
		return settlement.Doubt
	}
	_, err := g.settleClaim(ctx, p, req, rec, false)
	if _, refused := errors.AsType[*x402.Refusal](err); refused {
		return nil // recorded as failed
	}
	return err
}

// restore reads the payment and its requirements from the claim. The asset must still be configured, because the claim
// does not store its domain.
func (g *Gate) restore(rec claims.Record) (*x402.Payment, *x402.Requirements, error) {
	p, refusal := x402.ParsePayload(rec.Version, string(rec.Payment))
	if refusal != nil {
		return nil, nil, fmt.Errorf("reading the stored payment: %w", refusal)
	}
	for _, a := range g.cfg.Accepts {
		if a.Network.ID() != rec.Key.Network || a.Network.Asset.Hex() != rec.Key.Asset {
			continue
		}
		payTo, ok := x402.ParseAddress(rec.PayTo)
		if !ok {
			return nil, nil, fmt.Errorf("stored recipient %q is not an address", rec.PayTo)
		}
		req := &x402.Requirements{Network: a.Network, PayTo: payTo, Amount: rec.Amount, MaxTimeout: x402.OfferSlack, Resource: rec.URI, Description: rec.Operation}
		if p.Accepted != nil {
			req.MaxTimeout = x402.SecondsDuration(p.Accepted.MaxTimeoutSeconds)
		}
		return p, req, nil
	}
	return nil, nil, fmt.Errorf("asset %s on %s is no longer configured", rec.Key.Asset, rec.Key.Network)
}
