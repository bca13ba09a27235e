package hostlimits

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

const agent = "TurnpikeBot"

// site is a host with a robots.txt that a test writes.
type site struct {
	*Robots

	t       *testing.T
	clock   *clocktest.Clock
	queries *db.Queries
	u       fetch.URL
	handler atomic.Pointer[http.HandlerFunc]
	asked   atomic.Int32
}

func newSite(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	return newSiteIn(t, newQueries(t), handler)
}

func newQueries(t *testing.T) *db.Queries {
	t.Helper()
	return db.New(pgtest.Open(t, pgtest.New(t, migrate), nil))
}

// newSiteIn is newSite with a database that sites share. t must be the parent test: otherwise another site could reuse
// the port of a closed server, and so find its rules.
func newSiteIn(t *testing.T, queries *db.Queries, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{t: t, clock: clocktest.New(), queries: queries}
	s.serve(handler)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			s.asked.Add(1)
		}
		(*s.handler.Load())(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := fetch.New(fetch.Config{
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true, RetriesMax: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	if s.Robots, err = NewRobots(RobotsConfig{Queries: s.queries, Fetcher: client, Agent: agent, Now: s.clock.Now}); err != nil {
		t.Fatal(err)
	}
	if s.u, err = fetch.ParseURL(server.URL + "/some/page?x#y"); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) serve(handler http.HandlerFunc) { s.handler.Store(&handler) }

// allowed asks about /a, which the rules of these tests are about, and about /b.
func (s *site) allowed() (a, b bool) {
	s.t.Helper()
	rules, err := s.For(s.t.Context(), s.u)
	if err != nil {
		s.t.Fatalf("robots.txt: %v", err)
	}
	group := rules.For(agent)
	return group.Allowed("/a"), group.Allowed("/b")
}

const noA = "User-agent: *\nDisallow: /a\n"

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// RFC 9309 section 2.3.1.
func TestStatuses(t *testing.T) {
	t.Parallel()
	queries := newQueries(t)
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		a, b bool
	}{
		{"200", answer(200, noA), false, true},
		{"200, empty", answer(200, ""), true, true},
		{"203", answer(203, noA), false, true},
		{"204", answer(204, ""), true, true},
		{"a page", answer(200, "<!doctype html><p>Hello"), true, true},
		{"304 to who asked for no such thing", answer(304, ""), true, true},
		{"400", answer(400, noA), true, true},
		{"401", answer(401, noA), true, true},
		{"403", answer(403, noA), true, true},
		{"404", answer(404, noA), true, true},
		{"410", answer(410, noA), true, true},
		{"429", answer(429, noA), true, true},
		{"500", answer(500, ""), false, false},
		{"502", answer(502, noA), false, false},
		{"503", answer(503, noA), false, false},
		{"599", answer(599, noA), false, false},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false, false},
		{"broken compression", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, noA)
		}, false, false},
		{"no type, gzip of nothing", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "gzip") }, true, true},
	} {
		s := newSiteIn(t, queries, tt.h)
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, when := range []string{"fetched", "kept"} {
				if a, b := s.allowed(); a != tt.a || b != tt.b {
					t.Errorf("%s: got /a %t, /b %t, want %t, %t", when, a, b, tt.a, tt.b)
				}
			}
			if got := s.asked.Load(); got != 1 {
				t.Errorf("got %d requests, want 1", got)
			}
		})
	}
}

// Five redirects are followed, also to another host, and the rules apply to the first host. With a sixth there is no file.
func TestRobotsRedirects(t *testing.T) {
	t.Parallel()
	queries := newQueries(t)
	other := httptest.NewServer(answer(200, noA))
	t.Cleanup(other.Close)
	chain := func(hops int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			done := strings.Count(r.URL.Path, "z")
			switch {
			case done == hops-1:
				http.Redirect(w, r, other.URL+"/anything", http.StatusMovedPermanently)
			default:
				http.Redirect(w, r, "/"+strings.Repeat("z", done+1), http.StatusFound)
			}
		}
	}
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		a, b bool
	}{
		{"one", chain(1), false, true},
		{"five", chain(5), false, true},
		{"six", chain(6), true, true},
		{"a circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, true, true},
		{"without a place", answer(302, noA), true, true},
	} {
		s := newSiteIn(t, queries, tt.h)
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if a, b := s.allowed(); a != tt.a || b != tt.b {
				t.Errorf("got /a %t, /b %t, want %t, %t", a, b, tt.a, tt.b)
			}
		})
	}
}

