package price

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// bookServer publishes a document that tests replace.
type bookServer struct {
	*httptest.Server

	mu          sync.Mutex
	status      int
	document    string
	etag        string
	notModified atomic.Int64
}

func newBookServer(t *testing.T, status int, document string) *bookServer {
	t.Helper()
	s := &bookServer{status: status, document: document, etag: `"1"`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.URL.Path != WellKnownPath {
			http.NotFound(w, r)
			return
		}
		if s.status == http.StatusOK && r.Header.Get("If-None-Match") == s.etag {
			s.notModified.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", s.etag)
		w.WriteHeader(s.status)
		_, _ = w.Write([]byte(s.document))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *bookServer) set(status int, document, etag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.document, s.etag = status, document, etag
}

// ticks is a clock that tests control: each tick ends one wait, and the next wait means that the fetch in between is done.
type ticks struct {
	waits chan time.Duration
	tick  chan time.Time
}

func (c *ticks) after(d time.Duration) <-chan time.Time {
	c.waits <- d
	return c.tick
}

func (c *ticks) fetch() time.Duration {
	c.tick <- time.Time{}
	return <-c.waits
}

func newTestRemote(t *testing.T, s *bookServer) (*Remote, *ticks) {
	t.Helper()
	clock := &ticks{waits: make(chan time.Duration), tick: make(chan time.Time)}
	r := NewRemote(RemoteConfig{
		URL: s.URL + WellKnownPath, Refresh: time.Minute, Client: s.Client(), Logger: slog.New(slog.DiscardHandler), After: clock.after,
	})
	t.Cleanup(r.Close)
	return r, clock
}

const (
	bookAtOne = `{"version": 1, "rules": [{"path": "/a", "unit": "credit", "price": 1}]}`
	bookAtTwo = `{"version": 1, "rules": [{"path": "/a", "unit": "credit", "price": 2}]}`
)

func remotePrice(t *testing.T, r *Remote) (int64, error) {
	t.Helper()
	q, err := r.Price(t.Context(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/a", nil), edgewire.UnitCredit)
	return q.Amount, err
}

func TestRemoteRefreshes(t *testing.T) {
	t.Parallel()
	s := newBookServer(t, http.StatusOK, bookAtOne)
	r, clock := newTestRemote(t, s)
	if wait := <-clock.waits; wait < time.Minute || wait > 72*time.Second {
		t.Errorf("got a wait of %s, want a minute and at most a fifth more", wait)
	}
	steps := []struct {
		name             string
		status           int
		document, etag   string
		want             int64
		wantUnchangedAdd int64
	}{
		{"unchanged", http.StatusOK, bookAtOne, `"1"`, 1, 1},
		{"changed", http.StatusOK, bookAtTwo, `"2"`, 2, 0},
		{"away", http.StatusBadGateway, "", `"2"`, 2, 0},
		{"nonsense", http.StatusOK, `{"version": 1, "rules": [{"path": "a"}]}`, `"3"`, 2, 0},
		{"nonsense is asked for again", http.StatusOK, bookAtOne, `"3"`, 1, 0},
	}
	for _, step := range steps {
		before := s.notModified.Load()
		s.set(step.status, step.document, step.etag)
		clock.fetch()
		if got, err := remotePrice(t, r); err != nil || got != step.want {
			t.Errorf("%s: got %d, error %v, want %d", step.name, got, err, step.want)
		}
		if got := s.notModified.Load() - before; got != step.wantUnchangedAdd {
			t.Errorf("%s: got %d answers of 304, want %d", step.name, got, step.wantUnchangedAdd)
		}
	}
}

// Nothing is offered before the first price book was read, and everything at once after that.
func TestRemoteWithoutBook(t *testing.T) {
	t.Parallel()
	s := newBookServer(t, http.StatusServiceUnavailable, "")
	r, clock := newTestRemote(t, s)
	if wait := <-clock.waits; wait > 2*RetryAfter {
		t.Errorf("got a wait of %s, want about %s", wait, RetryAfter)
	}
	if _, err := remotePrice(t, r); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	s.set(http.StatusOK, bookAtOne, `"1"`)
	if got, err := remotePrice(t, r); err != nil || got != 1 {
		t.Errorf("got %d, error %v, want 1 without waiting for the next look", got, err)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	paths, err := NewPaths("/docs", "/docs/*", "/v1/crawls/*")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"/docs": true, "/docs/": false, "/docs/a": true, "/docs/a/b": true, "/Docs": false, "/docsearch": false,
		"/docs/../v1/x": false, "/docs/%2e%2e/x": false, "/docs/..;/x": false, "//docs": false, "/v1/crawls/1": true,
		"/v1/crawls": false, "": false, "*": false,
	} {
		if got := paths.Match(path); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
	if _, err := NewPaths("/a", "b", "/c*"); err == nil || len(err.Error()) < 40 {
		t.Errorf("got %v, want both faults", err)
	}
}
