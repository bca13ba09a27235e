package batches_test

import (
	"context"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// A batch from creation to end, with one failing page: completed items are charged, and the rest of the hold is released.
func TestBatchIsFetchedAndPaid(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages.price = 3
	p.pages.keep = func(_ context.Context, j page.Job) (page.Kept, error) {
		if strings.HasSuffix(j.URL, "/2") {
			return page.Kept{}, failure(page.ClassFinal, problem.BlockedAddress)
		}
		return kept(j), nil
	}
	tm := p.NewTeam(100)
	b := p.mustCreate(tm, 5)
	if b.Status != batches.StatusInProgress || b.Outcome != nil || b.CreditsConsumed != nil || b.CostUSD != nil || b.TotalURLs != 5 {
		t.Errorf("created: got %+v, want it in progress", b)
	}
	p.WantBalance(tm, 100, 15)
	p.work()
	b = p.untilCompleted(b.ID)
	if *b.Outcome != "succeeded" || b.CompletedURLs != 4 || b.FailedURLs != 1 || *b.CreditsConsumed != 12 || *b.CostUSD != "0.012" {
		t.Errorf("completed: got %+v with %d credits, want 4 items for 12 credits, 0.012 USD", b, *b.CreditsConsumed)
	}
	p.WantBalance(tm, 88, 0)
	p.settled()
}
