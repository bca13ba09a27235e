package batches_test

import (
	"testing"

	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// A dispute and a revoked key do not stop a running batch: it continues on its hold. What is released from the hold
// first pays the team's debt.
func TestDisputeInTheMiddle(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	begun, release := make(chan string, 100), make(chan struct{})
	p.pages.keep = blocking(begun, release)
	tm := p.NewTeam(100)
	b := p.mustCreate(tm, 40)
	p.work()
	<-begun
	ctx := t.Context()
	_, err := p.Ledger.ClawBack(ctx, credits.Clawback{TeamID: tm.ID, Amount: 100, Cause: credits.CauseDispute, Key: "dp_" + tm.ID})
	workshop.Must(t, err)
	if _, err := p.Pool.Exec(ctx, `update api_key set revoked_at = now() where id = $1`, tm.Key); err != nil {
		t.Fatal(err)
	}
	wants := func(balance, held, owed money.Credits) {
		t.Helper()
		got, err := p.Ledger.Balance(ctx, tm.ID)
		workshop.Must(t, err)
		if got.Balance != balance || got.Held != held || got.Owed != owed {
			t.Errorf("got %+v, want a balance of %d with %d held, and %d owed", got, balance, held, owed)
		}
	}
	wants(40, 40, 40)
	close(release)
	if b = p.untilCompleted(b.ID); b.CompletedURLs != 40 || *b.CreditsConsumed != 40 {
		t.Errorf("got %+v for %d credits, want all of it", b, *b.CreditsConsumed)
	}
	p.settled()
	wants(0, 0, 40)
}
