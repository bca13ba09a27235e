package maps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/body"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/fetch/robots"
	"github.com/turnpike-edge/turnpike/backend/memory"
	"github.com/turnpike-edge/turnpike/backend/sitemap"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Fetcher fetches sitemaps and pages: a *fetch.Client whose bodies may have up to [BodyBytesMax].
type Fetcher interface {
	Check(u fetch.URL) error
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Robots knows robots.txt: a *politeness.Robots.
type Robots interface {
	For(ctx context.Context, u fetch.URL) (*robots.Rules, error)
}

// Blobs keeps URLs: a *blob.Store.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	DeleteAll(ctx context.Context, segments string) error
}

// BodyBytesMax is what a Fetcher must let bodies have, on the wire and decompressed: a little more than a sitemap may, so
// that of larger ones there is what they may have.
const BodyBytesMax = sitemap.BytesMax + 1<<20

const (
	// TimeLimitDefault is how long a map looks for URLs. What is left of the 120 seconds of the contract is for ordering
	// and storing what was found.
	TimeLimitDefault = 110 * time.Second
	// RetentionDefault is how long a map can be read.
	RetentionDefault = 7 * 24 * time.Hour
	// PlacesDefault is how many maps one process makes at once.
	PlacesDefault = 8

	// storeTimeout is for writing a map down, also when its request is gone: it is made.
	storeTimeout = 30 * time.Second
	// staleAfter is when one that is being written down is taken for dead.
	staleAfter    = 2 * storeTimeout
	overloadRetry = 5 * time.Second
)

// Config is what a Service is made of.
type Config struct {
	Queries *db.Queries    // required
	Fetcher Fetcher        // required
	Robots  Robots         // required
	Blobs   Blobs          // required
	Memory  *memory.Budget // required
	// Agent is the crawler's product token, by which robots.txt knows it. Required.
	Agent string
	// Available returns what a team can spend. Required.
	Available func(ctx context.Context, teamID string) (money.Credits, error)

	// TimeLimit is how long a map looks for URLs. Default [TimeLimitDefault].
	TimeLimit time.Duration
	// Retention is how long a map can be read. Default [RetentionDefault].
	Retention time.Duration
	// Places are for maps that are made. Default: [PlacesDefault], and no request waits for one.
	Places *admission.Pool

	Logger *slog.Logger     // required
	Now    func() time.Time // required
}

// Service is the use cases of maps. Its errors are problems, ready for the caller.
type Service struct {
	config Config
	bodies *body.Decoder[Request]
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
		{config.Robots == nil, "Robots"},
		{config.Blobs == nil, "Blobs"},
		{config.Memory == nil, "Memory"},
		{config.Agent == "", "Agent"},
		{config.Available == nil, "Available"},
		{config.Logger == nil, "Logger"},
		{config.Now == nil, "Now"},
	} {
		if field.missing {
			errs = append(errs, fmt.Errorf("%s is required", field.name))
		}
	}
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
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // what the database keeps
	return &Service{config: config, bodies: body.NewDecoder[Request](nil)}, nil
}
