package maps_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/payments/money"
)

func TestSources(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	page := func(links ...string) string {
		return `<html><head><link rel="alternate" type="application/rss+xml" href="/news.rss"></head><body><a href="` + strings.Join(links, `">x</a><a href="`) + `">x</a></body></html>`
	}
	tests := []struct {
		name  string
		site  func(s *site)
		start string
		want  []string
		cut   bool // truncated
	}{
		{"named by robots.txt", func(s *site) {
			s.has("/robots.txt", "text/plain", "User-agent: *\nDisallow: /s\nSitemap: @/s/1.xml\nSitemap: /s/2.txt\n")
			s.has("/s/1.xml", "application/xml", urlset("@/b", "@/a", "@/a#x", "@/a?utm_source=y", "https://other.example/z"))
			s.has("/s/2.txt", "text/plain", "@/c\njunk\n@/b")
			s.has("/sitemap.xml", "application/xml", urlset("@/not-asked"))
		}, "/nothing", []string{"/a", "/b", "/c"}, false},
		{"the usual places", func(s *site) {
			s.has("/sitemap_index.xml", "text/xml", index("@/one.xml", "@/two.xml.gz"))
			s.has("/one.xml", "text/html", urlset("@/1"))
			s.hasBytes("/two.xml.gz", "text/xml; charset=utf-8", zip(t, urlset(s.server.URL+"/2")))
		}, "/", []string{"/1", "/2"}, false},
		{"indexes that go in circles", func(s *site) {
			s.has("/sitemap.xml", "text/xml", index("@/sitemap.xml", "@/a.xml"))
			s.has("/a.xml", "text/xml", index("@/b.xml", "@/sitemap.xml", "https://other.example/s.xml"))
			s.has("/b.xml", "text/xml", index("@/a.xml", "@/c.xml"))
			s.has("/c.xml", "text/xml", urlset("@/found"))
		}, "/", []string{"/found"}, false},
		{"indexes without end", func(s *site) {
			for i := range 9 {
				s.has(fmt.Sprintf("/%d.xml", i), "text/xml", index(fmt.Sprintf("@/%d.xml", i+1)))
			}
			s.has("/sitemap.xml", "text/xml", index("@/1.xml", "@/x.xml"))
			s.has("/x.xml", "text/xml", urlset("@/found"))
		}, "/", []string{"/found"}, true},
		{"malformed, and too many", func(s *site) {
			s.has("/robots.txt", "text/plain", "Sitemap: @/bad.xml\nSitemap: @/gone.xml\nSitemap: @/many.txt\n")
			s.has("/bad.xml", "text/xml", strings.Replace(urlset("@/1", "@/2"), "<url><loc>@/2", "<url><<", 1))
			s.has("/many.txt", "text/plain", strings.Repeat("@/same\n", 50_001))
		}, "/", []string{"/1", "/same"}, true},
		{"more than 50 MB", func(s *site) {
			s.has("/robots.txt", "text/plain", "Sitemap: @/large.xml")
			filler := "<url><loc>@/2</loc><note>" + strings.Repeat("x", 10_000) + "</note></url>"
			s.has("/large.xml", "text/xml", strings.Replace(urlset("@/1", "@/3"), "<url><loc>@/3", strings.Repeat(filler, 51<<20/len(filler))+"<url><loc>@/3", 1))
		}, "/", []string{"/1", "/2"}, true},
		{"a sitemap as the start", func(s *site) {
			s.has("/start.xml", "text/xml", index("@/a.xml"))
			s.has("/a.xml", "text/xml", urlset("@/found"))
		}, "/start.xml", []string{"/found"}, false},
		{"feeds and links", func(s *site) {
			s.has("/robots.txt", "text/plain", "User-agent: *\nDisallow: /private")
			s.has("/", "text/html", page("/one", "/private/x", "https://other.example/", "/picture.png", "mailto:x@example.com"))
			s.has("/one", "text/html", page("/two"))
			s.has("/two", "text/html", page("/three"))
			s.has("/private/x", "text/html", page("/secret"))
			s.has("/news.rss", "application/rss+xml", `<rss version="2.0"><channel><title>n</title><item><link>@/news/1</link><title>t</title></item></channel></rss>`)
		}, "/", []string{"/", "/news/1", "/one", "/private/x", "/two"}, false},
		{"nofollow", func(s *site) {
			s.has("/", "text/html", `<html><head><meta name="Robots" content="noindex, NoFollow"></head><body><a href="/one">1</a></body></html>`)
			s.has("/one", "text/html", page("/two"))
		}, "/", []string{"/", "/one"}, false},
		{"a site without anything", func(*site) {}, "/", []string{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			tt.site(s)
			c := p.subscriber(100)
			m, err := p.service.Create(t.Context(), c, &maps.Request{URL: s.server.URL + tt.start})
			must(t, err)
			if got := relative(s, m.URLs); !slices.Equal(got, tt.want) || m.URLsCount != len(tt.want) || m.Truncated != tt.cut || c.Cost() != 1 || m.Cursor != nil {
				t.Errorf("got %q (%d, truncated %t, cost %d), want %q (%t)", got, m.URLsCount, m.Truncated, c.Cost(), tt.want, tt.cut)
			}
			for _, forbidden := range []string{"/private/x", "/not-asked"} {
				if n := s.asked(forbidden); n > 0 {
					t.Errorf("%s was asked for", forbidden)
				}
			}
			for path, n := range s.hits {
				if n > 1 && path != "/robots.txt" {
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
		})
	}
}

func TestChoosing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	s.has("/sitemap.xml", "text/xml", urlset("@/blog/tolls", "@/blog/toll-bridges", "@/blog/draft/tolls", "@/about", "@/blog/bridges"))
	two, no := 2, false
	for _, tt := range []struct {
		name string
		r    maps.Request
		want []string
	}{
		{"all", maps.Request{}, []string{"/about", "/blog/bridges", "/blog/draft/tolls", "/blog/toll-bridges", "/blog/tolls"}},
		{"globs", maps.Request{IncludeURLs: []string{"/blog/**"}, ExcludeURLs: []string{"**/draft/**"}}, []string{"/blog/bridges", "/blog/toll-bridges", "/blog/tolls"}},
		{"query", maps.Request{SearchQuery: "toll bridge", TopN: &two}, []string{"/blog/toll-bridges", "/blog/bridges"}},
		{"top_n alone", maps.Request{TopN: &two}, []string{"/about", "/blog/bridges"}},
		{"one host", maps.Request{IncludeSubdomain: &no, IncludeURLs: []string{"/about"}}, []string{"/about"}},
	} {
		tt.r.URL = s.server.URL + "/x"
		if got := relative(s, p.make(p.subscriber(1), tt.r).URLs); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A site of 250,000 URLs in six sitemaps comes in three responses, without missing or duplicate URLs.
func TestLargeSite(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	const files, each = 6, 50_000
	all := map[string]bool{}
	var names []string
	for f := range files {
		locs := make([]string, 0, each)
		for i := range each {
			// The sixth file repeats the fifth.
			path := fmt.Sprintf("/section-%d/page-%d", min(f, files-2), i)
			all[s.server.URL+path] = true
			locs = append(locs, s.server.URL+path)
		}
		name := fmt.Sprintf("/sitemap-%d.xml.gz", f)
		s.hasBytes(name, "application/gzip", zip(t, urlset(locs...)))
		names = append(names, "@"+name)
	}
	s.has("/robots.txt", "text/plain", "Sitemap: @/index.xml")
	s.has("/index.xml", "application/xml", index(names...))
	r := maps.Request{URL: s.server.URL + "/start"}
	var got []string
	for i, want := range []struct{ urls, cost int }{{100_000, 100}, {100_000, 100}, {50_000, 50}} {
		c := p.subscriber(100)
		m := p.make(c, r)
		if len(m.URLs) != want.urls || c.Cost() != int64(want.cost) || m.URLsCount != 250_000 || int(m.Credits) != want.cost {
			t.Fatalf("answer %d: got %d URLs of %d at %d, want %+v", i, len(m.URLs), m.URLsCount, c.Cost(), want)
		}
		again := p.make(c, r)
		if c.Cost() != int64(want.cost) || !slices.Equal(again.URLs, m.URLs) || again.ID != m.ID || again.Credits != m.Credits {
			t.Errorf("answer %d: a repetition got %d URLs at %d, want the same at %d", i, len(again.URLs), c.Cost(), want.cost)
		}
		ctx, end := context.WithCancel(t.Context())
		free, err := p.service.Map(ctx, c, m.ID, r.Cursor)
		end()
		if err != nil || !slices.Equal(free.URLs, m.URLs) || free.Credits != 0 {
			t.Errorf("answer %d: read again got %v, want the same for nothing", i, err)
		}
		got = append(got, m.URLs...)
		if last := i == 2; last != (m.Cursor == nil) {
			t.Fatalf("answer %d: got cursor %v", i, m.Cursor)
		}
		if m.Cursor != nil {
			r.Cursor = *m.Cursor
		}
	}
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 250_000 {
		t.Errorf("got %d URLs, want 250,000 different ones in order", len(got))
	}
	for _, u := range got {
		delete(all, u)
	}
	if len(all) > 0 {
		t.Errorf("%d URLs are missing", len(all))
	}
	for path, n := range s.hits {
		if n > 1 {
			t.Errorf("%s was asked for %d times, want one map to be made", path, n)
		}
	}
}

// A response ends where its hold does, and continues with a cursor. In USDC it is complete.
func TestWhatIsAfforded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	locs := make([]string, 4500)
	for i := range locs {
		locs[i] = fmt.Sprintf("@/%04d", i)
	}
	s.has("/sitemap.xml", "text/xml", urlset(locs...))
	r := maps.Request{URL: s.server.URL + "/x"}
	var got []string
	for _, want := range []struct {
		credits    money.Credits
		urls, cost int
	}{{2, 2000, 2}, {1, 1000, 1}, {100, 1500, 2}} {
		c := p.subscriber(want.credits)
		m := p.make(c, r)
		if len(m.URLs) != want.urls || c.Cost() != int64(want.cost) {
			t.Fatalf("for %d: got %d URLs at %d, want %+v", want.credits, len(m.URLs), c.Cost(), want)
		}
		if got = append(got, m.URLs...); m.Cursor != nil {
			r.Cursor = *m.Cursor
		}
	}
	if !slices.IsSorted(got) || len(slices.Compact(got)) != len(locs) {
		t.Errorf("got %d URLs, want all in order", len(got))
	}
	c := p.wallet()
	if m := p.make(c, maps.Request{URL: r.URL}); len(m.URLs) != len(locs) || c.Cost() != 10000 || m.Credits != 0 {
		t.Errorf("a wallet got %d URLs at %d, want all at 10000", len(m.URLs), c.Cost())
	}
}

// When the time limit is reached, the response holds what was found.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *maps.Config) { c.TimeLimit = 2 * time.Second })
	s := newSite(t)
	s.has("/robots.txt", "text/plain", "Sitemap: @/fast.xml\nSitemap: @/slow.xml")
	s.has("/fast.xml", "text/xml", urlset("@/1"))
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	s.paths["/slow.xml"] = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}
	c := p.subscriber(100)
	m := p.make(c, maps.Request{URL: s.server.URL + "/x"})
	if got := relative(s, m.URLs); !slices.Equal(got, []string{"/1"}) || !m.Truncated || c.Cost() != 1 {
		t.Errorf("got %q, truncated %t, want what was found", got, m.Truncated)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	s.has("/sitemap.xml", "text/xml", urlset("@/1", "@/2"))
	gone := newSite(t)
	gone.server.Close()
	broken := newSite(t)
	broken.paths["/robots.txt"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	zero, tooMany := 0, maps.PageURLsMax+1
	at := s.server.URL
	m := p.make(p.subscriber(1), maps.Request{URL: at})
	for _, tt := range []struct {
		name string
		r    maps.Request
		code problem.Code
		in   string
	}{
		{"no URL", maps.Request{URL: "x"}, problem.ValidationError, "url"},
		{"ftp", maps.Request{URL: "ftp://example.com/"}, problem.ValidationError, "url"},
		{"top_n of nothing", maps.Request{URL: at, SearchQuery: "x", TopN: &zero}, problem.ValidationError, "top_n"},
		{"top_n too large", maps.Request{URL: at, SearchQuery: "x", TopN: &tooMany}, problem.ValidationError, "top_n"},
		{"bad glob", maps.Request{URL: at, IncludeURLs: []string{"/a", ""}}, problem.ValidationError, "include_urls.1"},
		{"bad cursor", maps.Request{URL: at, Cursor: "x"}, problem.ValidationError, "cursor"},
		{"unknown cursor", maps.Request{URL: at, Cursor: maps.Cursor("map_000000000000000000000000", 0)}, problem.ValidationError, "cursor"},
		{"cursor behind the end", maps.Request{URL: at, Cursor: maps.Cursor(m.ID, 2)}, problem.ValidationError, "cursor"},
		{"cursor with other fields", maps.Request{URL: at, SearchQuery: "x", Cursor: maps.Cursor(m.ID, 0)}, problem.ValidationError, "different request"},
		{"private address", maps.Request{URL: "http://10.0.0.1/"}, problem.BlockedAddress, ""},
		{"no connection", maps.Request{URL: gone.server.URL}, problem.FetchFailed, ""},
		{"robots.txt fails", maps.Request{URL: broken.server.URL}, problem.FetchFailed, "500"},
	} {
		c := p.subscriber(100)
		if e := p.refused(c, tt.r, tt.code); !strings.Contains(e.Detail, tt.in) {
			t.Errorf("%s: got %q, want it to name %q", tt.name, e.Detail, tt.in)
		}
	}
	other := p.subscriber(1)
	other.TeamID = p.newTeam()
	p.refused(other, maps.Request{URL: at, Cursor: maps.Cursor(m.ID, 0)}, problem.ValidationError)
	for _, id := range []string{m.ID, "map_000000000000000000000000", "map_x", "\x00"} {
		if _, err := p.service.Map(t.Context(), other, id, ""); problem.From(err).Code != problem.MapNotFound {
			t.Errorf("another team's %q: got %v, want map_not_found", id, err)
		}
	}
	c := p.subscriber(1)
	p.make(c, maps.Request{URL: at})
	p.refused(c, maps.Request{URL: at, SearchQuery: "x"}, problem.InvalidState)
	p.refused(c, maps.Request{URL: gone.server.URL}, problem.InvalidState)
}

func TestPurge(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := newSite(t)
	s.has("/sitemap.xml", "text/xml", urlset("@/1", "@/2"))
	c := p.subscriber(1)
	m := p.make(c, maps.Request{URL: s.server.URL})
	purge := func() int {
		n, err := p.service.Purge(t.Context(), 10)
		must(t, err)
		return n
	}
	if n := purge(); n != 0 {
		t.Errorf("got %d purged, want none before their time is over", n)
	}
	p.clock.Advance(maps.RetentionDefault + time.Second)
	if _, err := p.service.Map(t.Context(), c, m.ID, ""); problem.From(err).Code != problem.MapNotFound {
		t.Errorf("got %v, want map_not_found", err)
	}
	p.refused(p.subscriber(1), maps.Request{URL: s.server.URL, Cursor: maps.Cursor(m.ID, 0)}, problem.ValidationError)
	if n := purge() + purge(); n != 1 {
		t.Errorf("got %d purged, want 1, once", n)
	}
	if _, err := p.blobs.Read(t.Context(), "maps/"+m.ID+"/0.gz"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("got %v, want the URLs gone", err)
	}
}
