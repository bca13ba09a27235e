package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/db"
)

// Task is one item of work.
type Task struct {
	Queue, Lane, TeamID, Group string
	// N is the item's number in its group.
	N int32
	// Attempt is the number of this try, from 1. Tries that were postponed by Wait or interrupted are not counted.
	Attempt int32
	// Takeovers is how many workers were lost while they ran it.
	Takeovers int32
	CreatedAt time.Time

	token     uuid.UUID
	stalledAt time.Time // since when Wait has postponed it; zero: it has not
}

// Done is the outcome of a task: what Handler.Run returned, or an error of this package.
type Done struct {
	Task
	Result any
	Err    error
}

// Handler does the work of a queue.
type Handler interface {
	// Run does one task. The context ends at the task's timeout, within a quarter of a lease after the task was
	// cancelled or taken over by another worker, and at the end of a stop's grace period. An error made by Later or
	// Wait causes a retry; any other error is final and is passed to Finish.
	Run(ctx context.Context, t Task) (any, error)
	// Finish stores the outcomes of tasks of one group (of several in a Mixed queue). In its own transaction it calls
	// Complete or Postpone, and writes for the tasks that these return. It may be called again with the same tasks if
	// it fails or if its outcome is unknown. Done.Err is nil, a final error of Run, ErrLost, ErrPanicked or ErrNotKept.
	Finish(ctx context.Context, done []Done) error
}

// Queue is one kind of work.
type Queue struct {
	Name    string  // required: lower-case letters, digits, hyphens
	Handler Handler // required

	// Slots is how many tasks run at once in this process. Default 64.
	Slots int
	// Backlog is how many tasks are promoted ahead, in multiples of Slots: 1 for long work, more for work that ends
	// before the next promotion. Default 1.
	Backlog int
	// LaneMax is how many tasks of one lane run at once, in all processes, unless Work sets another limit. Default 12.
	LaneMax int
	// AttemptsMax is how often a task that fails with Later is tried in all. Default 3.
	AttemptsMax int
	// StallMax is how long Wait may postpone a task. Default 1 h.
	StallMax time.Duration
	// Lease is how long a worker keeps its tasks without renewing. Default 60 s.
	Lease time.Duration
	// Timeout bounds Run. Default 5 min.
	Timeout time.Duration
	// Flights is how many calls of Finish may run at once, never two for one group. Default 4.
	Flights int
	// FlightMax is how many results one call of Finish gets at most: what is done again after a crash during the call.
	// Default 500, which is also the maximum.
	FlightMax int
	// Gather is how long the results of a group wait for more after its last call of Finish, unless half of a lane has
	// results: many in one commit cost little more than one. Default: not at all.
	Gather time.Duration
	// Mixed allows Finish to get results of several groups.
	Mixed bool
	// Backoff is the wait after a task's attempt-th try failed with Later. Default 2 s, 10 s, ….
	Backoff func(attempt int) time.Duration
}

// Config configures Jobs.
type Config struct {
	// Pool is used for the tasks' own statements; features have another for what they store. Required.
	Pool *pgxpool.Pool
	// Queues are what this process works on. With none, and nothing Periodic, it only adds work, and is not started.
	Queues []Queue
	// Periodic is what the whole installation does repeatedly.
	Periodic []Periodic
	// Grace is how long Stop lets running tasks continue. Default 70 s.
	Grace      time.Duration
	Registerer prometheus.Registerer // nil: no metrics are exported
	Logger     *slog.Logger          // required
	Now        func() time.Time      // required
}

var queueName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

func (q Queue) withDefaults() Queue {
	q.Slots = cmp.Or(q.Slots, 64)
	q.Backlog = cmp.Or(q.Backlog, 1)
	q.LaneMax = cmp.Or(q.LaneMax, laneMaxDefault)
	q.AttemptsMax = cmp.Or(q.AttemptsMax, 3)
	q.StallMax = cmp.Or(q.StallMax, time.Hour)
	q.Lease = cmp.Or(q.Lease, time.Minute)
	q.Timeout = cmp.Or(q.Timeout, 5*time.Minute)
	q.Flights = cmp.Or(q.Flights, 4)
	q.FlightMax = cmp.Or(q.FlightMax, flightMaxDefault)
	if q.Backoff == nil {
		q.Backoff = func(attempt int) time.Duration { return backoff(attempt, rand.Float64()) } //nolint:gosec // it only spreads
	}
	return q
}

