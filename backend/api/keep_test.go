package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	webpage "github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// job is a page of a feature that has its own rows.
func (s *service) job(url string, o webpage.Options) webpage.Job {
	return webpage.Job{
		TeamID: s.team, RetrieveID: token.Random(), Attempt: 1, URL: url, Options: o,
		Expires: s.clock.Now().Add(scrapes.RetentionDefault), Background: true,
	}
}

// keep writes the rows that make content readable, as a feature does in its own transaction.
func (s *service) keep(team string, kept ...webpage.Kept) {
	s.t.Helper()
	p := db.KeepContentsParams{TeamID: team, Source: "batch", CreatedAt: s.clock.Now()}
	for _, k := range kept {
		p.RetrieveIds, p.Attempts = append(p.RetrieveIds, k.RetrieveID), append(p.Attempts, int32(k.Attempts))
		p.Outcomes, p.Expiries = append(p.Outcomes, string(k.Outcome)), append(p.Expiries, k.Expires)
	}
	must(s.t, pgx.BeginFunc(s.t.Context(), s.pool, func(tx pgx.Tx) error { return db.New(tx).KeepContents(s.t.Context(), p) }))
}

func (s *service) retrieve(id string) string { return "/v1/retrieve?retrieve_id=" + id }

// Content of other features is read like a scrape's: completely, once a row exists, and by those who may.
func TestContentOfOtherFeatures(t *testing.T) {
	t.Parallel()
	s, _ := withEngines(t)
	site := newTarget(t, servePage)
	byTeam, err := s.scrapes.Engine().Keep(t.Context(), s.job(site.URL, webpage.Options{
		Formats: webpage.Formats(), Parser: webpage.ParserInput(`"p"`), LinksOnPage: &webpage.LinksInput{},
	}))
	must(t, err)
	if byTeam.StatusCode != 200 || byTeam.Title != "A page" || byTeam.Bytes == 0 || byTeam.Attempts != 1 || byTeam.RetryAfter != 0 {
		t.Errorf("got %+v, want what came of the page", byTeam)
	}
	wantError(t, s.get(teamPays(s.team, 0), s.retrieve(byTeam.RetrieveID)), problem.NotFound) // no row, no content
	s.keep(s.team, byTeam)
	w := s.get(teamPays(s.team, 0), s.retrieve(byTeam.RetrieveID))
	wantStatus(t, w, http.StatusOK)
	got := decoded[scrapes.Retrieved](t, w)
	if got.HTML == nil || got.Markdown == nil || got.Text == nil || got.JSON == nil || len(got.LinksOnPage) != 3 || got.PageMetadata.StatusCode != 200 {
		t.Errorf("got %s, want all that was kept", w.Body)
	}
	for _, hosted := range []*string{got.MarkdownHostedURL, got.ScreenshotHostedURL, got.RawPDFHostedURL} {
		if hosted == nil {
			t.Fatalf("got %s, want all hosted", w.Body)
		}
		wantStatus(t, s.do(call{method: http.MethodGet, uri: strings.TrimPrefix(*hosted, publicURL)}), http.StatusOK)
	}
	some := decoded[scrapes.Retrieved](t, s.get(teamPays(s.team, 0), s.retrieve(byTeam.RetrieveID)+"&formats=text"))
	if some.Text == nil || some.HTML != nil || some.ScreenshotHostedURL != nil || some.LinksOnPage != nil {
		t.Errorf("got %+v, want the text alone", some)
	}

	byWallet, err := s.scrapes.Engine().Keep(t.Context(), s.job(site.URL, webpage.Options{}))
	must(t, err)
	wantStatus(t, s.scrape(walletPays(walletA, 10_000), bodyFor(site.URL)), http.StatusOK) // makes the wallet's team
	var wallet string
	must(t, s.pool.QueryRow(t.Context(), `select id from team where kind = 'wallet'`).Scan(&wallet))
	s.keep(wallet, byWallet)
	wantStatus(t, s.get(nobody(), s.retrieve(byWallet.RetrieveID)), http.StatusOK)
	other := s.newTeam()
	unknown := wantError(t, s.get(teamPays(other, 0), s.retrieve(token.Random())), problem.NotFound)
	for _, id := range []string{byTeam.RetrieveID, byWallet.RetrieveID} {
		if e := wantError(t, s.get(teamPays(other, 0), s.retrieve(id)), problem.NotFound); e.Detail != unknown.Detail {
			t.Errorf("got %q, want %q as for what does not exist", e.Detail, unknown.Detail)
		}
	}
	wantError(t, s.get(nobody(), s.retrieve(byTeam.RetrieveID)), problem.InvalidAPIKey)
	wantError(t, s.get(nobody(), s.retrieve(token.Random())), problem.InvalidAPIKey)
}

