//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/credits"
)

const (
	// mapURLs is how many URLs the large site has; mapAnswerMax is the most in one response.
	mapURLs      = 250_000
	mapAnswerMax = 100_000
	// mapUnits is the price of a response for a wallet, in the token's smallest unit.
	mapUnits = 10_000
	// mapMemory is how much the backend may grow while it maps the large site and sends responses of 100,000 URLs.
	mapMemory = 384 << 20
)

// urlMap is the response of a map.
type urlMap struct {
	ID        string   `json:"id"`
	Object    string   `json:"object"`
	Count     int      `json:"urls_count"`
	URLs      []string `json:"urls"`
	Cursor    *string  `json:"cursor"`
	Truncated bool     `json:"truncated"`
	Credits   int      `json:"credits_consumed"`
}

// mapClient waits a little longer than two minutes.
var mapClient = &http.Client{Transport: client.Transport, Timeout: 150 * time.Second}

// mapOf requests a map. The headers say who pays.
func (c *crew) mapOf(t *testing.T, path string, body map[string]any, headers []string) answer {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := call{url: c.edge.URL(path), body: string(text)}.with(headers...).tryBy(t.Context(), mapClient)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// mapped is mapOf for a team. It requires success, and checks that header and body report the same cost.
func (c *crew) mapped(t *testing.T, p *purse, body map[string]any) urlMap {
	t.Helper()
	got := c.mapOf(t, "/v1/maps", body, p.bearer())
	if got.status != http.StatusOK {
		t.Fatalf("map of %v: got %d %.500s", body, got.status, got.body)
	}
	var m urlMap
	got.json(t, &m)
	if used := got.header.Get("X-Credits-Used"); used != fmt.Sprint(m.Credits) || m.Object != "map" {
		t.Errorf("map of %v: got %s credits used and credits_consumed %d, want the same", body, used, m.Credits)
	}
	return m
}

// TestMaps lists the URLs of sites for teams and wallets, through the edge.
func TestMaps(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	c := newCrew(t, setup(t).withDatabase(t), &a.shelf, 0)
	large := a.land(t)
	// Six sitemaps of 50,000 URLs each. The last repeats URLs of another.
	var names []string
	for i := range 6 {
		from := min(i, 4) * (mapURLs / 5)
		name := fmt.Sprintf("/sitemaps/%d.xml.gz", i)
		large.writes(name, "application/gzip", large.zipped(t, urlset(numbered("/section", from, from+mapURLs/5)...)))
		names = append(names, name)
	}
	large.robots("/sitemaps/index.xml").has("/sitemaps/index.xml", "application/xml", sitemapIndex(names...))

	t.Run("a large site by key", func(t *testing.T) { c.mapsLarge(t, large) })
	t.Run("a large site by wallets", func(t *testing.T) { c.mapsForWallet(t, large) })
	t.Run("odd sitemaps", func(t *testing.T) {
		t.Parallel()
		c.mapsOdd(t, a)
	})
	t.Run("what is asked for", func(t *testing.T) {
		t.Parallel()
		c.mapsChosen(t, a.land(t))
	})
	t.Run("what is afforded", func(t *testing.T) {
		t.Parallel()
		c.mapsAfforded(t, a.land(t))
	})
}

// wantAll checks that these are the URLs of the large site, each once, in order.
func (l *land) wantAll(t *testing.T, got []string) {
	t.Helper()
	if len(got) != mapURLs {
		t.Errorf("got %d URLs, want %d", len(got), mapURLs)
	}
	for i, path := range numbered("/section", 0, mapURLs) {
		if i < len(got) && got[i] != l.url+path {
			t.Fatalf("URL %d: got %s, want %s", i, got[i], l.url+path)
		}
	}
}

func (c *crew) mapsLarge(t *testing.T, l *land) {
	p := c.purse(t, 1000)
	pid := c.api.PID()
	before, _ := memory(t, pid)
	resetPeak(t, pid)
	body := map[string]any{"url": l.url + "/"}
	var got []string
	var id string
	begun := time.Now()
	for i, cost := range []int{100, 100, 50} {
		m := c.mapped(t, p, body)
		if m.Credits != cost || m.Count != mapURLs || len(m.URLs) > mapAnswerMax || m.Truncated || (m.Cursor == nil) != (i == 2) || id != "" && m.ID != id {
			t.Fatalf("answer %d: got %d of %d URLs for %d, truncated %t, cursor %v, map %s, want part of one map at %d",
				i, len(m.URLs), m.Count, m.Credits, m.Truncated, m.Cursor, m.ID, cost)
		}
		id = m.ID
		got = append(got, m.URLs...)
		if m.Cursor != nil {
			body["cursor"] = *m.Cursor
		}
	}
	took := time.Since(begun)
	l.wantAll(t, got)
	p.wantSpent(t, 250)
	_, peak := memory(t, pid)
	t.Logf("%d URLs in %s; the backend took %d MiB before, and at most %d", len(got), took.Round(10*time.Millisecond), before>>20, peak>>20)
	if peak-before > mapMemory {
		t.Errorf("the backend grew by %d MiB, want at most %d", (peak-before)>>20, mapMemory>>20)
	}

	// Reading the map again is free, and only the team can do it.
	var again []string
	for cursor := ""; ; {
		var m urlMap
		if err := c.read(t.Context(), p, "/v1/maps/"+id+cursor, &m); err != nil {
			t.Fatal(err)
		}
		if again = append(again, m.URLs...); m.Cursor == nil {
			break
		}
		cursor = "?cursor=" + *m.Cursor
	}
	if !slices.Equal(again, got) {
		t.Errorf("read again: got %d URLs, want the same %d", len(again), len(got))
	}
	p.wantSpent(t, 250)
	c.mapsOfOthers(t, p, l, id, body["cursor"].(string))
}

// mapsOfOthers sends cursors that belong to another team or request.
func (c *crew) mapsOfOthers(t *testing.T, p *purse, l *land, id, cursor string) {
	t.Helper()
	other := c.purse(t, 100)
	for name, tt := range map[string]struct {
		who  *purse
		body map[string]any
	}{
		"another team's":    {other, map[string]any{"url": l.url + "/", "cursor": cursor}},
		"of other fields":   {p, map[string]any{"url": l.url + "/", "cursor": cursor, "search_query": "page"}},
		"of another site":   {p, map[string]any{"url": l.url + "/other", "cursor": cursor}},
		"cut off":           {p, map[string]any{"url": l.url + "/", "cursor": cursor[:len(cursor)-2]}},
		"no text":           {p, map[string]any{"url": l.url + "/", "cursor": 7}},
		"what nobody gives": {p, map[string]any{"url": l.url + "/", "cursor": "x"}},
	} {
		got := c.mapOf(t, "/v1/maps", tt.body, tt.who.bearer())
		if got.status != http.StatusBadRequest || !strings.Contains(string(got.body), "cursor") {
			t.Errorf("cursor %s: got %d %s, want 400 that names it", name, got.status, got.body)
		}
	}
	for _, query := range []string{"", "?cursor=" + cursor} {
		if err := c.read(t.Context(), other, "/v1/maps/"+id+query, new(urlMap)); err == nil || !strings.Contains(err.Error(), "map_not_found") {
			t.Errorf("another team's map: got %v, want map_not_found", err)
		}
	}
	other.wantSpent(t, 0)
	p.wantSpent(t, 250)
}

func (c *crew) mapsForWallet(t *testing.T, l *land) {
	w := c.wallet(t)
	body := map[string]any{"url": l.url + "/start"}
	c.mapOf(t, "/x402/v1/maps", body, nil).wantStatus(t, http.StatusPaymentRequired)
	var got []string
	for i := range 3 {
		paid := c.mapOf(t, "/x402/v1/maps", body, w.good(t, 1+i%2))
		paid.wantStatus(t, http.StatusOK)
		var m urlMap
		paid.json(t, &m)
		if m.Credits != 0 || m.Count != mapURLs || (m.Cursor == nil) != (i == 2) {
			t.Fatalf("answer %d: got %d of %d URLs for %d credits, cursor %v", i, len(m.URLs), m.Count, m.Credits, m.Cursor)
		}
		got = append(got, m.URLs...)
		if m.Cursor != nil {
			body["cursor"] = *m.Cursor
		}
	}
	l.wantAll(t, got)
	w.wantSpent(t, 3*mapUnits)
	w.wantStates(t, "settled", "settled", "settled")
}

// mapsOdd maps sites whose sitemaps are malformed or unusual.
func (c *crew) mapsOdd(t *testing.T, a *atlas) {
	const extensions = ` xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`
	filler := "<url><loc>@/b</loc><note>" + strings.Repeat("x", 1000) + "</note></url>\n"
	for _, tt := range []struct {
		name string
		site func(l *land)
		want []string // without the site's URL
		cut  bool     // truncated
	}{
		{"malformed after the first", func(l *land) {
			l.robots("/s.xml").has("/s.xml", "text/xml", strings.Replace(urlset("/a", "/b"), "<url><loc>@/b", "<url><loc<@/b", 1))
		}, []string{"/a"}, false},
		{"no XML at all", func(l *land) {
			l.robots("/s.xml", "/t.xml").has("/s.xml", "text/xml", "<html><body>Not found</body></html>").has("/t.xml", "text/xml", urlset("/a"))
		}, []string{"/a"}, false},
		{"51 MiB", func(l *land) {
			text := urlset("/a")
			text = strings.TrimSuffix(text, "</urlset>") + strings.Repeat(filler, 51<<20/len(filler)+1) + "<url><loc>@/c</loc></url></urlset>"
			l.robots("/s.xml").has("/s.xml", "text/xml", text)
		}, []string{"/a", "/b"}, true},
		{"51 MiB, compressed", func(l *land) {
			text := strings.TrimSuffix(urlset("/a"), "</urlset>") + strings.Repeat(filler, 51<<20/len(filler)+1) + "<url><loc>@/c</loc></url></urlset>"
			l.robots("/s.xml.gz").writes("/s.xml.gz", "application/gzip", l.zipped(t, text))
		}, []string{"/a", "/b"}, true},
		{"50,001 entries", func(l *land) {
			l.robots("/s.xml").has("/s.xml", "text/xml", urlset(append(numbered("/x", 0, 50_000), "/z")...))
		}, numbered("/x", 0, 50_000), true},
		{"a bomb", func(l *land) {
			begin := strings.TrimSuffix(urlset("/a"), "</urlset>")
			l.robots("/s.xml.gz", "/t.xml").writes("/s.xml.gz", "application/gzip", l.bomb(t, begin, 512)).has("/t.xml", "text/xml", urlset("/b"))
		}, []string{"/a", "/b"}, false},
		{"billion laughs", func(l *land) {
			var laughs strings.Builder
			for i := range 9 {
				fmt.Fprintf(&laughs, `<!ENTITY l%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
			}
			text := strings.Replace(urlset("/a", "/b"), "<urlset", `<!DOCTYPE lolz [<!ENTITY l0 "lol">`+laughs.String()+"]><urlset", 1)
			l.robots("/s.xml").has("/s.xml", "text/xml", strings.Replace(text, "@/b", "@/&l9;", 1))
		}, []string{"/&l9;", "/a"}, false},
		{"circles", func(l *land) {
			l.robots("/a.xml").has("/a.xml", "text/xml", sitemapIndex("/a.xml", "/b.xml")).has("/b.xml", "text/xml", sitemapIndex("/c.xml", "/a.xml")).
				has("/c.xml", "text/xml", sitemapIndex("/a.xml", "/b.xml", "/d.xml")).has("/d.xml", "text/xml", urlset("/found"))
		}, []string{"/found"}, false},
		{"wrong types", func(l *land) {
			l.robots("/s", "/t", "/u").has("/s", "image/png", urlset("/a")).has("/t", "text/html", urlset("/b")).
				writes("/u", "text/plain; charset=utf-8", l.zipped(t, urlset("/c")))
		}, []string{"/a", "/b", "/c"}, false},
		{"UTF-16", func(l *land) {
			text := strings.ReplaceAll(strings.Replace(urlset("/a", "/b"), "UTF-8", "UTF-16", 1), "@", l.url)
			l.robots("/s.xml").writes("/s.xml", "application/xml", func(w io.Writer) { _, _ = io.WriteString(w, wide(t, text)) })
		}, []string{"/a", "/b"}, false},
		{"text with junk", func(l *land) {
			l.robots("/s.txt").has("/s.txt", "text/plain", "\ufeff# our pages\r\n@/a\r\n\r\nnot a URL\r\njavascript:alert(1)\r\n@/b\r\n/relative\r\n"+strings.Repeat("x", 10_000)+"\r\n@/c")
		}, []string{"/a", "/b", "/c"}, false},
		{"news and images", func(l *land) {
			l.robots("/s.xml").has("/s.xml", "text/xml", `<urlset `+sitemapNS+extensions+`<url><loc>@/a</loc><news:news><news:title>News</news:title></news:news>
				<image:image><image:loc>@/picture.jpg</image:loc></image:image></url><url><image:image><image:loc>@/p.png</image:loc></image:image><loc>@/b</loc></url></urlset>`)
		}, []string{"/a", "/b"}, false},
		{"another host's", func(l *land) {
			l.robots("/s.xml").has("/s.xml", "text/xml", strings.Replace(urlset("/a", "/b"), "@/b", "http://example.org/b", 1))
		}, []string{"/a"}, false},
		{"the same in other words", func(l *land) {
			l.robots("/s.xml").has("/s.xml", "text/xml", urlset("/a?x=1&amp;y=2", "/a?y=2&amp;x=1", "/a?x=1&amp;y=2&amp;utm_source=z", "/%61?x=1&amp;y=2#there", "/%7Eb", "/~b"))
		}, []string{"/a?x=1&y=2", "/~b"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := a.land(t)
			tt.site(l)
			p := c.purse(t, 100)
			m := c.mapped(t, p, map[string]any{"url": l.url + "/start"})
			got := make([]string, len(m.URLs))
			for i, u := range m.URLs {
				got[i] = strings.TrimPrefix(u, l.url)
			}
			if !slices.Equal(got, tt.want) || m.Truncated != tt.cut || m.Count != len(tt.want) || m.Credits != 1+(len(tt.want)-1)/1000 {
				t.Errorf("got %d URLs %.300q of %d, truncated %t, for %d, want %d %.300q, truncated %t", len(got), got, m.Count, m.Truncated, m.Credits,
					len(tt.want), tt.want, tt.cut)
			}
		})
	}
}

// mapsChosen maps parts of a site.
func (c *crew) mapsChosen(t *testing.T, l *land) {
	l.robots("/s.xml").has("/s.xml", "text/xml", urlset("/blog/tolls", "/blog/toll-bridges", "/blog/draft/tolls", "/about", "/blog/bridges", "/blog/x?print=1"))
	p := c.purse(t, 1000)
	for name, tt := range map[string]struct {
		more map[string]any
		want []string
	}{
		"all":       {nil, []string{"/about", "/blog/bridges", "/blog/draft/tolls", "/blog/toll-bridges", "/blog/tolls", "/blog/x?print=1"}},
		"include":   {map[string]any{"include_urls": []string{"/about", "/blog/*"}}, []string{"/about", "/blog/bridges", "/blog/toll-bridges", "/blog/tolls", "/blog/x?print=1"}},
		"exclude":   {map[string]any{"include_urls": []string{"/blog/**"}, "exclude_urls": []string{"**/draft/**", "/**?*print=*"}}, []string{"/blog/bridges", "/blog/toll-bridges", "/blog/tolls"}},
		"query":     {map[string]any{"search_query": "toll bridge", "top_n": 2}, []string{"/blog/toll-bridges", "/blog/bridges"}},
		"nothing":   {map[string]any{"include_urls": []string{"/nowhere/**"}}, []string{}},
		"one host":  {map[string]any{"include_subdomain": false, "include_urls": []string{"/about"}}, []string{"/about"}},
		"by a page": {map[string]any{"include_urls": []string{l.url + "/about"}}, []string{"/about"}},
	} {
		body := map[string]any{"url": l.url + "/start"}
		maps.Copy(body, tt.more)
		m := c.mapped(t, p, body)
		got := make([]string, len(m.URLs))
		for i, u := range m.URLs {
			got[i] = strings.TrimPrefix(u, l.url)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// mapsAfforded maps 4,500 URLs with fewer credits than that costs.
func (c *crew) mapsAfforded(t *testing.T, l *land) {
	l.robots("/s.xml").has("/s.xml", "text/xml", urlset(numbered("/x", 0, 4500)...))
	p := c.purse(t, 3)
	body := map[string]any{"url": l.url + "/start"}
	first := c.mapped(t, p, body)
	if len(first.URLs) != 3000 || first.Count != 4500 || first.Credits != 3 || first.Cursor == nil {
		t.Fatalf("with 3 credits: got %d of %d URLs for %d, want 3,000 and a cursor", len(first.URLs), first.Count, first.Credits)
	}
	p.wantSpent(t, 3)
	body["cursor"] = *first.Cursor
	c.mapOf(t, "/v1/maps", body, p.bearer()).wantStatus(t, http.StatusPaymentRequired)
	if _, err := credits.NewLedger(c.pool).Grant(t.Context(), credits.Grant{TeamID: p.team, Amount: 10, Source: credits.SourcePromo, Key: p.team + " more"}); err != nil {
		t.Fatal(err)
	}
	p.granted += 10
	rest := c.mapped(t, p, body)
	if len(rest.URLs) != 1500 || rest.Credits != 2 || rest.Cursor != nil || rest.ID != first.ID {
		t.Errorf("with more: got %d URLs for %d and cursor %v, want the 1,500 that are left for 2", len(rest.URLs), rest.Credits, rest.Cursor)
	}
	got := slices.Concat(first.URLs, rest.URLs)
	for i, path := range numbered("/x", 0, 4500) {
		if i < len(got) && got[i] != l.url+path {
			t.Fatalf("URL %d: got %s, want %s", i, got[i], path)
		}
	}
	p.wantSpent(t, 5)
}
