package delivery

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/required"
)

const (
	// TryTimeoutDefault is how long a try may take unless a configuration says otherwise.
	TryTimeoutDefault = 30 * time.Second

	slotsDefault   = 256
	laneMaxDefault = 4
	// storeWait is how long a try is postponed during a database outage.
	storeWait = 2 * time.Second
	// shareWait is how long a try is postponed if the team has used its share of the slots.
	shareWait = time.Second
	// stallMax is how long a try may be postponed in all for these two reasons.
	stallMax = 24 * time.Hour
)

// ErrEnded is a carrier's error for a delivery that is already delivered or has failed.
var ErrEnded = errors.New("the delivery has ended")

var errShare = errors.New("the team uses its full share of the slots")

// Carrier knows what is delivered.
type Carrier interface {
	// Try makes one try and fills in all of a Try except its verdict. The error is ErrEnded if the delivery has ended,
	// the context's if the try says nothing about the receiver, one of jobs.Wait if the try is not due, and otherwise a
	// fault of this service, which counts as a try.
	Try(ctx context.Context, t jobs.Task) (*Try, error)
	// Standing returns the number of tries made and the maximum of a delivery; ErrEnded if it has ended.
	Standing(ctx context.Context, id string) (made, most int32, err error)
	// Record stores tries and their verdicts in tx. The lanes of the deliveries are locked.
	Record(ctx context.Context, tx pgx.Tx, tries []*Try) error
	// Recorded is called after tx is committed.
	Recorded(tries []*Try)
}

// Tasks is what an engine needs of backend/queue/jobs. A process that runs an engine's queue creates its Jobs after the
// engine, and sets this then.
type Tasks interface {
	Enqueue(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error
	Wake(queue string)
}

// Config configures an Engine.
type Config struct {
	Queue   string        `required:"true"` // the queue's name
	Carrier Carrier       `required:"true"`
	Pool    *pgxpool.Pool `required:"true"`
	Tasks   Tasks         `required:"true"`

	// Schedule is the wait after each failed try. Required.
	Schedule []time.Duration `required:"true"`
	// TryTimeout is how long a receiver may take. Default 30 s.
	TryTimeout time.Duration
	// Slots is how many tries run at once in this process; one team gets at most half of them. Default 256.
	Slots int
	// LaneMax is how many tries in one lane run at once, in all processes, while they succeed. Default 4.
	LaneMax int

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Engine makes tries.
type Engine struct {
	config Config
	share  *share
}

// New makes an Engine. The error names all faults of config.
func New(config Config) (*Engine, error) {
	errs := []error{required.Fields(config)}
	if config.TryTimeout < 0 || config.Slots < 0 || config.LaneMax < 0 {
		errs = append(errs, errors.New("TryTimeout, Slots and LaneMax must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	config.TryTimeout = cmp.Or(config.TryTimeout, TryTimeoutDefault)
	config.Slots = cmp.Or(config.Slots, slotsDefault)
	config.LaneMax = cmp.Or(config.LaneMax, laneMaxDefault)
	return &Engine{config: config, share: newShare(max(config.Slots/2, 1))}, nil
}

// Queue is the queue of deliveries, for jobs.Config.Queues.
func (e *Engine) Queue() jobs.Queue {
	return jobs.Queue{
		Name: e.config.Queue, Handler: e, Slots: e.config.Slots, LaneMax: e.config.LaneMax, StallMax: stallMax, Mixed: true,
		Lease: 2 * e.config.TryTimeout, Timeout: 3 * e.config.TryTimeout,
	}
}

// Work is the task of a delivery.
func (e *Engine) Work(lane, teamID, id string) jobs.Work {
	return jobs.Work{Queue: e.config.Queue, Lane: lane, TeamID: teamID, Group: id, Ns: []int32{0}, LaneMax: e.config.LaneMax}
}

// Add schedules deliveries in the transaction that creates them. Call Wake after the commit.
func (e *Engine) Add(ctx context.Context, tx pgx.Tx, works ...jobs.Work) error {
	return e.config.Tasks.Enqueue(ctx, tx, works...)
}

// Wake starts new deliveries at once.
func (e *Engine) Wake() { e.config.Tasks.Wake(e.config.Queue) }

// TriesMax is how often a delivery is tried.
func (e *Engine) TriesMax() int { return len(e.config.Schedule) + 1 }

// TryTimeout is how long a receiver may take.
func (e *Engine) TryTimeout() time.Duration { return e.config.TryTimeout }

// Run makes one try. It implements jobs.Handler.
func (e *Engine) Run(ctx context.Context, t jobs.Task) (any, error) {
	leave, ok := e.share.enter(t.TeamID)
	if !ok {
		return nil, jobs.Wait(errShare, shareWait)
	}
	defer leave()
	try, err := e.config.Carrier.Try(ctx, t)
	switch {
	case errors.Is(err, ErrEnded):
		return nil, nil // the task has ended too
	case err != nil:
		return nil, err
	}
	return try, nil
}

// Unread is the error of a try that could not read what to deliver: it waits for the database.
func Unread(err error) error {
	if errors.Is(err, ErrEnded) {
		return err
	}
	return jobs.Wait(err, storeWait)
}

var _ jobs.Handler = (*Engine)(nil)