// A scrape and its content are created in one statement, and the scrape outlives the content.
func TestScrapesAreKeptOnceFinished(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	id := teamPays(s.team, 1)
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		var rows int
		if err := s.pool.QueryRow(r.Context(), `select count(*) from content`).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("got %d rows of content, %v while the scrape is under way, want none", rows, err)
		}
		servePage(w, r)
	})
	made := decoded[scrapes.Scrape](t, s.scrape(id, bodyFor(site.URL)))
	wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(refusing(t))), problem.FetchFailed)
	var retrieveID, source string
	var attempts, rows int
	must(t, s.pool.QueryRow(t.Context(), `select min(retrieve_id), min(source), min(attempts), count(*) from content`).Scan(&retrieveID, &source, &attempts, &rows))
	if retrieveID != made.RetrieveID || source != "scrape" || attempts != 1 || rows != 1 {
		t.Errorf("got %s of a %s, attempt %d, %d rows, want the scrape's content", retrieveID, source, attempts, rows)
	}
	_, err := s.pool.Exec(t.Context(), `update content set purged_at = now()`)
	must(t, err)
	wantError(t, s.get(teamPays(s.team, 0), s.retrieve(made.RetrieveID)), problem.NotFound)
}

func TestCheckWithoutFetching(t *testing.T) {
	t.Parallel()
	site := newTarget(t, servePage)
	full, _ := withEngines(t)
	bare, guarded := setup(t, options{}), setup(t, options{guarded: true})
	long := "https://example.com/" + strings.Repeat("a", webpage.URLCharsMax)
	tests := []struct {
		name    string
		service *service
		options webpage.Options
		urls    []string
		code    problem.Code // "": no fault
		faults  []string
	}{
		{"nothing wrong", bare, webpage.Options{}, []string{site.URL, "https://example.com/"}, "", nil},
		{"no URLs", bare, webpage.Options{}, nil, "", nil},
		{"URLs that are none", bare, webpage.Options{}, []string{"https://example.com/", "nonsense", "ftp://x/", "", long}, problem.ValidationError, []string{
			"body.urls.1: ", "body.urls.2: ", "body.urls.3: ", "body.urls.4: is longer than 8192 characters",
		}},
		{"options and URLs", bare, webpage.Options{Country: "XX", Formats: []webpage.Format{"docx"}}, []string{"nonsense"}, problem.ValidationError, []string{
			"body.formats.0: must be html", "body.country: ", "body.urls.0: ",
		}},
		{"private addresses", guarded, webpage.Options{}, []string{"https://example.com/", "http://10.0.0.1/", "http://localhost/"}, problem.BlockedAddress, []string{
			"body.urls.1: is not at a public address", "body.urls.2: is not at a public address",
		}},
		{"a port", guarded, webpage.Options{}, []string{"http://example.com:22/"}, problem.BlockedAddress, []string{"body.urls.0: is at a port that is not fetched"}},
		{"no browser", bare, webpage.Options{Formats: []webpage.Format{webpage.FormatScreenshot}}, []string{site.URL}, problem.RendererUnavailable, nil},
		{"no proxy", bare, webpage.Options{Country: "DE"}, []string{site.URL}, problem.ProviderNotConfigured, nil},
		{"no parsers", bare, webpage.Options{Parser: webpage.ParserInput(`"p"`)}, []string{site.URL}, problem.ProviderNotConfigured, nil},
		{"no such parser", full, webpage.Options{Parser: webpage.ParserInput(`"missing"`)}, []string{site.URL}, problem.ParserNotFound, nil},
		{"all engines", full, webpage.Options{Parser: webpage.ParserInput(`"p"`), Country: "DE", Render: webpage.RenderAlways}, []string{site.URL}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.service.scrapes.Engine().Check(t.Context(), tt.service.team, tt.options, tt.urls)
			if tt.code == "" {
				must(t, err)
				return
			}
			e := problem.From(err)
			if e.Code != tt.code {
				t.Fatalf("got %v, want %s", err, tt.code)
			}
			faults, _ := e.Metadata["errors"].([]problem.Fault)
			if len(faults) != len(tt.faults) {
				t.Fatalf("got %v, want %q", faults, tt.faults)
			}
			for i, want := range tt.faults {
				if got := faults[i].String(); !strings.HasPrefix(got, want) || strings.Contains(got, "127.0.0.1") {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	t.Cleanup(func() {
		if got := site.hits.Load(); got != 0 {
			t.Errorf("got %d fetches, want none", got)
		}
	})
}

// An error about thousands of URLs stays short.
func TestCheckNamesAFewFaults(t *testing.T) {
	t.Parallel()
	urls := make([]string, 10_000)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://10.0.0.1/%d", i)
	}
	e := problem.From(setup(t, options{guarded: true}).scrapes.Engine().Check(t.Context(), "team_x", webpage.Options{}, urls))
	if faults, _ := e.Metadata["errors"].([]problem.Fault); e.Code != problem.BlockedAddress || len(faults) != 50 {
		t.Errorf("got %s with %d faults, want 50", e.Code, len(faults))
	}
	clear(urls)
	e = problem.From(setup(t, options{}).scrapes.Engine().Check(t.Context(), "team_x", webpage.Options{}, urls))
	if faults, _ := e.Metadata["errors"].([]problem.Fault); e.Code != problem.ValidationError || len(faults) != 50 || len(e.Detail) > 10_000 {
		t.Errorf("got %s with %d faults in %d bytes, want 50", e.Code, len(faults), len(e.Detail))
	}
}

func TestPriceOfAPage(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	for name, tt := range map[string]struct {
		options webpage.Options
		want    int64
	}{
		"plain":         {webpage.Options{}, 1},
		"with a parser": {webpage.Options{Parser: webpage.ParserInput(`{"id":"p"}`), RemoveCSSSelectors: webpage.SelectorsInput(`"none"`)}, 1},
		"extraction":    {webpage.Options{LLMExtract: &webpage.LLMInput{Schema: webpage.SchemaInput(`{"type":"object"}`)}}, 20},
	} {
		if got, err := s.scrapes.Engine().Price(t.Context(), s.team, tt.options); err != nil || int64(got) != tt.want {
			t.Errorf("%s: got %d, %v, want %d", name, got, err, tt.want)
		}
	}
}

// The place that knows the reason of a failure decides what happens to the page.
func TestClassesOfFailures(t *testing.T) {
	t.Parallel()
	inner := errors.New("inner")
	browser := func(reason render.Reason, fetched fetch.Reason) func(*engines) {
		return func(e *engines) { e.renderErr = &render.Error{Reason: reason, Fetch: fetched, Err: inner} }
	}
	busy := func(e *engines) {
		e.renderErr = &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonRateLimited, Err: &fetch.BusyError{RetryAfter: 90 * time.Second}}
	}
	fine := newTarget(t, servePage).URL
	circle := newTarget(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }).URL
	broken := newTarget(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }).URL
	pdf := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = io.WriteString(w, "%PDF-1.7")
	}).URL
	always := webpage.Options{Render: webpage.RenderAlways}
	tests := []struct {
		name    string
		url     string
		options webpage.Options
		engines func(*engines)
		class   webpage.Class
		code    problem.Code
		after   time.Duration
	}{
		{"nobody listens", refusing(t), webpage.Options{}, nil, webpage.ClassLater, problem.FetchFailed, 0},
		{"a connection that ends", broken, webpage.Options{}, nil, webpage.ClassLater, problem.FetchFailed, 0},
		{"no TLS", strings.Replace(fine, "http:", "https:", 1), webpage.Options{}, nil, webpage.ClassLater, problem.FetchFailed, 0},
		{"no such name", "http://no-such-host.invalid/", webpage.Options{}, nil, webpage.ClassFinal, problem.FetchFailed, 0},
		{"a circle", circle, webpage.Options{}, nil, webpage.ClassFinal, problem.FetchFailed, 0},
		{"no text", pdf, webpage.Options{}, nil, webpage.ClassFinal, problem.UnsupportedFileType, 0},
		{"no URL", "nonsense", webpage.Options{}, nil, webpage.ClassFinal, problem.ValidationError, 0},
		{"a name that does not resolve now", fine, always, browser(render.ReasonNavigation, fetch.ReasonDNS), webpage.ClassLater, problem.FetchFailed, 0},
		{"a bad answer", fine, always, browser(render.ReasonNavigation, fetch.ReasonTooManyRedirects), webpage.ClassFinal, problem.FetchFailed, 0},
		{"a private address", fine, always, browser(render.ReasonNavigation, fetch.ReasonBlockedAddress), webpage.ClassFinal, problem.BlockedAddress, 0},
		{"too slow", fine, always, browser(render.ReasonTimeout, ""), webpage.ClassLater, problem.RequestTimeout, 0},
		{"a crash", fine, always, browser(render.ReasonCrashed, ""), webpage.ClassLater, problem.FetchFailed, 0},
		{"too large", fine, always, browser(render.ReasonTooLarge, ""), webpage.ClassFinal, problem.FetchFailed, 0},
		{"an action", fine, always, browser(render.ReasonAction, ""), webpage.ClassFinal, problem.FetchFailed, 0},
		{"given up", fine, always, browser(render.ReasonCanceled, ""), webpage.ClassWait, problem.FetchFailed, 2 * time.Second},
		{"no browser is free", fine, always, browser(render.ReasonBusy, ""), webpage.ClassWait, problem.Overloaded, 2 * time.Second},
		{"no turn at the host", fine, always, busy, webpage.ClassWait, problem.Overloaded, 90 * time.Second},
		{"a gate that is away", fine, always, browser(render.ReasonNavigation, fetch.ReasonGate), webpage.ClassWait, problem.InternalServerError, 2 * time.Second},
		{"a fault of ours", fine, webpage.Options{Parser: webpage.ParserInput(`"p"`)}, func(e *engines) { e.parseErr = inner }, webpage.ClassLater, problem.InternalServerError, 0},
		{"a page that is not the parser's", fine, webpage.Options{Parser: webpage.ParserInput(`"p"`)}, func(e *engines) {
			e.parseErr = problem.New(problem.InvalidParserInput, "It is not.")
		}, webpage.ClassFinal, problem.InvalidParserInput, 0},
		{"no such parser any more", fine, webpage.Options{Parser: webpage.ParserInput(`"missing"`)}, nil, webpage.ClassFinal, problem.ParserNotFound, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, e := withEngines(t)
			if tt.engines != nil {
				tt.engines(e)
			}
			_, err := s.scrapes.Engine().Keep(t.Context(), s.job(tt.url, tt.options))
			failure, ok := errors.AsType[*webpage.Error](err)
			if !ok || failure.Class != tt.class || failure.Problem.Code != tt.code || failure.After != tt.after {
				t.Errorf("got %#v (%v), want %s for %s after %s", failure, err, tt.class, tt.code, tt.after)
			}
		})
	}
}

