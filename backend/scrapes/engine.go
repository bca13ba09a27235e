package scrapes

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Engine fetches and stores pages, for scrapes and for every feature that has pages of its own. It knows no identity,
// writes no row and charges nothing: its users do.
type Engine struct {
	config Config
}

// Check refuses, without fetching anything, what POST /v1/scrapes would refuse of pages at urls with options. The error is
// a *problem.Error; faults of URLs are page.URLFault, which page.AtURLs moves to the place that the request has them at.
func (e *Engine) Check(ctx context.Context, teamID string, options page.Options, urls []string) error {
	p, faults := planOf(&options)
	parsed := make([]fetch.URL, 0, len(urls))
	for i, text := range urls {
		u, err := parseURL(text, fetch.ParseOrigin)
		if err != nil {
			faults = append(faults, page.URLFault(i, failure.Message(err)))
		}
		if parsed = append(parsed, u); len(faults) >= faultsMax {
			break
		}
	}
	if len(faults) > 0 {
		return problem.Validation(faults...)
	}
	if err := e.able(ctx, teamID, p); err != nil {
		return err
	}
	if err := e.checkTargets(ctx, parsed); err != nil {
		return err
	}
	if _, err := e.config.Fetcher.NewSession(p.country); err != nil {
		return failure.Fetch(ctx, err)
	}
	return nil
}

// faultsMax is how many faults an error lists at most.
const faultsMax = 50

// parseURL parses a URL within the length limit of url_to_scrape's schema.
func parseURL(text string, parse func(string) (fetch.URL, error)) (fetch.URL, error) {
	if utf8.RuneCountInString(text) > page.URLCharsMax {
		return fetch.URL{}, fmt.Errorf("is longer than %d characters", page.URLCharsMax)
	}
	return parse(text)
}

// checkTargets refuses URLs that must not be fetched, and lists them.
func (e *Engine) checkTargets(ctx context.Context, urls []fetch.URL) error {
	var first *problem.Error
	var faults []problem.Fault
	for i, u := range urls {
		err := e.config.Fetcher.Check(u)
		if err == nil {
			continue
		}
		if first == nil {
			first = problem.From(failure.Fetch(ctx, err))
		}
		if faults = append(faults, page.URLFault(i, refusal(fetch.ReasonOf(err)))); len(faults) >= faultsMax {
			break
		}
	}
	if first == nil {
		return nil
	}
	if first.Metadata == nil {
		first.Metadata = map[string]any{}
	}
	first.Metadata["errors"] = faults
	return first
}

// refusal describes a refusal by the guard in few words, which reveal no more than blocked does.
func refusal(reason fetch.Reason) string {
	if reason == fetch.ReasonBlockedPort {
		return "is at a port that is not fetched"
	}
	return "is not at a public address"
}

// Price returns what one page with options costs, by the same book as a scrape of it.
func (e *Engine) Price(ctx context.Context, _ string, options page.Options) (money.Credits, error) {
	body, err := json.Marshal(options)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("writing options: %w", err))
	}
	quote, err := e.config.Book.Quote(ctx, &price.Request{Method: http.MethodPost, URL: &url.URL{Path: scrapesPath}, Body: edgewire.NewBody(body)}, edgewire.UnitCredit)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("pricing a page: %w", err))
	}
	return money.Credits(quote.Amount), nil
}

// Keep fetches a page and stores what the options ask for, within the time limit of a scrape. Errors are *page.Error. A
// response of the target is no error, whatever its status.
func (e *Engine) Keep(ctx context.Context, j page.Job) (page.Kept, error) {
	kept, err := e.keepJob(ctx, j)
	if err != nil {
		return page.Kept{}, failure.Classify(err)
	}
	return kept, nil
}

func (e *Engine) keepJob(ctx context.Context, j page.Job) (page.Kept, error) {
	if !isID(j.RetrieveID) || j.Attempt < 1 || j.Attempt > math.MaxInt32 {
		return page.Kept{}, problem.Internal(fmt.Errorf("a job with retrieve_id %q and attempt %d", j.RetrieveID, j.Attempt))
	}
	p, faults := planOf(&j.Options)
	u, err := parseURL(j.URL, fetch.ParseURL)
	if err != nil {
		faults = append(faults, problem.Fault{Loc: []any{"url"}, Msg: failure.Message(err), Type: problem.FaultInvalid})
	}
	if len(faults) > 0 {
		return page.Kept{}, problem.Validation(faults...)
	}
	p.url = u
	if p.scanned = j.Links || j.Bare; j.Bare {
		p.makeBare()
	}
	p.sitemaps = j.Sitemaps
	if j.Follow != nil {
		p.follow = func(ctx context.Context, u fetch.URL) error { return j.Follow(ctx, u.String()) }
	}
	if j.Record {
		p.recording = &recording{}
	}
	if j.Patience > 0 {
		ctx = fetch.WithPatience(ctx, j.Patience)
	}
	if err := e.prepare(ctx, j.TeamID, p); err != nil {
		return page.Kept{}, err
	}
	if !j.Background {
		leave, err := e.enter(ctx)
		if err != nil {
			return page.Kept{}, err
		}
		defer leave()
	}
	p.hold = e.config.Memory.Hold()
	defer p.hold.Release()
	o, _, err := e.work(ctx, j.TeamID, p, j.RetrieveID, int32(j.Attempt))
	if err != nil {
		return page.Kept{}, err
	}
	return o.kept(j)
}

