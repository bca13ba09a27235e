package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// migrate makes the schema, and a table in which the tests' handlers write a row for each task that ended.
func migrate(ctx context.Context, url string) error {
	if _, err := db.Migrate(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `create table ended (group_id text, n int, error text, at timestamptz default clock_timestamp())`)
	return err
}

const testQueue = "page"

// place is a database with processes that work on it.
type place struct {
	t    testing.TB
	url  string
	pool *pgxpool.Pool
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return openPlace(t, pgtest.New(t, migrate))
}

func openPlace(t testing.TB, url string) *place {
	t.Helper()
	return &place{t, url, openPool(t, url, 12)}
}

func openPool(t testing.TB, url string, conns int32) *pgxpool.Pool {
	t.Helper()
	return pgtest.Open(t, url, func(c *pgxpool.Config) { c.MaxConns = conns })
}

// recorder is a handler that runs a function and writes a row for each task that ended. It signals each commit.
type recorder struct {
	pool  *pgxpool.Pool
	run   func(context.Context, jobs.Task) (any, error)
	mixed bool

	mu      sync.Mutex
	ended   int
	waiters map[int]chan struct{}
}

func (r *recorder) Run(ctx context.Context, t jobs.Task) (any, error) {
	if r.run == nil {
		return t.N, nil
	}
	return r.run(ctx, t)
}

func (r *recorder) Finish(ctx context.Context, done []jobs.Done) error {
	if !r.mixed {
		for _, d := range done {
			if d.Group != done[0].Group {
				return fmt.Errorf("groups %s and %s in one flight", d.Group, done[0].Group)
			}
		}
	}
	n := 0
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		valid, err := jobs.Complete(ctx, tx, done)
		if err != nil {
			return err
		}
		n = len(valid)
		rows := pgx.CopyFromSlice(n, func(i int) ([]any, error) {
			text := ""
			if valid[i].Err != nil {
				text = valid[i].Err.Error()
			}
			return []any{valid[i].Group, valid[i].N, text}, nil
		})
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"ended"}, []string{"group_id", "n", "error"}, rows)
		return err
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended += n
	for want, waiter := range r.waiters {
		if r.ended >= want {
			close(waiter)
			delete(r.waiters, want)
		}
	}
	return nil
}

// until is closed when n tasks have ended.
func (r *recorder) until(n int) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiter := make(chan struct{})
	if r.ended >= n {
		close(waiter)
		return waiter
	}
	if r.waiters == nil {
		r.waiters = map[int]chan struct{}{}
	}
	if r.waiters[n] != nil {
		return r.waiters[n]
	}
	r.waiters[n] = waiter
	return waiter
}

func (p *place) recorder(run func(context.Context, jobs.Task) (any, error)) *recorder {
	return &recorder{pool: p.pool, run: run}
}

// start starts a process that works on a queue. It stops when the test ends.
func (p *place) start(q jobs.Queue, change ...func(*jobs.Config)) *jobs.Jobs {
	p.t.Helper()
	j := p.build(q, change...)
	if err := j.Start(context.Background()); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := j.Stop(ctx); err != nil {
			p.t.Errorf("stopping: %v", err)
		}
	})
	return j
}

func (p *place) build(q jobs.Queue, change ...func(*jobs.Config)) *jobs.Jobs {
	p.t.Helper()
	if q.Name == "" {
		q.Name = testQueue
	}
	cfg := jobs.Config{
		Pool: openPool(p.t, p.url, 9), Queues: []jobs.Queue{q}, Grace: 10 * time.Second,
		Logger: newLogger(), Now: time.Now,
	}
	if testing.Verbose() {
		cfg.Logger = slog.New(slog.NewTextHandler(p.t.Output(), nil))
	}
	for _, f := range change {
		f(&cfg)
	}
	j, err := jobs.New(cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	return j
}

// adder only adds work, as a process with the role api does.
func (p *place) adder() *jobs.Jobs {
	p.t.Helper()
	j, err := jobs.New(jobs.Config{Pool: p.pool, Logger: newLogger(), Now: time.Now})
	if err != nil {
		p.t.Fatal(err)
	}
	return j
}

func numbers(n int) []int32 {
	ns := make([]int32, n)
	for i := range ns {
		ns[i] = int32(i + 1)
	}
	return ns
}

// work is n tasks of a team's lane.
func work(team, group string, n int) jobs.Work {
	return jobs.Work{Queue: testQueue, Lane: team, TeamID: team, Group: group, Ns: numbers(n)}
}

func (p *place) enqueue(j *jobs.Jobs, works ...jobs.Work) {
	p.t.Helper()
	err := pgx.BeginFunc(context.Background(), p.pool, func(tx pgx.Tx) error { return j.Enqueue(context.Background(), tx, works...) })
	if err != nil {
		p.t.Fatal(err)
	}
	j.Wake(works[0].Queue)
}

// await waits for a signal. Only a fault reaches its timeout.
func await(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(60 * time.Second):
		t.Fatalf("%s: not within a minute", what)
	}
}

// cancel cancels the remaining tasks of a group.
func (p *place) cancel(team, group string) {
	p.t.Helper()
	err := pgx.BeginFunc(context.Background(), p.pool, func(tx pgx.Tx) error {
		_, err := jobs.Cancel(context.Background(), tx, testQueue, team, group)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) count(query string, args ...any) int {
	p.t.Helper()
	var n int
	if err := p.pool.QueryRow(context.Background(), query, args...).Scan(&n); err != nil {
		p.t.Fatal(err)
	}
	return n
}

// awaitNone waits until no task is left.
func (p *place) awaitNone() {
	p.t.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(2 * time.Minute)
	for {
		var left bool
		if err := p.pool.QueryRow(context.Background(), `select exists (select from task)`).Scan(&left); err == nil && !left {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			p.t.Fatal("tasks are left after two minutes")
		}
	}
}

// settled checks that each of want tasks ended once, that none is left, and that the lanes agree.
func (p *place) settled(want int) {
	p.t.Helper()
	if got := p.count(`select count(*) from ended`); got != want {
		p.t.Errorf("endings: got %d, want %d", got, want)
	}
	if got := p.count(`select count(*) from (select distinct group_id, n from ended) e`); got != want {
		p.t.Errorf("tasks that ended: got %d, want %d", got, want)
	}
	if got := p.count(`select count(*) from task`); got != 0 {
		p.t.Errorf("tasks left: got %d, want none", got)
	}
	if got := p.count(`select count(*) from lane where waiting <> 0 or running <> 0`); got != 0 {
		p.t.Errorf("lanes with something left: got %d, want none", got)
	}
	if err := p.adder().Recount(context.Background()); err != nil {
		p.t.Errorf("recounting the lanes: %v", err)
	}
}

func newLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

func emptyDatabase(t *testing.T) string {
	t.Helper()
	return pgtest.URL(t)
}

var errFault = errors.New("a fault of the test's making")
