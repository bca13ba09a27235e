package trapsite_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/trapsite"
)

func TestSite(t *testing.T) {
	t.Parallel()
	s := trapsite.New(trapsite.Options{Slow: time.Millisecond, Other: "http://other.test"})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(path string) (int, string) {
		t.Helper()
		r, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(body)
	}
	pages := s.Pages()
	if !slices.IsSorted(pages) || len(slices.Compact(slices.Clone(pages))) != len(pages) {
		t.Errorf("got %q, want each once", pages)
	}
	seen := map[string]string{}
	for _, path := range append(pages, s.Listed()...) {
		if path = strings.Replace(path, "/member/", "/member/0123456789abcdef/", 1); s.PageAt(path) == "" && !slices.Contains(s.Listed(), path) {
			t.Errorf("%s: got no page", path)
		}
		status, body := get(path)
		if strings.HasPrefix(path, "/busy/") {
			if status != http.StatusTooManyRequests {
				t.Errorf("%s: got %d at first, want 429", path, status)
			}
			status, body = get(path)
		}
		if status != http.StatusOK || seen[body] != "" && seen[body] != path {
			t.Errorf("%s: got %d, and the same as %q, want a page of its own", path, status, seen[body])
		}
		seen[body] = path
	}
	for path, want := range map[string]int{
		"/go/loop-a": 302, "/go/self": 302, "/go/chain-1": 302, "/go/private": 302, "/nowhere": 404, "/wiki/none": 200, "/museum/none": 200, "/calendar/2031/7": 200,
		"/calendar/2031/7/4": 200, "/calendar/2031/13": 404, "/shop?sort=price&size=s": 200, "/list?page=999": 200, "/deep/left/right/left/": 200, "/wide/17": 200,
		"/DOCS/INSTALLATION": 200, "/docs/Installation/index.html": 200, "/docs/none": 404, "/old;jsessionid=0123456789abcdef": 200, "/visit/hours?visit=x": 200,
		"/robots.txt": 200, "/sitemap-index.xml": 200, "/sitemaps/articles.xml.gz": 200, "/unfollowed/one": 200, "/print" + s.Listed()[0]: 200,
	} {
		if status, _ := get(path); status != want {
			t.Errorf("%s: got %d, want %d", path, status, want)
		}
	}
	for path, want := range map[string]string{
		"/DOCS/INSTALLATION": "/docs/installation", "/docs/%69nstallation": "/docs/installation", "/docs/installation/index.html": "/docs/installation", "/Docs/": "/docs/",
		"/visit/hours?visit=x": "/visit/hours", "/member/abc/rules": "/member/rules", "/old;jsessionid=x": "/old", "/list?page=4": "", "/shop?sort=price": "",
		"/print" + s.Listed()[0]: s.Listed()[0], "/wiki/none": "", "/private/ledger": "", "/calendar/2026/11": "/calendar/2026/11", "/calendar/2026/12": "",
	} {
		if got := s.PageAt(path); got != want {
			t.Errorf("page at %s: got %q, want %q", path, got, want)
		}
	}
	if hits := s.Hits("/nowhere"); len(hits) != 1 || hits[0].Status != http.StatusNotFound || hits[0].End.Before(hits[0].Begin) {
		t.Errorf("log of a dead link: got %+v", hits)
	}
	if caught := s.Caught(); caught["calendar"] != 3 || caught["redirect loops"] != 2 {
		t.Errorf("caught: got %v", caught)
	}
}
