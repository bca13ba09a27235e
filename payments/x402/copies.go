package x402

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// answerCopy responds to a request whose payment already has a claim. It returns again if the claim was released, so
// that this request may try to take it.
func (g *Gate) answerCopy(v *visit, rec Record) (again bool, err error) {
	if rec.PayloadHash != v.payloadHash {
		return false, v.conflict(CodeAlreadyUsed, "another payment has used this nonce: sign a new payment with a fresh nonce")
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
	case rec.State == StateReleased:
		if !waited || rec.Reason == "" {
			return true, nil
		}
		return false, g.answerFailedRun(v, rec)
	case rec.runnable():
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
		return v.conflict(CodeInProgress, "this request is still in progress for this payment: repeat it later; it is not charged twice")
	default:
		return err
	}
}

// answerForeign responds to a payment that comes with another request than the one that it was claimed for. Where
// nothing was or will be charged, the client is free to pay anew.
func (g *Gate) answerForeign(v *visit, rec Record) (again bool, err error) {
	switch rec.State {
	case StateReleased:
		return true, nil
	case StateFailed, StateAbandoned:
		return false, g.replay(v, rec)
	default:
		return false, v.conflict(CodeAlreadyUsed, "this payment was used for another request: sign a new payment")
	}
}

// runnable reports whether the upstream of a settled claim has still to be started (settle-before, after a crash or an
// unknown outcome).
func (r *Record) runnable() bool {
	return r.State == StateSettled && r.Settle == price.SettleBefore && r.RunAt == nil
}

// answered reports whether a duplicate can be answered now.
func (r *Record) answered() bool {
	return r.State.terminal() && (r.State != StateSettled || r.DoneAt != nil || r.runnable())
}

var (
	errStillRunning = errors.New("the first request is still running")
	errPending      = errors.New("the settlement's outcome is still not known")
)

// await waits until the claim is answered, at most as long as the route may take. It looks up a settlement of unknown
// outcome once, and does not wait for it.
func (g *Gate) await(v *visit, rec Record) (_ Record, waited bool, err error) {
	deadline := time.NewTimer(v.offer.UpstreamTimeout + g.cfg.SettleTimeout)
	defer deadline.Stop()
	ticker := time.NewTicker(g.cfg.PollInterval)
	defer ticker.Stop()
	for !rec.answered() {
		waited = true
		rung, done := g.process.board.listen(rec.Key)
		rec, err = g.refresh(v, rec.Key)
		if err != nil || rec.answered() {
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
func (g *Gate) refresh(v *visit, key Key) (Record, error) {
	rec, err := g.find(v.r.Context(), key)
	if err == nil && rec.State == StateUnknown {
		g.resolveAsked(v, rec)
		rec, err = g.find(v.r.Context(), key)
		if err == nil && rec.State == StateUnknown {
			return rec, errPending
		}
	}
	if err != nil {
		return rec, unavailable("waiting for the first request", err)
	}
	return rec, nil
}

// runSettled runs the upstream of a claim that was settled but never run.
func (g *Gate) runSettled(v *visit, rec Record) (again bool, err error) {
	g.process.active.add(rec.ID)
	defer g.process.active.remove(rec.ID)
	ctx, cancel := g.decision(context.WithoutCancel(v.r.Context()))
	defer cancel()
	switch err := g.cfg.Store.StartRun(ctx, rec.ID); {
	case errors.Is(err, ErrClaimMoved):
		return true, nil // another duplicate runs it: look again
	case err != nil:
		return false, unavailable("starting the paid request", err)
	}
	return false, g.stream(v, rec, v.receipt(rec))
}

// receipt is the receipt of a settled claim, in the protocol version of the payment being answered.
func (v *visit) receipt(rec Record) *Receipt {
	receipt := &Receipt{
		Success: rec.State.paid(), ErrorReason: rec.Reason, Transaction: rec.Transaction,
		Network: rec.Key.Network, Payer: rec.Key.Payer, version: version2,
	}
	if v.payment != nil { // else a wallet has signed in, which is only in version 2
		receipt.Network, receipt.version = v.payment.Network, v.payment.Version
	}
	if receipt.Success {
		receipt.ErrorReason = ""
	}
	if receipt.version == version2 {
		receipt.Amount = rec.Amount.Units()
	}
	return receipt
}

// replay responds from the stored claim.
func (g *Gate) replay(v *visit, rec Record) error {
	switch rec.State {
	case StateSettled, StateRefundDue, StateRefunded:
		return g.replayPaid(v, rec)
	case StateFailed:
		return v.writeChallenge(&Refusal{
			Code: rec.Reason, Message: "this payment could not be settled: sign a new one", settled: true,
		}, v.receipt(rec))
	case StateAbandoned:
		return v.writeChallenge(&Refusal{
			Code: CodeAbandoned, Message: "this request was interrupted; its payment was not and will not be charged: sign a new one", settled: true,
		}, nil)
	case StateClaimed, StateServed, StateSettling, StateUnknown, StateReleased:
	}
	return v.conflict(CodeInProgress, "this request is still in progress for this payment")
}

func (g *Gate) replayPaid(v *visit, rec Record) error {
	receipt := v.receipt(rec)
	if rec.ResponseKept && g.cfg.Now().Before(rec.KeepUntil) {
		resp, err := g.response(v, rec)
		if err == nil {
			return writeResponse(v.w, resp, receipt)
		}
		if !errors.Is(err, ErrNoClaim) {
			return unavailable("reading the stored response", err)
		}
	}
	message := "this request was paid and answered, but its response is not stored"
	if rec.State != StateSettled {
		message = "this request was paid and failed: a refund is recorded"
	}
	return writeNotice(v.w, http.StatusConflict, CodeResponseNotKept, message, receipt)
}

// response reads the response that is kept.
func (g *Gate) response(v *visit, rec Record) (*Response, error) {
	ctx, cancel := g.decision(v.r.Context())
	defer cancel()
	return g.cfg.Store.Response(ctx, rec.ID)
}

// answerFailedRun gives a duplicate that waited the response that the first request got.
func (g *Gate) answerFailedRun(v *visit, rec Record) error {
	if rec.ResponseKept {
		if resp, err := g.response(v, rec); err == nil {
			return writeResponse(v.w, resp, nil)
		}
	}
	return v.answerNotRun()
}

// answerNotRun responds that there is no result, and that nothing was charged.
func (v *visit) answerNotRun() error {
	return writeNotice(v.w, http.StatusBadGateway, CodeUpstreamFailed,
		"the request failed and its payment was not charged: the same payment can be used again", nil)
}

func writeResponse(w http.ResponseWriter, resp *Response, receipt *Receipt) error {
	h := w.Header()
	maps.Copy(h, resp.Header.Clone())
	if err := decorate(h, receipt); err != nil {
		return err
	}
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body)
	return nil
}

func (v *visit) conflict(code Code, message string) error {
	return writeNotice(v.w, http.StatusConflict, code, message, nil)
}