func (q Queue) validate() error {
	var faults []error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf("queue %s: %w", q.Name, fmt.Errorf(format, args...)))
		}
	}
	fault(!queueName.MatchString(q.Name), "the name must have only lower-case letters, digits and hyphens")
	fault(q.Handler == nil, "Handler is required")
	fault(q.Slots < 1, "Slots: got %d, want at least 1", q.Slots)
	fault(q.Backlog < 1, "Backlog: got %d, want at least 1", q.Backlog)
	fault(q.LaneMax < 1, "LaneMax: got %d, want at least 1", q.LaneMax)
	fault(q.AttemptsMax < 1, "AttemptsMax: got %d, want at least 1", q.AttemptsMax)
	fault(q.Lease < 100*time.Millisecond, "Lease: got %s, want at least 100 ms", q.Lease)
	fault(q.Timeout < 0 || q.StallMax < 0 || q.Gather < 0, "Timeout, StallMax and Gather must not be negative")
	fault(q.Flights < 1, "Flights: got %d, want at least 1", q.Flights)
	fault(q.FlightMax < 1 || q.FlightMax > flightMaxDefault, "FlightMax: got %d, want 1 to %d", q.FlightMax, flightMaxDefault)
	_, shared := q.Handler.(byGroup)
	fault(shared && q.Mixed, "Mixed cannot be combined with a ByGroup handler")
	return errors.Join(faults...)
}

// Jobs adds work and, in a process that has queues, runs it.
type Jobs struct {
	cfg     Config
	queries *db.Queries
	queues  map[string]*queue
	metrics *metrics
	logger  *slog.Logger
	now     func() time.Time

	// life ends when all of this process must stop. Before, feed ends when no more tasks are promoted, and running when
	// tasks are cancelled.
	life, feed, running          context.Context //nolint:containedctx // they bound its goroutines
	endLife, endFeed, endRunning context.CancelFunc
	schedulers, background       sync.WaitGroup
	repeating                    sync.Map // the names of the periodic work that runs here
}

// queue is a Queue with its components.
type queue struct {
	Queue
	j         *Jobs
	slots     *slots
	scheduler *scheduler
	held      *held
	finish    *finisher
}

// New checks the configuration and makes Jobs; Start starts it.
func New(cfg Config) (*Jobs, error) {
	var faults []error
	if cfg.Pool == nil || cfg.Logger == nil || cfg.Now == nil {
		faults = append(faults, errors.New("jobs: Pool, Logger and Now are required"))
	}
	cfg.Grace = cmp.Or(cfg.Grace, 70*time.Second)
	j := &Jobs{cfg: cfg, queues: map[string]*queue{}, logger: cfg.Logger, now: cfg.Now}
	for _, settings := range cfg.Queues {
		settings = settings.withDefaults()
		if err := settings.validate(); err != nil {
			faults = append(faults, err)
		}
		if j.queues[settings.Name] != nil {
			faults = append(faults, fmt.Errorf("queue %s: configured twice", settings.Name))
		}
		q := &queue{Queue: settings, j: j, held: newHeld()}
		q.slots, q.scheduler, q.finish = newSlots(q), newScheduler(q), newFinisher(q)
		j.queues[settings.Name] = q
	}
	for _, p := range cfg.Periodic {
		faults = append(faults, p.validate())
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	j.queries = queriesOn(cfg.Pool)
	j.metrics = newMetrics(cfg.Queues)
	if err := j.metrics.register(cfg.Registerer); err != nil {
		return nil, err
	}
	j.life, j.endLife = context.WithCancel(context.Background())
	j.feed, j.endFeed = context.WithCancel(j.life)
	j.running, j.endRunning = context.WithCancel(j.life)
	return j, nil
}

// works reports whether this process has work of its own, beside adding work for others.
func (j *Jobs) works() bool { return len(j.queues) > 0 || len(j.cfg.Periodic) > 0 }
