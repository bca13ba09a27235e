package gate

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// dyingStore is an edge's view of the store. After some writes the edge is lost, and its later writes do not reach the store.
type dyingStore struct {
	claims.Store

	left atomic.Int64
	// last makes the write at which the edge dies succeed.
	last bool
}

func (d *dyingStore) write(do func() error) error {
	switch left := d.left.Add(-1); {
	case left >= 0:
		return do()
	case left == -1 && d.last:
		_ = do()
	}
	return errTest
}

func (d *dyingStore) Claim(ctx context.Context, rec *claims.Record, seen x402.Checked) (got claims.Record, won bool, err error) {
	err = d.write(func() error { got, won, err = d.Store.Claim(ctx, rec, seen); return err })
	return got, won, err
}

func (d *dyingStore) Release(ctx context.Context, id uuid.UUID, reason x402.Code, resp *claims.Response) error {
	return d.write(func() error { return d.Store.Release(ctx, id, reason, resp) })
}

func (d *dyingStore) Serve(ctx context.Context, id uuid.UUID, resp *claims.Response) error {
	return d.write(func() error { return d.Store.Serve(ctx, id, resp) })
}

func (d *dyingStore) Settling(ctx context.Context, id uuid.UUID) error {
	return d.write(func() error { return d.Store.Settling(ctx, id) })
}

func (d *dyingStore) Disclaim(ctx context.Context, rec *claims.Record) error {
	return d.write(func() error { return d.Store.Disclaim(ctx, rec) })
}

func (d *dyingStore) Settled(ctx context.Context, id uuid.UUID, by x402.Settlement, run bool) error {
	return d.write(func() error { return d.Store.Settled(ctx, id, by, run) })
}

func (d *dyingStore) Unknown(ctx context.Context, id uuid.UUID, tx string) error {
	return d.write(func() error { return d.Store.Unknown(ctx, id, tx) })
}

func (d *dyingStore) Fail(ctx context.Context, id uuid.UUID, reason x402.Code) error {
	return d.write(func() error { return d.Store.Fail(ctx, id, reason) })
}

func (d *dyingStore) Finish(ctx context.Context, id uuid.UUID, failed bool, resp *claims.Response) error {
	return d.write(func() error { return d.Store.Finish(ctx, id, failed, resp) })
}

// TestCrashPoints loses the edge before and just after every write, with settlements that succeed, that move the money
// and lose the answer, and that fail. Another edge recovers, and the client sends its payment again.
func TestCrashPoints(t *testing.T) {
	t.Parallel()
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		for _, chain := range []string{"settles", "moves and is lost", "is not reached"} {
			for writes := range int64(6) {
				for _, last := range []bool{false, true} {
					for _, sized := range []string{"kept", "over the cap"} {
						name := fmt.Sprintf("%s, chain %s, %d writes, last %v, %s", settle, chain, writes, last, sized)
						t.Run(name, func(t *testing.T) {
							t.Parallel()
							crash(t, settle, chain, writes, last, sized == "kept")
						})
					}
				}
			}
		}
	}
}

