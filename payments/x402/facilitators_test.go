package x402

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// supporting is a chain that lists what it settles.
type supporting struct {
	*chainFake

	answer Supported
	err    error
}

func (s *supporting) Supported(context.Context) (Supported, error) { return s.answer, s.err }

// blind is a facilitator that cannot look up payments on the chain.
type blind struct{ Facilitator }

func TestFacilitatorsByChain(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	base := &chainFake{clock: b.clock, moved: map[[32]byte]string{}}
	both := NewFacilitators(map[uint64]Facilitator{84532: b.chain, 8453: base})
	b.gate = b.newGate(func(c *Config) { c.Facilitator = both })
	b.wantPaid(b.serve(b.request(b.pay(2)...)))
	b.wantCounts(1, 1, 1)
	if settles, _ := base.counts(); settles != 0 {
		t.Errorf("the other chain's facilitator settled %d", settles)
	}
	ctx := t.Context()
	p, refusal := ParsePaymentV2(b.pay(2)[1])
	if refusal != nil {
		t.Fatal(refusal)
	}
	req := *b.requirement()
	if seen, err := both.(Watcher).Lookup(ctx, p, &req, b.clock.Now()); err != nil || seen.ChainTime.IsZero() {
		t.Errorf("looked up: got %+v, %v", seen, err)
	}
	unseen := NewFacilitators(map[uint64]Facilitator{84532: blind{b.chain}}).(Watcher)
	if seen, err := unseen.Lookup(ctx, p, &req, b.clock.Now()); err != nil || seen != (SettlementStatus{}) {
		t.Errorf("looked up without a watcher: got %+v, %v, want nothing seen", seen, err)
	}
	req.Network.ChainID = 1
	wantRefusal(t, verify(t, both, p, &req), CodeNetwork)
	_, err := both.Settle(ctx, p, &req)
	wantRefusal(t, err, CodeNetwork)
	_, err = both.(Watcher).Lookup(ctx, p, &req, b.clock.Now())
	wantRefusal(t, err, CodeNetwork)
}

func TestFacilitatorsSupportWhatEachDoes(t *testing.T) {
	t.Parallel()
	one := &supporting{answer: Supported{Kinds: []Kind{{2, "exact", "eip155:1", nil}}, Extensions: []string{"a"}, Signers: map[string][]string{"eip155:*": {"0x1"}}}}
	two := &supporting{answer: Supported{Kinds: []Kind{{2, "exact", "eip155:2", nil}}, Extensions: []string{"a", "b"}, Signers: map[string][]string{"eip155:*": {"0x1", "0x2"}}}}
	both := NewFacilitators(map[uint64]Facilitator{1: one, 2: two})
	got, err := both.Supported(t.Context())
	want := Supported{
		Kinds: append(one.answer.Kinds, two.answer.Kinds...), Extensions: []string{"a", "b"}, Signers: map[string][]string{"eip155:*": {"0x1", "0x2"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	two.err = errTest
	if _, err := both.Supported(t.Context()); !errors.Is(err, errTest) {
		t.Errorf("one is away: got %v, want its error", err)
	}
}

// hangingNode blocks calls for one network until their context ends.
type hangingNode struct {
	Watcher

	hangs string
}

func (h hangingNode) Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (SettlementStatus, error) {
	if req.Network.ID() == h.hangs {
		<-ctx.Done()
		return SettlementStatus{}, ctx.Err()
	}
	return h.Watcher.Lookup(ctx, p, req, since)
}

// A node that hangs delays only its own network's claims, and each of them for a bounded time.
func TestRecoverWithANodeThatHangs(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	b.offer.Settle = price.SettleBefore
	b.chain.set(func(c *chainFake) { c.after, c.lookErr = func() error { return errTest }, errTest })
	var keys []Key
	for range 3 * recoverWorkers {
		b.wantAnswer(b.serve(b.request(b.pay(1)...)), http.StatusServiceUnavailable, CodeSettlementPending)
	}
	m := b.store.(*MemoryClaims)
	m.mu.Lock()
	for key, c := range maps.Clone(m.claims) { // a third of them were on the other network
		if len(keys)%3 == 0 {
			delete(m.claims, key)
			c.rec.Key.Network, c.rec.Key.Asset = Base().ID(), Base().Asset.Hex()
			m.claims[c.rec.Key] = c
		}
		keys = append(keys, c.rec.Key)
	}
	m.mu.Unlock()
	b.chain.set(func(c *chainFake) { c.after, c.lookErr = nil, nil })
	b.archive.end(b.gate.process.ID())
	edge := b.newGate(func(c *Config) {
		c.Watcher = hangingNode{b.chain, Base().ID()}
		c.VerifyTimeout = 20 * time.Millisecond
	})
	if err := edge.Recover(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("recover: got %v, want the node's silence", err)
	}
	for _, key := range keys {
		want := StateSettled
		if key.Network == Base().ID() {
			want = StateUnknown
		}
		if rec, err := b.store.Find(t.Context(), key); err != nil || rec.State != want {
			t.Errorf("claim on %s: got %s, %v, want %s", key.Network, rec.State, err, want)
		}
	}
	counts, err := edge.Counts(t.Context())
	if err != nil || counts[StateUnknown].Claims != recoverWorkers || counts[StateSettled].Claims != 2*recoverWorkers {
		t.Errorf("counts: got %+v, %v", counts, err)
	}
}