// prepare resolves what p needs before anything is fetched, and refuses what is not available.
func (e *Engine) prepare(ctx context.Context, teamID string, p *plan) error {
	if err := e.able(ctx, teamID, p); err != nil {
		return err
	}
	if err := e.config.Fetcher.Check(p.url); err != nil {
		return failure.Fetch(ctx, err)
	}
	var err error
	if p.session, err = e.config.Fetcher.NewSession(p.country); err != nil {
		return failure.Fetch(ctx, err)
	}
	return nil
}

// enter takes one of the slots for requests that a client waits for, until leave is called.
func (e *Engine) enter(ctx context.Context) (leave func(), err error) {
	return principal.Enter(ctx, e.config.Places, "scrapes", failure.OverloadRetry)
}

// work executes p within the time limit, and stores the results. The caller must release p.hold when it has no more use
// for the content.
func (e *Engine) work(ctx context.Context, teamID string, p *plan, retrieveID string, attempt int32) (*outcome, *content, error) {
	limited, cancel := context.WithTimeout(ctx, e.config.Timeout+p.waits)
	defer cancel()
	return e.scrape(limited, teamID, p, retrieveID, attempt)
}

// Discard deletes the content that attempts 1 to attempts may have left under a retrieve_id. It may be called
// repeatedly; missing content is no error.
func (e *Engine) Discard(ctx context.Context, retrieveID string, attempts int) error {
	for attempt := 1; attempt <= attempts; attempt++ {
		if err := e.config.Blobs.DeleteAll(ctx, attemptFolder(retrieveID, int32(attempt))); err != nil { //nolint:gosec // as many as were made
			return fmt.Errorf("deleting content of %s: %w", retrieveID, err)
		}
	}
	return nil
}

// kept returns the result of a job.
func (o *outcome) kept(j page.Job) (page.Kept, error) {
	encoded, err := o.encode()
	if err != nil {
		return page.Kept{}, problem.Internal(fmt.Errorf("writing outcome: %w", err))
	}
	k := page.Kept{
		RetrieveID: j.RetrieveID, Attempts: j.Attempt, StatusCode: o.Page.StatusCode, RetryAfter: o.retryAfter,
		Title: valueOf(o.Page.Title), Outcome: encoded, Expires: j.Expires,
	}
	for _, stored := range o.Contents {
		k.Bytes += stored.Bytes
	}
	if j.Links {
		o.found.tell(&k)
	}
	return k, nil
}

// retryAfterOf returns the Retry-After of a target that is overloaded or unavailable.
func retryAfterOf(c *capture) time.Duration {
	if c.statusCode != http.StatusTooManyRequests && c.statusCode != http.StatusServiceUnavailable {
		return 0
	}
	return fetch.RetryAfter(c.source.Header)
}

// Renderer loads pages in a browser: a *render.Renderer.
type Renderer interface {
	// Available returns nil if a browser can be started.
	Available() error
	// Render's errors are *render.Error.
	Render(ctx context.Context, job render.Job) (*render.Result, error)
}

// Parsers turn pages into JSON, each as declared.
type Parsers interface {
	// Resolve returns the reference of the current version of id, or a problem if the team cannot use the parser.
	Resolve(ctx context.Context, teamID, id string) (reference string, err error)
	// Parse reads a page. document was extracted from source, with its Structured data.
	Parse(ctx context.Context, teamID, id string, source extract.Source, document *extract.Document) (json.RawMessage, error)
}

// Extractor extracts JSON from a page, by a schema or a prompt.
type Extractor interface {
	// Check returns the problem of a task that cannot be done on any page: an invalid schema, or a prompt without a
	// model that could read it.
	Check(task extraction.Task) error
	// Reads reports whether Extract reads the page again in this process, which takes memory; otherwise it waits for a model.
	Reads() bool
	// Extract does the task. document was extracted from source, with its Structured data.
	Extract(ctx context.Context, task extraction.Task, source extract.Source, document *extract.Document) (extraction.Result, error)
}
