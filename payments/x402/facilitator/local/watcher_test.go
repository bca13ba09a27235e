package local

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

func TestWatcherWaitsForConfirmations(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	const confirmations = 3
	patient := c.watcher.WithConfirmations(confirmations)
	p := c.Payment(2, nil)
	done, err := c.local.Settle(t.Context(), p, c.Req)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(w *evm.Watcher, most time.Duration) (bool, error) {
		ctx, cancel := context.WithTimeout(t.Context(), most)
		defer cancel()
		paid, block, err := w.Confirm(ctx, p, c.Req, done.Transaction)
		if paid && block != done.Block {
			t.Errorf("confirmed in block %d, want %d, in which it was settled", block, done.Block)
		}
		return paid, err
	}
	if paid, err := ask(c.watcher, time.Minute); err != nil || !paid {
		t.Errorf("with one confirmation: got %v, %v, want paid", paid, err)
	}
	if paid, err := ask(patient, 50*time.Millisecond); paid || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("too early: got %v, %v, want that the time is over", paid, err)
	}
	for blocks := 1; blocks < confirmations; blocks++ {
		seen, err := patient.Lookup(t.Context(), p, c.Req, time.Now())
		if err != nil || seen.Outcome != x402.OutcomeUnclear || seen.Transaction != done.Transaction {
			t.Errorf("lookup after %d blocks: got %+v, %v, want unclear, with the transaction", blocks, seen, err)
		}
		c.Reverted() // any transaction makes a block
	}
	if paid, err := ask(patient, time.Minute); err != nil || !paid {
		t.Errorf("in time: got %v, %v, want paid", paid, err)
	}
	seen, err := patient.Lookup(t.Context(), p, c.Req, time.Now())
	if err != nil || seen.Outcome != x402.OutcomePaid || seen.Transaction != done.Transaction {
		t.Errorf("lookup in time: got %+v, %v, want paid", seen, err)
	}
}

// TestUnusedCountsByAConfirmedBlock: a younger block may be replaced by one with an earlier time, in which the
// authorisation is still valid.
func TestUnusedCountsByAConfirmedBlock(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	block := func() *types.Header {
		c.Reverted() // any transaction makes a block
		h, err := c.Chain.Client().HeaderByNumber(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	first, newest := block(), block()
	p := c.Payment(2, nil)
	for n, want := range map[int]uint64{1: newest.Time, 2: first.Time} {
		seen, err := c.watcher.WithConfirmations(n).Lookup(t.Context(), p, c.Req, time.Now())
		if err != nil || seen.Outcome != x402.OutcomeUnused || seen.ChainTime.Unix() != int64(want) {
			t.Errorf("%d confirmations: got %+v, %v, want unused at %d", n, seen, err, want)
		}
	}
	seen, err := c.watcher.WithConfirmations(1000).Lookup(t.Context(), p, c.Req, time.Now())
	if err != nil || seen.Outcome != x402.OutcomeUnused {
		t.Errorf("more confirmations than blocks: got %+v, %v", seen, err)
	}
}

func TestConfirmRefuses(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	p := c.Payment(2, nil)
	other, err := c.local.Settle(t.Context(), c.Payment(1, nil), c.Req)
	if err != nil {
		t.Fatal(err)
	}
	for name, transaction := range map[string]string{"another payment's": other.Transaction, "failed": c.Reverted()} {
		if paid, _, err := c.watcher.Confirm(t.Context(), p, c.Req, transaction); paid || err != nil {
			t.Errorf("%s: got %v, %v, want that it does not pay", name, paid, err)
		}
	}
	for name, transaction := range map[string]string{"no": x402test.SampleHash, "a short": "0x12"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if paid, _, err := c.watcher.Confirm(ctx, p, c.Req, transaction); paid || err == nil {
			t.Errorf("%s transaction: got %v, %v, want an error", name, paid, err)
		}
		cancel()
	}
}
