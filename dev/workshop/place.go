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

	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	connectionsMax = 12
	// closeTime is for a meter to commit what it was told, stopTime for a worker to end what it does, and graceTime what it
	// gives to that.
	closeTime, stopTime, graceTime = 20 * time.Second, 30 * time.Second, 5 * time.Second
	// patience is how long what must come to pass is waited for.
	patience = 2 * time.Minute
	// unsignalled is how soon what no flight ends with is seen: a task that the queue puts off.
	unsignalled = 100 * time.Millisecond
	// slots and lease are those of a test's queue.
	slots, lease = 16, 2 * time.Second
)

// Place is a database of a test's own with a ledger and an edge's meter.
type Place struct {
	T      testing.TB
	URL    string
	Pool   *pgxpool.Pool
	Ledger *credits.Ledger
	Meter  *credits.Postgres
	// Flush has the meter commit what it was told. It is over then.
	Flush func()

	signal *signal
}

// Schema makes the schema, and then what a test wants to have in it: the endings of items, logged by whatever code brings
// them about.
func Schema(statements string) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error {
		if _, err := jobs.Migrate(ctx, url); err != nil {
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

// New makes a place. Those with the same schema share the work of making it: give the same function.
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

// Adder is what a service adds tasks by that does no work itself.
func (p *Place) Adder() *jobs.Jobs {
	p.T.Helper()
	adder, err := jobs.New(jobs.Config{Pool: p.Pool, Logger: Logger(), Now: time.Now})
	Must(p.T, err)
	return adder
}

// Worker makes a worker of a queue: it is told by its name and handler, the rest is what suits tests, and then change.
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

// Until waits for something to be true that follows from what workers write.
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
			p.T.Fatalf("%s: not within %s", what, patience)
		}
	}
}

// Await waits until a worker has written something, or might have.
func (p *Place) Await() {
	select {
	case <-p.signal.wait():
	case <-time.After(unsignalled):
	}
}

// Count is what a query counts.
func (p *Place) Count(query string, args ...any) int {
	p.T.Helper()
	var n int
	Must(p.T, p.Pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

// Settled wants none of what queries count, nothing left of jobs and holds, and a ledger in balance. The meter is over then.
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

// WantBalance wants a team to have so many credits, so many of them held.
func (p *Place) WantBalance(tm *Team, balance, held money.Credits) {
	p.T.Helper()
	got, err := p.Ledger.Balance(context.Background(), tm.ID)
	Must(p.T, err)
	if got.Balance != balance || got.Held != held {
		p.T.Errorf("balance: got %d with %d held, want %d with %d", got.Balance, got.Held, balance, held)
	}
}

// Must ends a test where there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Logger is one that is silent.
func Logger() *slog.Logger { return slog.New(slog.DiscardHandler) }
