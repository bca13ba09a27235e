package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

const shop = `<!doctype html><title>Shop</title><div id="root">Please wait a moment</div><script src="/app.js"></script>`

func serveShell(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(shop))
}

// A browser that is only tried as a fallback cannot make the result worse.
func TestBrowserThatIsTried(t *testing.T) {
	t.Parallel()
	const why = "shell for scripts (empty #root)"
	tests := []struct {
		name     string
		engines  func(e *engines)
		rendered bool
		reason   string
		text     string
	}{
		{"works", func(e *engines) { e.rendered = "<h1>Ropes</h1><p>by the metre" }, true, why, "by the metre"},
		{"is not there", func(e *engines) { e.available = errors.New("none") }, false, why + "; no browser", "Please wait"},
		{"shows less", func(e *engines) { e.rendered = "<h1>No" }, false, why + "; had less text in the browser", "Please wait"},
		{"crashes", func(e *engines) { e.renderErr = &render.Error{Reason: render.ReasonCrashed, Err: errors.New("x")} }, false, why + "; browser failed: crashed", "Please wait"},
		{"is busy", func(e *engines) { e.renderErr = &render.Error{Reason: render.ReasonBusy, Err: errors.New("x")} }, false, why + "; browser failed: busy", "Please wait"},
		{"is turned away", func(e *engines) {
			e.renderErr = &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonReset, Err: errors.New("x")}
		}, false, why + "; browser failed: reset", "Please wait"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, e := withEngines(t)
			tt.engines(e)
			site := newTarget(t, serveShell)
			w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"formats":["text"]`))
			wantStatus(t, w, http.StatusOK)
			wantCost(t, w, "1")
			got := decoded[scrapes.Scrape](t, w).Result
			if got.PageMetadata.Rendered != tt.rendered || got.PageMetadata.RenderReason != tt.reason || !strings.Contains(said(got.Text), tt.text) {
				t.Errorf("got %+v with %q, want rendered %t for %q with %q", got.PageMetadata, said(got.Text), tt.rendered, tt.reason, tt.text)
			}
		})
	}
}

// If the request itself needs a browser and the browser fails, the scrape fails and costs nothing.
func TestBrowserThatFails(t *testing.T) {
	t.Parallel()
	inner := errors.New("the secret inner text")
	tests := []struct {
		name   string
		err    *render.Error
		code   problem.Code
		reason any
		retry  string
	}{
		{"no browser starts", &render.Error{Reason: render.ReasonUnavailable, Err: inner}, problem.RendererUnavailable, nil, ""},
		{"busy", &render.Error{Reason: render.ReasonBusy, Err: inner}, problem.Overloaded, nil, "2"},
		{"a private address", &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonBlockedAddress, Err: inner}, problem.BlockedAddress, "blocked_address", ""},
		{"no such name", &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonDNS, Err: inner}, problem.FetchFailed, "dns", ""},
		{"a bad certificate", &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonTLS, Err: inner}, problem.FetchFailed, "tls", ""},
		{"a circle", &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonTooManyRedirects, Err: inner}, problem.FetchFailed, "too_many_redirects", ""},
		{"a slow host", &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonTimeout, Err: inner}, problem.RequestTimeout, nil, ""},
		{
			"a busy host", &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonRateLimited, Err: &fetch.BusyError{RetryAfter: 90 * time.Second}},
			problem.Overloaded, "rate_limited", "90",
		},
		{"an answer that is none", &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonBadResponse, Err: inner}, problem.FetchFailed, "bad_response", ""},
		{"an action", &render.Error{Reason: render.ReasonAction, Action: 3, Err: errors.New(`click "#go": there is no such element`)}, problem.FetchFailed, "action_failed", ""},
		{"time", &render.Error{Reason: render.ReasonTimeout, Err: inner}, problem.RequestTimeout, nil, ""},
		{"the caller leaves", &render.Error{Reason: render.ReasonCanceled, Err: inner}, problem.FetchFailed, "canceled", ""},
		{"a crash", &render.Error{Reason: render.ReasonCrashed, Err: inner}, problem.FetchFailed, "page_crashed", ""},
		{"too large", &render.Error{Reason: render.ReasonTooLarge, Err: inner}, problem.FetchFailed, "body_too_large", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, e := withEngines(t)
			e.renderErr = tt.err
			site := newTarget(t, serveShell)
			w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"render":"always"`))
			got := wantError(t, w, tt.code)
			if got.Metadata["reason"] != tt.reason || w.Header().Get("Retry-After") != tt.retry {
				t.Errorf("got %v and Retry-After %q, want reason %v and %q", got.Metadata, w.Header().Get("Retry-After"), tt.reason, tt.retry)
			}
			if tt.err.Reason == render.ReasonAction && (got.Metadata["action"] != 3.0 || !strings.Contains(got.Detail, "there is no such element")) {
				t.Errorf("got %q with %v, want which action and why", got.Detail, got.Metadata)
			}
			if strings.Contains(w.Body.String(), "secret inner") {
				t.Errorf("got %s, which tells what is for operators", w.Body)
			}
		})
	}
}

