package searches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Searcher finds pages: providers in their order.
type Searcher interface {
	// Search returns results by relevance, each URL once, none outside the query's domains. None at all is no error.
	Search(ctx context.Context, q websearch.Query) ([]websearch.Result, error)
}

// Pages comes by pages and keeps them: a *scrapes.Engine.
type Pages interface {
	// Check refuses options as a scrape does.
	Check(ctx context.Context, teamID string, options page.Options, urls []string) error
	// Keep comes by a page and stores what is wanted of it.
	Keep(ctx context.Context, j page.Job) (page.Kept, error)
	// Discard deletes what attempts have left under a retrieve id, if there is anything.
	Discard(ctx context.Context, retrieveID string, attempts int) error
}

// Contents reads what Pages has kept: a *scrapes.Service.
type Contents interface {
	// Contents returns what is kept of a team's pages, by retrieve id, and what is not there any more not. Where their text
	// is more than bytesMax, there are only URLs of it, and whole is false.
	Contents(ctx context.Context, teamID string, retrieveIDs []string, bytesMax int64) (contents map[string]page.Content, whole bool, err error)
}

// Blobs keeps the JSON of links: a *blob.Store.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	DeleteAll(ctx context.Context, segments string) error
}

// URLSigner makes hosted URLs: a *blob.Signer.
type URLSigner interface {
	URL(key, name, contentType string, ttl time.Duration) (string, error)
}

// Book knows what operations cost: a *price.Book.
type Book interface {
	Quote(ctx context.Context, r *price.Request, unit edgewire.Unit) (price.Quote, error)
}

const (
	// SearchTimeoutDefault is how long those who are asked may take to find links.
	SearchTimeoutDefault = 20 * time.Second
	// TimeLimitMax is how long a search takes at most, with all that a request may ask for.
	TimeLimitMax = SearchTimeoutDefault + scrapeTimeoutMax + lateTimeout + storeTimeout
	// RetentionDefault is how long the content of links is kept.
	RetentionDefault = 7 * 24 * time.Hour
	// InlineBytesMaxDefault is how much content an answer holds.
	InlineBytesMaxDefault = 6_000_000
	// PlacesDefault is how many searches one process runs at once, ScrapesDefault how many links of all of them it
	// scrapes at once.
	PlacesDefault  = 64
	ScrapesDefault = 128

	// lateTimeout is how long a scrape that was told to end may take to do so before it is left alone.
	lateTimeout = 2 * time.Second
	// storeTimeout is for writing down how a search ended, also when its request is gone.
	storeTimeout = 10 * time.Second
	// staleAfter is how long after its time limit a search that never ended is taken for dead.
	staleAfter    = time.Minute
	overloadRetry = 2 * time.Second
)

// Config is what a Service is made of.
type Config struct {
	Queries  *db.Queries // required
	Searcher Searcher    // nil: none, and no searches
	Pages    Pages       // required
	Contents Contents    // required
	Blobs    Blobs       // required
	Signer   URLSigner   // required
	Book     Book        // required

	// SearchTimeout is how long those who are asked may take. Default [SearchTimeoutDefault].
	SearchTimeout time.Duration
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration
	// InlineBytesMax is how much content an answer holds. Default [InlineBytesMaxDefault].
	InlineBytesMax int64
	// Places are for searches that run. Default: [PlacesDefault], and nobody waits for one.
	Places *admission.Pool
	// Scrapes are places for the links of all searches. Default: [ScrapesDefault].
	Scrapes *admission.Pool

	Logger *slog.Logger     // required
	Now    func() time.Time // required
}

// Service is the use cases of searches. Its errors are problems, ready for the caller.
type Service struct {
	config Config
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	var errs []error
	for _, field := range []struct {
		missing bool
		name    string
	}{
		{config.Queries == nil, "Queries"},
		{config.Pages == nil, "Pages"},
		{config.Contents == nil, "Contents"},
		{config.Blobs == nil, "Blobs"},
		{config.Signer == nil, "Signer"},
		{config.Book == nil, "Book"},
		{config.Logger == nil, "Logger"},
		{config.Now == nil, "Now"},
	} {
		if field.missing {
			errs = append(errs, fmt.Errorf("%s is required", field.name))
		}
	}
	if min(config.SearchTimeout, config.Retention) < 0 || config.InlineBytesMax < 0 {
		errs = append(errs, errors.New("limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("searches: %w", err)
	}
	config.SearchTimeout = cmp.Or(config.SearchTimeout, SearchTimeoutDefault)
	config.Retention = cmp.Or(config.Retention, RetentionDefault)
	config.InlineBytesMax = cmp.Or(config.InlineBytesMax, InlineBytesMaxDefault)
	if config.Places == nil {
		config.Places = admission.New(admission.Config{Size: PlacesDefault})
	}
	if config.Scrapes == nil {
		config.Scrapes = admission.New(admission.Config{Size: ScrapesDefault})
	}
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // what the database keeps
	return &Service{config: config}, nil
}

// staleBefore is when an attempt must have begun that is taken for dead now.
func (s *Service) staleBefore(now time.Time) time.Time {
	return now.Add(-s.config.SearchTimeout - scrapeTimeoutMax - lateTimeout - storeTimeout - staleAfter)
}
