package searches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Create searches, once per identity, and returns the result. A dry run is validated like any request and returns nil.
func (s *Service) Create(ctx context.Context, c *principal.Caller, r *Request) (*Search, error) {
	if s.config.Searcher == nil {
		return nil, problem.New(problem.ProviderNotConfigured, "This installation has no search provider: its operator has disabled searches.")
	}
	p, err := s.plan(ctx, c.TeamID, r)
	if err != nil {
		return nil, err
	}
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: a dry run is answered with the quote
	}
	leave, err := principal.Enter(ctx, s.config.Places, "searches", overloadRetry)
	if err != nil {
		return nil, err
	}
	defer leave()
	j, doneID, err := s.start(ctx, c, p)
	switch {
	case err != nil:
		return nil, err
	case doneID != "":
		done, err := s.read(ctx, c.TeamID, doneID)
		if err == nil {
			c.SetCredits(done.CreditsConsumed)
		}
		return done, err
	}
	return s.run(ctx, c, p, j)
}

// run does the work of j and records how it ended, even if the client has closed the request or the code panics: an attempt
// without an end blocks its identity until the attempt counts as dead.
func (s *Service) run(ctx context.Context, c *principal.Caller, p *plan, j *job) (*Search, error) {
	ended := false
	failed := func(code problem.Code) {
		ended = true
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		if err := s.fail(cleanup, j, code); err != nil {
			s.config.Logger.ErrorContext(ctx, "a search could not be marked as failed", "search", j.id, "error", err)
		}
	}
	defer func() {
		if !ended {
			failed(problem.InternalServerError)
		}
	}()
	cost, err := s.work(ctx, c, p, j)
	if err != nil {
		e := problem.From(err)
		failed(e.Code)
		return nil, e
	}
	ended = true
	c.SetCredits(cost)
	return s.read(context.WithoutCancel(ctx), c.TeamID, j.id)
}

// work finds links, scrapes them and completes the search. The returned cost is 0 if it was paid in USDC.
func (s *Service) work(ctx context.Context, c *principal.Caller, p *plan, j *job) (money.Credits, error) {
	links, err := s.find(ctx, p)
	if err != nil {
		return 0, err
	}
	kept := s.scrape(ctx, c.TeamID, p, j, links)
	if err := ctx.Err(); err != nil {
		return 0, problem.Wrap(problem.RequestTimeout, "The request was canceled before the search finished. Nothing was charged.", err)
	}
	var cost money.Credits
	if c.Unit != edgewire.UnitUSDC {
		if cost, err = s.cost(ctx, len(kept)); err != nil {
			return 0, err
		}
		cost = min(cost, c.Credits) // the hold, by the same price book
	}
	// The work is done and is charged from here on, so a closed request must not undo it.
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := s.keepWords(writing, j, links); err != nil {
		return 0, err
	}
	return cost, s.finish(writing, j, links, kept, cost)
}

// find searches for links, each once, up to the query's limit.
func (s *Service) find(ctx context.Context, p *plan) ([]foundLink, error) {
	limited, cancel := context.WithTimeout(ctx, s.config.SearchTimeout)
	defer cancel()
	results, err := s.config.Searcher.Search(limited, p.query)
	if err != nil {
		return nil, searchProblem(ctx, err)
	}
	links := make([]foundLink, 0, len(results))
	seen := map[string]bool{}
	for i := range results {
		r := &results[i]
		if len(links) == p.query.Limit {
			break
		}
		if seen[r.URL] {
			continue
		}
		seen[r.URL] = true
		links = append(links, foundLink{Found: Found{
			URL: r.URL, Title: within(r.Title, titleCharsMax), Description: within(r.Snippet, descriptionCharsMax), PublishedAt: publishedAt(r.Published),
		}})
	}
	return links, nil
}

// within returns the first charsMax characters of a text.
func within(text string, charsMax int) string {
	n := 0
	for i := range text {
		if n == charsMax {
			return text[:i]
		}
		n++
	}
	return text
}

// cost returns the price of a search with n scraped links: the same as for a request with that limit.
func (s *Service) cost(ctx context.Context, n int) (money.Credits, error) {
	request := Request{Query: "x", Limit: new(max(n, 1))}
	if n > 0 {
		request.ScrapeOptions = new(ScrapeOptions{})
	}
	body, err := json.Marshal(&request)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("writing a request: %w", err))
	}
	quote, err := s.config.Book.Quote(ctx, &price.Request{Method: http.MethodPost, URL: &url.URL{Path: path}, Body: edgewire.NewBody(body)}, edgewire.UnitCredit)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("pricing a search: %w", err))
	}
	return money.Credits(quote.Amount), nil
}

const (
	wordsName = "links.json"
	wordsType = "application/json"
)

// folder is where the JSON of a search's links is stored.
func folder(id string) string { return "searches/" + id }

// wordsKey is the key of that JSON for one attempt: attempts share no keys.
func wordsKey(id string, attempt int32) string {
	return fmt.Sprintf("%s/%d/%s", folder(id), attempt, wordsName)
}

// keepWords stores the JSON that json_hosted_url points to.
func (s *Service) keepWords(ctx context.Context, j *job, links []foundLink) error {
	words, err := wordsOf(links)
	if err == nil {
		err = s.config.Blobs.Put(ctx, wordsKey(j.id, j.attempt), wordsType, words)
	}
	if err != nil {
		return problem.Internal(fmt.Errorf("storing the links of %s: %w", j.id, err))
	}
	return nil
}

// expired reports whether the retention of content is over.
func (s *Service) expired(expires time.Time) bool { return !s.config.Now().Before(expires) }

// searchProblem converts a searcher's error into the problem for the client. Provider texts are only for operators.
func searchProblem(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return problem.Wrap(problem.RequestTimeout, "The request was canceled before anything was found. Nothing was charged.", err)
	}
	reason, after := websearch.ReasonUnavailable, time.Duration(0)
	if e, ok := errors.AsType[*websearch.Error](err); ok {
		reason, after = e.Reason, e.RetryAfter
	} else if errors.Is(err, context.DeadlineExceeded) {
		reason = websearch.ReasonTimeout
	}
	code, detail := problem.SearchFailed, "No search provider could answer."
	switch reason {
	case websearch.ReasonTimeout:
		detail = "No search provider answered in time."
	case websearch.ReasonRateLimited:
		code, detail = problem.Overloaded, "The rate limits of the search providers are reached."
		after = max(after, overloadRetry)
	case websearch.ReasonBadQuery:
		detail = "No search provider accepts this query."
	case websearch.ReasonUnavailable, websearch.ReasonRefused, websearch.ReasonQuota, websearch.ReasonDisabled, websearch.ReasonBadReply:
	}
	e := problem.Wrap(code, detail+" Nothing was charged.", err)
	e.Metadata, e.RetryAfter = map[string]any{"reason": string(reason)}, after
	return e
}