func crash(t *testing.T, settle price.Settle, chain string, writes int64, last, kept bool) {
	b := newBooth(t, nil)
	b.offer.Settle = settle
	dying := &dyingStore{last: last}
	dying.left.Store(writes)
	bytesMax := 1 << 10
	if !kept {
		bytesMax = 3
	}
	edge := b.newGate(func(c *Config) {
		dying.Store = c.Store
		c.Store, c.ResponseBytesMax = dying, bytesMax
	})
	switch chain {
	case "moves and is lost":
		b.chain.set(func(c *chainFake) { c.after, c.lookErr = func() error { return errTest }, errTest })
	case "is not reached":
		b.chain.set(func(c *chainFake) { c.before, c.lookErr = func() error { return errTest }, errTest })
	}
	header := b.pay(2)
	first := b.serveAt(edge, b.request(header...), "body")
	b.chain.set(func(c *chainFake) { c.before, c.after, c.lookErr = nil, nil, nil })

	b.archive.End(edge.process.ID())
	other := b.newGate(func(c *Config) { c.ResponseBytesMax = bytesMax })
	for range 2 { // the second run must change nothing
		if err := other.Recover(t.Context()); err != nil {
			t.Fatalf("recover: %v", err)
		}
	}
	_, paidBefore := b.chain.counts()
	again := b.serveAt(other, b.request(header...), "body")
	_, moved := b.chain.counts()
	if again.err != nil || moved > 1 {
		t.Fatalf("again: got %v, %d transfers", again.err, moved)
	}
	state := b.claim().State
	if paidBefore == 1 && again.Code == http.StatusPaymentRequired {
		t.Errorf("the payer was charged and is challenged again: state %s, %s", state, again.Body)
	}
	// Over all responses: who is charged is served, or is owed a refund.
	served := again.Code == http.StatusOK || first.Code == http.StatusOK && first.Body.String() == "report"
	if (moved == 1) != state.Paid() || state.Paid() && !served && state != claims.StateRefundDue {
		t.Errorf("state %s with %d transfers, first %d %s, again %d %s", state, moved, first.Code, first.Body, again.Code, again.Body)
	}
	if served && moved == 0 {
		t.Errorf("served unpaid: state %s, first %d, again %d", state, first.Code, again.Code)
	}
	if settle == price.SettleAfter && !kept && state == claims.StateUnknown {
		// There is nothing left to deliver, and what was sent could still be mined: the claim ends when the payment lapses.
		b.wantAnswer(again, http.StatusServiceUnavailable, x402.CodeSettlementPending)
		b.clock.Advance(time.Hour)
		if err := other.Recover(t.Context()); err != nil {
			t.Fatalf("recover: %v", err)
		}
		b.wantState(claims.StateFailed)
		return
	}
	if !state.Terminal() {
		t.Errorf("state: got %s, want an end", state)
	}
}

func TestRecoverLeavesLivingEdgesAlone(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	other := b.newGate(nil)
	good := b.next
	b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		for _, g := range []*Gate{b.gate, other} { // during the run
			if err := g.Recover(t.Context()); err != nil {
				t.Error(err)
			}
		}
		b.wantState(claims.StateClaimed)
		return good(w, r, c)
	}
	b.wantPaid(b.serve(b.request(b.pay(1)...)))
}

// unhurried is a store that runs something before orphans are taken.
type unhurried struct {
	claims.Store

	before func()
}

func (u *unhurried) TakeOrphans(ctx context.Context, settles []string, active []uuid.UUID, now time.Time) ([]claims.Record, error) {
	u.before()
	return u.Store.TakeOrphans(ctx, settles, active, now)
}

// A request that starts after an edge has listed its active claims, and before it looks for orphans, is not an orphan.
func TestRecoverLeavesNewRequestsAlone(t *testing.T) {
	t.Parallel()
	for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
		t.Run(string(settle), func(t *testing.T) {
			t.Parallel()
			var store unhurried
			b := newBooth(t, nil)
			b.gate = b.newGate(func(c *Config) {
				store.Store = c.Store
				c.Store = &store
			})
			b.offer.Settle = settle
			begun, goOn, done := make(chan struct{}), make(chan struct{}), make(chan *answer)
			good := b.next
			b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
				close(begun)
				<-goOn
				return good(w, r, c)
			}
			store.before = func() {
				go func() { done <- b.serve(b.request(b.pay(2)...)) }()
				<-begun
			}
			if err := b.gate.Recover(t.Context()); err != nil {
				t.Error(err)
			}
			close(goOn)
			b.wantPaid(<-done)
			b.wantState(claims.StateSettled)
			b.wantCounts(1, 1, 1)
		})
	}
}

