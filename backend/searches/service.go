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
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Searcher finds pages. It asks the providers in order.
type Searcher interface {
	// Search returns results by relevance, each URL once, none outside the query's domains. No results are not an error.
	Search(ctx context.Context, q websearch.Query) ([]websearch.Result, error)
}

// Pages fetches pages and keeps their content. A *scrapes.Engine implements it.
type Pages interface {
	// Check refuses options as a scrape does.
	Check(ctx context.Context, teamID string, options page.Options, urls []string) error
	// Keep fetches a page and stores the requested content.
	Keep(ctx context.Context, j page.Job) (page.Kept, error)
	// Discard deletes what attempts may have stored under a retrieve ID.
	Discard(ctx context.Context, retrieveID string, attempts int) error
}

// Contents reads what Pages has kept. A *scrapes.Service implements it.
type Contents interface {
	// Contents returns the content of a team's pages, by retrieve ID, without expired ones. If the text exceeds bytesMax,
	// it returns only URLs of it, and whole is false.
	Contents(ctx context.Context, teamID string, retrieveIDs []string, bytesMax int64) (contents map[string]page.Content, whole bool, err error)
}

// Blobs stores the JSON of links. A *blob.Store implements it.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	DeleteAll(ctx context.Context, segments string) error
}

// URLSigner makes hosted URLs. A *blob.Signer implements it.
type URLSigner interface {
	URL(key, name, contentType string, ttl time.Duration) (string, error)
}

// Book returns the prices of operations. A *price.Book implements it.
type Book interface {
	Quote(ctx context.Context, r *price.Request, unit edgewire.Unit) (price.Quote, error)
}

const (
	// SearchTimeoutDefault is how long the providers may take to find links.
	SearchTimeoutDefault = 20 * time.Second
	// TimeLimitMax is the longest duration of a search, with the longest timeout of a request.
	TimeLimitMax = SearchTimeoutDefault + scrapeTimeoutMax + lateTimeout + storeTimeout
	// RetentionDefault is how long the content of links is kept.
	RetentionDefault = 7 * 24 * time.Hour
	// InlineBytesMaxDefault is how much content a response holds.
	InlineBytesMaxDefault = 6_000_000
	// PlacesDefault is how many searches one process runs at once, ScrapesDefault how many links it scrapes at once for all
	// of them.
	PlacesDefault  = 64
	ScrapesDefault = 128

	// lateTimeout is how long a canceled scrape may take to end before it is abandoned.
	lateTimeout = 2 * time.Second
	// storeTimeout limits the recording of a search's end, which happens even if the request is closed.
	storeTimeout = 10 * time.Second
	// staleAfter is how long after its time limit an unfinished search counts as dead.
	staleAfter    = time.Minute
	overloadRetry = 2 * time.Second
)

// Config is the configuration of a Service.
type Config struct {
	Queries  *db.Queries `required:"true"`
	Searcher Searcher    // nil: no searches
	Pages    Pages       `required:"true"`
	Contents Contents    `required:"true"`
	Blobs    Blobs       `required:"true"`
	Signer   URLSigner   `required:"true"`
	Book     Book        `required:"true"`

	// SearchTimeout is how long the providers may take. Default [SearchTimeoutDefault].
	SearchTimeout time.Duration
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration
	// InlineBytesMax is how much content a response holds. Default [InlineBytesMaxDefault].
	InlineBytesMax int64
	// Places limits how many searches run at once. Default: [PlacesDefault], and no request waits for a place.
	Places *admission.Pool
	// Scrapes limits how many links of all searches are scraped at once. Default: [ScrapesDefault].
	Scrapes *admission.Pool

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Service implements the use cases of searches. Its errors are problems, ready for the client.
type Service struct {
	config Config
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
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
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the precision of the database
	return &Service{config: config}, nil
}

// staleBefore returns the start time before which an unfinished attempt counts as dead.
func (s *Service) staleBefore(now time.Time) time.Time {
	return now.Add(-s.config.SearchTimeout - scrapeTimeoutMax - lateTimeout - storeTimeout - staleAfter)
}
