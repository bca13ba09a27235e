//go:build linux

package batches

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestBatchReport(t *testing.T) {
	t.Parallel()
	r := run{items: 1000, took: 4 * time.Second, worker: 3 * time.Second, postgres: time.Second, commits: 2500, memory: 100 << 20}
	if got := table(r); !strings.Contains(got, "| **items per second** | 250 |\n") || !strings.Contains(got, "Postgres** | 1000 |\n") ||
		!strings.Contains(got, "| transactions for each item | 2.50 |\n") {
		t.Errorf("got\n%s, want 250 items a second, 1000 ms and 2.50 transactions", got)
	}
	if err := check(r); err != nil {
		t.Errorf("got %v, want it within its bounds", err)
	}
	if r.memory = memoryMost + 1; check(r) == nil {
		t.Error("a worker beyond its memory: got no error, want one")
	}
}

func TestBatchPagesAreAskedForOnce(t *testing.T) {
	t.Parallel()
	p, err := serve(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.server.Close() })
	ask := func(n string) {
		t.Helper()
		rec := httptest.NewRecorder()
		p.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/pages/"+n, http.NoBody))
	}
	ask("0")
	if err := p.check(); err == nil {
		t.Error("one page was not asked for: got no error, want one")
	}
	ask("1")
	if err := p.check(); err != nil {
		t.Errorf("each was asked for once: got %v", err)
	}
	ask("1")
	if err := p.check(); err == nil {
		t.Error("one was asked for twice: got no error, want one")
	}
}