// An edge that was ended finds its claim taken over. It must not settle.
func TestEndedEdgeDoesNotSettle(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	other := b.newGate(nil)
	good := b.next
	b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		b.archive.End(b.gate.process.ID())
		if err := other.Recover(t.Context()); err != nil {
			t.Error(err)
		}
		return good(w, r, c)
	}
	a := b.serve(b.request(b.pay(1)...))
	if a.err == nil || a.Body.Len() != 0 {
		t.Errorf("got %v and %q, want an error and nothing written", a.err, a.Body)
	}
	b.wantState(claims.StateAbandoned)
	b.wantCounts(1, 0, 0)
}

func TestUnknownThatLapsesFails(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.offer.Settle = price.SettleBefore
	b.chain.set(func(c *chainFake) { c.before = func() error { return errTest } })
	header := b.pay(1)
	b.wantAnswer(b.serve(b.request(header...)), http.StatusServiceUnavailable, x402.CodeSettlementPending)
	if err := b.gate.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.wantState(claims.StateUnknown) // the payer does not ask again, so it is not settled behind the payer's back
	b.clock.Advance(5 * time.Minute)
	if err := b.gate.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.wantState(claims.StateFailed)
	b.wantAnswer(b.serve(b.request(header...)), http.StatusPaymentRequired, x402.CodeValidBefore)
	b.wantCounts(0, 1, 0)
}

// A facilitator that has refused a payment may still send it. Once the payment has lapsed, the chain is asked once
// whether that happened.
func TestRefusedAndSettledAllTheSame(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"sent": true, "not sent": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.chain.set(func(c *chainFake) { c.before = func() error { return x402.Refuse(x402.CodeSignature, "not today") } })
			header := b.pay(2)
			b.wantAnswer(b.serve(b.request(header...)), http.StatusPaymentRequired, x402.CodeSignature)
			b.wantState(claims.StateFailed)
			want := claims.StateFailed
			if sent {
				want = claims.StateRefundDue
				nonce := b.claim().Key.Nonce
				b.chain.set(func(c *chainFake) { c.moved[nonce] = "0x7" })
			}
			if err := b.gate.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.wantState(claims.StateFailed) // it could still be sent, so the chain is not asked yet
			b.clock.Advance(5 * time.Minute)
			for range 2 {
				if err := b.gate.Recover(t.Context()); err != nil {
					t.Fatal(err)
				}
				b.wantState(want)
			}
			if keys, err := b.store.Unclosed(t.Context(), b.gate.settles(), b.clock.Now()); err != nil || len(keys) > 0 {
				t.Errorf("unclosed: got %v, %v, want none", keys, err)
			}
		})
	}
}

// A failed claim is closed only when all nodes say, at a block after its payment has lapsed, that we were not paid.
// Until then it is checked again.
func TestFailedClaimIsClosedByTheChain(t *testing.T) {
	t.Parallel()
	early, late := clocktest.New().Now(), clocktest.New().Now().Add(5*time.Minute)
	for name, tt := range map[string]struct {
		seen x402.SettlementStatus
		open bool
	}{
		"unused when it has lapsed":         {x402.SettlementStatus{Outcome: x402.OutcomeUnused, ChainTime: late}, false},
		"used elsewhere when it has lapsed": {x402.SettlementStatus{Outcome: x402.OutcomeSpent, ChainTime: late}, false},
		"unused, by a block before":         {x402.SettlementStatus{Outcome: x402.OutcomeUnused, ChainTime: early}, true},
		"used elsewhere, by a block before": {x402.SettlementStatus{Outcome: x402.OutcomeSpent, ChainTime: early}, true},
		"used by nobody knows what":         {x402.SettlementStatus{Outcome: x402.OutcomeUnclear, ChainTime: late}, true},
		"not all nodes answer":              {x402.SettlementStatus{Outcome: x402.OutcomeUnsure, ChainTime: late, Doubt: errTest}, true},
		"there is no node":                  {x402.SettlementStatus{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.chain.set(func(c *chainFake) { c.before = func() error { return x402.Refuse(x402.CodeSignature, "not today") } })
			b.wantAnswer(b.serve(b.request(b.pay(2)...)), http.StatusPaymentRequired, x402.CodeSignature)
			nonce := b.claim().Key.Nonce
			b.chain.set(func(c *chainFake) { c.seen = &tt.seen })
			b.clock.Advance(6 * time.Minute)
			_ = b.gate.Recover(t.Context()) // returns why the claim could not be closed, if so
			keys, err := b.store.Unclosed(t.Context(), b.gate.settles(), b.clock.Now())
			if err != nil || (len(keys) > 0) != tt.open {
				t.Fatalf("unclosed: got %v, %v, want open %v", keys, err, tt.open)
			}
			if !tt.open {
				return
			}
			b.chain.set(func(c *chainFake) { c.seen, c.moved[nonce] = nil, "0x7" })
			if err := b.gate.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.wantState(claims.StateRefundDue)
		})
	}
}

