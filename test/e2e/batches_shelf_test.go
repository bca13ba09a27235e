//go:build linux

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// shelf is the site that batches and crawls fetch, and the receiver of their webhooks. It logs each request with its
// time.
type shelf struct {
	url, port string
	// html returns the page at a path, "" if there is none. nil: every path is a page without links.
	html func(path string) string
	// leads returns where a path redirects to, "" if it does not. nil: no path redirects.
	leads func(path string) string
	// takes returns how long a path takes to respond. nil: no delay.
	takes func(path string) time.Duration
	// answers returns the status with which a webhook is answered. nil: 200.
	answers func(*http.Request) int
	// notices holds the webhooks that were answered with 200.
	notices chan notice

	mu     sync.Mutex
	visits map[string][]*visit
}

// visit is one request for a page: when it began, and when the response was sent (zero until then).
type visit struct{ begun, sent time.Time }

// notice is a webhook as its receiver gets it.
type notice struct {
	path   string
	header http.Header
	body   []byte
}

// noticesMost is more than any receiver in these tests gets.
const noticesMost = 10_000

func newShelf(t *testing.T, takes func(path string) time.Duration) *shelf {
	t.Helper()
	s := &shelf{takes: takes, notices: make(chan notice, noticesMost), visits: map[string][]*visit{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	_, s.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return s
}

// pages returns the URLs of n pages, each with its own path below a folder.
func (s *shelf) pages(folder string, n int) []string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf("%s/%s/%d", s.url, folder, i+1)
	}
	return urls
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // it is sent again
		}
		if s.answers != nil {
			if status := s.answers(r); status != http.StatusOK {
				w.WriteHeader(status)
				return
			}
		}
		s.notices <- notice{r.URL.Path, r.Header.Clone(), body}
		return
	}
	sent := s.visited(r.URL.Path)
	if s.takes != nil {
		timer := time.NewTimer(s.takes(r.URL.Path))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done(): // its worker was killed
			return
		}
	}
	if strings.HasPrefix(r.URL.Path, "/astray/") {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound) // a port that may not be fetched
		return
	}
	if s.leads != nil {
		if to := s.leads(r.URL.Path); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
	}
	page := fmt.Sprintf("<!doctype html><title>Page %[1]s</title><main><h1>Page %[1]s</h1><p>Taken off the shelf.</p></main>", r.URL.Path)
	if s.html != nil {
		page = s.html(r.URL.Path)
	}
	if page == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, page)
	sent()
}

// visited records a request for a path, and returns a function that records that the response was sent.
func (s *shelf) visited(path string) (sent func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &visit{begun: time.Now()}
	s.visits[path] = append(s.visits[path], v)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		v.sent = time.Now()
	}
}

// visitsOf returns the requests for a path, oldest first.
func (s *shelf) visitsOf(path string) []visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	var of []visit
	for _, v := range s.visits[path] {
		of = append(of, *v)
	}
	return of
}

// asked returns how often a path was requested.
func (s *shelf) asked(path string) int {
	return len(s.visitsOf(path))
}

// askedAt returns when a path was first requested, and whether it was.
func (s *shelf) askedAt(path string) (time.Time, bool) {
	visits := s.visitsOf(path)
	if len(visits) == 0 {
		return time.Time{}, false
	}
	return visits[0].begun, true
}
