package local

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// hang blocks forever, as if the process had been killed during the call.
func hang(begun chan<- struct{}, before bool) x402test.Hook {
	var once sync.Once
	return func(ctx context.Context, next func() error, _ any, _ []any) error {
		if before {
			if err := next(); err != nil {
				return err
			}
		}
		once.Do(func() { close(begun) })
		<-ctx.Done()
		return ctx.Err()
	}
}

// TestCrashBeforeBroadcast shows that the next instance sends a transaction that was recorded and not sent.
func TestCrashBeforeBroadcast(t *testing.T) {
	t.Parallel()
	for name, open := range outboxes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, outbox := newDesk(t, 1), open()
			p := d.Payment(2, nil)
			sending := make(chan struct{})
			node := &x402test.Line{Node: d.Node}
			node.On("eth_sendRawTransaction", hang(sending, false))
			first := d.facilitator(t, func(c *Config) { c.RPC, c.Outbox = node, outbox })
			lost := d.settleSoon(first, p)
			<-sending
			first.halt()
			got := <-lost
			unknown, ok := errors.AsType[*x402.SettlementUnknownError](got.err)
			if !ok || unknown.Transaction == "" {
				t.Fatalf("settle at the killed one: got %+v, want an unknown outcome with a hash", got)
			}
			second := d.facilitator(t, func(c *Config) { c.Outbox = outbox })
			settled := d.wantSettled(d.settleSoon(second, p))
			if settled.Transaction != unknown.Transaction {
				t.Errorf("settled by %s, want what was written down, %s", settled.Transaction, unknown.Transaction)
			}
			d.wantPaid(1)
			if got := d.sent(d.signers[0]); got != 1 {
				t.Errorf("transactions: got %d, want 1", got)
			}
		})
	}
}

// TestCrashBeforeReceipt shows that the next instance finds a transaction that was sent, also while it waits to be mined.
func TestCrashBeforeReceipt(t *testing.T) {
	t.Parallel()
	for name, open := range outboxes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, outbox := newDesk(t, 1), open()
			payments := d.payments(5)
			goOn := d.stopBlocks()
			sent := make(chan struct{})
			node := &x402test.Line{Node: d.Node}
			node.On("eth_sendRawTransaction", hang(sent, true))
			first := d.facilitator(t, func(c *Config) { c.RPC, c.Outbox = node, outbox })
			var jobs []*job
			for _, p := range payments {
				j, err := first.join(p, d.Req, p.Hash())
				if err != nil {
					t.Fatal(err)
				}
				jobs = append(jobs, j)
			}
			first.run()
			<-sent
			first.halt()
			second := d.facilitator(t, func(c *Config) { c.Outbox = outbox })
			var again []<-chan settleResult
			for _, p := range payments {
				again = append(again, d.settleSoon(second, p))
			}
			goOn()
			for i, done := range again {
				unknown, ok := errors.AsType[*x402.SettlementUnknownError](jobs[i].err)
				if !ok {
					t.Fatalf("settle at the killed one: got %v, want an unknown outcome", jobs[i].err)
				}
				if got := d.wantSettled(done); got.Transaction != unknown.Transaction {
					t.Errorf("settled by %s, want what was sent, %s", got.Transaction, unknown.Transaction)
				}
			}
			d.wantPaid(len(payments))
			if got := d.sent(d.signers[0]); got != 1 {
				t.Errorf("transactions: got %d, want 1", got)
			}
		})
	}
}

// TestNonceOfTheDeadIsTakenOn shows that the next instance takes over a transaction that a killed edge never sent.
// Otherwise it would block all later transactions of the account.
func TestNonceOfTheDeadIsTakenOn(t *testing.T) {
	t.Parallel()
	for name, open := range outboxes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, outbox := newDesk(t, 1), open()
			sending := make(chan struct{})
			node := &x402test.Line{Node: d.Node}
			node.On("eth_sendRawTransaction", hang(sending, false))
			first := d.facilitator(t, func(c *Config) { c.RPC, c.Outbox = node, outbox })
			lost := d.settleSoon(first, d.Payment(2, nil))
			<-sending
			first.halt()
			<-lost
			second := d.facilitator(t, func(c *Config) { c.Outbox = outbox })
			d.wantSettled(d.settleSoon(second, d.Payment(2, nil)))
			d.wantPaid(2) // includes the lost payment, which the payer's claim finds
			if open := d.open(second, outbox); len(open) > 0 {
				t.Errorf("open transactions: got %+v, want none", open)
			}
		})
	}
}

