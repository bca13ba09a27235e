package jobs_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// Two processes take over the tasks of one that was killed in the middle of its work, and each task ends once.
func TestLostWorkersTasksAreTakenOver(t *testing.T) {
	t.Parallel()
	t.Run("a task a job", func(t *testing.T) {
		t.Parallel()
		takenOver(t, jobs.Queue{}, 24) // both teams' limits
	})
	t.Run("several", func(t *testing.T) {
		t.Parallel()
		takenOver(t, jobs.Queue{Slots: 8, Backlog: 4}, 8)
	})
}

// takenOver kills a worker while that many of its tasks run.
func takenOver(t *testing.T, q jobs.Queue, underWay int) {
	p := newPlace(t)
	const n = 400
	q.Lease = time.Second
	stuck := make(chan struct{}, n)
	lost := p.recorder(func(ctx context.Context, task jobs.Task) (any, error) {
		stuck <- struct{}{}
		<-ctx.Done() // works until it is killed
		return nil, ctx.Err()
	})
	q.Handler = lost
	a := p.build(q)
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.enqueue(a, work("team_a", "batch_1", n/2), work("team_b", "batch_2", n/2))
	for range underWay {
		<-stuck
	}
	jobs.Kill(a)
	r := p.recorder(func(ctx context.Context, _ jobs.Task) (any, error) { return nil, take(ctx, workTime) })
	q.Handler = r
	for range 2 {
		p.start(q)
	}
	await(t, "all tasks", r.until(n))
	p.settled(n)
}

