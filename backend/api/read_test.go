package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// A GET of a URL behind /v1/read/ returns the page's markdown, however the URL is written, and is a scrape.
func TestReadIsAScrape(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	var asked string
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RequestURI()
		servePage(w, r)
	})
	host := strings.TrimPrefix(site.URL, "http://")
	for text, want := range map[string]string{
		site.URL + "/a?b=c":                             "/a?b=c",
		"http:/" + host + "/a//b?dry_run=true":          "/a//b?dry_run=true",
		site.URL + "/a?dry_run=maybe&dry_run=2&x=%zz;y": "/a?dry_run=maybe&dry_run=2&x=%zz;y",
		url.QueryEscape(site.URL + "/a?b=c d"):          "/a?b=c+d",
		site.URL + "/a%2Fb":                             "/a%2Fb",
	} {
		w := s.get(teamPays(s.team, 1), "/v1/read/"+text)
		if text == url.QueryEscape(site.URL+"/a?b=c d") { // a plus is literal in a path
			want = "/a?b=c+d"
		}
		wantStatus(t, w, http.StatusOK)
		wantCost(t, w, "1")
		h := w.Header()
		if asked != want || h.Get("Content-Type") != "text/markdown; charset=utf-8" || !strings.Contains(w.Body.String(), "# Hello") ||
			h.Get("X-Target-Status") != "200" || h.Get("X-Credits-Consumed") != "1" {
			t.Errorf("%s: asked %q and got %v %s, want %q", text, asked, h, w.Body, want)
		}
		scrape := decoded[scrapes.Scrape](t, s.get(teamPays(s.team, 0), "/v1/scrapes/"+h.Get("X-Scrape-Id")))
		if scrape.Result.Markdown == nil || *scrape.Result.Markdown != w.Body.String() || scrape.Result.HTML != nil {
			t.Errorf("%s: got %+v, want the scrape that was made", text, scrape)
		}
	}

	paid := s.get(walletPays(walletA, 10_000), "/x402/v1/read/"+site.URL+"/x//y?z")
	wantStatus(t, paid, http.StatusOK)
	wantCost(t, paid, "10000")
	if asked != "/x//y?z" || paid.Header().Get("X-Credits-Consumed") != "0" {
		t.Errorf("asked %q and got %v", asked, paid.Header())
	}
	for _, name := range []string{"X-Scrape-Id", "X-Target-Status", "X-Credits-Consumed"} {
		if exposed := paid.Header().Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, name) {
			t.Errorf("%s is not exposed by %q", name, exposed)
		}
	}
	// One identity makes one read, however often it is sent, paid by its one hold.
	id := teamPays(s.team, 1)
	first := s.get(id, "/v1/read/"+site.URL+"/once")
	hits := site.hits.Load()
	again := s.get(id, "/v1/read/"+site.URL+"/once")
	wantCost(t, again, "1")
	if again.Body.String() != first.Body.String() || site.hits.Load() != hits {
		t.Error("a read was done twice for one payment")
	}
	gone := newTarget(t, func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) })
	missing := s.get(teamPays(s.team, 1), "/v1/read/"+gone.URL+"/")
	wantStatus(t, missing, http.StatusOK)
	if missing.Header().Get("X-Target-Status") != "404" {
		t.Errorf("got %v, want what the target answers", missing.Header())
	}
}

// A read that is refused returns a JSON problem, and costs nothing.
func TestReadsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t, options{guarded: true})
	for text, part := range map[string]string{
		"ftp://example.com/":                               "scheme",
		"javascript:alert(1)":                              "scheme",
		"https://":                                         "host",
		"https%3A%2F%2Fexample.com%2F%23a":                 "fragment",
		"https://user:pw@example.com/":                     "credentials",
		"https://example.com/" + strings.Repeat("a", 8192): "longer",
		"?url=https://example.com/":                        "missing",
	} {
		w := s.get(teamPays(s.team, 1), "/v1/read/"+text)
		if text == "?url=https://example.com/" {
			wantError(t, w, problem.NotFound)
			continue
		}
		if e := wantError(t, w, problem.ValidationError); !strings.Contains(e.Detail, part) || strings.Contains(e.Detail, "url_to_scrape") {
			t.Errorf("%s: got %q, want %q in it", text, e.Detail, part)
		}
	}
	wantError(t, s.get(teamPays(s.team, 1), "/v1/read/http://127.0.0.1/"), problem.BlockedAddress)
	head := s.do(call{method: http.MethodHead, uri: "/v1/read/https://example.com/", identity: teamPays(s.team, 1)})
	wantStatus(t, head, http.StatusBadRequest)
	wantCost(t, head, "0")
	post := s.do(call{method: http.MethodPost, uri: "/v1/read/https://example.com/", identity: teamPays(s.team, 1)})
	wantStatus(t, post, http.StatusMethodNotAllowed)
	wantError(t, s.get(teamPays(s.team, 0), "/v1/read/https://example.com/"), problem.CreditsExhausted)
	wantError(t, s.get(nobody(), "/v1/read/https://example.com/"), problem.InvalidAPIKey)
	// An identity is valid only for exactly the URL it was made for.
	for _, uri := range []string{"/v1/read/https:/example.com/", "/v1/read/https://example.com/?a", "/x402/v1/read/https://example.com/"} {
		id := teamPays(s.team, 1)
		id.URI = uri
		wantError(t, s.do(call{method: http.MethodGet, uri: "/v1/read/https://example.com/", identity: id}), problem.InvalidAPIKey)
	}
	for _, uri := range []string{"/v1//scrapes/x", "/v1/./read/x", "/v1/read", "/v1/read/", "/v1/read/.."} {
		id := teamPays(s.team, 1)
		id.Unit = edgewire.UnitCredit
		wantError(t, s.get(id, uri), problem.NotFound)
	}
}
