package scrapes

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/db"
)

// Fetcher fetches pages: a *fetch.Client.
type Fetcher interface {
	Check(u fetch.URL) error
	NewSession(country string) (*fetch.Session, error)
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Copies fetches pages of a team, of which it may have copies: a *copies.Keeper.
type Copies interface {
	Get(ctx context.Context, teamID string, r fetch.Request) (*fetch.Response, error)
}

// Blobs keeps content: a *blob.Store.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	Delete(ctx context.Context, key string) error
}

// URLSigner makes hosted URLs: a *blob.Signer.
type URLSigner interface {
	URL(key, name, contentType string, ttl time.Duration) (string, error)
}

const (
	// TimeoutDefault is how long a scrape may take.
	TimeoutDefault = 60 * time.Second
	// RetentionDefault is how long content is kept.
	RetentionDefault = 7 * 24 * time.Hour
	// InlineBytesMaxDefault is how much content an answer holds.
	InlineBytesMaxDefault = 6_000_000
	// ConcurrencyDefault is how many scrapes one process runs at once.
	ConcurrencyDefault = 64

	// cleanupTimeout is for writing down how a scrape ended when its request is gone.
	cleanupTimeout = 5 * time.Second
	// staleAfter is how long after its time limit a scrape that never ended is taken for dead.
	staleAfter = time.Minute
	// overloadRetry is when a caller who met a full process should try again.
	overloadRetry = 2 * time.Second
)

// Config is what a Service is made of.
type Config struct {
	Queries *db.Queries // required
	Fetcher Fetcher     // required
	Copies  Copies      // nil: none, and pages are fetched whole each time
	Blobs   Blobs       // required
	Signer  URLSigner   // required

	// Timeout is the limit of one scrape. Default [TimeoutDefault].
	Timeout time.Duration
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration
	// InlineBytesMax is how much content an answer holds. Default [InlineBytesMaxDefault].
	InlineBytesMax int64
	// Concurrency is how many scrapes run at once. Default [ConcurrencyDefault].
	Concurrency int

	Logger *slog.Logger     // required
	Now    func() time.Time // required
}

