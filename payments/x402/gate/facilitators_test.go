package gate

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator"
)

// blind is a facilitator that cannot look up payments on the chain.
type blind struct{ x402.Facilitator }

func TestFacilitatorsByChain(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	base := &chainFake{clock: b.clock, moved: map[[32]byte]string{}}
	both := facilitator.ByChain(map[uint64]x402.Facilitator{84532: b.chain, 8453: base})
	b.gate = b.newGate(func(c *Config) { c.Facilitator = both })
	b.wantPaid(b.serve(b.request(b.pay(2)...)))
	b.wantCounts(1, 1, 1)
	if settles, _ := base.counts(); settles != 0 {
		t.Errorf("the other chain's facilitator settled %d", settles)
	}
	ctx := t.Context()
	p, refusal := x402.ParsePaymentV2(b.pay(2)[1])
	if refusal != nil {
		t.Fatal(refusal)
	}
	req := *b.requirement()
	if seen, err := both.(x402.Watcher).Lookup(ctx, p, &req, b.clock.Now()); err != nil || seen.ChainTime.IsZero() {
		t.Errorf("looked up: got %+v, %v", seen, err)
	}
	unseen := facilitator.ByChain(map[uint64]x402.Facilitator{84532: blind{b.chain}}).(x402.Watcher)
	if seen, err := unseen.Lookup(ctx, p, &req, b.clock.Now()); err != nil || seen != (x402.SettlementStatus{}) {
		t.Errorf("looked up without a watcher: got %+v, %v, want nothing seen", seen, err)
	}
	req.Network.ChainID = 1
	x402test.WantRefusal(t, x402test.Verify(t, both, p, &req), x402.CodeNetwork)
	_, err := both.Settle(ctx, p, &req)
	x402test.WantRefusal(t, err, x402.CodeNetwork)
	_, err = both.(x402.Watcher).Lookup(ctx, p, &req, b.clock.Now())
	x402test.WantRefusal(t, err, x402.CodeNetwork)
}

// hangingNode blocks calls for one network until their context ends.
type hangingNode struct {
	x402.Watcher

	hangs string
}

func (h hangingNode) Lookup(ctx context.Context, p *x402.Payment, req *x402.Requirements, since time.Time) (x402.SettlementStatus, error) {
	if req.Network.ID() == h.hangs {
		<-ctx.Done()
		return x402.SettlementStatus{}, ctx.Err()
	}
	return h.Watcher.Lookup(ctx, p, req, since)
}

// A node that hangs delays only its own network's claims, and each of them for a bounded time.
func TestRecoverWithANodeThatHangs(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.offer.Settle = price.SettleBefore
	b.chain.set(func(c *chainFake) { c.after, c.lookErr = func() error { return errTest }, errTest })
	var keys []claims.Key
	for i := range 3 * recoverWorkers {
		pay := b.pay(1)
		if i%3 == 0 { // a third of them are on the other network
			a := b.authorization()
			pay = b.header(1, a, x402test.Sign(b.T, b.key, a, x402.Base()), func(m map[string]any) { m["network"] = x402.Base().Name })
		}
		b.wantAnswer(b.serve(b.request(pay...)), http.StatusServiceUnavailable, x402.CodeSettlementPending)
	}
	for _, rec := range b.store.(*claims.Memory).Records() {
		keys = append(keys, rec.Key)
	}
	b.chain.set(func(c *chainFake) { c.after, c.lookErr = nil, nil })
	b.archive.End(b.gate.process.ID())
	edge := b.newGate(func(c *Config) {
		c.Watcher = hangingNode{b.chain, x402.Base().ID()}
		c.VerifyTimeout = 20 * time.Millisecond
	})
	if err := edge.Recover(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("recover: got %v, want the node's silence", err)
	}
	for _, key := range keys {
		want := claims.StateSettled
		if key.Network == x402.Base().ID() {
			want = claims.StateUnknown
		}
		if rec, err := b.store.Find(t.Context(), key); err != nil || rec.State != want {
			t.Errorf("claim on %s: got %s, %v, want %s", key.Network, rec.State, err, want)
		}
	}
	counts, err := edge.Counts(t.Context())
	if err != nil || counts[claims.StateUnknown].Claims != recoverWorkers || counts[claims.StateSettled].Claims != 2*recoverWorkers {
		t.Errorf("counts: got %+v, %v", counts, err)
	}
}
