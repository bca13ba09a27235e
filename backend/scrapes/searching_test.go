package scrapes

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// Scrapes with settings of the team's own, or with content that is not the same for everyone, are never public.
func TestWhatIsPublic(t *testing.T) {
	t.Parallel()
	const address = "https://site.example/page"
	number, text := 100, "x"
	for _, tc := range []struct {
		name    string
		options page.Options
		url     string // the requested URL
		final   string // the URL after redirects
		header  http.Header
		body    string
		browsed bool
		status  int
		want    bool
	}{
		{name: "a plain page", want: true},
		{name: "formats, links, no browser", options: page.Options{Formats: []page.Format{page.FormatText}, Render: page.RenderNever, LinksOnPage: &page.LinksInput{}}, want: true},
		{name: "public caching", header: http.Header{"Cache-Control": {"public, max-age=60"}}, want: true},
		{name: "actions", options: page.Options{Actions: []page.Action{{Type: "fill_input", Selector: &text, Value: &text}}}},
		{name: "a wait", options: page.Options{WaitBeforeScraping: number}},
		{name: "a screen", options: page.Options{ScreenSize: &page.ScreenSize{ScreenType: "mobile"}}},
		{name: "a country", options: page.Options{Country: "DE"}},
		{name: "a parser", options: page.Options{Formats: []page.Format{page.FormatHTML}, Parser: page.ParserInput(`"parser_a"`)}},
		{name: "a model's task", options: page.Options{Formats: []page.Format{page.FormatHTML}, LLMExtract: &page.LLMInput{Prompt: "all"}}},
		{name: "selectors", options: page.Options{RemoveCSSSelectors: page.SelectorsInput(`["nav"]`)}},
		{name: "classes", options: page.Options{RemoveClassNames: []string{"ad"}}},
		{name: "a query", url: address + "?session=1", final: address},
		{name: "a query after a redirect", final: address + "?token=1"},
		{name: "credentials after a redirect", final: "https://user:password@site.example/"},
		{name: "a cookie", header: http.Header{"Set-Cookie": {"a=b"}}},
		{name: "private", header: http.Header{"Cache-Control": {"max-age=0, Private"}}},
		{name: "not to be stored", header: http.Header{"Cache-Control": {"no-store"}}},
		{name: "not to be indexed", header: http.Header{"X-Robots-Tag": {"googlebot: noindex"}}},
		{name: "not to be indexed at all", header: http.Header{"X-Robots-Tag": {"none"}}},
		{name: "not to be indexed, in the page", body: `<meta content="NoIndex,follow" name="robots">`},
		{name: "rendered", browsed: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.url == "" {
				tc.url = address
			}
			if tc.final == "" {
				tc.final = tc.url
			}
			p, faults := planOf(&tc.options)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			var err error
			if p.url, err = fetch.ParseURL(tc.url); err != nil {
				t.Fatal(err)
			}
			c := &capture{source: extract.Source{URL: tc.final, Header: tc.header, Body: []byte(tc.body)}, statusCode: http.StatusOK, browsed: tc.browsed}
			got := (&Engine{config: Config{Shareable: true}}).searchedOf(p, c)
			if got == nil || got.Shareable != tc.want || got.URL != tc.final {
				t.Errorf("got %+v, want Shareable %t", got, tc.want)
			}
			if got := (&Engine{}).searchedOf(p, c); got == nil || got.Shareable {
				t.Errorf("where private ranges are allowed: got %+v, want that it may not be shared", got)
			}
		})
	}
}

// Kept pages are read again for search, whatever their formats. Content that is not a page is not.
func TestSearchableReadsWhatIsKept(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/cookie" {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<title>Owls</title><meta property=article:published_time content=2025-02-03><h1>Of owls</h1><p>They <b>hoot</b>.</p>")
	}))
	t.Cleanup(site.Close)
	engine, _ := engineWith(t, fetch.Config{})
	engine.config.Shareable = true // as if the test's site were public
	for i, tc := range []struct {
		path      string
		options   page.Options
		bare      bool
		found     bool
		shareable bool
	}{
		{path: "/", found: true, shareable: true},
		{path: "/", options: page.Options{Formats: []page.Format{page.FormatText}}, found: true, shareable: true},
		{path: "/", options: page.Options{Formats: []page.Format{page.FormatHTML}}, found: true, shareable: true},
		{path: "/cookie", found: true},
		{path: "/missing"},
		{path: "/", bare: true},
	} {
		id := "page" + string(rune('a'+i))
		kept, err := engine.Keep(t.Context(), page.Job{TeamID: "team", RetrieveID: id, Attempt: 1, URL: site.URL + tc.path, Options: tc.options, Bare: tc.bare})
		if err != nil {
			t.Fatal(err)
		}
		if queued := strings.Contains(string(kept.Outcome), `"search":`); queued != tc.found {
			t.Errorf("%d: got outcome %s, want that it is queued: %t", i, kept.Outcome, tc.found)
		}
		got, ok, err := engine.Searchable(t.Context(), id, kept.Outcome)
		if err != nil || ok != tc.found {
			t.Errorf("%d: got %t, %v, want %t", i, ok, err, tc.found)
		}
		if ok && (got.Shareable != tc.shareable || got.URL != site.URL+"/" || got.Title != "Owls" || !strings.Contains(got.Text+got.Markdown, "hoot")) {
			t.Errorf("%d: got %+v", i, got)
		}
	}
}
