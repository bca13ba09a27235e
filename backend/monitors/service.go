package monitors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/outbox"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Jobs takes work in: a *jobs.Jobs.
type Jobs interface {
	Enqueue(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error
	Wake(queue string)
}

// Planner makes plans: package plan's.
type Planner interface {
	// Plan makes a plan for r, and tells emit how far it is, from one goroutine. The error is a *plan.Error where none can be
	// made, with what there is of one; any other is tried again.
	Plan(ctx context.Context, r plan.Request, emit func(plan.Event)) (plan.Plan, error)
}

// Runner carries plans out in the name of teams, by package run and a World.
type Runner interface {
	// Cost is the most that a run of the plan may cost, which is held for it, and what one costs as a rule.
	Cost(ctx context.Context, teamID string, p plan.Plan) (most, usual money.Credits, err error)
	// Run is run.Execute. Its error is why the run failed, in words for the team where it is a problem; there is an outcome
	// in any case.
	Run(ctx context.Context, teamID string, p plan.Plan, previous run.Previous, limits run.Limits) (run.Outcome, error)
}

// Scheduler has monitors run when they are due, by calls of their run routes in their teams' names: the schedules' service.
// What it changes, it changes in the transaction that is given.
type Scheduler interface {
	// Put makes a team's recurring POST of an endpoint such as "v1/monitors/monitor_…/run". It returns the schedule's id and
	// when it is due first, which may be later than the frequency says, always by the same.
	Put(ctx context.Context, tx pgx.Tx, teamID, endpoint, name, group string, f frequency.Frequency) (id string, next time.Time, err error)
	// Replace gives a schedule another frequency. One that is paused stays so, and next is the zero time.
	Replace(ctx context.Context, tx pgx.Tx, teamID, id string, f frequency.Frequency) (next time.Time, err error)
	// Pause stops a schedule until Resume. Both may be repeated.
	Pause(ctx context.Context, tx pgx.Tx, teamID, id string) error
	Resume(ctx context.Context, tx pgx.Tx, teamID, id string) (next time.Time, err error)
	// Remove ends a schedule for good. It may be repeated.
	Remove(ctx context.Context, tx pgx.Tx, teamID, id string) error
}

// Channels knows which channels there may be: the notifications' targets.
type Channels interface {
	// Check returns a channel as it is kept. The error begins with the field that is wrong, and a colon.
	Check(c outbox.Channel) (outbox.Channel, error)
	// Ask has the mail addresses among the channels that a team has named for a subject asked whether they want mail.
	Ask(ctx context.Context, tx pgx.Tx, teamID, subject string, channels []outbox.Channel, now time.Time) error
	// Consents returns how the mail addresses among channels stand with the team, in their order.
	Consents(ctx context.Context, d db.DBTX, teamID string, channels []outbox.Channel) ([]outbox.Consent, error)
}

// Blobs keeps content: a *blob.Store.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	// DeleteAll deletes all whose keys begin with the segments, if there is any.
	DeleteAll(ctx context.Context, segments string) error
}

// URLSigner makes hosted URLs: a *blob.Signer.
type URLSigner interface {
	URL(key, name, contentType string, ttl time.Duration) (string, error)
}

// What is meant where nothing else is said.
const (
	// TeamMaxDefault is how many monitors a team may have that are not deleted.
	TeamMaxDefault = 1000
	// RetentionDefault is how long runs, events and snapshots are kept.
	RetentionDefault = 90 * 24 * time.Hour
	// RunsMaxDefault is how many of them a monitor has at most.
	RunsMaxDefault = 5000
	// URLTimeDefault is for how long signed URLs are good.
	URLTimeDefault = 7 * 24 * time.Hour
	// HeartbeatDefault is how far apart a stream's comments are.
	HeartbeatDefault = 15 * time.Second
	// FailuresMaxDefault is how many runs may fail in a row.
	FailuresMaxDefault = 10
	// ModelPlansMaxDefault is how many plans of a language model a team may have in a day that no run has paid for.
	ModelPlansMaxDefault = 20
	// RunTimeDefault is how long a run may take.
	RunTimeDefault = 10 * time.Minute

	// pollEvery is how often a stream looks for what another process wrote.
	pollEvery = 250 * time.Millisecond
)