// An overloaded target still yields a page, which says when to retry.
func TestTargetsInTroubleAreKept(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	for status, want := range map[int]struct {
		troubled bool
		after    time.Duration
	}{200: {false, 0}, 404: {false, 0}, 429: {true, 7 * time.Second}, 500: {true, 0}, 503: {true, 7 * time.Second}} {
		site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, troubledText)
		})
		got, err := s.scrapes.Engine().Keep(t.Context(), s.job(site.URL, webpage.Options{}))
		if err != nil || got.StatusCode != status || got.Troubled() != want.troubled || got.RetryAfter != want.after {
			t.Errorf("%d: got %+v, %v, want troubled %t, after %s", status, got, err, want.troubled, want.after)
		}
	}
}

const troubledText = "<p>A page about what is the matter"

// Pages of background jobs take none of the places for interactive requests. Pages of other jobs do.
func TestBackgroundTakesNoPlace(t *testing.T) {
	t.Parallel()
	s := setup(t, options{scrapes: func(c *scrapes.Config) { c.Places = admission.New(admission.Config{Size: 1}) }})
	release, arrived := make(chan struct{}), make(chan struct{})
	slow := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		servePage(w, r)
	})
	site := newTarget(t, servePage)
	engine := s.scrapes.Engine()
	done := make(chan error)
	go func() {
		_, err := engine.Keep(t.Context(), s.job(slow.URL, webpage.Options{}))
		done <- err
	}()
	<-arrived
	wantStatus(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)), http.StatusOK)
	close(release)
	must(t, <-done)

	release, arrived = make(chan struct{}), make(chan struct{})
	waited := s.job(slow.URL, webpage.Options{})
	waited.Background = false
	go func() {
		_, err := engine.Keep(t.Context(), waited)
		done <- err
	}()
	<-arrived
	wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)), problem.Overloaded)
	second := s.job(site.URL, webpage.Options{})
	second.Background = false
	if _, err := engine.Keep(t.Context(), second); problem.From(err).Code != problem.Overloaded {
		t.Errorf("got %v, want that there is no place", err)
	}
	if _, err := engine.Keep(t.Context(), s.job(site.URL, webpage.Options{})); err != nil {
		t.Errorf("got %v, want that a background job needs no place", err)
	}
	close(release)
	must(t, <-done)
}

