package workshop

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	connectionsMax = 12
	// closeTime is for a meter to commit its captures, stopTime for a worker to stop, graceTime for its running tasks.
	closeTime, stopTime, graceTime = 20 * time.Second, 30 * time.Second, 5 * time.Second
	// patience is how long an expected condition is waited for.
	patience = 2 * time.Minute
	// unsignalled is the polling interval for changes without a signal, such as a task that the queue puts off.
	unsignalled = 100 * time.Millisecond
	// slots and lease are those of a test's queue.
	slots, lease = 16, 2 * time.Second
)

// Place is a test's own database with a ledger and an edge's meter.
type Place struct {
	T      testing.TB
	URL    string
	Pool   *pgxpool.Pool
	Ledger *credits.Ledger
	Meter  *credits.Postgres
	// Flush has the meter commit everything. The meter cannot be used afterwards.
	Flush func()

	signal *signal
}

// Schema creates the schema, and then runs a test's own statements, such as triggers that log the ends of items, whatever
// code causes them.
func Schema(statements string) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error {
		if _, err := db.Migrate(ctx, url); err != nil {
			return err
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, statements)
		return err
	}
}

// New creates a place. Places with the same schema function share the work of creating the schema.
func New(t testing.TB, schema func(ctx context.Context, url string) error) *Place {
	t.Helper()
	p := &Place{T: t, URL: pgtest.New(t, schema), signal: newSignal()}
	p.Pool = p.Open(nil)
	p.Ledger = credits.NewLedger(p.Pool)
	edge, err := instance.Open(t.Context(), instance.Config{DB: p.Pool, Logger: Logger()})
	Must(t, err)
	p.Meter, err = credits.NewPostgres(t.Context(), credits.Config{
		URL: p.URL, Instance: edge, Logger: Logger(), DecisionTimeout: time.Minute, CommitTimeout: time.Minute,
	})
	Must(t, err)
	p.Flush = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if err := errors.Join(p.Meter.Close(ctx), edge.Close(ctx)); err != nil {
			t.Errorf("closing the meter: %v", err)
		}
	})
	t.Cleanup(p.Flush)
	return p
}

// Open opens another pool, configured by a function that may be nil.
func (p *Place) Open(configure func(*pgxpool.Config)) *pgxpool.Pool {
	p.T.Helper()
	return pgtest.Open(p.T, p.URL, func(c *pgxpool.Config) {
		c.MaxConns = connectionsMax
		if configure != nil {
			configure(c)
		}
	})
}

// Adder is for a service that adds tasks and runs none itself.
func (p *Place) Adder() *jobs.Jobs {
	p.T.Helper()
	adder, err := jobs.New(jobs.Config{Pool: p.Pool, Logger: Logger(), Now: time.Now})
	Must(p.T, err)
	return adder
}

// Worker creates a worker of a queue with this name and handler and with settings that suit tests, modified by change.
func (p *Place) Worker(pool *pgxpool.Pool, name string, handler jobs.Handler, change ...func(*jobs.Queue)) *jobs.Jobs {
	p.T.Helper()
	q := jobs.Queue{
		Name: name, Handler: &signalling{handler, p.signal}, Slots: slots, LaneMax: slots, Lease: lease,
		Backoff: func(int) time.Duration { return time.Millisecond },
	}
	for _, f := range change {
		f(&q)
	}
	logger := Logger()
	if testing.Verbose() {
		logger = slog.New(slog.NewTextHandler(p.T.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	j, err := jobs.New(jobs.Config{Pool: pool, Queues: []jobs.Queue{q}, Grace: graceTime, Logger: logger, Now: time.Now})
	Must(p.T, err)
	return j
}

// Start starts a worker, and stops it when the test ends.
func (p *Place) Start(j *jobs.Jobs) {
	p.T.Helper()
	Must(p.T, j.Start(context.Background()))
	p.T.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		if err := j.Stop(ctx); err != nil {
			p.T.Errorf("stopping: %v", err)
		}
	})
}

// Until waits for a condition that depends on what workers write.
func (p *Place) Until(what string, is func() bool) {
	p.T.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(unsignalled)
	defer tick.Stop()
	for {
		next := p.signal.wait()
		if is() {
			return
		}
		select {
		case <-next:
		case <-tick.C:
		case <-deadline:
			p.T.Fatalf("%s: did not happen within %s", what, patience)
		}
	}
}

// Await waits until a worker has written something, or may have.
func (p *Place) Await() {
	select {
	case <-p.signal.wait():
	case <-time.After(unsignalled):
	}
}

// Count returns the count that a query selects.
func (p *Place) Count(query string, args ...any) int {
	p.T.Helper()
	var n int
	Must(p.T, p.Pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

// Settled checks that all queries count nothing, that no jobs and holds are left, and that the ledger balances. The meter
// cannot be used afterwards.
func (p *Place) Settled(queries map[string]string) {
	p.T.Helper()
	p.Flush()
	rows, err := db.New(p.Pool).Unsettled(context.Background())
	Must(p.T, err)
	for _, row := range rows {
		if row.N != 0 {
			p.T.Errorf("%s: got %d, want none", row.What, row.N)
		}
	}
	for what, query := range queries {
		if got := p.Count(query); got != 0 {
			p.T.Errorf("%s: got %d, want none", what, got)
		}
	}
	differences, err := p.Ledger.Check(context.Background())
	Must(p.T, err)
	for _, d := range differences {
		p.T.Errorf("ledger out of balance: %s %s", d.TeamID, d.Detail)
	}
}

// WantBalance checks a team's credits, and how many of them are held.
func (p *Place) WantBalance(tm *Team, balance, held money.Credits) {
	p.T.Helper()
	got, err := p.Ledger.Balance(context.Background(), tm.ID)
	Must(p.T, err)
	if got.Balance != balance || got.Held != held {
		p.T.Errorf("balance: got %d with %d held, want %d with %d", got.Balance, got.Held, balance, held)
	}
}

// Must fails the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Logger returns a silent logger.
func Logger() *slog.Logger { return slog.New(slog.DiscardHandler) }
