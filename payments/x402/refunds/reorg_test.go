//go:build interop

package refunds

import (
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/anvil"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// TestReorganisedChain replaces blocks with settled claims and paid refunds. The command lists each difference, and so
// does the scheduled check until the payments have lapsed. From then on they are losses in the books.
func TestReorganisedChain(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	ctx := t.Context()
	kept := s.paid(false)
	first, second, back := s.paid(false), s.paid(true), s.paid(true)
	refund, err := s.refunds.Pay(ctx, back.ID, s.from(s.treasury))
	if err != nil {
		t.Fatal(err)
	}
	s.wantBooks()
	s.wantStatements()
	_ = s.facilitator.Close(ctx) // its edge is gone too: the payments are not sent again
	x402test.Reorganise(t, s.Chain, 4)
	gone := "which is not on the chain"
	s.wantBooks("is settled by", "is refund_due by", "is refunded by transaction", "is refunded by transaction "+refund.Transaction+", "+gone)
	s.wantStatements() // the chain has no unknown transfers
	s.MakeFinal()
	s.readStatements()
	s.secondLook("is refunded by transaction " + refund.Transaction + ", " + gone) // the payments are still valid
	if err := s.Chain.(*anvil.Node).Mine(ctx, 200, time.Second); err != nil {
		t.Fatal(err)
	}
	s.readStatements()
	s.secondLook("but its payment by transaction", "is refunded by transaction "+refund.Transaction+", "+gone)
	for rec, want := range map[*claims.Record]string{kept: "settled", first: "failed", second: "failed", back: "refunded"} {
		if got := s.value(`select state from x402_claim where id = $1`, rec.ID); got != want {
			t.Errorf("claim: got %s, want %s", got, want)
		}
	}
	if n, amount, err := s.auditor.Lost(ctx, time.Now().Add(-time.Hour)); err != nil || n != 2 || amount != 20_000 {
		t.Errorf("lost: got %d of %s, %v, want 2 of 0.02", n, amount, err)
	}
	if got := s.Balance(s.Req.PayTo); got != 10_000 {
		t.Errorf("the treasury has %d, want the payment that was kept", got)
	}
	if got := s.value(`select (sum(case when kind = 'x402' then amount else -amount end) - 10000)::text from ledger_transfer
		where kind in ('x402', 'reversal', 'refund') and unit = 'usdc6'`); got != "0" {
		t.Errorf("the ledger has %s more than the payment that was kept, and the refund", got)
	}
}
