package batches

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/maypok86/otter/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Pages fetches pages: a *scrapes.Engine.
type Pages interface {
	// Check returns the problem for which pages with these options would be refused, without fetching any.
	Check(ctx context.Context, teamID string, options page.Options, urls []string) error
	// Price is what a page with these options costs a subscriber.
	Price(ctx context.Context, teamID string, options page.Options) (money.Credits, error)
	// Keep fetches a page and stores what the options ask for. Errors are *page.Error.
	Keep(ctx context.Context, job page.Job) (page.Kept, error)
	// Discard deletes what attempts 1 to attempts may have left under a retrieve_id.
	Discard(ctx context.Context, retrieveID string, attempts int) error
}

// Files are the files of teams: a *files.Service.
type Files interface {
	// Items calls fn with each item of a completed batch file, and returns problems, or fn's error.
	Items(ctx context.Context, teamID, id string, fn func(i int, raw []byte) error) error
}

// Webhooks checks webhook addresses and knows the teams' signing secrets: a *webhooks.Service.
type Webhooks interface {
	// Check says what is wrong with an address, in words for the client: "must be …".
	Check(rawURL string) error
	// Secret returns the secret with which a team verifies the signatures.
	Secret(ctx context.Context, teamID string) (string, error)
}

// Jobs adds work: a *jobs.Jobs.
type Jobs interface {
	Enqueue(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error
	Wake(queue string)
}

// Config configures a [Service].
type Config struct {
	Pool *pgxpool.Pool `required:"true"`
	// Jobs gets the work of created and retried batches. It is nil in a service that only does work: the handler of a
	// queue, made before its Jobs.
	Jobs  Jobs
	Pages Pages `required:"true"`
	// Files resolves file_id. nil: there are no files.
	Files Files
	// Webhooks checks addresses. nil: there are no webhooks.
	Webhooks Webhooks
	// Owe records in a transaction that a wallet's payment must be refunded, and why. It returns false if there is
	// nothing to refund: the money has not moved, or is back. Required if wallets pay.
	Owe billing.OweFunc

	// LaneMax is how many pages of a team are fetched at once. Default: that of jobs.
	LaneMax int
	// Timeout is how long a batch, and each retry of it, may take. Default [TimeoutDefault].
	Timeout time.Duration
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Service implements the operations on batches, and is the handler of their work. Its errors are problems for the client.
type Service struct {
	config  Config
	queries *db.Queries
	settler billing.Settler

	// judged holds the number of items of requests whose items are valid, by plan.request.
	judged *otter.Cache[[sha256.Size]byte, int]
}

// judgedMax is how many requests judged holds, in about a megabyte. Evicted ones are checked again.
const judgedMax = 10_000

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if config.LaneMax < 0 || config.Timeout < 0 || config.Retention < 0 {
		errs = append(errs, errors.New("prices and limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("batches: %w", err)
	}
	config.Timeout = cmp.Or(config.Timeout, TimeoutDefault)
	config.Retention = cmp.Or(config.Retention, RetentionDefault)
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the database's precision
	s := &Service{config: config, queries: db.New(config.Pool)}
	s.judged = otter.Must(&otter.Options[[sha256.Size]byte, int]{MaximumSize: judgedMax})
	s.settler = billing.Settler{Owe: config.Owe, Note: owedNote, Logger: config.Logger}
	return s, nil
}

// inTx runs fn in a transaction that is committed if it returns nil.
func (s *Service) inTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.config.Pool, fn)
}

// batchNotFound is the error for missing batches and those of other teams.
func batchNotFound() error {
	return problem.New(problem.BatchNotFound, "There is no batch with this id.")
}

// lock locks and returns a team's batch.
func (s *Service) lock(ctx context.Context, tx pgx.Tx, teamID, id string) (*db.Batch, error) {
	if !isID(id) {
		return nil, batchNotFound()
	}
	b, err := db.New(tx).LockBatch(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && (b.TeamID != teamID || teamID == ""):
		return nil, batchNotFound()
	case err != nil:
		return nil, fmt.Errorf("locking batch %s: %w", id, err)
	}
	return &b, nil
}
