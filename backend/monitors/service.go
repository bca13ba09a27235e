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
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Jobs enqueues tasks: a *jobs.Jobs.
type Jobs interface {
	Enqueue(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error
	Wake(queue string)
}

// Planner makes plans: a *plan.Planner.
type Planner interface {
	// Plan makes a plan for r, and reports its progress to emit, from one goroutine. If no plan can be made, the error is
	// a *plan.Error and the plan holds what was understood. Any other error is retried.
	Plan(ctx context.Context, r plan.Request, emit func(plan.Event)) (plan.Plan, error)
}

// Runner carries out plans on behalf of teams, with package run and a World.
type Runner interface {
	// Cost is the most that a run of the plan may cost, which is held for it, and what a run usually costs.
	Cost(ctx context.Context, teamID string, p plan.Plan) (most, usual money.Credits, err error)
	// Run is run.Execute. Its error says why the run failed, in words for the team if it is a problem. There is always an outcome.
	Run(ctx context.Context, teamID string, p plan.Plan, previous run.Previous, limits run.Limits) (run.Outcome, error)
}

// Scheduler calls the run routes of monitors when they are due, on behalf of their teams. It is the service of package
// schedules. All changes happen in the given transaction.
type Scheduler interface {
	// Put adds a team's recurring POST to an endpoint such as "v1/monitors/monitor_…/run". It returns the schedule's id
	// and when it is due first, which may be later than the frequency says, by the same offset each time.
	Put(ctx context.Context, tx pgx.Tx, teamID, endpoint, name, group string, f frequency.Frequency) (id string, next time.Time, err error)
	// Replace gives a schedule another frequency. A paused schedule stays paused, and next is then the zero time.
	Replace(ctx context.Context, tx pgx.Tx, teamID, id string, f frequency.Frequency) (next time.Time, err error)
	// Pause stops a schedule until Resume. Both may be repeated.
	Pause(ctx context.Context, tx pgx.Tx, teamID, id string) error
	Resume(ctx context.Context, tx pgx.Tx, teamID, id string) (next time.Time, err error)
	// Remove ends a schedule for good. It may be repeated.
	Remove(ctx context.Context, tx pgx.Tx, teamID, id string) error
}

// Channels checks notification channels and their consents: package notifications.
type Channels interface {
	// Check returns a channel in its stored form. The error begins with the name of the faulty field and a colon.
	Check(c outbox.Channel) (outbox.Channel, error)
	// Ask sends consent requests to the email addresses among the channels that a team has named for a subject.
	Ask(ctx context.Context, tx pgx.Tx, teamID, subject string, channels []outbox.Channel, now time.Time) error
	// Consents returns the consent of each email address among channels for the team, in their order.
	Consents(ctx context.Context, d db.DBTX, teamID string, channels []outbox.Channel) ([]outbox.Consent, error)
}

// Blobs stores content: a *blob.Store.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	// DeleteAll deletes every key that begins with the segments. It succeeds if there is none.
	DeleteAll(ctx context.Context, segments string) error
}

// URLSigner signs hosted URLs: a *blob.Signer.
type URLSigner interface {
	URL(key, name, contentType string, ttl time.Duration) (string, error)
}

// Default values of the Config.
const (
	// TeamMaxDefault is how many monitors a team may have that are not deleted.
	TeamMaxDefault = 1000
	// RetentionDefault is how long runs, events and snapshots are kept.
	RetentionDefault = 90 * 24 * time.Hour
	// RunsMaxDefault is how many runs a monitor keeps at most.
	RunsMaxDefault = 5000
	// URLTimeDefault is how long signed URLs are valid.
	URLTimeDefault = 7 * 24 * time.Hour
	// HeartbeatDefault is the time between the comments of a stream.
	HeartbeatDefault = 15 * time.Second
	// FailuresMaxDefault is how many runs in a row may fail before the monitor fails.
	FailuresMaxDefault = 10
	// ModelPlansMaxDefault is how many plans by a language model, which no run has paid for, a team may have per day.
	ModelPlansMaxDefault = 20
	// RunTimeDefault is how long a run may take.
	RunTimeDefault = 10 * time.Minute

	// pollEvery is how often a stream polls for progress that another process wrote.
	pollEvery = 250 * time.Millisecond
)

// Config configures a Service.
type Config struct {
	Pool      *pgxpool.Pool  `required:"true"`
	Jobs      Jobs           // required to create monitors, here or by Work where monitors are made
	Planner   Planner        `required:"true"`
	Runner    Runner         `required:"true"`
	Scheduler Scheduler      `required:"true"`
	Channels  Channels       // nil: no channels
	Webhooks  outbox.Checker // nil: no webhooks
	Blobs     Blobs          `required:"true"`
	Signer    URLSigner      `required:"true"`

	// TeamMax is how many monitors a team may have that are not deleted. Default [TeamMaxDefault].
	TeamMax int64
	// Retention is how long runs, events and snapshots are kept. Default [RetentionDefault].
	Retention time.Duration
	// RunsMax is how many runs a monitor keeps at most. Default [RunsMaxDefault].
	RunsMax int64
	// URLTime is how long signed URLs are valid. Default [URLTimeDefault].
	URLTime time.Duration
	// Heartbeat is the time between the comments of a stream. Default [HeartbeatDefault].
	Heartbeat time.Duration
	// FailuresMax is how many runs in a row may fail before the monitor fails. Default [FailuresMaxDefault].
	FailuresMax int32
	// RunTime is how long a run may take. Default [RunTimeDefault].
	RunTime time.Duration
	// ModelPlansMax is how many plans by a language model, which no run has paid for, a team may have per day. Further
	// plans are made by rules. Default [ModelPlansMaxDefault].
	ModelPlansMax int64

	Registerer prometheus.Registerer // nil: no metrics are exported
	Logger     *slog.Logger          `required:"true"`
	Now        func() time.Time      `required:"true"`
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
	errs := []error{required.Fields(*c)}
	if c.TeamMax < 1 || c.Retention < 0 || c.RunsMax < 1 || c.URLTime < 0 || c.Heartbeat < 0 || c.FailuresMax < 1 || c.RunTime < 0 || c.ModelPlansMax < 1 {
		errs = append(errs, errors.New("limits must be positive"))
	}
	return errors.Join(errs...)
}

// Service manages monitors and their runs.
type Service struct {
	config  Config
	queries *db.Queries
	jobs    Jobs
	news    *news
	metrics *metrics
}

// New returns a Service. The error names all faults of config.
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

// Work sets Jobs after construction, for when the jobs are made after the service.
func (s *Service) Work(j Jobs) { s.jobs = j }
