package gate

import (
	"context"
	"errors"
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// settle settles a claim in state settling and records the outcome. Its error is a *Refusal (nothing moved), a
// *SettlementUnknownError, or wraps [x402.ErrUnavailable]; the receipt goes into the response in each case. run says that
// the caller starts the upstream next.
func (g *Gate) settle(v *visit, rec claims.Record, run bool) (*x402.Receipt, error) {
	transaction, err := g.settleClaim(v.r.Context(), v.payment, v.req, rec, run)
	receipt := &x402.Receipt{
		Success: err == nil, Transaction: transaction, Network: v.payment.Network, Payer: rec.Key.Payer, Version: v.payment.Version,
	}
	if v.payment.Version == x402.Version2 {
		receipt.Amount = rec.Amount.Units()
	}
	if err == nil {
		return receipt, nil
	}
	receipt.ErrorReason = x402.CodeSettlementPending
	if refusal, ok := errors.AsType[*x402.Refusal](err); ok {
		receipt.ErrorReason = refusal.Code
	}
	return receipt, err
}

// settleClaim returns the hash of the settlement's transaction.
func (g *Gate) settleClaim(ctx context.Context, p *x402.Payment, req *x402.Requirements, rec claims.Record, run bool) (transaction string, err error) {
	defer g.process.board.ring(rec.Key)
	started := g.cfg.Now()
	defer func() { g.settlementEnded(started, err) }()
	settlement, err := g.send(ctx, p, req)
	if err == nil {
		return settlement.Transaction, g.markSettled(ctx, rec, settlement, run)
	}
	seen, looked := g.look(ctx, p, req, rec)
	if looked && seen.Outcome == x402.OutcomePaid {
		return seen.Transaction, g.markSettled(ctx, rec, seen.Settlement(), run)
	}
	refusal, refused := errors.AsType[*x402.Refusal](err)
	if refused && holds(seen, looked, rec) {
		g.markFailed(ctx, rec, refusal.Code)
		return "", refusal
	}
	unknown, ok := errors.AsType[*x402.SettlementUnknownError](err)
	switch {
	case ok:
	case refused: // only its text: the outcome is in doubt, so it must not count as a refusal
		unknown = &x402.SettlementUnknownError{Err: errors.New(err.Error())}
	default:
		unknown = &x402.SettlementUnknownError{Err: err}
	}
	g.cfg.Logger.Warn("x402 settlement with unknown outcome", "claim", rec.ID, "transaction", unknown.Transaction, "error", err)
	storeCtx, cancel := g.storeContext(ctx)
	defer cancel()
	if err := g.cfg.Store.Unknown(storeCtx, rec.ID, unknown.Transaction); err != nil {
		// It stays settling, which Recover handles in the same way.
		g.cfg.Logger.Error("x402 settlement with unknown outcome not recorded", "claim", rec.ID, "error", err)
	}
	return unknown.Transaction, unknown
}

// send asks the facilitator to settle, unless another process may have taken over the claim.
func (g *Gate) send(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Settlement, error) {
	if err := g.process.Live(); err != nil {
		return x402.Settlement{}, unavailable("settling", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.cfg.SettleTimeout)
	defer cancel()
	return g.cfg.Facilitator.Settle(ctx, p, req)
}

// holds reports whether a facilitator's refusal ends the claim. If the chain was seen, it must agree that no money has
// moved. If not, only the first answer to a payment counts: a later refusal may be the consequence of an earlier try
// that used the authorisation or took the money that is now missing.
func holds(seen x402.SettlementStatus, looked bool, rec claims.Record) bool {
	if looked {
		return seen.Outcome == x402.OutcomeUnused || seen.Outcome == x402.OutcomeSpent
	}
	return seen.Outcome != x402.OutcomeUnclear && rec.State != claims.StateSettling && rec.State != claims.StateUnknown
}

// look looks up once the outcome of a settlement that did not succeed.
func (g *Gate) look(ctx context.Context, p *x402.Payment, req *x402.Requirements, rec claims.Record) (_ x402.SettlementStatus, looked bool) {
	if g.cfg.Watcher == nil {
		return x402.SettlementStatus{}, false
	}
	lookCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.cfg.VerifyTimeout)
	defer cancel()
	seen, err := g.cfg.Watcher.Lookup(lookCtx, p, req, rec.CreatedAt)
	if err != nil {
		return x402.SettlementStatus{Outcome: x402.OutcomeUnclear}, false // there is a node, but it gives no answer
	}
	return seen, seen.Looked()
}

// markSettled records a settlement with the ledger's transfer. If that fails, a response that is already there may
// still be sent, since it is paid for and Recover will find the transfer. An upstream that has not run must not start,
// or a retry could run it again.
func (g *Gate) markSettled(ctx context.Context, rec claims.Record, by x402.Settlement, run bool) error {
	storeCtx, cancel := g.storeContext(ctx)
	defer cancel()
	err := g.cfg.Store.Settled(storeCtx, rec.ID, by, run)
	if err == nil {
		return nil
	}
	g.cfg.Logger.Error("x402 settlement not recorded", "claim", rec.ID, "transaction", by.Transaction, "error", err)
	if run {
		return &x402.SettlementUnknownError{Transaction: by.Transaction, Err: err}
	}
	return nil
}

func (g *Gate) markFailed(ctx context.Context, rec claims.Record, reason x402.Code) {
	storeCtx, cancel := g.storeContext(ctx)
	defer cancel()
	if err := g.cfg.Store.Fail(storeCtx, rec.ID, reason); err != nil {
		g.cfg.Logger.Error("x402 failed settlement not recorded", "claim", rec.ID, "reason", string(reason), "error", err)
	}
}

// answerUnsettled tells the client why there is no response. Only a settlement that certainly failed gets a new
// challenge: any other may still be paid.
func (v *visit) answerUnsettled(err error, receipt *x402.Receipt) error {
	if refusal, ok := errors.AsType[*x402.Refusal](err); ok {
		// The specification requires 402 for a failed settlement, whatever the code.
		return v.writeChallenge(&x402.Refusal{Code: refusal.Code, Message: refusal.Message, Settled: true}, receipt)
	}
	return x402.WriteNotice(v.w, http.StatusServiceUnavailable, x402.CodeSettlementPending,
		"the payment is being settled: repeat the same request with the same payment; it is not charged twice", receipt)
}

// deliverable reports whether a response can still be delivered: otherwise settling would charge for nothing. asked
// says that a client is waiting.
func deliverable(r *claims.Record, asked bool) bool {
	if r.Settle == price.SettleBefore {
		return asked
	}
	return r.ResponseKept
}
