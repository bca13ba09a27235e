package searches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Create searches, once for each identity, and returns what was found. A dry run is checked like any other and returns nil.
func (s *Service) Create(ctx context.Context, c *caller.Caller, r *Request) (*Search, error) {
	if s.config.Searcher == nil {
		return nil, problem.New(problem.ProviderNotConfigured, "This installation has nobody to ask: its operator has turned searches off.")
	}
	p, err := s.plan(ctx, c.TeamID, r)
	if err != nil {
		return nil, err
	}
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: the quote is the answer
	}
	leave, err := caller.Enter(ctx, s.config.Places, "searches", overloadRetry)
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

// run does the work of j and writes down how it ended, also when the request is gone or the code panics: an attempt
// without an end blocks its identity until it is taken for dead.
func (s *Service) run(ctx context.Context, c *caller.Caller, p *plan, j *job) (*Search, error) {
	ended := false
	failed := func(code problem.Code) {
		ended = true
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		if err := s.fail(cleanup, j, code); err != nil {
			s.config.Logger.ErrorContext(ctx, "search cannot be written off", "search", j.id, "error", err)
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

// work finds links, scrapes them and makes the search count. What it did cost is 0 where it was paid in USDC.
func (s *Service) work(ctx context.Context, c *caller.Caller, p *plan, j *job) (money.Credits, error) {
	links, err := s.find(ctx, p)
	if err != nil {
		return 0, err
	}
	kept := s.scrape(ctx, c.TeamID, p, j, links)
	if err := ctx.Err(); err != nil {
		return 0, problem.Wrap(problem.RequestTimeout, "The request was given up before the search was done. Nothing was charged.", err)
	}
	var cost money.Credits
	if c.Unit != edgewire.UnitUSDC {
		if cost, err = s.cost(ctx, len(kept)); err != nil {
			return 0, err
		}
		cost = min(cost, c.Credits) // what was set aside, by the same book
	}
	// From here on the work is done and is charged, so a request that is gone must not undo it.
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := s.keepWords(writing, j, links); err != nil {
		return 0, err
	}
	return cost, s.finish(writing, j, links, kept, cost)
}

// find asks for links, each once and no more than are wanted.
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

// within is the beginning of a text.
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

// cost is what a search costs of which n links were scraped: as much as one that asked for just these.
func (s *Service) cost(ctx context.Context, n int) (money.Credits, error) {
	request := Request{Query: "x", Limit: new(max(n, 1))}
	if n > 0 {
		request.ScrapeOptions = new(ScrapeOptions{})
	}
	body, err := json.Marshal(&request)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("writing a request: %w", err))
	}
	quote, err := s.config.Book.Quote(ctx, &price.Request{Method: http.MethodPost, URL: &url.URL{Path: path}, Body: body}, edgewire.UnitCredit)
	if err != nil {
		return 0, problem.Internal(fmt.Errorf("pricing a search: %w", err))
	}
	return money.Credits(quote.Amount), nil
}

const (
	wordsName = "links.json"
	wordsType = "application/json"
)

// folder is where the JSON of a search's links is kept.
func folder(id string) string { return "searches/" + id }

// wordsKey is where an attempt keeps it: attempts share no keys.
func wordsKey(id string, attempt int32) string {
	return fmt.Sprintf("%s/%d/%s", folder(id), attempt, wordsName)
}

// keepWords stores what json_hosted_url leads to.
func (s *Service) keepWords(ctx context.Context, j *job, links []foundLink) error {
	words, err := wordsOf(links)
	if err == nil {
		err = s.config.Blobs.Put(ctx, wordsKey(j.id, j.attempt), wordsType, words)
	}
	if err != nil {
		return problem.Internal(fmt.Errorf("keeping the links of %s: %w", j.id, err))
	}
	return nil
}

// expired reports whether the time of content is over.
func (s *Service) expired(expires time.Time) bool { return !s.config.Now().Before(expires) }

// searchProblem is what nobody's finding anything is to the caller. What providers say of it is for operators.
func searchProblem(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return problem.Wrap(problem.RequestTimeout, "The request was given up before anything was found. Nothing was charged.", err)
	}
	reason, after := websearch.ReasonUnavailable, time.Duration(0)
	if e, ok := errors.AsType[*websearch.Error](err); ok {
		reason, after = e.Reason, e.RetryAfter
	} else if errors.Is(err, context.DeadlineExceeded) {
		reason = websearch.ReasonTimeout
	}
	code, detail := problem.SearchFailed, "None of those who were asked could answer."
	switch reason {
	case websearch.ReasonTimeout:
		detail = "None of those who were asked answered in time."
	case websearch.ReasonRateLimited:
		code, detail = problem.Overloaded, "Those who are asked have as many searches as they take at the moment."
		after = max(after, overloadRetry)
	case websearch.ReasonBadQuery:
		detail = "None of those who were asked takes this query."
	case websearch.ReasonUnavailable, websearch.ReasonRefused, websearch.ReasonQuota, websearch.ReasonDisabled, websearch.ReasonBadReply:
	}
	e := problem.Wrap(code, detail+" Nothing was charged.", err)
	e.Metadata, e.RetryAfter = map[string]any{"reason": string(reason)}, after
	return e
}
