//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// TestOneItemDoesNotWaitForTenThousand queues ten thousand pages of team A. Team B then asks for one page, three times,
// and each must be requested within a second of the response. Team A's canceled batch costs only what was done.
func TestOneItemDoesNotWaitForTenThousand(t *testing.T) {
	t.Parallel()
	const pages, asks, most = 10_000, 3, time.Second
	shelf := newShelf(t, func(string) time.Duration { return 50 * time.Millisecond })
	c := newCrew(t, setup(t).withDatabase(t), shelf, 1)
	a, b := c.purse(t, pages), c.purse(t, asks)
	begun := time.Now()
	crowd := c.batch(t, a, batchOf(shelf.pages("a", pages), nil))
	t.Logf("POST /v1/batches with %d items: %s", pages, time.Since(begun).Round(time.Millisecond))
	c.await(t, a, crowd.ID, time.Minute, func(b batch) bool { return b.Done > 0 })

	for ask := range asks {
		folder := fmt.Sprintf("b%d", ask)
		one := c.batch(t, b, batchOf(shelf.pages(folder, 1), nil))
		answered := time.Now()
		if got := c.await(t, b, one.ID, time.Minute, ended); got.Done != 1 {
			t.Fatalf("team B's batch: got %+v, want its page", got)
		}
		at, _ := shelf.askedAt("/" + folder + "/1")
		wait := max(0, at.Sub(answered))
		t.Logf("team B's page was asked for %s after its answer", wait)
		if wait > most {
			t.Errorf("team B's page: asked for %s after its answer, want at most %s", wait, most)
		}
	}
	left, err := c.look(t.Context(), a, crowd.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of team A's were done by then", left.Done)
	if ended(left) {
		t.Error("team A's batch: done before team B's pages, want it to go on")
	}

	gone := call{method: http.MethodDelete, url: c.edge.URL("/v1/batches/" + crowd.ID)}.with(a.bearer()...).do(t)
	gone.wantStatus(t, http.StatusOK)
	canceled := c.await(t, a, crowd.ID, time.Minute, ended)
	if canceled.Outcome != "canceled" || canceled.Done == pages {
		t.Errorf("team A's batch: got %+v, want it canceled", canceled)
	}
	c.wantBilled(t, a, canceled)
	b.wantSpent(t, asks)
}