// Extraction costs what the price book says, and nothing if it fails.
func TestPriceOfExtraction(t *testing.T) {
	t.Parallel()
	s, e := withEngines(t)
	site := newTarget(t, servePage)
	schema := bodyFor(site.URL, `"llm_extract":{"schema":{"type":"object"}}`)
	for _, tt := range []struct {
		name, body, want string
	}{
		{"a schema", schema, "20"},
		{"a prompt", bodyFor(site.URL, `"llm_extract":{"prompt":"x"}`), "20"},
		{"a parser", bodyFor(site.URL, `"parser":"p"`), "1"},
		{"nothing of the kind", bodyFor(site.URL, `"llm_extract":null,"parser":null`), "1"},
	} {
		w := s.scrape(teamPays(s.team, 20), tt.body)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: got %d %s", tt.name, w.Code, w.Body)
		}
		wantCost(t, w, tt.want)
	}
	if len(e.tasks) != 2 || string(e.tasks[0].Schema) != `{"type":"object"}` || e.tasks[1].Prompt != "x" {
		t.Errorf("got tasks %+v, want the schema and the prompt", e.tasks)
	}
	if !e.hadData {
		t.Error("the parser got a document without its structured data, and reads the page once more")
	}
	if len(e.parsed) != 1 || e.parsed[0] != s.team+" p@7" {
		t.Errorf("got parsers %q, want the version that the team's p names", e.parsed)
	}
	if source := e.sourcesRead[0]; source.MediaType != "text/html" || source.URL != site.URL+"/" || source.Header == nil || len(source.Body) == 0 {
		t.Errorf("got the source %+v, want the page as it came", source)
	}
	wantError(t, s.scrape(teamPays(s.team, 19), schema), problem.CreditsExhausted)

	e.extractErr = errors.New("the secret inner text")
	wantError(t, s.scrape(teamPays(s.team, 20), schema), problem.InternalServerError)
	e.parseErr = problem.New(problem.InvalidParserInput, "The page is not what the parser reads.")
	wantError(t, s.scrape(teamPays(s.team, 20), bodyFor(site.URL, `"parser":"p"`)), problem.InvalidParserInput)
}

// Everything that a scrape keeps is deleted when its retention is over.
func TestPurgeDeletesAllFormats(t *testing.T) {
	t.Parallel()
	s, _ := withEngines(t)
	site := newTarget(t, servePage)
	w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL, `"formats":["html","markdown","text","json","raw_pdf","screenshot"],"parser":"p","links_on_page":{}`))
	wantStatus(t, w, http.StatusOK)
	made := decoded[scrapes.Scrape](t, w)
	names := []string{"page.html", "page.md", "page.txt", "page.json", "page.pdf", "page.png", "links.json"}
	key := func(name string) string { return "scrapes/" + made.RetrieveID + "/1/" + name }
	for _, name := range names {
		if _, err := s.blobs.Read(t.Context(), key(name)); err != nil {
			t.Errorf("%s: %v, want it kept", name, err)
		}
	}
	s.clock.Advance(scrapes.RetentionDefault + time.Second)
	if n, err := s.scrapes.Purge(t.Context(), 10); n != 1 || err != nil {
		t.Fatalf("got %d, %v purged, want 1", n, err)
	}
	for _, name := range names {
		if _, err := s.blobs.Read(t.Context(), key(name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// Other features get a page exactly as a scrape does.
func TestPageForOthers(t *testing.T) {
	t.Parallel()
	s, e := withEngines(t)
	e.rendered = "<h1>Ropes</h1><p>by the metre"
	site := newTarget(t, serveShell)
	source, err := s.scrapes.Page(t.Context(), s.team, site.URL+"/x", membudget.NewBudget(0).Hold())
	must(t, err)
	if source.URL != site.URL+"/x" || !source.Rendered || !strings.Contains(string(source.Body), "by the metre") {
		t.Errorf("got %+v, want the page as rendered", source)
	}
	for address, want := range map[string]problem.Code{"nonsense": problem.ValidationError, refusing(t): problem.FetchFailed} {
		if _, err := s.scrapes.Page(t.Context(), s.team, address, membudget.NewBudget(0).Hold()); problem.From(err).Code != want {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
	guarded := setup(t, options{guarded: true})
	if _, err := guarded.scrapes.Page(t.Context(), guarded.team, site.URL, membudget.NewBudget(0).Hold()); problem.From(err).Code != problem.BlockedAddress {
		t.Errorf("got %v, want the guard's refusal", err)
	}
}