// All share the memory budget.
func TestBackgroundWaitsForMemory(t *testing.T) {
	t.Parallel()
	budget := membudget.NewBudget(64 << 20)
	s := setup(t, options{scrapes: func(c *scrapes.Config) { c.Memory, c.Timeout = budget, 50*time.Millisecond }})
	all, err := budget.Take(t.Context(), 1<<40)
	must(t, err)
	_, err = s.scrapes.Engine().Keep(t.Context(), s.job(newTarget(t, servePage).URL, webpage.Options{}))
	if failure, ok := errors.AsType[*webpage.Error](err); !ok || failure.Class != webpage.ClassWait {
		t.Errorf("got %v, want that it waits", err)
	}
	all()
}

// If a worker is stopped, neither the worker nor the page has failed.
func TestKeepIsCutShort(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	ctx, stop := context.WithCancel(t.Context())
	site := newTarget(t, func(_ http.ResponseWriter, r *http.Request) {
		stop()
		<-r.Context().Done()
	})
	_, err := s.scrapes.Engine().Keep(ctx, s.job(site.URL, webpage.Options{}))
	if failure, ok := errors.AsType[*webpage.Error](err); !ok || failure.Class != webpage.ClassWait || ctx.Err() == nil {
		t.Errorf("got %v, want that it waits", err)
	}
}

func TestJobsThatAreNone(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	var fetched atomic.Int64
	site := newTarget(t, func(http.ResponseWriter, *http.Request) { fetched.Add(1) })
	for name, change := range map[string]func(*webpage.Job){
		"no retrieve_id":        func(j *webpage.Job) { j.RetrieveID = "" },
		"a path":                func(j *webpage.Job) { j.RetrieveID = "../x" },
		"no attempt":            func(j *webpage.Job) { j.Attempt = 0 },
		"an attempt too many":   func(j *webpage.Job) { j.Attempt = 1 << 40 },
		"a format that is none": func(j *webpage.Job) { j.Options.Formats = []webpage.Format{"docx"} },
	} {
		j := s.job(site.URL, webpage.Options{})
		change(&j)
		if _, err := s.scrapes.Engine().Keep(t.Context(), j); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if fetched.Load() != 0 {
		t.Errorf("got %d fetches, want none", fetched.Load())
	}
}
