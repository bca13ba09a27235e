package local

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// settleAll settles payments, atOnce of them at a time, spread over facilitators.
func settleAll(ctx context.Context, at []*Facilitator, req *x402.Requirements, payments []*x402.Payment, atOnce int) []settleResult {
	outcomes := make([]settleResult, len(payments))
	next := make(chan int, len(payments))
	for i := range payments {
		next <- i
	}
	close(next)
	var done sync.WaitGroup
	for range min(atOnce, len(payments)) {
		done.Go(func() {
			for i := range next {
				settlement, err := at[i%len(at)].Settle(ctx, payments[i], req)
				outcomes[i] = settleResult{settlement, err}
			}
		})
	}
	done.Wait()
	return outcomes
}

// TestAllAreSettled runs 16 settlements at once: with a node's own nonces, a settler would lose most of them.
func TestAllAreSettled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		signers, edges   int
		payments, atOnce int
		shared           bool // one signer and one database for all edges
	}{
		{"one signer at 16", 1, 1, 60, 16, false},
		{"one signer at 200", 1, 1, 200, 200, false},
		{"pool of 3 at 16", 3, 1, 60, 16, false},
		{"pool of 3 at 200", 3, 1, 200, 200, false},
		{"two edges with one signer at 16", 1, 2, 60, 16, true},
		{"two edges with one signer at 200", 1, 2, 200, 200, true},
		{"three edges with a pool of 2 at 60", 2, 3, 60, 60, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tt.signers)
			box := outbox.Store(outbox.NewMemory(time.Now))
			if tt.shared {
				box = outbox.NewPostgres(claimstest.NewPool(t), uuid.Nil)
			}
			var edges []*Facilitator
			for range tt.edges {
				edges = append(edges, d.facilitator(t, func(c *Config) {
					c.Signers, c.Outbox, c.Lease, c.RPCTimeout = signer.Keys(d.signers...), box, 15*time.Second, time.Minute
				}))
			}
			began := time.Now()
			var settled []x402.Settlement
			for i, o := range settleAll(t.Context(), edges, d.Req, d.payments(tt.payments), tt.atOnce) {
				if o.err != nil {
					t.Errorf("payment %d: %v", i, o.err)
					continue
				}
				settled = append(settled, o.settlement)
			}
			took := time.Since(began)
			d.wantPaid(tt.payments)
			all := transactions(settled)
			for _, s := range all {
				if r := d.receipt(s); r.Status != types.ReceiptStatusSuccessful {
					t.Errorf("transaction %s reverted", s.Transaction)
				}
			}
			var sent uint64
			for _, key := range d.signers {
				sent += d.sent(key)
			}
			if sent != uint64(len(all)) {
				t.Errorf("transactions sent: got %d, want the %d that settled something", sent, len(all))
			}
			t.Logf("%d of %d settled in %s by %d transactions", len(settled), tt.payments, took.Round(time.Millisecond), len(all))
		})
	}
}

// TestGasPerPayment measures what batching saves: in a larger batch a payment must cost less gas.
func TestGasPerPayment(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	d.together(d.facilitator(t, nil), d.payments(1)) // the recipient has tokens from now on
	last := ^uint64(0)
	for _, n := range []int{1, 2, 8, 32} {
		var settled []x402.Settlement
		for _, o := range d.together(d.facilitator(t, func(c *Config) { c.Outbox = outbox.NewMemory(time.Now) }), d.payments(n)) {
			if o.err != nil {
				t.Fatal(o.err)
			}
			settled = append(settled, o.settlement)
		}
		all := transactions(settled)
		if len(all) != 1 {
			t.Fatalf("%d payments: got %d transactions, want 1", n, len(all))
		}
		receipt := d.receipt(all[0])
		each := receipt.GasUsed / uint64(n)
		t.Logf("%d in a transaction: %d gas, %d each", n, receipt.GasUsed, each)
		if n > 2 && each >= last {
			t.Errorf("%d payments: got %d gas each, want less than %d", n, each, last)
		}
		last = each
	}
	d.wantPaid(1 + 1 + 2 + 8 + 32)
}

// BenchmarkSettlement settles payments on a development chain with a block each second, with one account and with three.
func BenchmarkSettlement(b *testing.B) {
	for _, signers := range []int{1, 3} {
		for _, atOnce := range []int{16, 200} {
			b.Run(fmt.Sprintf("signers=%d/at_once=%d", signers, atOnce), func(b *testing.B) {
				d := newDesk(b, signers)
				f := d.facilitator(b, func(c *Config) { c.Signers, c.RPCTimeout = signer.Keys(d.signers...), time.Minute })
				payments := benchPayments(b, d.Chain.Wallet(), d.Req, b.N)
				b.ResetTimer()
				for _, o := range settleAll(b.Context(), []*Facilitator{f}, d.Req, payments, atOnce) {
					if o.err != nil {
						b.Fatal(o.err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "payments/s")
			})
		}
	}
}

func benchPayments(b *testing.B, key *ecdsa.PrivateKey, req *x402.Requirements, n int) []*x402.Payment {
	b.Helper()
	payments := make([]*x402.Payment, n)
	for i := range payments {
		a := x402test.GoodAuthorization(x402test.AddressOf(key), req)
		payments[i] = &x402.Payment{
			Version: x402.Version1, Scheme: x402.SchemeExact, Network: req.Network.Name, Authorization: a, Signature: x402test.Sign(b, key, &a, req.Network),
		}
	}
	return payments
}
