package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

func TestReplayIsStoredScrape(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	id := teamPays(s.team, 1)
	first := s.scrape(id, bodyFor(site.URL))
	wantStatus(t, first, http.StatusOK)
	second := s.scrape(id, bodyFor(site.URL))
	wantStatus(t, second, http.StatusOK)
	wantCost(t, second, "1") // the one hold of both is captured once
	if first.Body.String() != second.Body.String() {
		t.Errorf("got %s, want %s", second.Body, first.Body)
	}
	if got := site.hits.Load(); got != 1 {
		t.Errorf("got %d fetches, want 1", got)
	}
	wantError(t, s.scrape(id, bodyFor(site.URL+"/other")), problem.InvalidState)
	stolen := *id
	stolen.Payer.TeamID = s.newTeam()
	wantError(t, s.scrape(&stolen, bodyFor(site.URL)), problem.InvalidState)
	if got := site.hits.Load(); got != 1 {
		t.Errorf("got %d fetches, want 1", got)
	}
}

// One identity sent 20 times at once makes one fetch. The others are told to wait, or get the stored scrape.
func TestConcurrentReplayIsOneFetch(t *testing.T) {
	t.Parallel()
	release, arrived := make(chan struct{}), make(chan struct{}, 1)
	s := setup(t, options{})
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		servePage(w, r)
	})
	const n = 20
	id := walletPays(walletA, 10_000)
	answers := make(chan *httptest.ResponseRecorder, n)
	var all sync.WaitGroup
	for range n {
		all.Go(func() { answers <- s.scrape(id, bodyFor(site.URL)) })
	}
	<-arrived
	for range n - 1 { // all but the one that is at the target
		wantError(t, <-answers, problem.InvalidState)
	}
	close(release)
	all.Wait()
	winner := <-answers
	wantStatus(t, winner, http.StatusOK)
	wantCost(t, winner, "10000")
	if got := site.hits.Load(); got != 1 {
		t.Errorf("got %d fetches, want 1", got)
	}
	replay := s.scrape(id, bodyFor(site.URL))
	wantStatus(t, replay, http.StatusOK)
	wantCost(t, replay, "10000") // by the one payment of all
}

// A failed scrape is not charged, and the same payment can be used again.
func TestFailedScrapeCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	var broken atomic.Bool
	broken.Store(true)
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() {
			panic(http.ErrAbortHandler)
		}
		servePage(w, r)
	})
	id := walletPays(walletA, 10_000)
	e := wantError(t, s.scrape(id, bodyFor(site.URL)), problem.FetchFailed)
	if e.Metadata["reason"] != "reset" {
		t.Errorf("got reason %v, want reset", e.Metadata["reason"])
	}
	broken.Store(false)
	w := s.scrape(id, bodyFor(site.URL))
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "10000")
}

// A process that dies leaves a scrape's row in "running". Once the row is too old to be alive, the identity can be used
// again.
func TestDeadAttemptIsTakenOver(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	id := teamPays(s.team, 1)
	wantStatus(t, s.scrape(id, bodyFor(site.URL)), http.StatusOK)
	_, err := s.pool.Exec(t.Context(), `update scrape set status = 'running', result = null, finished_at = null`)
	must(t, err)
	wantError(t, s.scrape(id, bodyFor(site.URL)), problem.InvalidState)
	s.clock.Advance(scrapes.TimeLimitMax + time.Minute + time.Second)
	w := s.scrape(id, bodyFor(site.URL))
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "1")
	if !strings.Contains(w.Body.String(), "/2/page.html") {
		t.Errorf("got %s, want the content of the second attempt", w.Body)
	}
}