// A worker that was taken for lost finishes nothing when it comes back: its tasks have other tokens.
func TestLateResultEndsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	running, late := make(chan jobs.Done, 1), make(chan struct{})
	slow := p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		running <- jobs.Done{Task: task}
		<-late
		return nil, nil
	})
	j := p.start(jobs.Queue{Handler: slow})
	p.enqueue(j, work("team_a", "batch_1", 1))
	d := <-running
	if _, err := p.pool.Exec(t.Context(), `update task set lease_until = now() - interval '1 second'`); err != nil {
		t.Fatal(err)
	}
	if n, err := jobs.TakeOver(t.Context(), j, testQueue); err != nil || n != 1 {
		t.Fatalf("taking over: got %d and error %v, want 1", n, err)
	}
	if n, err := jobs.TakeOver(t.Context(), j, testQueue); err != nil || n != 0 {
		t.Errorf("taking over again: got %d and error %v, want none", n, err)
	}
	err := pgx.BeginFunc(t.Context(), p.pool, func(tx pgx.Tx) error {
		valid, err := jobs.Complete(t.Context(), tx, []jobs.Done{d})
		if err == nil && len(valid) != 0 {
			t.Errorf("completing with a token that is over: got %d tasks, want none", len(valid))
		}
		if ok, err := jobs.Postpone(t.Context(), tx, d, time.Minute); err != nil || ok {
			t.Errorf("postponing with a token that is over: got %t and error %v, want false", ok, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	close(late)
	await(t, "the task", slow.until(1)) // by whichever worker has it by then
	p.settled(1)
}

// A task that kills each of its workers is given up instead of running a fourth time.
func TestTaskThatKillsItsWorkersIsGivenUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.recorder(func(context.Context, jobs.Task) (any, error) {
		t.Error("the task was run a fourth time")
		return nil, nil
	})
	j := p.start(jobs.Queue{Handler: r})
	err := pgx.BeginFunc(t.Context(), p.pool, func(tx pgx.Tx) error {
		if err := j.Enqueue(t.Context(), tx, work("team_a", "batch_1", 1)); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `update task set takeovers = 3`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	j.Wake(testQueue)
	await(t, "the task", r.until(1))
	p.settled(1)
	if got := p.count(`select count(*) from ended where error = $1`, jobs.ErrLost.Error()); got != 1 {
		t.Errorf("tasks that ended as lost: got %d, want 1", got)
	}
}

// A crash of Postgres can lose a promotion, whose commit does not wait for the disk. The process that made it may then
// promote the task again, and hold results of both runs: one counts.
func TestTwoRunsOfATaskEndOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	runs, hold := make(chan jobs.Task, 2), make(chan struct{})
	j := p.start(jobs.Queue{Handler: p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		runs <- task
		<-hold
		return nil, nil
	})})
	t.Cleanup(func() { close(hold) })
	p.enqueue(j, work("team_a", "batch_1", 1))
	both := []jobs.Done{{Task: <-runs}}
	for _, lost := range []string{`update task set token = null, lease_until = null`, `update lane set waiting = 1, running = 0, clock = 0`} {
		if _, err := p.pool.Exec(t.Context(), lost); err != nil {
			t.Fatal(err)
		}
	}
	j.Wake(testQueue)
	both = append(both, jobs.Done{Task: <-runs})
	for name, end := range map[string]func(tx pgx.Tx) ([]jobs.Done, error){
		"completed": func(tx pgx.Tx) ([]jobs.Done, error) { return jobs.Complete(t.Context(), tx, both) },
		"postponed": func(tx pgx.Tx) ([]jobs.Done, error) {
			return jobs.PostponeAll(t.Context(), tx, both, make([]time.Duration, len(both)))
		},
	} {
		tx, err := p.pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if valid, err := end(tx); err != nil || len(valid) != 1 || valid[0] != both[1] {
			t.Errorf("%s: got %v, %v, want the second run alone", name, valid, err)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Postgres is killed and restarted while two processes work: nothing is lost, and nothing ends twice.
func TestDatabaseRestartInTheMiddle(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	if err := server.CreateDatabase(t.Context(), "jobs"); err != nil {
		t.Fatal(err)
	}
	url := server.URL("jobs")
	if err := migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	p := openPlace(t, url)
	const teams, each = 10, 120
	r := p.recorder(func(ctx context.Context, _ jobs.Task) (any, error) { return nil, take(ctx, 4*workTime) })
	a := p.start(jobs.Queue{Handler: r, Lease: 2 * time.Second})
	p.start(jobs.Queue{Handler: r, Lease: 2 * time.Second})
	works := make([]jobs.Work, teams)
	for i := range works {
		works[i] = work(fmt.Sprintf("team_%d", i), fmt.Sprintf("batch_%d", i), each)
	}
	p.enqueue(a, works...)
	await(t, "the first tasks", r.until(teams*each/4))
	server.crash()
	p.awaitNone() // the handler does not count a commit whose reply was lost
	p.settled(teams * each)
}

// server is a test's own Postgres, which may be killed.
type server struct {
	*postgres.Server

	t   *testing.T
	cfg postgres.Config
}

func newServer(t *testing.T) *server {
	t.Helper()
	dir, err := os.MkdirTemp("", "turnpike-jobs-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &server{t: t, cfg: postgres.Config{DataDir: dir, Offline: true}}
	s.start()
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("stopping Postgres: %v", err)
		}
	})
	return s
}

func (s *server) start() {
	s.t.Helper()
	var err error
	if s.Server, err = postgres.Start(s.t.Context(), s.cfg); err != nil {
		s.t.Fatal(err)
	}
}

// crash ends the server as if the machine had crashed, except that what reached the disk stays, and restarts it.
func (s *server) crash() {
	s.t.Helper()
	if err := syscall.Kill(s.PID(), syscall.SIGQUIT); err != nil {
		s.t.Fatal(err)
	}
	<-s.Done()
	_ = s.Stop(context.Background()) // reports that it has ended, and frees its directory
	s.start()
}

// If the database is away when work starts, the process waits for it and keeps serving requests.
func TestStartWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var isAway atomic.Bool
	tried := make(chan struct{}, 1)
	pool := pgtest.Open(t, p.url, func(c *pgxpool.Config) {
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			if !isAway.Load() {
				return dial(ctx, network, address)
			}
			select {
			case tried <- struct{}{}:
			default:
			}
			return nil, syscall.ECONNREFUSED
		}
	})
	r := p.recorder(func(context.Context, jobs.Task) (any, error) { return nil, nil })
	j := p.build(jobs.Queue{Handler: r}, func(c *jobs.Config) { c.Pool = pool })
	isAway.Store(true)
	pool.Reset()
	started := make(chan error)
	go func() { started <- j.Start(t.Context()) }()
	await(t, "an attempt", tried)
	await(t, "another one", tried)
	isAway.Store(false)
	if err := <-started; err != nil {
		t.Fatalf("got %v, want work to begin", err)
	}
	p.enqueue(j, work("team", "group", 3))
	await(t, "its work", r.until(3))
	if err := j.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
