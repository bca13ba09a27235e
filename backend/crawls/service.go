package crawls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Pages fetches pages. A *scrapes.Engine implements it.
type Pages interface {
	// Check returns the problem for which pages with these options would be refused, without fetching any.
	Check(ctx context.Context, teamID string, options page.Options, urls []string) error
	// Price returns the price of a page with these options for a subscriber.
	Price(ctx context.Context, teamID string, options page.Options) (money.Credits, error)
	// Keep fetches a page and keeps the requested content. Errors are *page.Error.
	Keep(ctx context.Context, job page.Job) (page.Kept, error)
	// Discard deletes what attempts 1 to attempts may have stored under a retrieve_id.
	Discard(ctx context.Context, retrieveID string, attempts int) error
	// WriteRecord writes the WARC records of an attempt. The error is page.ErrNoRecord if there are none.
	WriteRecord(ctx context.Context, w io.Writer, retrieveID string, attempt int) error
}

// Robots checks the robots.txt of sites.
type Robots interface {
	// Allowed reports whether robots.txt allows a URL. The error is a *robots.UnreachableError if robots.txt cannot be
	// fetched, so that nothing may be fetched; other errors are not the site's fault.
	Allowed(ctx context.Context, url string) (bool, error)
}

// Webhooks checks webhook addresses and has the teams' signing secrets. A *webhooks.Service implements it.
type Webhooks interface {
	// Check returns what is wrong with an address, in words for the client: "must be …".
	Check(rawURL string) error
	// Secret returns the secret with which a team verifies events.
	Secret(ctx context.Context, teamID string) (string, error)
}

// Jobs enqueues work. A *jobs.Jobs implements it.
type Jobs interface {
	Enqueue(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error
	Wake(queue string)
}

// Config is the configuration of a [Service].
type Config struct {
	Pool *pgxpool.Pool `required:"true"`
	// Jobs enqueues the work of new crawls. nil for a service that is first made as the handler of a queue: Work sets it.
	Jobs  Jobs
	Pages Pages `required:"true"`
	// Seen caches the known URLs of crawls, so that most links need no database query. nil: every link is queried.
	Seen *urlfilter.Seen
	// Score rates how relevant links are to a search_query. nil: links keep the order of their page.
	Score urlfilter.ScoreFunc
	// Robots is asked before each page and redirect of every crawl. Required.
	Robots Robots `required:"true"`
	// Webhooks checks addresses. nil: webhooks are not available.
	Webhooks Webhooks
	// Owe records in a transaction that a wallet's payment is owed back, and why. Required if wallets pay.
	Owe billing.OweFunc
	// HostPace returns the interval at which a host's URLs are opened, and how many may be open at once, so that URLs
	// waiting for one host do not take the places of other hosts. nil: no interval, [hostOpenDefault] at once.
	HostPace func(host string) (interval time.Duration, open int)

	// LaneMax is how many pages of a team are fetched at once. Default: that of package jobs.
	LaneMax int
	// OpenMax is how many URLs of a crawl have a task at once. Other URLs wait in the frontier, where hosts take turns.
	// Default: four times LaneMax.
	OpenMax int
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

const (
	hostOpenDefault = 10
	// laneMaxOfJobs is the default of package jobs for tasks of a lane that run at once.
	laneMaxOfJobs = 12
	openPerLane   = 4
)

// Service implements the use cases of crawls and handles their tasks. Its errors are problems, ready for the client.
type Service struct {
	config  Config
	jobs    Jobs
	queries *db.Queries
	settler billing.Settler
	rules   rulesCache
	watched watch
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if config.LaneMax < 0 || config.OpenMax < 0 || config.Retention < 0 {
		errs = append(errs, errors.New("prices and limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("crawls: %w", err)
	}
	config.Retention = cmp.Or(config.Retention, RetentionDefault)
	config.LaneMax = cmp.Or(config.LaneMax, laneMaxOfJobs)
	config.OpenMax = cmp.Or(config.OpenMax, openPerLane*config.LaneMax)
	if config.HostPace == nil {
		config.HostPace = func(string) (time.Duration, int) { return 0, hostOpenDefault }
	}
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the precision of the database
	s := &Service{config: config, jobs: config.Jobs, queries: db.New(config.Pool)}
	s.rules.seen, s.rules.score = config.Seen, config.Score
	s.settler = billing.Settler{Owe: config.Owe, Note: owedNote, Logger: config.Logger}
	return s, nil
}

// Work makes j what found URLs are enqueued with. Call it before j is started.
func (s *Service) Work(j *jobs.Jobs) { s.jobs = j }

// inTx runs fn in a transaction that is committed if it returns nil.
func (s *Service) inTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.config.Pool, fn)
}

// crawlNotFound is the error for a crawl that does not exist or belongs to another team.
func crawlNotFound() error {
	return problem.New(problem.CrawlNotFound, "There is no crawl with this id.")
}

// lock locks and returns a team's crawl.
func (s *Service) lock(ctx context.Context, tx pgx.Tx, teamID, id string) (*db.Crawl, error) {
	if !isID(id) {
		return nil, crawlNotFound()
	}
	c, err := db.New(tx).LockCrawl(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && (c.TeamID != teamID || teamID == ""):
		return nil, crawlNotFound()
	case err != nil:
		return nil, fmt.Errorf("locking crawl %s: %w", id, err)
	}
	return &c, nil
}
