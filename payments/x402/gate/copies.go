package gate

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// answerCopy responds to a request whose payment already has a claim. It returns again if the claim was released, so
// that this request may try to take it.
func (g *Gate) answerCopy(v *visit, rec claims.Record) (again bool, err error) {
	if rec.PayloadHash != v.payloadHash {
		return false, v.conflict(x402.CodeAlreadyUsed, "another payment has used this nonce: sign a new payment with a fresh nonce")
	}
	if rec.RequestHash != v.requestHash {
		return g.answerForeign(v, rec)
	}
	rec, waited, err := g.await(v, rec)
	switch {
	case err != nil:
		return false, g.answerWaiting(v, err)
	case rec.RequestHash != v.requestHash: // released, and then used for another request
		return g.answerForeign(v, rec)
	case rec.State == claims.StateReleased:
		if !waited || rec.Reason == "" {
			return true, nil
		}
		return false, g.answerFailedRun(v, rec)
	case runnable(&rec):
		return g.runSettled(v, rec)
	}
	return false, g.replay(v, rec)
}

// answerWaiting responds to a request that has waited for another without a result.
func (g *Gate) answerWaiting(v *visit, err error) error {
	switch {
	case errors.Is(err, errPending):
		return v.answerUnsettled(err, nil)
	case errors.Is(err, errStillRunning):
		return v.conflict(x402.CodeInProgress, "this request is still in progress for this payment: repeat it later; it is not charged twice")
	default:
		return err
	}
}

// answerForeign responds to a payment that comes with another request than the one that it was claimed for. Where
// nothing was or will be charged, the client is free to pay anew.
func (g *Gate) answerForeign(v *visit, rec claims.Record) (again bool, err error) {
	switch rec.State {
	case claims.StateReleased:
		return true, nil
	case claims.StateFailed, claims.StateAbandoned:
		return false, g.replay(v, rec)
	default:
		return false, v.conflict(x402.CodeAlreadyUsed, "this payment was used for another request: sign a new payment")
	}
}

// runnable reports whether the upstream of a settled claim has still to be started (settle-before, after a crash or an
// unknown outcome).
func runnable(r *claims.Record) bool {
	return r.State == claims.StateSettled && r.Settle == price.SettleBefore && r.RunAt == nil
}

// answered reports whether a duplicate can be answered now.
func answered(r *claims.Record) bool {
	return r.State.Terminal() && (r.State != claims.StateSettled || r.DoneAt != nil || runnable(r))
}

var (
	errStillRunning = errors.New("the first request is still running")
	errPending      = errors.New("the settlement's outcome is still not known")
)

// await waits until the claim is answered, at most as long as the route may take. It looks up a settlement of unknown
// outcome once, and does not wait for it.
func (g *Gate) await(v *visit, rec claims.Record) (_ claims.Record, waited bool, err error) {
	deadline := time.NewTimer(v.offer.UpstreamTimeout + g.cfg.SettleTimeout)
	defer deadline.Stop()
	ticker := time.NewTicker(g.cfg.PollInterval)
	defer ticker.Stop()
	for !answered(&rec) {
		waited = true
		rung, done := g.process.board.listen(rec.Key)
		rec, err = g.refresh(v, rec.Key)
		if err != nil || answered(&rec) {
			done()
			return rec, waited, err
		}
		select {
		case <-rung:
		case <-ticker.C:
		case <-deadline.C:
			err = errStillRunning
		case <-v.r.Context().Done():
			err = v.r.Context().Err()
		}
		done()
		if err != nil {
			return rec, waited, err
		}
	}
	return rec, waited, nil
}

// refresh reads the claim again, and looks up a settlement of unknown outcome.
func (g *Gate) refresh(v *visit, key claims.Key) (claims.Record, error) {
	rec, err := g.find(v.r.Context(), key)
	if err == nil && rec.State == claims.StateUnknown {
		g.resolveAsked(v, rec)
		rec, err = g.find(v.r.Context(), key)
		if err == nil && rec.State == claims.StateUnknown {
			return rec, errPending
		}
	}
	if err != nil {
		return rec, unavailable("waiting for the first request", err)
	}
	return rec, nil
}

