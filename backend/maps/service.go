package maps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/sitemap"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Fetcher fetches sitemaps and pages. A *fetch.Client implements it; it must allow bodies of up to [BodyBytesMax].
type Fetcher interface {
	Check(u fetch.URL) error
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Robots provides robots.txt rules. A *politeness.Robots implements it.
type Robots interface {
	For(ctx context.Context, u fetch.URL) (*robots.Rules, error)
}

// Blobs stores URLs. A *blob.Store implements it.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	DeleteAll(ctx context.Context, segments string) error
}

// BodyBytesMax is the body limit that a Fetcher must have, on the wire and decompressed. It is a little above the limit of
// a sitemap, so that the permitted part of a larger sitemap can be read.
const BodyBytesMax = sitemap.BytesMax + 1<<20

const (
	// TimeLimitDefault is how long a map looks for URLs. The rest of the 120 seconds of the contract is for sorting and
	// storing.
	TimeLimitDefault = 110 * time.Second
	// RetentionDefault is how long a map can be read.
	RetentionDefault = 7 * 24 * time.Hour
	// PlacesDefault is how many maps one process makes at once.
	PlacesDefault = 8

	// storeTimeout limits the storing of a map, which goes on when the client has closed the request.
	storeTimeout = 30 * time.Second
	// staleAfter is the age at which an unfinished map is taken for dead.
	staleAfter    = 2 * storeTimeout
	overloadRetry = 5 * time.Second
)

// Config is the configuration of a Service.
type Config struct {
	Queries *db.Queries       `required:"true"`
	Fetcher Fetcher           `required:"true"`
	Robots  Robots            `required:"true"`
	Blobs   Blobs             `required:"true"`
	Memory  *membudget.Budget `required:"true"`
	// Agent is the crawler's product token in robots.txt. Required.
	Agent string `required:"true"`
	// Available returns the balance of a team. Required.
	Available func(ctx context.Context, teamID string) (money.Credits, error) `required:"true"`

	// TimeLimit is how long a map looks for URLs. Default [TimeLimitDefault].
	TimeLimit time.Duration
	// Retention is how long a map can be read. Default [RetentionDefault].
	Retention time.Duration
	// Places limits how many maps are made at once. Default: [PlacesDefault], and no request waits for a place.
	Places *admission.Pool

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Service implements the use cases of maps. Its errors are problems, ready for the client.
type Service struct {
	config Config
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if config.TimeLimit < 0 || config.Retention < 0 {
		errs = append(errs, errors.New("limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("maps: %w", err)
	}
	config.TimeLimit = cmp.Or(config.TimeLimit, TimeLimitDefault)
	config.Retention = cmp.Or(config.Retention, RetentionDefault)
	if config.Places == nil {
		config.Places = admission.New(admission.Config{Size: PlacesDefault})
	}
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the precision of the database
	return &Service{config: config}, nil
}
