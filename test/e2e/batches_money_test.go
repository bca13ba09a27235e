//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestDisputeInMidBatch disputes a card payment while a batch runs. The batch keeps its hold, runs on and is paid for.
// What the hold releases goes towards the debt.
func TestDisputeInMidBatch(t *testing.T) {
	t.Parallel()
	const good, astray, granted = 150, 50, 300
	shelf := newShelf(t, func(string) time.Duration { return 20 * time.Millisecond })
	c := newCrew(t, setup(t).withDatabase(t), shelf, 1)
	p := c.purse(t, granted)
	made := c.batch(t, p, batchOf(slices.Concat(shelf.pages("a", good), shelf.pages("astray", astray)), nil))
	c.await(t, p, made.ID, time.Minute, func(b batch) bool { return b.Done > 0 })
	ledger := credits.NewLedger(c.pool)
	moved, err := ledger.ClawBack(t.Context(), credits.Clawback{TeamID: p.team, Amount: granted, Cause: credits.CauseDispute, Key: "dp_1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the dispute took %+v", moved)

	b := c.await(t, p, made.ID, time.Minute, ended)
	if b.Done != good || b.Failed != astray || b.Outcome != "succeeded" {
		t.Errorf("batch: got %+v, want %d completed and %d failed", b, good, astray)
	}
	c.wantCaptured(t, b.ID, b.Done, b.Total)
	balance, err := ledger.Balance(t.Context(), p.team)
	if err != nil || balance.Balance != 0 || balance.Held != 0 || balance.Owed != good {
		t.Errorf("balance: got %+v (%v), want nothing left, nothing held, and owed what the pages cost", balance, err)
	}
}

// TestBatchOfAWallet shows that a wallet pays for a batch by its number of items before the batch is created, and reads
// it by its id. If no page could be fetched, a refund is due.
func TestBatchOfAWallet(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, tt := range []struct {
		name, more, outcome string
		done                int
		state               string
	}{
		{"fetched", "", "succeeded", 2, "settled"},
		{"nothing to be fetched", "?to=http://127.0.0.1/", "failed", 0, "refund_due"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.wallet(t)
			c := call{url: s.edge + "/x402/v1/batches", body: batchOf([]string{s.pages.fresh() + tt.more, s.pages.fresh() + tt.more}, nil)}
			c.do(t).wantStatus(t, http.StatusPaymentRequired)
			c.with(w.good(t, 1)...).do(t).wantStatus(t, http.StatusPaymentRequired) // the price of one item
			pays := w.payment(t, 1).altered(func(a *x402.Authorization) { a.Value = money.MicroUSDC(2 * scrapeUnits) })
			var made, b batch
			paid := c.with(pays.headers(t)...).do(t)
			paid.wantStatus(t, http.StatusOK)
			paid.json(t, &made)
			eventually(t, "the end of "+made.ID, func() error {
				call{method: http.MethodGet, url: s.edge + "/v1/batches/" + made.ID}.do(t).json(t, &b)
				if !ended(b) {
					return fmt.Errorf("got %+v", b)
				}
				return nil
			})
			if b.Outcome != tt.outcome || b.Done != tt.done || b.Credits == nil || *b.Credits != 0 {
				t.Errorf("batch: got %+v, want it %s with %d pages, and no credits", b, tt.outcome, tt.done)
			}
			w.wantSpent(t, 2*scrapeUnits)
			w.wantStates(t, tt.state)
		})
	}
}
