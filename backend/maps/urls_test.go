package maps_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// TestURLs lists a site for a reader of its pages: like a map, but nothing is stored.
func TestURLs(t *testing.T) {
	t.Parallel()
	s, p := newSite(t), newPlace(t)
	var locs []string
	for n := range 5 {
		locs = append(locs, fmt.Sprintf("%s/blog/%d", s.server.URL, n))
	}
	s.has("/sitemap.xml", "application/xml", urlset(append(locs, s.server.URL+"/about")...))
	r := &maps.Request{URL: s.server.URL + "/", IncludeURLs: []string{"/blog/**"}}
	urls, err := p.service.URLs(t.Context(), r, maps.Gate{}, 10)
	must(t, err)
	slices.Sort(urls)
	if !slices.Equal(urls, locs) {
		t.Errorf("got %q, want %q", urls, locs)
	}
	if urls, err = p.service.URLs(t.Context(), r, maps.Gate{}, 2); err != nil || len(urls) != 2 {
		t.Errorf("got %q, %v", urls, err)
	}
	var kept int
	must(t, p.pool.QueryRow(t.Context(), "select count(*) from map").Scan(&kept))
	if kept != 0 {
		t.Errorf("%d maps were kept", kept)
	}
	if _, err := p.service.URLs(t.Context(), &maps.Request{URL: "ftp://a.example/"}, maps.Gate{}, 1); problem.From(err).Code != problem.ValidationError {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.service.URLs(ctx, r, maps.Gate{}, 2); problem.From(err).Code != problem.RequestTimeout {
		t.Errorf("got %v", err)
	}
	if maps.Cost(1) != 1 || maps.Cost(1000) != 1 || maps.Cost(1001) != 2 {
		t.Error("a list costs 1, and 1 for each further 1,000 URLs")
	}
}

// TestGate: only URLs that the gate allows are fetched, wherever a link or redirect leads.
func TestGate(t *testing.T) {
	t.Parallel()
	s, p := newSite(t), newPlace(t)
	s.has("/", "text/html", `<a href="/open/1">1</a> <a href="/closed/1">2</a> <a href="/leads">3</a>`)
	s.has("/open/1", "text/html", `<a href="/open/2">further</a>`)
	s.has("/closed/1", "text/html", `<a href="/closed/2">further</a>`)
	s.paths["/leads"] = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/closed/3", http.StatusFound) }
	s.has("/sitemap.xml", "application/xml", urlset("@/listed"))
	s.has("/feed", "application/rss+xml", "<rss/>")
	closed := func(prefix string) func(u fetch.URL) error {
		return func(u fetch.URL) error {
			if strings.HasPrefix(u.PathAndQuery(), prefix) {
				return errors.New("closed")
			}
			return nil
		}
	}
	urls, err := p.service.URLs(t.Context(), &maps.Request{URL: s.server.URL + "/"}, maps.Gate{Page: closed("/closed/"), List: closed("/feed")}, 100)
	must(t, err)
	if !slices.Contains(urls, s.server.URL+"/open/2") || !slices.Contains(urls, s.server.URL+"/listed") || slices.Contains(urls, s.server.URL+"/closed/2") {
		t.Errorf("got %q, want what open pages and lists name", urls)
	}
	for path, want := range map[string]int{"/open/1": 1, "/leads": 1, "/closed/1": 0, "/closed/3": 0, "/feed": 0, "/sitemap.xml": 1} {
		if got := s.asked(path); got != want {
			t.Errorf("%s was asked for %d times, want %d", path, got, want)
		}
	}
	s = newSite(t)
	s.has("/", "text/html", `<a href="/x">1</a>`)
	if _, err := p.service.URLs(t.Context(), &maps.Request{URL: s.server.URL + "/"}, maps.Gate{Page: closed("/")}, 100); s.asked("/") != 0 {
		t.Errorf("got %v, and its first page was asked for", err)
	}
}