func TestRobotsAreKeptForADay(t *testing.T) {
	t.Parallel()
	s := newSite(t, answer(200, noA))
	s.allowed()
	s.serve(answer(200, "User-agent: *\nDisallow: /b\n"))
	s.clock.Advance(24*time.Hour - time.Second)
	if a, b := s.allowed(); a || !b || s.asked.Load() != 1 {
		t.Errorf("within a day: got /a %t, /b %t after %d requests, want the first file", a, b, s.asked.Load())
	}
	s.clock.Advance(time.Second)
	if a, b := s.allowed(); !a || b || s.asked.Load() != 2 {
		t.Errorf("after a day: got /a %t, /b %t after %d requests, want the second file", a, b, s.asked.Load())
	}
}

// If the file cannot be fetched, the host is closed and asked again soon. After thirty days it counts as having no file.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := newSite(t, answer(200, noA))
	s.allowed()
	s.serve(answer(503, ""))
	s.clock.Advance(24 * time.Hour)
	if a, b := s.allowed(); a || b {
		t.Errorf("unreachable after it was there: got /a %t, /b %t, want nothing allowed", a, b)
	}
	s.clock.Advance(11 * time.Minute)
	if a, b := s.allowed(); a || b || s.asked.Load() != 3 {
		t.Errorf("after ten minutes: got /a %t, /b %t after %d requests, want nothing allowed and another attempt", a, b, s.asked.Load())
	}
	s.clock.Advance(29 * 24 * time.Hour)
	if a, b := s.allowed(); a || b {
		t.Errorf("after 29 days: got /a %t, /b %t, want nothing allowed", a, b)
	}
	s.clock.Advance(24 * time.Hour)
	if a, b := s.allowed(); !a || !b {
		t.Errorf("after 30 days: got /a %t, /b %t, want everything allowed", a, b)
	}
	s.serve(answer(200, noA))
	s.clock.Advance(time.Hour)
	if a, b := s.allowed(); a || !b {
		t.Errorf("there again: got /a %t, /b %t, want its rules", a, b)
	}
	s.serve(answer(503, ""))
	s.clock.Advance(25 * time.Hour)
	if a, b := s.allowed(); a || b {
		t.Errorf("unreachable anew: got /a %t, /b %t, want the month to begin anew", a, b)
	}
}

// The start of a long file counts. A rule that is cut in two does not.
func TestLongFile(t *testing.T) {
	t.Parallel()
	long := noA + strings.Repeat("# padding\n", robots.BytesMax/10-3)
	long += "Disallow: /" + strings.Repeat("b", 100) + "\n" + strings.Repeat("Disallow: /b\n", 100_000)
	s := newSite(t, answer(200, long))
	for range 2 {
		if a, b := s.allowed(); a || !b {
			t.Errorf("got /a %t, /b %t, want the head's rules alone", a, b)
		}
	}
	huge := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, noA)
		for r.Context().Err() == nil {
			if _, err := fmt.Fprint(w, strings.Repeat("# padding\n", 1000)); err != nil {
				return
			}
		}
	})
	if a, b := huge.allowed(); a || !b {
		t.Errorf("a file without an end: got /a %t, /b %t, want the head's rules", a, b)
	}
}