// A client that disconnects ends the fetch, and the scrape fails at once.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	ctx, leave := context.WithCancel(t.Context())
	site := newTarget(t, func(_ http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
	})
	body := bodyFor(site.URL)
	id := teamPays(s.team, 1)
	id.Method, id.URI = http.MethodPost, "/v1/scrapes"
	token, err := s.signer.Sign(id)
	must(t, err)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/scrapes", strings.NewReader(body))
	r.Header.Set("Turnpike-Identity", token)
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	wantError(t, w, problem.FetchFailed)
	var status string
	must(t, s.pool.QueryRow(t.Context(), `select status from scrape`).Scan(&status))
	if status != "failed" {
		t.Errorf("got status %s, want failed", status)
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	s := setup(t, options{scrapes: func(c *scrapes.Config) { c.Timeout = 50 * time.Millisecond }})
	site := newTarget(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)), problem.RequestTimeout)
}

func TestOverload(t *testing.T) {
	t.Parallel()
	s := setup(t, options{scrapes: func(c *scrapes.Config) { c.Places = admission.New(admission.Config{Size: 1}) }})
	release, arrived := make(chan struct{}), make(chan struct{})
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		servePage(w, r)
	})
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- s.scrape(teamPays(s.team, 1), bodyFor(site.URL)) }()
	<-arrived
	w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL))
	wantError(t, w, problem.Overloaded)
	if got := w.Header().Get("Retry-After"); got != "2" {
		t.Errorf("got Retry-After %q, want 2", got)
	}
	close(release)
	wantStatus(t, <-done, http.StatusOK)
}

func TestTargetsThatAnswerAreScrapes(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	tests := []struct {
		name, contentType, body string
		status                  int
		want                    string
	}{
		{"not found", "text/html", "<p>gone", 404, `"status_code":404`},
		{"server error", "text/html", "<p>oops", 500, `"status_code":500`},
		{"no content", "text/plain", "", 200, `"text_content":""`},
		{"plain text", "text/plain", "just text", 200, `"text_content":"just text"`},
		{"JSON", "application/json", `{"a":1}`, 200, `"status_code":200`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			site := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"formats":["text"]`))
			wantStatus(t, w, http.StatusOK)
			wantCost(t, w, "1")
			if !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %s, want %s in it", w.Body, tt.want)
			}
		})
	}
}

func TestTargetsThatFail(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	loop := newTarget(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	pdf := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = io.WriteString(w, "%PDF-1.7")
	})
	inward := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	tests := []struct {
		name, url string
		code      problem.Code
		reason    any
	}{
		{"nobody listens", refusing(t), problem.FetchFailed, "connect"},
		{"a circle of redirects", loop.URL, problem.FetchFailed, "too_many_redirects"},
		{"plain HTTP behind https", strings.Replace(loop.URL, "http:", "https:", 1), problem.FetchFailed, "tls"},
		{"a name that does not exist", "http://no-such-host.invalid/", problem.FetchFailed, "dns"},
		{"a redirect to a private address", inward.URL, problem.BlockedAddress, "blocked_address"},
		{"a PDF", pdf.URL, problem.UnsupportedFileType, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(tt.url)), tt.code)
			if e.Metadata["reason"] != tt.reason {
				t.Errorf("got reason %v, want %v", e.Metadata["reason"], tt.reason)
			}
		})
	}
}

func TestPrivateAddressesAreBlocked(t *testing.T) {
	t.Parallel()
	s := setup(t, options{guarded: true})
	for _, url := range []string{
		"http://127.0.0.1/", "http://localhost/", "http://2130706433/", "http://0x7f.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://10.0.0.1/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data", "http://metadata.internal/", "http://0/",
		"http://１２７.0.0.1/",
	} {
		e := wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(url)), problem.BlockedAddress)
		if strings.Contains(e.Detail, "127.0.0.1") {
			t.Errorf("got detail %q, want no address in it", e.Detail)
		}
	}
	var rows int
	must(t, s.pool.QueryRow(t.Context(), `select count(*) from scrape`).Scan(&rows))
	if rows != 0 {
		t.Errorf("got %d rows, want none", rows)
	}
}