func TestSettledAndNeverFetchedIsRefundDue(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.offer.Settle = price.SettleBefore
	b.chain.set(func(c *chainFake) {
		c.after, c.lookErr = func() error { return errTest }, errTest
	})
	b.wantAnswer(b.serve(b.request(b.pay(1)...)), http.StatusServiceUnavailable, x402.CodeSettlementPending)
	b.chain.set(func(c *chainFake) { c.after, c.lookErr = nil, nil })
	for _, want := range []claims.State{claims.StateSettled, claims.StateSettled, claims.StateRefundDue} {
		if err := b.gate.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.wantState(want)
		b.clock.Advance(6 * time.Minute)
	}
}

// unfinishing is a store that is away whenever a run is to be finished.
type unfinishing struct {
	claims.Store

	away atomic.Bool
}

func (u *unfinishing) Finish(ctx context.Context, id uuid.UUID, failed bool, resp *claims.Response) error {
	if u.away.Load() {
		return errTest
	}
	return u.Store.Finish(ctx, id, failed, resp)
}

// servedAway serves a request whose end the store, which is still away, could not record.
func servedAway(t *testing.T) (*booth, *unfinishing) {
	t.Helper()
	store := new(unfinishing)
	b := newBooth(t, nil)
	b.gate = b.newGate(func(c *Config) {
		store.Store = c.Store
		c.Store = store
	})
	b.offer.Settle = price.SettleBefore
	store.away.Store(true)
	b.wantPaid(b.serve(b.request(b.pay(2)...)))
	return b, store
}

// A request that was served while the store was away is not refunded: its edge is alive, and records the end as soon as it can.
func TestServedWhileTheStoreWasAwayIsSettled(t *testing.T) {
	t.Parallel()
	b, store := servedAway(t)
	if err := b.gate.Recover(t.Context()); err == nil {
		t.Error("the store is away: got no error")
	}
	b.wantState(claims.StateSettled)
	store.away.Store(false)
	again := time.NewTicker(endingsEvery / 10)
	defer again.Stop()
	for began := time.Now(); b.claim().DoneAt == nil; <-again.C {
		if waited := time.Since(began); waited > 20*endingsEvery {
			t.Fatalf("the claim is not done %s after the store is back", waited)
		}
	}
	b.wantState(claims.StateSettled)
	if err := b.gate.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Ends that a gate could not record before it was closed are recorded by another gate of the process.
func TestEndingsOutliveTheirGate(t *testing.T) {
	t.Parallel()
	b, store := servedAway(t)
	if err := b.gate.Close(t.Context()); err == nil {
		t.Error("the store is away: got no error")
	}
	store.away.Store(false)
	next := b.newGate(func(c *Config) { c.Process, c.Store = b.gate.process, store.Store })
	if err := next.Recover(t.Context()); err != nil {
		t.Error(err)
	}
	if got := b.claim(); got.State != claims.StateSettled || got.DoneAt == nil {
		t.Errorf("got %s, done %v; want it settled and done", got.State, got.DoneAt)
	}
}
