package local

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// desk is a chain on which facilitators settle.
type desk struct {
	*x402test.Town

	signers []*ecdsa.PrivateKey
}

func newDesk(t testing.TB, signers int) *desk {
	t.Helper()
	d := &desk{}
	cfg := chain.Config{}
	for range signers {
		key := x402test.NewKey(t)
		d.signers = append(d.signers, key)
		cfg.Accounts = append(cfg.Accounts, chain.Account{Address: x402test.AddressOf(key), Wei: big.NewInt(params.Ether)})
	}
	d.Town = x402test.New(t, cfg)
	return d
}

// stopBlocks stops block production until the returned function is called.
func (d *desk) stopBlocks() (goOn func()) {
	d.Helper()
	if err := d.Chain.StopBlocks(d.Context()); err != nil {
		d.Fatal(err)
	}
	return func() {
		d.Helper()
		if err := d.Chain.GoOn(context.WithoutCancel(d.Context())); err != nil {
			d.Error(err)
		}
	}
}

// facilitator starts one on the desk's chain, with short timeouts.
func (d *desk) facilitator(t testing.TB, change func(*Config)) *Facilitator {
	t.Helper()
	cfg := Config{
		RPC: d.Node, Network: x402.BaseSepolia(), Signers: signer.Keys(d.signers[:1]...), PollInterval: 10 * time.Millisecond,
		StuckAfter: 20 * time.Second, Lease: 500 * time.Millisecond, BalanceMin: big.NewInt(1),
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	if change != nil {
		change(&cfg)
	}
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	return f
}

// payments returns n good payments of the demo wallet.
func (d *desk) payments(n int) []*x402.Payment {
	d.Helper()
	all := make([]*x402.Payment, n)
	for i := range all {
		all[i] = d.Payment(2, func(a *x402.Authorization) { a.Nonce = x402test.Word32() })
	}
	return all
}

// settleResult is what Settle returned.
type settleResult struct {
	settlement x402.Settlement
	err        error
}

// together settles payments in one batch: all are queued before any is sent.
func (d *desk) together(f *Facilitator, payments []*x402.Payment) []settleResult {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), time.Minute)
	defer cancel()
	jobs, err := d.queue(f, payments)
	if err != nil {
		d.Fatal(err)
	}
	f.run()
	outcomes := make([]settleResult, len(payments))
	for i, j := range jobs {
		select {
		case <-j.done:
			outcomes[i] = settleResult{j.settlement, j.err}
		case <-ctx.Done():
			d.Fatal("not settled in time")
		}
	}
	return outcomes
}

// queue adds all payments under one lock; otherwise a running facilitator would take the first by itself.
func (d *desk) queue(f *Facilitator, payments []*x402.Payment) ([]*job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	jobs := make([]*job, len(payments))
	for i, p := range payments {
		var err error
		if jobs[i], err = f.joinLocked(p, d.Req, p.Hash()); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// settleSoon settles in the background.
func (d *desk) settleSoon(f *Facilitator, p *x402.Payment) <-chan settleResult {
	done := make(chan settleResult, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
		defer cancel()
		settlement, err := f.Settle(ctx, p, d.Req)
		done <- settleResult{settlement, err}
	}()
	return done
}

func (d *desk) wantSettled(done <-chan settleResult) x402.Settlement {
	d.Helper()
	got := <-done
	if got.err != nil {
		d.Fatalf("settle: %v", got.err)
	}
	return got.settlement
}

func (d *desk) receipt(s x402.Settlement) *types.Receipt {
	d.Helper()
	receipt, err := d.Chain.WaitMined(d.Context(), common.HexToHash(s.Transaction))
	if err != nil {
		d.Fatal(err)
	}
	return receipt
}

// sent counts the account's transactions in blocks.
func (d *desk) sent(key *ecdsa.PrivateKey) uint64 {
	d.Helper()
	n, err := d.Chain.Client().NonceAt(d.Context(), x402test.AddressOf(key), nil)
	if err != nil {
		d.Fatal(err)
	}
	return n
}

// wantPaid checks that the recipient has received that many payments.
func (d *desk) wantPaid(payments int) {
	d.Helper()
	if got, want := d.Balance(d.Req.PayTo), uint64(payments)*10_000; got != want {
		d.Errorf("moved: got %d, want %d", got, want)
	}
}

// outboxes are the kinds of outbox that crash tests run on.
func outboxes(t *testing.T) map[string]func() outbox.Store {
	t.Helper()
	return map[string]func() outbox.Store{
		"memory":   func() outbox.Store { return outbox.NewMemory(time.Now) },
		"postgres": func() outbox.Store { return outbox.NewPostgres(claimstest.NewPool(t), uuid.Nil) },
	}
}

// transactions returns the distinct transactions of settlements.
func transactions(settlements []x402.Settlement) []x402.Settlement {
	var all []x402.Settlement
	for _, s := range settlements {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// until waits for something that a node does in the background.
func (d *desk) until(what string, is func() bool) {
	d.Helper()
	x402test.Await(d, what, is)
}
