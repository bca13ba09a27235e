package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

func TestRetrieve(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	made := decoded[scrapes.Scrape](t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)))
	tests := []struct {
		name, query          string
		html, markdown, text bool
	}{
		{"all that is stored", "", true, true, false},
		{"one", "&formats=markdown", false, true, false},
		{"two", "&formats=markdown&formats=html", true, true, false},
		{"with a comma", "&formats=markdown,html", true, true, false},
		{"one that is not stored", "&formats=text", false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.get(teamPays(s.team, 0), "/v1/retrieve?retrieve_id="+made.RetrieveID+tt.query)
			wantStatus(t, w, http.StatusOK)
			wantCost(t, w, "0")
			got := decoded[scrapes.Retrieved](t, w)
			if got.RetrieveID != made.RetrieveID || (got.HTML != nil) != tt.html || (got.Markdown != nil) != tt.markdown ||
				(got.Text != nil) != tt.text || (got.HTMLHostedURL != nil) != tt.html {
				t.Errorf("got %s", w.Body)
			}
			if tt.markdown && *got.Markdown != *made.Result.Markdown {
				t.Errorf("got %q, want %q", *got.Markdown, *made.Result.Markdown)
			}
		})
	}
	head := s.do(call{method: http.MethodHead, uri: "/v1/retrieve?retrieve_id=" + made.RetrieveID, identity: teamPays(s.team, 0)})
	wantStatus(t, head, http.StatusOK)
}

// Content that is too large for a response is available only at its hosted URLs, on every route, and is never cut.
func TestSizeExceeded(t *testing.T) {
	t.Parallel()
	s := setup(t, options{scrapes: func(c *scrapes.Config) { c.InlineBytesMax = 300 }})
	site := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html><body><p>" + strings.Repeat("word ", 50) + "</p></body></html>"))
	})
	w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"links_on_page":{}`))
	wantStatus(t, w, http.StatusOK)
	made := decoded[scrapes.Scrape](t, w)
	again := decoded[scrapes.Scrape](t, s.get(teamPays(s.team, 0), "/v1/scrapes/"+made.ID))
	for _, got := range []scrapes.Scrape{made, again} {
		if r := got.Result; !r.SizeExceeded || r.HTML != nil || r.Markdown != nil || r.HTMLHostedURL == nil || r.MarkdownHostedURL == nil || r.LinksOnPage == nil {
			t.Errorf("got %+v, want hosted URLs alone", r)
		}
	}
	hosted := s.do(call{method: http.MethodGet, uri: strings.TrimPrefix(*made.Result.HTMLHostedURL, publicURL)})
	wantStatus(t, hosted, http.StatusOK)
	if strings.Count(hosted.Body.String(), "word") != 50 {
		t.Errorf("got %s, want it whole", hosted.Body)
	}
	// Each format alone fits.
	one := decoded[scrapes.Retrieved](t, s.get(teamPays(s.team, 0), "/v1/retrieve?formats=markdown&retrieve_id="+made.RetrieveID))
	if one.SizeExceeded || one.Markdown == nil {
		t.Errorf("got %+v, want the markdown inline", one)
	}
}

func TestContentExpires(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	made := decoded[scrapes.Scrape](t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)))
	if n, err := s.scrapes.Purge(t.Context(), 10); n != 0 || err != nil {
		t.Fatalf("got %d, %v purged before the time, want none", n, err)
	}
	s.clock.Advance(scrapes.RetentionDefault + time.Second)
	wantError(t, s.get(teamPays(s.team, 0), "/v1/retrieve?retrieve_id="+made.RetrieveID), problem.NotFound)
	wantError(t, s.do(call{method: http.MethodGet, uri: strings.TrimPrefix(*made.Result.HTMLHostedURL, publicURL)}), problem.AccessDenied)
	w := s.get(teamPays(s.team, 0), "/v1/scrapes/"+made.ID)
	wantStatus(t, w, http.StatusOK)
	if r := decoded[scrapes.Scrape](t, w).Result; r.HTML != nil || r.HTMLHostedURL != nil || r.PageMetadata.StatusCode != 200 {
		t.Errorf("got %+v, want the scrape without its content", r)
	}
	if n, err := s.scrapes.Purge(t.Context(), 10); n != 1 || err != nil {
		t.Errorf("got %d, %v purged, want 1", n, err)
	}
	if n, err := s.scrapes.Purge(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("got %d, %v purged again, want none", n, err)
	}
	if _, err := s.blobs.Read(t.Context(), "scrapes/"+made.RetrieveID+"/1/page.html"); err == nil {
		t.Error("the content is still there")
	}
}

func TestConfigFaultsAreAllNamed(t *testing.T) {
	t.Parallel()
	_, err := api.New(api.Config{})
	for _, want := range []string{"PublicURL", "Verifier", "Wallets", "Book", "Features", "Content", "Logger", "Now"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s named", err, want)
		}
	}
	_, err = scrapes.New(scrapes.Config{Timeout: -1})
	for _, want := range []string{"Queries", "Fetcher", "Blobs", "Signer", "Logger", "Now", "negative"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s named", err, want)
		}
	}
}
