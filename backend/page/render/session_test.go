package render

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// The browser sends the cookies of earlier plain fetches, and the session keeps those that the page sets.
func TestCookiesOfTheSession(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	session, err := w.guard.NewSession("")
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	session.ReplaceCookies([]fetch.Cookie{
		{Name: "plain", Value: "1", Host: "site.test", Path: "/", HTTPOnly: true},
		{Name: "wide", Value: "2", Host: "site.test", Subdomains: true, Path: "/", Expires: later, SameSite: http.SameSiteLaxMode},
		{Name: "other", Value: "3", Host: "elsewhere.test", Path: "/"},
		{Name: "six", Value: "4", Host: "2001:db8::1", Path: "/"},
		{Name: "__Host-unfit", Value: "5", Host: "site.test", Path: "/deep"}, // browsers refuse it
	})
	job := w.job("http://site.test/cookies")
	job.Session = session
	result, err := r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(result.HTML), "<p>plain=1; wide=2</p>"; !strings.Contains(got, want) {
		t.Errorf("got %s, want the request to have %s", got, want)
	}
	got := map[string]fetch.Cookie{}
	for _, cookie := range session.Cookies() {
		got[cookie.Name] = cookie
	}
	for _, want := range []fetch.Cookie{
		{Name: "plain", Value: "1", Host: "site.test", Path: "/", HTTPOnly: true},
		{Name: "wide", Value: "2", Host: "site.test", Subdomains: true, Path: "/", Expires: later, SameSite: http.SameSiteLaxMode},
		{Name: "other", Value: "3", Host: "elsewhere.test", Path: "/"},
		{Name: "server", Value: "given", Host: "site.test", Path: "/"},
		{Name: "script", Value: "set", Host: "site.test", Path: "/"},
	} {
		if got[want.Name] != want {
			t.Errorf("cookie %s: got %+v, want %+v", want.Name, got[want.Name], want)
		}
	}
	if cookie, kept := got["__Host-unfit"]; kept {
		t.Errorf("got %+v, which the browser does not take", cookie)
	}
}

// Even if a page sets very many cookies, the session keeps only a limited number of them.
func TestCookieStorm(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	session, err := w.guard.NewSession("")
	if err != nil {
		t.Fatal(err)
	}
	job := w.job(holding(`<p>x</p><script>for (let i = 0; i < 1000; i++) document.cookie = "c" + i + "=" + "v".repeat(2000)</script>`))
	job.Session = session
	if _, err := r.Render(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if got := len(session.Cookies()); got == 0 || got > 30 {
		t.Errorf("got %d cookies of 2 kB kept, want at most 30", got)
	}
}

// turnstile records the turns and their outcomes.
type turnstile struct {
	mu     sync.Mutex
	events []string
	err    error
}

func (s *turnstile) notef(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

func (s *turnstile) enter(_ context.Context, hostPort string) (func(int, http.Header), error) {
	s.notef("enter %s", hostPort)
	if s.err != nil && strings.HasPrefix(hostPort, "busy.") {
		return nil, s.err
	}
	return func(statusCode int, header http.Header) {
		s.notef("leave %d %s", statusCode, header.Get("Retry-After"))
	}, nil
}

// A render takes one turn at a time, at the host of its document. The turn ends with the host's response.
func TestTurns(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	for name, c := range map[string]struct {
		address string
		want    []string
	}{
		"one page":  {"http://site.test/boxes", []string{"enter site.test:80", "leave 200 "}},
		"frames":    {"http://site.test/docs/frames", []string{"enter site.test:80", "leave 200 "}},
		"redirect":  {"http://site.test/redirect?to=http://www.site.test:8080/boxes", []string{"enter site.test:80", "leave 302 ", "enter www.site.test:8080", "leave 200 "}},
		"moves on":  {holding(`<script>location = "http://two.test/boxes"</script>`), []string{"enter site.test:80", "leave 200 ", "enter two.test:80", "leave 200 "}},
		"too many":  {"http://site.test/limited", []string{"enter site.test:80", "leave 429 120"}},
		"no answer": {"http://unknown.example/", []string{"enter unknown.example:80", "leave 0 "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stile := new(turnstile)
			job := w.job(c.address)
			job.Enter = stile.enter
			_, err := r.Render(t.Context(), job)
			if (err != nil) != (name == "no answer") {
				t.Error(err)
			}
			if !slices.Equal(stile.events, c.want) {
				t.Errorf("got %q, want %q", stile.events, c.want)
			}
		})
	}
}

// A host without a free turn in time is not contacted, and the error says why.
func TestNoTurn(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	busy := &fetch.Error{Reason: fetch.ReasonRateLimited, Err: &fetch.BusyError{Host: "busy.test:80", RetryAfter: time.Second}}
	for name, address := range map[string]string{
		"asked for": "http://busy.test/boxes",
		"redirect":  "http://site.test/redirect?to=http://busy.test/boxes",
		"moves on":  holding(`<script>location = "http://busy.test/boxes"</script>`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stile := &turnstile{err: busy}
			job := w.job(address)
			job.Enter = stile.enter
			_, err := r.Render(t.Context(), job)
			checkError(t, err, Error{Reason: ReasonNavigation, Fetch: fetch.ReasonRateLimited}, "the request limit of")
			if wait, ok := errors.AsType[*fetch.BusyError](err); !ok || wait.RetryAfter != time.Second {
				t.Errorf("got %v, which does not say when to come back", err)
			}
		})
	}
	if hits := w.hits("busy.test"); len(hits) > 0 {
		t.Errorf("the busy host was asked for %q", hits)
	}
}

// However many sockets a page opens, its host gets only a few at a time.
func TestConnectionsToOneHost(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	e, _ := openTestEgress(t, w, mebibyte)
	var open []net.Conn
	for range hostConns {
		conn, err := e.connect(t.Context(), "site.test:443")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.connect(short, "site.test:443"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v for one too many, want it to wait", err)
	}
	if conn, err := e.connect(t.Context(), "www.site.test:443"); err != nil {
		t.Errorf("another host: %v", err)
	} else {
		conn.Close()
	}
	got := make(chan error, 1)
	go func() {
		conn, err := e.connect(t.Context(), "site.test:443")
		if err == nil {
			err = conn.Close()
		}
		got <- err
	}()
	open[0].Close()
	open[0].Close() // closing twice frees one place
	if err := <-got; err != nil {
		t.Errorf("after one has ended: %v", err)
	}
	go func() {
		for range 2 {
			_, err := e.connect(t.Context(), "site.test:443")
			if err != nil {
				got <- err
			}
		}
	}()
	e.close()
	if err := <-got; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v when the egress closed, want %v", err, net.ErrClosed)
	}
}