// A file's crawl delay applies at the gate in every process while the file is valid, up to thirty seconds.
func TestCrawlDelayHoldsAtTheGate(t *testing.T) {
	t.Parallel()
	queries := newQueries(t)
	for _, tt := range []struct {
		name, text string
		want       time.Duration
	}{
		{"three seconds", "User-agent: *\nCrawl-delay: 3", 3 * time.Second},
		{"an hour", "User-agent: *\nCrawl-delay: 3600", 30 * time.Second},
		{"another's", "User-agent: other\nCrawl-delay: 3", 0},
		{"ours", "User-agent: *\nCrawl-delay: 9\nAllow: /\nUser-agent: turnpikebot\nCrawl-delay: 2", 2 * time.Second},
	} {
		s := newSiteIn(t, queries, answer(200, tt.text))
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := &idleClock{s.clock}
			g, err := New(Config{Queries: s.queries, Logger: discard, clock: clock, WaitMax: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			s.allowed()
			enter(t, g, s.u.HostPort())(answered)
			start := clock.Now()
			enter(t, g, s.u.HostPort())(answered)
			if got := clock.Now().Sub(start); got < tt.want || got > tt.want+100*time.Millisecond {
				t.Errorf("got the second turn after %s, want %s", got, tt.want)
			}
			clock.Advance(25 * time.Hour)
			enter(t, g, s.u.HostPort())(answered)
			start = clock.Now()
			enter(t, g, s.u.HostPort())(answered)
			if got := clock.Now().Sub(start); got != 0 {
				t.Errorf("a day later: got a wait of %s, want none", got)
			}
		})
	}
}

// Failures that are not the host's are not stored.
func TestWhatIsNotKept(t *testing.T) {
	t.Parallel()
	s := newSite(t, answer(200, noA))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.For(ctx, s.u); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the caller's own giving up", err)
	}
	for _, reason := range []fetch.Reason{fetch.ReasonBlockedAddress, fetch.ReasonRateLimited, fetch.ReasonGate, fetch.ReasonNoProxy} {
		failing, err := NewRobots(RobotsConfig{Queries: s.queries, Fetcher: failure{reason}, Agent: agent, Now: s.clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := failing.For(t.Context(), s.u); fetch.ReasonOf(err) != reason {
			t.Errorf("got %v, want %s", err, reason)
		}
	}
	if a, b := s.allowed(); a || !b {
		t.Errorf("got /a %t, /b %t, want the file fetched", a, b)
	}
	if _, err := NewRobots(RobotsConfig{}); err == nil {
		t.Error("got a cache without a database, want an error")
	}
}

type failure struct{ reason fetch.Reason }

func (f failure) Get(context.Context, fetch.Request) (*fetch.Response, error) {
	return nil, &fetch.Error{Reason: f.reason, Err: errors.New("no")}
}

func TestStaleRobotsArePurged(t *testing.T) {
	t.Parallel()
	s := newSite(t, answer(200, noA))
	g, err := New(Config{Queries: s.queries, Logger: discard, clock: &idleClock{s.clock}})
	if err != nil {
		t.Fatal(err)
	}
	s.allowed()
	if n, err := g.Purge(t.Context()); err != nil || n != 0 {
		t.Errorf("got %d, %v, want nothing purged", n, err)
	}
	s.clock.Advance(26 * time.Hour)
	if n, err := g.Purge(t.Context()); err != nil || n != 2 {
		t.Errorf("got %d, %v, want the file and the host purged", n, err)
	}
}

// A file that many want at once is fetched once. A request without time to wait is told when to come back.
func TestRobotsAreSharedWhileTheyAreFetched(t *testing.T) {
	t.Parallel()
	asked, answerNow := make(chan struct{}), make(chan struct{})
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		close(asked) // panics if closed twice
		<-answerNow
		fmt.Fprint(w, noA)
	})
	results := make(chan bool, 5)
	allowed := func() {
		rules, err := s.For(t.Context(), s.u)
		if err != nil {
			t.Errorf("robots.txt: %v", err)
			results <- true
			return
		}
		results <- rules.For(agent).Allowed("/a")
	}
	go allowed()
	<-asked
	_, err := s.For(fetch.WithPatience(t.Context(), time.Millisecond), s.u)
	if busy, ok := errors.AsType[*fetch.BusyError](err); !ok || busy.RetryAfter <= 0 || fetch.ReasonOf(err) != fetch.ReasonRateLimited {
		t.Errorf("got %v, want it busy, and when it is not", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.For(ended, s.u); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the caller's own giving up", err)
	}
	for range 4 {
		go allowed()
	}
	close(answerNow)
	for range 5 {
		if <-results {
			t.Error("got /a allowed, want the rules of the file")
		}
	}
}
