//go:build linux

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	restarts       = 3
	restartClients = 12
	restartCredits = money.Credits(100_000)
	// restartPatience is how long a backend may be away. On a busy machine it may be away for longer than an edge waits;
	// then it is restarted once more.
	restartPatience = 8 * time.Second
	restartsMost    = 12
)

// TestRestartOfALoneBackend restarts the only backend under load. No request fails: the edge holds those that it has not
// sent yet. None is sent twice.
func TestRestartOfALoneBackend(t *testing.T) {
	t.Parallel()
	s := setup(t).withDatabase(t)
	shelf := newShelf(t, nil)
	c := newCrew(t, s, shelf, 0, "TURNPIKE_HOST_RATE=off", "TURNPIKE_HOST_CONNECTIONS=100")
	p := s.purse(t, restartCredits)
	l := &restartLoad{crew: c, purse: p}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var clients sync.WaitGroup
	for range restartClients {
		clients.Go(func() { l.run(ctx) })
	}
	c.place.Listen = c.api.Address
	for short, all := 0, 0; short < restarts; all++ {
		if all == restartsMost {
			t.Skipf("the backend was away for more than %s in %d of %d restarts: this machine has no room for it", restartPatience, all-short, all)
		}
		before := l.done.Load()
		eventually(t, "requests before a restart", func() error {
			if l.done.Load() < before+100 {
				return fmt.Errorf("%d were answered", l.done.Load()-before)
			}
			return nil
		})
		failed, began := l.failures(), time.Now()
		stopping, cancel := context.WithTimeout(ctx, time.Minute)
		if err := c.api.Stop(stopping); err != nil {
			t.Fatal(err)
		}
		api, err := rig.StartBackend(stopping, func() rig.BackendConfig { place := c.place; place.Role = "api"; return place }())
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = api.Kill() })
		c.api = api
		away := time.Since(began)
		t.Logf("away for %s", away)
		if away > restartPatience {
			l.forgive(failed)
			continue
		}
		short++
	}
	last := l.done.Load()
	eventually(t, "requests after the restarts", func() error {
		if l.done.Load() < last+100 {
			return fmt.Errorf("%d were answered", l.done.Load()-last)
		}
		return nil
	})
	l.ending.Store(true)
	clients.Wait()
	if failed := l.failures(); failed > 0 {
		t.Errorf("%d of %d requests failed over %d restarts: %q", failed, l.done.Load(), restarts, l.some)
	}
	for i := range l.scraped.Load() {
		if got := len(shelf.visitsOf(fmt.Sprintf("/page/%d", i+1))); got > 1 {
			t.Errorf("page %d: got it fetched %d times, want once", i+1, got)
		}
	}
	p.wantSpent(t, money.Credits(l.paid.Load()))
	t.Logf("%d requests, %d of them paid", l.done.Load(), l.paid.Load())
}

// restartLoad is the load meanwhile: scrapes, reads, and crawls that the backend refuses when asked for their price.
type restartLoad struct {
	crew  *crew
	purse *purse

	ending             atomic.Bool
	serial, done, paid atomic.Int64
	scraped            atomic.Int64
	mu                 sync.Mutex
	failed             int64
	some               []string
}

func (l *restartLoad) failures() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// forgive resets the number of failures.
func (l *restartLoad) forgive(failed int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed, l.some = failed, nil
}

func (l *restartLoad) run(ctx context.Context) {
	url, shelf := l.crew.edge.URL, l.crew.shelf
	for n := l.serial.Add(1); !l.ending.Load() && ctx.Err() == nil; n = l.serial.Add(1) {
		c, want := call{url: url("/v1/scrapes")}, http.StatusOK
		switch n % 4 {
		case 0:
			c = call{method: http.MethodGet, url: url("/v1/batches")}
		case 1:
			c, want = call{url: url("/v1/crawls"), body: `{"start_url":"http://10.0.0.1/","max_pages":1}`}, http.StatusForbidden
		default:
			c.body = fmt.Sprintf(`{"url_to_scrape":"%s/page/%d","formats":["markdown"]}`, shelf.url, l.scraped.Add(1))
		}
		got, err := c.with(l.purse.bearer()...).try(ctx)
		l.done.Add(1)
		if err == nil && got.status == want {
			used, _ := strconv.ParseInt(got.header.Get("X-Credits-Used"), 10, 64)
			l.paid.Add(used)
			continue
		}
		l.mu.Lock()
		if l.failed++; len(l.some) < 5 {
			l.some = append(l.some, fmt.Sprintf("%s %s: %d %.200s (%v)", c.method, c.url, got.status, got.body, err))
		}
		l.mu.Unlock()
	}
}

// TestWhatWasSentIsNotSentAgain shows that the edge never sends a request twice: a backend that accepted it and
// disappeared may have done the work.
func TestWhatWasSentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var sent atomic.Int64
	b := s.standIn(t, func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		hangUp(w, "")
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	edge, err := s.startEdge(ctx, b.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, tw := range s.twins() {
		for _, c := range []call{
			{method: http.MethodPost, url: edge + tw.prefix + "/v1/scrapes", body: fmt.Sprintf(scrapeOutput, "http://example.com/")},
			{method: http.MethodGet, url: edge + tw.prefix + "/v1/read/http://example.com/"},
		} {
			headers, wantUntouched := tw.payer(t)
			before := sent.Load()
			got := c.with(headers...).do(t)
			if got.status != http.StatusServiceUnavailable || sent.Load() != before+1 {
				t.Errorf("%s %s: got %d %.300s, sent %d times, want 503 and once", c.method, c.url, got.status, got.body, sent.Load()-before)
			}
			wantUntouched(t)
		}
	}
}
