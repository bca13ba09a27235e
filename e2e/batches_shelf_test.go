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

// shelf is what the pages of batches and crawls are on, and where their webhooks go. It remembers what was asked for, and
// when.
type shelf struct {
	url, port string
	// html is what a page says, by its path, "" where there is none; nil: all paths are pages, without links.
	html func(path string) string
	// leads is where a path redirects to, "" where it does not; nil: none does.
	leads func(path string) string
	// takes is how long a page takes, by its path; nil: no time.
	takes func(path string) time.Duration
	// answers is how a webhook is answered; nil: 200.
	answers func(*http.Request) int
	// notices are the webhooks that came and were answered with 200.
	notices chan notice

	mu     sync.Mutex
	visits map[string][]*visit
}

// visit is a page asked for: from when, and until when it was sent; zero while it is not.
type visit struct{ begun, sent time.Time }

// notice is a webhook as its receiver has it.
type notice struct {
	path   string
	header http.Header
	body   []byte
}

// noticesMost is more than come to any receiver here.
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

// pages are the addresses of n pages, each with a path of its own below a folder.
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
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound) // a port that is not fetched
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

// visited notes that a path is asked for, and returns what notes that it was sent.
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

// visitsOf are those of a path, from the first.
func (s *shelf) visitsOf(path string) []visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	var of []visit
	for _, v := range s.visits[path] {
		of = append(of, *v)
	}
	return of
}

// asked is how often a path was asked for.
func (s *shelf) asked(path string) int {
	return len(s.visitsOf(path))
}

// askedAt is when a path was asked for first, and whether it was.
func (s *shelf) askedAt(path string) (time.Time, bool) {
	visits := s.visitsOf(path)
	if len(visits) == 0 {
		return time.Time{}, false
	}
	return visits[0].begun, true
}
