package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// made scrapes for the service's team and returns the scrape.
func (s *service) made(body string) scrapes.Scrape {
	s.t.Helper()
	w := s.scrape(teamPays(s.team, 20), body)
	wantStatus(s.t, w, http.StatusOK)
	return decoded[scrapes.Scrape](s.t, w)
}

// A copy is a scrape like any other, with all that the first one stored, at the same price, and without a request.
func TestScrapeOfACopy(t *testing.T) {
	t.Parallel()
	s, engines := withEngines(t)
	site := newTarget(t, servePage)
	const all = `"formats":["markdown","text","raw_pdf"],"parser":"p","links_on_page":{},"record":true`
	first := s.made(bodyFor(site.URL+"/a", all))
	if first.Age != 0 {
		t.Errorf("got age %d of a fetched page, want 0", first.Age)
	}
	hits, jobs := site.hits.Load(), len(engines.jobs)
	s.clock.Advance(90*time.Second + time.Millisecond)
	w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL+"/a", all, `"max_age":120`, `"metadata":{"n":"2"}`))
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "1")
	copied := decoded[scrapes.Scrape](t, w)
	if site.hits.Load() != hits || len(engines.jobs) != jobs {
		t.Errorf("got %d requests and %d pages in a browser, want no more than %d and %d", site.hits.Load(), len(engines.jobs), hits, jobs)
	}
	if copied.Age != 91 || copied.ID == first.ID || copied.RetrieveID == first.RetrieveID || copied.CreditsConsumed != 1 || copied.Metadata["n"] != "2" {
		t.Errorf("got %+v, want another scrape whose content is 91 s old", copied)
	}
	a, b := first.Result, copied.Result
	if *a.Markdown != *b.Markdown || *a.Text != *b.Text || *a.JSON != *b.JSON || string(a.JSONObject) != string(b.JSONObject) ||
		strings.Join(a.LinksOnPage, " ") != strings.Join(b.LinksOnPage, " ") || *a.PageMetadata.Title != *b.PageMetadata.Title {
		t.Errorf("got %+v, want the content of %+v", b, a)
	}
	// Its content is its own: that of the first is gone before.
	must(t, s.blobs.DeleteAll(t.Context(), "scrapes/"+first.RetrieveID))
	for _, hosted := range []*string{b.RawPDFHostedURL, b.MarkdownHostedURL, b.JSONHostedURL, b.WARCHostedURL} {
		wantStatus(t, s.do(call{method: http.MethodGet, uri: strings.TrimPrefix(*hosted, publicURL)}), http.StatusOK)
	}
	if again := s.get(teamPays(s.team, 0), "/v1/scrapes/"+copied.ID); again.Body.String() != w.Body.String() {
		t.Errorf("got %s, want %s", again.Body, w.Body)
	}
	// What cannot be read is fetched.
	if got := s.made(bodyFor(site.URL+"/a", all, `"max_age":120`)); got.Age != 0 || got.Result.Markdown == nil {
		t.Errorf("got %+v, want the page fetched, because its copy is damaged", got)
	}
}

func TestWhenACopyIsRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, first, second string
		passed              time.Duration
		want                int64 // its age, 0: the page is fetched
	}{
		{"no max_age", ``, ``, time.Second, 0},
		{"max_age is zero", ``, `"max_age":0`, time.Second, 0},
		{"the same options", `"formats":["text"]`, `"formats":["text"],"max_age":60`, time.Second, 1},
		{"the same options by default", ``, `"formats":["markdown","html"],"render":"auto","max_age":60`, time.Second, 1},
		{"as old as it may be", ``, `"max_age":60`, time.Minute, 60},
		{"older", ``, `"max_age":60`, time.Minute + time.Millisecond, 0},
		{"just made", ``, `"max_age":60`, 0, 1},
		{"other formats", `"formats":["text"]`, `"formats":["text","html"],"max_age":60`, time.Second, 0},
		{"other options", `"remove_images":true`, `"max_age":60`, time.Second, 0},
		{"another version of the parser", `"parser":"p@6"`, `"parser":"p","max_age":60`, time.Second, 0},
		{"the same version of the parser", `"parser":{"id":"p@7"}`, `"parser":"p","max_age":60`, time.Second, 1},
		{"a record that was not made", ``, `"record":true,"max_age":60`, time.Second, 0},
		{"content that has expired", ``, `"max_age":604800`, scrapes.RetentionDefault, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _ := withEngines(t)
			site := newTarget(t, servePage)
			options := func(text string) []string {
				if text == "" {
					return nil
				}
				return []string{text}
			}
			s.made(bodyFor(site.URL, options(tt.first)...))
			s.clock.Advance(tt.passed)
			hits := site.hits.Load()
			if got := s.made(bodyFor(site.URL, options(tt.second)...)); got.Age != tt.want || (site.hits.Load() > hits) != (tt.want == 0) {
				t.Errorf("got age %d after %d requests, want age %d", got.Age, site.hits.Load()-hits, tt.want)
			}
		})
	}
}

func TestCopiesOfOthersAndOfErrors(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = fmt.Fprint(w, "<p>some words</p>")
	})
	s.made(bodyFor(site.URL + "/a"))
	s.clock.Advance(time.Second)
	other := s.newTeam()
	for _, payer := range []string{s.team, other} {
		w := s.scrape(teamPays(payer, 1), bodyFor(site.URL+"/a", `"max_age":60`))
		wantStatus(t, w, http.StatusOK)
		if got := decoded[scrapes.Scrape](t, w).Age; (got == 1) != (payer == s.team) {
			t.Errorf("got age %d for the first team: %t, want a copy for it alone", got, payer == s.team)
		}
	}
	wantStatus(t, s.scrape(walletPays(walletA, 10_000), bodyFor(site.URL+"/b")), http.StatusOK)
	w := s.scrape(walletPays(walletA, 10_000), bodyFor(site.URL+"/b", `"max_age":60`))
	wantStatus(t, w, http.StatusOK)
	if got := decoded[scrapes.Scrape](t, w).Age; got == 0 {
		t.Error("got the page fetched, want the wallet's copy")
	}
	// A copy of a copy is as old as the first.
	s.clock.Advance(time.Second)
	if got := s.made(bodyFor(site.URL+"/a", `"max_age":60`)).Age; got != 2 {
		t.Errorf("got age %d, want 2", got)
	}
	s.made(bodyFor(site.URL + "/missing"))
	if got := s.made(bodyFor(site.URL+"/missing", `"max_age":60`)); got.Age != 0 || got.Result.PageMetadata.StatusCode != http.StatusNotFound {
		t.Errorf("got %+v, want the error page fetched again", got)
	}
	wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"max_age":604801`)), problem.ValidationError)
	wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"max_age":-1`)), problem.ValidationError)
}
