package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

func TestScrape(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL+"/a", `"formats":["html","markdown","text"]`,
		`"metadata":{"order":7,"vip":true}`, `"links_on_page":{}`))
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "1")
	got := decoded[scrapes.Scrape](t, w)
	if got.Object != "scrape" || !strings.HasPrefix(got.ID, "scrape_") || len(got.ID) < len("scrape_")+24 || got.CreditsConsumed != 1 ||
		got.URL != site.URL+"/a" || got.URLToScrape != got.URL || got.Created != s.clock.Now().Unix() {
		t.Errorf("got %+v", got)
	}
	if got.Metadata["order"] != "7" || got.Metadata["vip"] != "true" {
		t.Errorf("got metadata %v, want strings", got.Metadata)
	}
	r := got.Result
	for name, text := range map[string]*string{"html": r.HTML, "markdown": r.Markdown, "text": r.Text} {
		if text == nil || !strings.Contains(*text, "World") || strings.Contains(*text, "Menu") {
			t.Errorf("got %s %v, want the page without its navigation", name, text)
		}
	}
	if r.JSON != nil || r.JSONHostedURL != nil || r.ScreenshotHostedURL != nil || r.SizeExceeded {
		t.Errorf("got %+v, want null for what was not asked for", r)
	}
	if m := r.PageMetadata; m.StatusCode != 200 || *m.Title != "A page" || *m.Description != "About it" || *m.Language != "en" ||
		*m.CanonicalURL != site.URL+"/canonical" || m.Rendered || m.RenderReason == "" || m.PublishedAt != nil {
		t.Errorf("got page metadata %+v", m)
	}
	if m := r.PageMetadata; m.PageType == nil || m.ExtractionQuality == nil || *m.ExtractionQuality <= 0 || *m.ExtractionQuality > 1 {
		t.Errorf("got page type %v and quality %v, want both of an HTML page", m.PageType, m.ExtractionQuality)
	}
	if want := site.URL + "/nav"; len(r.LinksOnPage) != 3 || r.LinksOnPage[0] != want {
		t.Errorf("got links %v, want 3 that begin with %s", r.LinksOnPage, want)
	}

	again := s.get(teamPays(s.team, 0), "/v1/scrapes/"+got.ID)
	wantStatus(t, again, http.StatusOK)
	wantCost(t, again, "0")
	if again.Body.String() != w.Body.String() {
		t.Errorf("got %s, want %s", again.Body, w.Body)
	}
	hosted := s.do(call{method: http.MethodGet, uri: strings.TrimPrefix(*r.MarkdownHostedURL, publicURL)})
	wantStatus(t, hosted, http.StatusOK)
	if hosted.Body.String() != *r.Markdown || !strings.HasPrefix(hosted.Header().Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("got hosted %s with %v, want the markdown, sandboxed", hosted.Body, hosted.Header())
	}
}

func TestScrapeOptions(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	tests := []struct {
		name, option string
		want, not    []string
	}{
		{"nothing removed", `"remove_css_selectors":"none"`, []string{"Menu", "Buy"}, nil},
		{"a list of selectors", `"remove_css_selectors":["p.ad","h1"]`, []string{"Menu", "World"}, []string{"Buy", "Hello"}},
		{"a list in a string", `"remove_css_selectors":"[\"p.ad\"]"`, []string{"Menu"}, []string{"Buy"}},
		{"class names", `"remove_class_names":["ad"]`, []string{"World"}, []string{"Buy", "Menu"}},
		{"images", `"remove_images":true`, []string{"World"}, []string{"i.png"}},
		{"no render", `"render":"never"`, []string{`"render_reason":"render: never"`}, nil},
		{"links as written", `"links_on_page":{"absolute_links":false}`, []string{`["/nav","/blog/one?x=1","https://other.example/z"]`}, nil},
		{"links included", `"links_on_page":{"include_links":["/blog/**"]}`, []string{`"links_on_page":["` + site.URL + `/blog/one?x=1"]`}, nil},
		{"links excluded", `"links_on_page":{"exclude_links":["/blog/*","https://other.example/**"]}`, []string{`"links_on_page":["` + site.URL + `/nav"]`}, nil},
		{"links ordered", `"links_on_page":{"absolute_links":false,"query_to_order_links_by":"first post"}`, []string{`["/blog/one?x=1","/nav","https://other.example/z"]`}, nil},
		{"no links", `"formats":["text"]`, []string{`"links_on_page":null`, `"html_content":null`}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, tt.option))
			wantStatus(t, w, http.StatusOK)
			for _, part := range tt.want {
				if !strings.Contains(w.Body.String(), part) {
					t.Errorf("got %s, want %s in it", w.Body, part)
				}
			}
			for _, part := range tt.not {
				if strings.Contains(w.Body.String(), part) {
					t.Errorf("got %s, want no %s in it", w.Body, part)
				}
			}
		})
	}
}
