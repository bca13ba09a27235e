package api_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestDocsAsMarkdown(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: allFeatures()})
	for _, tt := range []struct{ name, uri, accept, mediaType, want string }{
		{"operations", "/docs.md", "", "text/markdown", "\n### Scrape a page: `POST /v1/scrapes`\n"},
		{"fields", "/docs.md", "", "text/markdown", "\n- `url_to_scrape` (string; required): "},
		{"operations, negotiated", "/docs", "text/markdown, */*;q=0.5", "text/markdown", "\n### Scrape a page: "},
		{"operations, browser", "/docs", "text/html,*/*;q=0.8", "text/html", `href="/docs.md"`},
		{"operations, anything", "/docs", "*/*", "text/html", "<h1>"},
		{"a page", "/docs/agents.md", "", "text/markdown", "claude mcp add --transport http turnpike " + publicURL + "/mcp "},
		{"a page without .md", "/docs/agents", "text/markdown", "text/markdown", "# Setting up agents\n"},
		{"a link between pages", "/docs/agents.md", "", "text/markdown", "](mcp.md)"},
		{"a link into the repository", "/docs/README.md", "", "text/markdown", "](https://github.com/turnpike-edge/turnpike/blob/main/SECURITY.md)"},
		{"an error", "/docs/api-reference/errors/bad_request", "text/markdown", "text/markdown", "# Errors\n"},
		{"an error by name", "/docs/api-reference/errors/bad_request.md", "", "text/markdown", "# Errors\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.do(call{method: http.MethodGet, uri: tt.uri, header: http.Header{"Accept": {tt.accept}}})
			wantStatus(t, w, http.StatusOK)
			if got := w.Header().Get("Content-Type"); got != tt.mediaType+"; charset=utf-8" {
				t.Errorf("got the media type %s, want %s", got, tt.mediaType)
			}
			if !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %.3000s, want %q in it", w.Body, tt.want)
			}
		})
	}
	for _, uri := range []string{"/docs/none.md", "/docs/docs.go", "/docs/.md", "/docs/api-reference/errors/none.md"} {
		wantStatus(t, s.do(call{method: http.MethodGet, uri: uri}), http.StatusNotFound)
	}
}

// llms.txt has the parts of llmstxt.org in order, and each of its links leads somewhere.
func TestLLMsText(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: allFeatures()})
	w := s.do(call{method: http.MethodGet, uri: "/llms.txt"})
	wantStatus(t, w, http.StatusOK)
	text := w.Body.String()
	if !regexp.MustCompile(`\A# [^\n]+\n\n> [^\n]+\n\n[^#]+\n(\n## [^\n]+\n\n(- \[[^\]]+\]\(https://[^)]+\)(: [^\n]+)?\n)+)+\z`).MatchString(text) {
		t.Errorf("got a form that llmstxt.org does not describe:\n%s", text)
	}
	sections := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(text, -1)
	if first, last := sections[0][1], sections[len(sections)-1][1]; first != "Start" || last != "Optional" {
		t.Errorf("got the sections %s to %s, want Start to Optional", first, last)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		uri, isOurs := strings.CutPrefix(link[1], publicURL)
		if !isOurs {
			if !strings.HasPrefix(link[1], "https://github.com/turnpike-edge/turnpike/blob/main/") {
				t.Errorf("got the link %s, want one to the service or to the repository", link[1])
			}
			continue
		}
		wantStatus(t, s.do(call{method: http.MethodGet, uri: uri}), http.StatusOK)
	}
	for _, page := range []string{"agents", "mcp", "firecrawl", "scrapes", "errors"} {
		if !strings.Contains(text, "/docs/"+page+".md)") {
			t.Errorf("got no link to %s.md", page)
		}
	}
}