// runSettled runs the upstream of a claim that was settled but never run.
func (g *Gate) runSettled(v *visit, rec claims.Record) (again bool, err error) {
	g.process.active.add(rec.ID)
	defer g.process.active.remove(rec.ID)
	ctx, cancel := g.decision(context.WithoutCancel(v.r.Context()))
	defer cancel()
	switch err := g.cfg.Store.StartRun(ctx, rec.ID); {
	case errors.Is(err, claims.ErrMoved):
		return true, nil // another duplicate runs it: look again
	case err != nil:
		return false, unavailable("starting the paid request", err)
	}
	return false, g.stream(v, rec, v.receipt(rec))
}

// receipt is the receipt of a settled claim, in the protocol version of the payment being answered.
func (v *visit) receipt(rec claims.Record) *x402.Receipt {
	receipt := &x402.Receipt{
		Success: rec.State.Paid(), ErrorReason: rec.Reason, Transaction: rec.Transaction,
		Network: rec.Key.Network, Payer: rec.Key.Payer, Version: x402.Version2,
	}
	if v.payment != nil { // else a wallet has signed in, which is only in version 2
		receipt.Network, receipt.Version = v.payment.Network, v.payment.Version
	}
	if receipt.Success {
		receipt.ErrorReason = ""
	}
	if receipt.Version == x402.Version2 {
		receipt.Amount = rec.Amount.Units()
	}
	return receipt
}

// replay responds from the stored claim.
func (g *Gate) replay(v *visit, rec claims.Record) error {
	switch rec.State {
	case claims.StateSettled, claims.StateRefundDue, claims.StateRefunded:
		return g.replayPaid(v, rec)
	case claims.StateFailed:
		return v.writeChallenge(&x402.Refusal{
			Code: rec.Reason, Message: "this payment could not be settled: sign a new one", Settled: true,
		}, v.receipt(rec))
	case claims.StateAbandoned:
		return v.writeChallenge(&x402.Refusal{
			Code: x402.CodeAbandoned, Message: "this request was interrupted; its payment was not and will not be charged: sign a new one", Settled: true,
		}, nil)
	case claims.StateClaimed, claims.StateServed, claims.StateSettling, claims.StateUnknown, claims.StateReleased:
	}
	return v.conflict(x402.CodeInProgress, "this request is still in progress for this payment")
}

func (g *Gate) replayPaid(v *visit, rec claims.Record) error {
	receipt := v.receipt(rec)
	if rec.ResponseKept && g.cfg.Now().Before(rec.KeepUntil) {
		resp, err := g.response(v, rec)
		if err == nil {
			return writeResponse(v.w, resp, receipt)
		}
		if !errors.Is(err, claims.ErrNotFound) {
			return unavailable("reading the stored response", err)
		}
	}
	message := "this request was paid and answered, but its response is not stored"
	if rec.State != claims.StateSettled {
		message = "this request was paid and failed: a refund is recorded"
	}
	return x402.WriteNotice(v.w, http.StatusConflict, x402.CodeResponseNotKept, message, receipt)
}

// response reads the response that is kept.
func (g *Gate) response(v *visit, rec claims.Record) (*claims.Response, error) {
	ctx, cancel := g.decision(v.r.Context())
	defer cancel()
	return g.cfg.Store.Response(ctx, rec.ID)
}

// answerFailedRun gives a duplicate that waited the response that the first request got.
func (g *Gate) answerFailedRun(v *visit, rec claims.Record) error {
	if rec.ResponseKept {
		if resp, err := g.response(v, rec); err == nil {
			return writeResponse(v.w, resp, nil)
		}
	}
	return v.answerNotRun()
}

// answerNotRun responds that there is no result, and that nothing was charged.
func (v *visit) answerNotRun() error {
	return x402.WriteNotice(v.w, http.StatusBadGateway, x402.CodeUpstreamFailed,
		"the request failed and its payment was not charged: the same payment can be used again", nil)
}

func writeResponse(w http.ResponseWriter, resp *claims.Response, receipt *x402.Receipt) error {
	h := w.Header()
	maps.Copy(h, resp.Header.Clone())
	if err := decorate(h, receipt); err != nil {
		return err
	}
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body)
	return nil
}

func (v *visit) conflict(code x402.Code, message string) error {
	return x402.WriteNotice(v.w, http.StatusConflict, code, message, nil)
}