// closingTimeout is how long a mined transaction may stay open on a busy machine.
const closingTimeout = 20 * time.Second

// open takes over and returns the unfinished transactions, once the facilitator is done with the mined ones: a payer is
// answered before a transaction is closed.
func (d *desk) open(f *Facilitator, outbox outbox.Store) []outbox.Tx {
	d.Helper()
	chain, err := f.chainKey(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	patience := time.AfterFunc(closingTimeout, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		clear(f.flights)
		f.changed.Broadcast()
	})
	f.mu.Lock()
	for len(f.flights) > 0 {
		f.changed.Wait()
	}
	f.mu.Unlock()
	patience.Stop()
	f.halt()
	if err := outbox.Release(d.Context(), f.owner); err != nil {
		d.Fatal(err)
	}
	var signers []common.Address
	for _, a := range f.accounts {
		signers = append(signers, a.address)
	}
	txs, err := outbox.Tend(d.Context(), chain, signers, uuid.New(), time.Minute)
	if err != nil {
		d.Fatal(err)
	}
	return txs
}

// TestOneAuthorizationIsSentOnce settles one authorisation at several facilitators at once.
func TestOneAuthorizationIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, open := range outboxes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const copies = 30
			d, outbox := newDesk(t, 3), open()
			var edges []*Facilitator
			for i := range 3 { // each with its own key
				edges = append(edges, d.facilitator(t, func(c *Config) { c.Outbox, c.Signers = outbox, signer.Keys(d.signers[i:i+1]...) }))
			}
			p := d.Payment(2, nil)
			var settled []x402.Settlement
			for _, o := range settleAll(t.Context(), edges, d.Req, slices.Repeat([]*x402.Payment{p}, copies), copies) {
				if o.err != nil {
					t.Errorf("settle: %v", o.err)
				}
				settled = append(settled, o.settlement)
			}
			if all := transactions(settled); len(all) != 1 {
				t.Errorf("transactions: got %v, want one", all)
			}
			d.wantPaid(1)
			if got := d.sent(d.signers[0]) + d.sent(d.signers[1]) + d.sent(d.signers[2]); got != 1 {
				t.Errorf("transactions sent: got %d, want 1", got)
			}
		})
	}
}

// TestOtherPayloadOnTheNonceWaits: the token accepts a nonce once, so the second payload is decided only after the first is done.
func TestOtherPayloadOnTheNonceWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	f := d.facilitator(t, nil)
	nonce := x402test.Word32()
	goOn := d.stopBlocks()
	first := d.settleSoon(f, d.Payment(2, func(a *x402.Authorization) { a.Nonce = nonce }))
	second := d.Payment(2, func(a *x402.Authorization) { a.Nonce = nonce; a.ValidBefore.Add(a.ValidBefore, common.Big1) })
	other := d.settleSoon(f, second)
	goOn()
	settled := d.wantSettled(first)
	// Amount and recipient are the same, so the first payment counts for it too.
	if got := d.wantSettled(other); got != settled {
		t.Errorf("the other payload: got %+v, want %+v", got, settled)
	}
	d.wantPaid(1)
}

// TestCloseAnswers shows that settlements do not wait for a facilitator that is closed.
func TestCloseAnswers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	f := d.facilitator(t, func(c *Config) { c.InFlightMax = 1 })
	sent := make(chan struct{})
	node := &x402test.Line{Node: d.Node}
	node.On("eth_sendRawTransaction", hang(sent, true))
	f.rpc = node
	goOn := d.stopBlocks()
	defer goOn()
	flying := d.settleSoon(f, d.Payment(2, nil))
	<-sent
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-flying; !isUnknown(got.err) {
		t.Errorf("in flight: got %+v, want an unknown outcome", got)
	}
	if _, err := f.Settle(t.Context(), d.Payment(2, nil), d.Req); !errors.Is(err, x402.ErrUnavailable) {
		t.Errorf("closed: got %v, want ErrUnavailable", err)
	}
}

func isUnknown(err error) bool {
	_, ok := errors.AsType[*x402.SettlementUnknownError](err)
	return ok
}
