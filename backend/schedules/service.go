package schedules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Book prices calls: a *price.Book.
type Book interface {
	Quote(ctx context.Context, r *price.Request, unit edgewire.Unit) (price.Quote, error)
}

// Signer signs the identities of calls, like the edge: a *edgewire.Signer.
type Signer interface {
	Sign(id *edgewire.Identity) (string, error)
}

const (
	// IntervalMinDefault is the shortest interval of a cron expression. (For sentences: [frequency.IntervalMin].)
	IntervalMinDefault = time.Minute
	// TeamMaxDefault is how many schedules of its own a team may have.
	TeamMaxDefault = 1000
	// SlotsDefault is how many calls a worker makes at once, TeamRunningDefault how many of them for one team.
	SlotsDefault       = 32
	TeamRunningDefault = 4
	// LeaseDefault is how long a worker that does not renew its lease keeps its runs.
	LeaseDefault = time.Minute
	// KeepRunsDefault is how many runs of a schedule are kept.
	KeepRunsDefault = 20

	// ClaimMax is how many schedules are claimed in one transaction.
	ClaimMax = 1000
	// claimEvery is how often due schedules are claimed. On average calls are late by half of it.
	claimEvery = time.Second
	// triesMax is how often a call is attempted that is deferred or whose process is lost.
	triesMax = 5
	// retention is for schedules that were removed.
	retention = 30 * 24 * time.Hour
)

// Config configures a Service.
type Config struct {
	Pool *pgxpool.Pool `required:"true"`
	Book Book          `required:"true"`
	// API returns the backend's own handler, which serves the calls. It also has the routes of this package, so it is
	// looked up only when a call is made. Required.
	API    func() http.Handler `required:"true"`
	Signer Signer              `required:"true"`

	// IntervalMin is the shortest interval of a schedule. Default [IntervalMinDefault].
	IntervalMin time.Duration
	// TeamMax is how many schedules a team may have. Default [TeamMaxDefault].
	TeamMax int
	// Slots is how many calls this process makes at once, TeamRunning how many of them for one team. Defaults
	// [SlotsDefault] and [TeamRunningDefault].
	Slots, TeamRunning int
	// Lease is how long a process that does not renew its lease keeps its runs. Default [LeaseDefault].
	Lease time.Duration
	// KeepRuns is how many runs of a schedule are kept. Default [KeepRunsDefault].
	KeepRuns int

	Registerer prometheus.Registerer // nil: no metrics are exported
	Logger     *slog.Logger          `required:"true"`
	Now        func() time.Time      `required:"true"`
}

// Service implements schedules. Its errors are problems ready for the client, except those of [Scheduler] and of the worker.
type Service struct {
	config  Config
	queries *db.Queries
	quoter  price.Quoter
	metrics *metrics

	mu      sync.Mutex
	running map[uuid.UUID]*db.TakeRunsRow // calls in progress, by run
	// afterTeam is the team after which the next turn continues.
	afterTeam string
}

var _ Scheduler = (*Service)(nil)

// New returns a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if min(config.IntervalMin, config.Lease) < 0 || min(config.TeamMax, config.Slots, config.TeamRunning, config.KeepRuns) < 0 {
		errs = append(errs, errors.New("limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("schedules: %w", err)
	}
	config.IntervalMin = cmp.Or(config.IntervalMin, IntervalMinDefault)
	config.TeamMax = cmp.Or(config.TeamMax, TeamMaxDefault)
	config.Slots = cmp.Or(config.Slots, SlotsDefault)
	config.TeamRunning = cmp.Or(config.TeamRunning, TeamRunningDefault)
	config.Lease = cmp.Or(config.Lease, LeaseDefault)
	config.KeepRuns = cmp.Or(config.KeepRuns, KeepRunsDefault)
	now := config.Now
	config.Now = func() time.Time { return now().UTC().Truncate(time.Microsecond) } // the database's precision
	s := &Service{config: config, queries: db.New(config.Pool), running: map[uuid.UUID]*db.TakeRunsRow{}, metrics: newMetrics()}
	if err := s.metrics.register(config.Registerer); err != nil {
		return nil, err
	}
	s.quoter = &price.HTTPQuoter{URL: "http://backend" + price.QuotePath, Client: &http.Client{Transport: inProcess{s}}, Sign: s.signQuote}
	return s, nil
}

// Schedules returns c's schedules, newest first.
func (s *Service) Schedules(ctx context.Context, c *principal.Caller, includeDeleted bool) ([]*Schedule, error) {
	rows, err := s.queries.ListSchedules(ctx, db.ListSchedulesParams{TeamID: c.TeamID, IncludeDeleted: includeDeleted, RowsMax: listMax})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("listing schedules: %w", err))
	}
	all := make([]*Schedule, 0, len(rows))
	for i := range rows {
		one, err := view(&rows[i].Schedule, rows[i].LastRun)
		if err != nil {
			return nil, problem.Internal(err)
		}
		all = append(all, one)
	}
	return all, nil
}

// Purge deletes up to rowsMax schedules that were removed long ago, with their runs, and returns how many.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int64, error) {
	n, err := s.queries.PurgeSchedules(ctx, db.PurgeSchedulesParams{RemovedBefore: s.config.Now().Add(-retention), RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("purging schedules: %w", err)
	}
	return n, nil
}