// Config is what a Service is made of.
type Config struct {
	Pool      *pgxpool.Pool  // required
	Jobs      Jobs           // required where monitors are made
	Planner   Planner        // required
	Runner    Runner         // required
	Scheduler Scheduler      // required
	Channels  Channels       // nil: there are none
	Webhooks  outbox.Checker // nil: there are none
	Blobs     Blobs          // required
	Signer    URLSigner      // required

	// TeamMax is how many monitors a team may have that are not deleted. Default [TeamMaxDefault].
	TeamMax int64
	// Retention is how long runs, events and snapshots are kept. Default [RetentionDefault].
	Retention time.Duration
	// RunsMax is how many of them a monitor has at most. Default [RunsMaxDefault].
	RunsMax int64
	// URLTime is for how long signed URLs are good. Default [URLTimeDefault].
	URLTime time.Duration
	// Heartbeat is how far apart a stream's comments are. Default [HeartbeatDefault].
	Heartbeat time.Duration
	// FailuresMax is how many runs may fail in a row. Default [FailuresMaxDefault].
	FailuresMax int32
	// RunTime is how long a run may take. Default [RunTimeDefault].
	RunTime time.Duration
	// ModelPlansMax is how many plans of a language model a team may have in a day that no run has paid for; the rules make the
	// others. Default [ModelPlansMaxDefault].
	ModelPlansMax int64

	Registerer prometheus.Registerer // nil: no metrics are given out
	Logger     *slog.Logger          // required
	Now        func() time.Time      // required
}

func (c *Config) withDefaults() error {
	c.TeamMax = cmp.Or(c.TeamMax, TeamMaxDefault)
	c.Retention = cmp.Or(c.Retention, RetentionDefault)
	c.RunsMax = cmp.Or(c.RunsMax, RunsMaxDefault)
	c.URLTime = cmp.Or(c.URLTime, URLTimeDefault)
	c.Heartbeat = cmp.Or(c.Heartbeat, HeartbeatDefault)
	c.FailuresMax = cmp.Or(c.FailuresMax, FailuresMaxDefault)
	c.RunTime = cmp.Or(c.RunTime, RunTimeDefault)
	c.ModelPlansMax = cmp.Or(c.ModelPlansMax, ModelPlansMaxDefault)
	var errs []error
	require := func(missing bool, name string) {
		if missing {
			errs = append(errs, fmt.Errorf("%s is required", name))
		}
	}
	require(c.Pool == nil, "Pool")
	require(c.Planner == nil, "Planner")
	require(c.Runner == nil, "Runner")
	require(c.Scheduler == nil, "Scheduler")
	require(c.Blobs == nil, "Blobs")
	require(c.Signer == nil, "Signer")
	require(c.Logger == nil, "Logger")
	require(c.Now == nil, "Now")
	if c.TeamMax < 1 || c.Retention < 0 || c.RunsMax < 1 || c.URLTime < 0 || c.Heartbeat < 0 || c.FailuresMax < 1 || c.RunTime < 0 || c.ModelPlansMax < 1 {
		errs = append(errs, errors.New("limits must be positive"))
	}
	return errors.Join(errs...)
}

// Service makes monitors and has them run.
type Service struct {
	config  Config
	queries *db.Queries
	jobs    Jobs
	news    *news
	metrics *metrics
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	if err := config.withDefaults(); err != nil {
		return nil, fmt.Errorf("monitors: %w", err)
	}
	s := &Service{config: config, queries: db.New(config.Pool), jobs: config.Jobs, news: newNews(), metrics: newMetrics()}
	if err := s.metrics.register(config.Registerer); err != nil {
		return nil, err
	}
	return s, nil
}

// Work says what takes work in, where that is made after the service.
func (s *Service) Work(j Jobs) { s.jobs = j }
