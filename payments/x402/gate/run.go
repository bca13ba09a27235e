package gate

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// outcome is how a handler ended: with its error, or with the panic that reverse proxies use to abort a response
// ([http.ErrAbortHandler]).
type outcome struct {
	err      error
	panicked any
}

func (o outcome) failed() bool { return o.err != nil || o.panicked != nil }

// pass returns the error or raises the panic, as if the gate were not there.
func (o outcome) pass() error {
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.err
}

func call(next NextFunc, w http.ResponseWriter, r *http.Request, claim x402.Claim) (o outcome) {
	defer func() { o.panicked = recover() }()
	o.err = next(w, r, claim)
	return o
}

func claimOf(r *claims.Record) x402.Claim {
	return x402.Claim{ID: r.ID, Payer: r.Key.Payer, Network: r.Key.Network, Amount: r.Amount}
}

// run runs a request under its claim, which is in state claimed.
func (g *Gate) run(v *visit, rec claims.Record) error {
	defer g.process.board.ring(rec.Key)
	if v.offer.Settle == price.SettleBefore {
		return g.runBefore(v, rec)
	}
	return g.runAfter(v, rec)
}

// runAfter runs the upstream, settles, and then sends the response. A response over the cap is settled at the cap and
// streamed from there. If the response costs nothing, it is sent and the payment released.
func (g *Gate) runAfter(v *visit, rec claims.Record) error {
	var held *recorder
	var unpaid bool // the response is over the cap and not charged: it is streamed
	held = newRecorder(v.w, g.cfg.ResponseBytesMax, func() error {
		if held.status >= http.StatusBadRequest {
			unpaid = true
			g.release(v, rec, x402.CodeUpstreamFailed, nil)
			return held.release(nil)
		}
		if costsNothing(held.header) {
			unpaid = true
			g.release(v, rec, "", nil)
			return held.release(nil)
		}
		return g.settleAtCap(v, rec, held)
	})
	out := call(v.next, held, withoutPayment(v.r), claimOf(&rec))
	switch {
	case held.refused:
		// The client has its response. The handler's errors come from our failed writes.
		return held.err
	case unpaid:
		return out.pass()
	case held.through:
		clientLeft := v.r.Context().Err() != nil
		g.finish(v, rec, out.failed() && !clientLeft, nil)
		return out.pass()
	case out.failed(), held.status >= http.StatusBadRequest && v.r.Context().Err() != nil:
		// Caddy's reverse_proxy itself writes 499 if the client has left.
		reason := x402.CodeUpstreamFailed
		if v.r.Context().Err() != nil {
			reason = "" // that this client left says nothing about the upstream
		}
		g.release(v, rec, reason, nil)
		if reason != "" && out.panicked == http.ErrAbortHandler { //nolint:errorlint // the panic value is never wrapped
			// Nothing has been sent yet. If the connection broke off, clients would retry automatically and run the
			// upstream again.
			return v.answerNotRun()
		}
		return out.pass()
	case held.status >= http.StatusBadRequest:
		g.release(v, rec, x402.CodeUpstreamFailed, held.response())
		return held.release(nil)
	case costsNothing(held.header):
		g.release(v, rec, codeNoCost, held.response())
		return held.release(nil)
	}
	if err := g.serve(v, rec, held.response()); err != nil {
		return err
	}
	receipt, err := g.settle(v, rec, false)
	if err != nil {
		return v.answerUnsettled(err, receipt)
	}
	return held.release(receipt)
}

// codeNoCost is the recorded reason of claims that were released because the response cost nothing. Clients never get
// it.
const codeNoCost x402.Code = "no_cost"

// costsNothing reports whether the upstream says that the response was paid for before, such as one repeated for an
// Idempotency-Key. Any other cost means the full price, since a payment has a fixed amount.
func costsNothing(h http.Header) bool { return h.Get(edgewire.CostHeader) == "0" }

// settleAtCap settles while the upstream is still writing. Its error is returned to the upstream's write.
func (g *Gate) settleAtCap(v *visit, rec claims.Record, held *recorder) error {
	if held.err = g.serve(v, rec, nil); held.err != nil {
		return errNotReleased
	}
	receipt, err := g.settle(v, rec, false)
	if err == nil {
		return held.release(receipt)
	}
	held.err = v.answerUnsettled(err, receipt)
	return errNotReleased
}