// Service is the use cases of scrapes.
type Service struct {
	config Config
	store  *store
	slots  chan struct{}
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	var errs []error
	for _, field := range []struct {
		missing bool
		name    string
	}{
		{config.Queries == nil, "Queries"},
		{config.Fetcher == nil, "Fetcher"},
		{config.Blobs == nil, "Blobs"},
		{config.Signer == nil, "Signer"},
		{config.Logger == nil, "Logger"},
		{config.Now == nil, "Now"},
	} {
		if field.missing {
			errs = append(errs, fmt.Errorf("%s is required", field.name))
		}
	}
	if config.Timeout < 0 || config.Retention < 0 || config.InlineBytesMax < 0 || config.Concurrency < 0 {
		errs = append(errs, errors.New("limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("scrapes: %w", err)
	}
	config.Timeout = orDefault(config.Timeout, TimeoutDefault)
	config.Retention = orDefault(config.Retention, RetentionDefault)
	config.InlineBytesMax = orDefault(config.InlineBytesMax, InlineBytesMaxDefault)
	config.Concurrency = orDefault(config.Concurrency, ConcurrencyDefault)
	return &Service{config: config, store: &store{config.Queries}, slots: make(chan struct{}, config.Concurrency)}, nil
}

func orDefault[T ~int | ~int64](value, fallback T) T {
	if value == 0 {
		return fallback
	}
	return value
}

// Create does what request asks for, once for each identity, and returns the
// scrape. A dry run is checked like any other and returns nil.
func (s *Service) Create(ctx context.Context, c *caller.Caller, request *Request) (*Scrape, error) {
	p, err := request.plan()
	if err != nil {
		return nil, err
	}
	if err := s.config.Fetcher.Check(p.url); err != nil {
		return nil, fetchProblem(ctx, err)
	}
	if p.session, err = s.config.Fetcher.NewSession(request.Country); err != nil {
		return nil, fetchProblem(ctx, err)
	}
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: the quote is the answer
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		busy := problem.New(problem.Overloaded, "Too many scrapes are running. Try again in a moment.")
		busy.RetryAfter = overloadRetry
		return nil, busy
	}
	j, doneID, err := s.claim(ctx, c, p, request)
	switch {
	case err != nil:
		return nil, err
	case doneID != "":
		c.SetCost(0)
		return s.read(ctx, doneID)
	}
	return s.run(ctx, c, p, j)
}

// claim takes the work, or returns the id of the scrape that did it before.
func (s *Service) claim(ctx context.Context, c *caller.Caller, p *plan, request *Request) (*job, string, error) {
	canonical, err := json.Marshal(request)
	if err != nil {
		return nil, "", problem.Internal(fmt.Errorf("writing request: %w", err))
	}
	now := s.config.Now()
	j, doneID, err := s.store.start(ctx, &claim{
		caller: c, plan: p, request: canonical, requestSHA256: sha256.Sum256(canonical), now: now,
		expires: now.Add(s.config.Retention), staleBefore: now.Add(-s.config.Timeout - staleAfter),
	})
	switch {
	case errors.Is(err, errRunning):
		return nil, "", problem.Wrap(problem.InvalidState, "The same request is being served already. Wait for its answer, then ask again.", err)
	case errors.Is(err, errTakenFor):
		return nil, "", problem.Wrap(problem.InvalidState, "This payment or authorisation was used for another request.", err)
	case err != nil:
		return nil, "", problem.Internal(err)
	}
	return j, doneID, nil
}

// run does the work of j and writes down how it ended, also when the request is
// gone or the code panics: an attempt without an end blocks its identity until it
// is taken for dead.
func (s *Service) run(ctx context.Context, c *caller.Caller, p *plan, j *job) (*Scrape, error) {
	ended := false
	failed := func(code problem.Code) {
		ended = true
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if err := s.store.fail(cleanup, j, code, s.config.Now()); err != nil {
			s.config.Logger.ErrorContext(ctx, "scrape cannot be written off", "scrape", j.id, "error", err)
		}
	}
	defer func() {
		if !ended {
			failed(problem.InternalServerError)
		}
	}()
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	o, content, err := s.scrape(limited, c.TeamID, p, j)
	if err == nil {
		err = s.finish(ctx, c, j, o)
	}
	if err != nil {
		e := problem.From(err)
		failed(e.Code)
		return nil, e
	}
	ended = true
	r := &record{
		id: j.id, teamID: c.TeamID, retrieveID: j.retrieveID, url: p.url.String(), metadata: p.metadata, outcome: *o,
		credits: c.Credits, created: j.created, expires: j.expires,
	}
	return s.answer(r, content)
}

// finish makes the scrape count. From here on the work is done and is charged,
// so a request that is gone by now must not undo it.
func (s *Service) finish(ctx context.Context, c *caller.Caller, j *job, o *outcome) error {
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	err := s.store.finish(writing, j, o, c.Credits, s.config.Now())
	if errors.Is(err, errRunning) {
		return problem.Wrap(problem.RequestTimeout, "The scrape took too long, and another attempt took over.", err)
	}
	if err != nil {
		return problem.Internal(err)
	}
	return nil
}

// scrape fetches, reads and stores the page.
func (s *Service) scrape(ctx context.Context, teamID string, p *plan, j *job) (*outcome, *content, error) {
	response, err := s.fetch(ctx, teamID, fetch.Request{URL: p.url, Session: p.session})
	if err != nil {
		return nil, nil, fetchProblem(ctx, err)
	}
	source := extract.Source{URL: response.URL.String(), MediaType: response.MediaType, Header: response.Header, Body: response.Body}
	document, err := extract.Read(ctx, source, p.options)
	if err != nil {
		return nil, nil, extractProblem(ctx, err, response)
	}
	content := &content{texts: map[Format]string{}}
	for _, format := range p.formats {
		content.texts[format] = textOf(document, format)
	}
	if p.links != nil {
		if content.links, err = p.links.apply(ctx, document.Links); err != nil {
			return nil, nil, extractProblem(ctx, err, response)
		}
	}
	o := &outcome{Attempt: j.attempt, HasLinks: p.links != nil, Page: pageMetadata(p, response, document)}
	for _, format := range p.formats {
		o.Contents = append(o.Contents, storedFormat{Format: format, Bytes: int64(len(content.texts[format]))})
	}
	if err := s.keep(ctx, j.retrieveID, o, content); err != nil {
		if ctx.Err() != nil {
			return nil, nil, timeLimit(err)
		}
		return nil, nil, problem.Internal(err)
	}
	return o, content, nil
}

func (s *Service) fetch(ctx context.Context, teamID string, r fetch.Request) (*fetch.Response, error) {
	if s.config.Copies == nil {
		return s.config.Fetcher.Get(ctx, r)
	}
	return s.config.Copies.Get(ctx, teamID, r)
}

func textOf(document *extract.Document, format Format) string {
	switch format {
	case FormatHTML:
		return document.HTML
	case FormatMarkdown:
		return document.Markdown
	case FormatText:
		return document.Text
	case FormatJSON, FormatRawPDF, FormatScreenshot: // refused by Request.plan
	}
	return ""
}

func pageMetadata(p *plan, response *fetch.Response, document *extract.Document) PageMetadata {
	said := document.Metadata
	reason := "no browser on this installation; the page as the server sent it"
	if p.render == RenderNever {
		reason = "render: never"
	}
	metadata := PageMetadata{
		StatusCode: response.StatusCode, Title: textOrNil(said.Title), Description: textOrNil(said.Description),
		Language: textOrNil(said.Language), CanonicalURL: textOrNil(said.CanonicalURL), PublishedAt: textOrNil(said.PublishedAt),
		Author: textOrNil(said.Author), RenderReason: reason, PageType: textOrNil(document.Type),
	}
	if document.Type != "" {
		quality := math.Round(document.Quality*1000) / 1000
		metadata.ExtractionQuality = &quality
	}
	return metadata
}
