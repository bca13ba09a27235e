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
	"github.com/riverqueue/river"

	"github.com/turnpike-edge/turnpike/backend/body"
	"github.com/turnpike-edge/turnpike/backend/frontier"
	"github.com/turnpike-edge/turnpike/backend/funding"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Pages comes by pages: a *scrapes.Engine.
type Pages interface {
	// Check returns the problem with which pages wanted so would be refused, without fetching any.
	Check(ctx context.Context, teamID string, options page.Options, urls []string) error
	// Price is what a page wanted so costs a subscriber.
	Price(ctx context.Context, teamID string, options page.Options) (money.Credits, error)
	// Keep fetches a page and keeps what is wanted of it. Errors are *page.Error.
	Keep(ctx context.Context, job page.Job) (page.Kept, error)
	// Discard deletes what attempts 1 to attempts may have left under a retrieve_id.
	Discard(ctx context.Context, retrieveID string, attempts int) error
	// WriteRecord writes the WARC records that an attempt has kept. The error is page.ErrNoRecord where there are none.
	WriteRecord(ctx context.Context, w io.Writer, retrieveID string, attempt int) error
}

// Robots knows what sites ask robots not to fetch.
type Robots interface {
	// Allowed reports whether robots.txt lets a URL be fetched. The error is a *robots.UnreachableError where it cannot be
	// had, and so nothing may be fetched; others are no fault of the site.
	Allowed(ctx context.Context, url string) (bool, error)
}

// Webhooks know whom events can be told, and how it is known that we do: a *webhooks.Service.
type Webhooks interface {
	// Check says what is wrong with an address, in words for the caller: "must be …".
	Check(rawURL string) error
	// Secret is the one with which a team verifies what it gets.
	Secret(ctx context.Context, teamID string) (string, error)
}

// Jobs adds work: a *jobs.Jobs.
type Jobs interface {
	Enqueue(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error
	InsertTx(ctx context.Context, tx pgx.Tx, args river.JobArgs, opts *river.InsertOpts) error
	Wake(queue string)
}

// Config is what a [Service] is made of.
type Config struct {
	Pool *pgxpool.Pool // required
	// Jobs takes the work of what is created. A service that only does work, as the handler of a queue that Jobs is then
	// made with, has none until Work gives it.
	Jobs  Jobs
	Pages Pages // required
	// Seen remembers what crawls know, so that most links need not be asked for in the database. nil: all are.
	Seen *frontier.Seen
	// Score says how relevant links are to a search_query. nil: they stay in the order of their page.
	Score frontier.ScoreFunc
	// Robots is asked before each page and redirect of crawls that follow robots.txt. Required.
	Robots Robots
	// Webhooks checks addresses. nil: there are no webhooks.
	Webhooks Webhooks
	// Owe says in a transaction that a wallet's payment is owed back, and why. Required where wallets pay.
	Owe funding.OweFunc
	// HostPace is how a host may be asked: how far apart its URLs are opened, and how many may be open at once, so that
	// those that wait for their turn at it take no other host's places. nil: at any pace, [hostOpenDefault] at once.
	HostPace func(host string) (interval time.Duration, open int)

	// CreditPrice is what a credit is worth, for cost_usd. Default [CreditPriceDefault].
	CreditPrice money.MicroUSDC
	// PagePrice is what a wallet pays for each page of max_pages, and PriceLeast the least that it pays. Default
	// [PagePriceDefault] and [PriceLeastDefault].
	PagePrice, PriceLeast money.MicroUSDC
	// LaneMax is how many pages of a team are fetched at once. Default: that of jobs.
	LaneMax int
	// OpenMax is how many URLs of a crawl have a task at once. What is not fetched soon had better wait where hosts take
	// turns. Default: four times what runs of a lane.
	OpenMax int
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration

	Logger *slog.Logger     // required
	Now    func() time.Time // required
}

const (
	hostOpenDefault = 10
	// laneMaxOfJobs is what jobs run of a lane where nobody says.
	laneMaxOfJobs = 12
	openPerLane   = 4
)

// Service is the use cases of crawls, and the handler of their work. Its errors are problems, ready for the caller.
type Service struct {
	config  Config
	jobs    Jobs
	queries *db.Queries
	settler funding.Settler
	rules   rulesCache
	bodies  *body.Decoder[Request]
	watched watch
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	var errs []error
	for _, field := range []struct {
		missing bool
		name    string
	}{
		{config.Pool == nil, "Pool"},
		{config.Pages == nil, "Pages"},
		{config.Robots == nil, "Robots"},
		{config.Logger == nil, "Logger"},
		{config.Now == nil, "Now"},
	} {
		if field.missing {
			errs = append(errs, fmt.Errorf("%s is required", field.name))
		}
	}
	if config.CreditPrice < 0 || config.PagePrice < 0 || config.PriceLeast < 0 || config.LaneMax < 0 || config.OpenMax < 0 || config.Retention < 0 {
		errs = append(errs, errors.New("prices and limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("crawls: %w", err)
	}
	config.CreditPrice = cmp.Or(config.CreditPrice, CreditPriceDefault)
	config.PagePrice = cmp.Or(config.PagePrice, PagePriceDefault)
	config.PriceLeast = cmp.Or(config.PriceLeast, PriceLeastDefault)
	config.Retention = cmp.Or(config.Retention, RetentionDefault)
	config.LaneMax = cmp.Or(config.LaneMax, laneMaxOfJobs)
	config.OpenMax = cmp.Or(config.OpenMax, openPerLane*config.LaneMax)
	if config.HostPace == nil {
		config.HostPace = func(string) (time.Duration, int) { return 0, hostOpenDefault }
	}
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // what the database keeps
	s := &Service{config: config, jobs: config.Jobs, queries: db.New(config.Pool), bodies: body.NewDecoder[Request](nil)}
	s.rules.seen, s.rules.score = config.Seen, config.Score
	s.settler = funding.Settler{Owe: config.Owe, Note: owedNote, Logger: config.Logger}
	return s, nil
}

// Work says to j what the system jobs of crawls do, and has what pages lead to added to it. Call it before j is started.
func (s *Service) Work(j *jobs.Jobs) {
	s.jobs = j
	jobs.AddWorker(j, s.deadline)
}

// inTx runs fn in a transaction that is committed if it returns nil.
func (s *Service) inTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.config.Pool, fn)
}

// crawlNotFound is the answer for what is not there and for what is another team's.
func crawlNotFound() error {
	return problem.New(problem.CrawlNotFound, "There is no crawl with this id.")
}

// lock returns a team's crawl under its lock.
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