// runBefore settles, then runs the upstream and streams its response. If the response costs nothing, a refund is due.
func (g *Gate) runBefore(v *visit, rec claims.Record) error {
	ctx, cancel := g.decision(context.WithoutCancel(v.r.Context()))
	err := g.cfg.Store.Settling(ctx, rec.ID)
	cancel()
	if err != nil {
		return unavailable("preparing the settlement", err)
	}
	receipt, err := g.settle(v, rec, true)
	if err != nil {
		return v.answerUnsettled(err, receipt)
	}
	return g.stream(v, rec, receipt)
}

// stream runs the upstream of a settled claim. It goes on if the client leaves: the response is kept, and the same
// payment fetches it. Only a response too large to keep ends with its client.
func (g *Gate) stream(v *visit, rec claims.Record, receipt *x402.Receipt) error {
	defer g.process.board.ring(rec.Key)
	ctx, end := context.WithCancelCause(context.WithoutCancel(v.r.Context()))
	defer end(nil)
	stop := context.AfterFunc(v.r.Context(), func() {
		timer := time.AfterFunc(v.offer.UpstreamTimeout, func() { end(errClientLeft) })
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	defer stop()
	if err := decorate(v.w.Header(), receipt); err != nil {
		return err
	}
	out := newTee(v.w, g.cfg.ResponseBytesMax, func(h http.Header) error {
		// By now another process may have recorded a refund for this claim, so the response must not be sent.
		return errors.Join(g.process.Live(), decorate(h, receipt))
	})
	out.gone = func() bool { return v.r.Context().Err() != nil }
	request := withoutPayment(v.r)
	ended := call(v.next, out, request.WithContext(ctx), claimOf(&rec))
	var resp *claims.Response
	if !ended.failed() {
		resp = out.response()
	}
	left := errors.Is(context.Cause(ctx), errClientLeft) || out.left
	failed := (ended.failed() && !left) || out.status >= http.StatusBadRequest || out.free || out.withheld != nil && resp == nil
	g.finish(v, rec, failed, resp)
	if out.withheld != nil {
		g.cfg.Logger.Warn("x402 response withheld", "claim", rec.ID, "error", out.withheld)
		clear(v.w.Header())
		maps.Copy(v.w.Header(), out.before)
		return v.answerUnsettled(out.withheld, receipt)
	}
	return ended.pass()
}

var errClientLeft = errors.New("the client disconnected and the upstream's timeout has expired")

// serve records that the upstream has answered. If that fails, nothing is settled: after a crash, the claim would look
// as if the upstream had never answered.
func (g *Gate) serve(v *visit, rec claims.Record, resp *claims.Response) error {
	ctx, cancel := g.storeContext(v.r.Context())
	defer cancel()
	if err := g.cfg.Store.Serve(ctx, rec.ID, resp); err != nil {
		return unavailable("storing the response", err)
	}
	if err := g.cfg.Store.Settling(ctx, rec.ID); err != nil {
		return unavailable("preparing the settlement", err)
	}
	return nil
}

// release and finish come too late to change the response. If the state cannot be stored, Recover finishes the claim.
func (g *Gate) release(v *visit, rec claims.Record, reason x402.Code, resp *claims.Response) {
	ctx, cancel := g.storeContext(v.r.Context())
	defer cancel()
	if err := g.cfg.Store.Release(ctx, rec.ID, reason, resp); err != nil {
		g.cfg.Logger.Error("x402 claim not released", "claim", rec.ID, "error", err)
	}
}

func (g *Gate) finish(v *visit, rec claims.Record, failed bool, resp *claims.Response) {
	ctx, cancel := g.storeContext(v.r.Context())
	defer cancel()
	if err := g.cfg.Store.Finish(ctx, rec.ID, failed, resp); err != nil {
		g.cfg.Logger.Error("x402 claim not finished yet", "claim", rec.ID, "failed", failed, "error", err)
		g.keepEnding(rec.ID, ending{failed: failed, resp: resp})
	}
	if failed {
		g.cfg.Logger.Warn("x402 refund due", "claim", rec.ID, "payer", rec.Key.Payer, "amount", rec.Amount.String())
	}
}
