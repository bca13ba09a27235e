package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		attempt int
		chance  float64
		want    time.Duration
	}{
		{1, 0, 2 * time.Second},
		{2, 0, 10 * time.Second},
		{2, 0.5, 11250 * time.Millisecond},
		{3, 0, 50 * time.Second},
		{4, 0, 250 * time.Second},
		{5, 0, 5 * time.Minute},
		{100, 1, 375 * time.Second},
	} {
		t.Run(fmt.Sprintf("after try %d", tc.attempt), func(t *testing.T) {
			t.Parallel()
			if got := jobs.Backoff(tc.attempt, tc.chance); got != tc.want {
				t.Errorf("back-off: got %s, want %s", got, tc.want)
			}
		})
	}
}

// The error of Run decides how often a task is tried. The delays are scaled to nothing.
func TestRetryClasses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		run       func(attempt int32, tries int64) error
		wantTries int64
		wantError string
	}{
		{"a success", func(int32, int64) error { return nil }, 1, ""},
		{"final", func(int32, int64) error { return errFault }, 1, errFault.Error()},
		{"later, and well", func(attempt int32, _ int64) error {
			if attempt < 3 {
				return jobs.Later(errFault)
			}
			return nil
		}, 3, ""},
		{"later, for ever", func(int32, int64) error { return jobs.Later(fmt.Errorf("reading: %w", errFault)) }, 3, "reading: " + errFault.Error()},
		{"later, wrapped", func(int32, int64) error { return fmt.Errorf("page: %w", jobs.Later(errFault)) }, 3, errFault.Error()},
		{"a panic", func(int32, int64) error { panic("of the test's making") }, 1, jobs.ErrPanicked.Error() + ": of the test's making"},
		{"put off, which does not count", func(attempt int32, tries int64) error {
			if attempt != 1 {
				return fmt.Errorf("attempt %d, want 1", attempt)
			}
			if tries < 3 {
				return jobs.Wait(errFault, 0)
			}
			return nil
		}, 3, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			var tries atomic.Int64
			r := p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
				return nil, tc.run(task.Attempt, tries.Add(1))
			})
			j := p.start(jobs.Queue{Handler: r, Backoff: func(int) time.Duration { return time.Millisecond }})
			p.enqueue(j, work("team_a", "batch_1", 1))
			await(t, "the task", r.until(1))
			p.settled(1)
			if got := tries.Load(); got != tc.wantTries {
				t.Errorf("tries: got %d, want %d", got, tc.wantTries)
			}
			var got string
			if err := p.pool.QueryRow(t.Context(), `select error from ended`).Scan(&got); err != nil || got != tc.wantError {
				t.Errorf("what ended it: got %q and error %v, want %q", got, err, tc.wantError)
			}
		})
	}
}

// A task waits for an hour at most in total, by the clock of Jobs.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var later atomic.Int64
	r := p.recorder(func(context.Context, jobs.Task) (any, error) { return nil, jobs.Wait(errFault, time.Hour-time.Minute) })
	postponed := func() bool { return p.count(`select count(*) from task where not_before is not null`) == 1 }
	j := p.start(jobs.Queue{Handler: r}, func(c *jobs.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	p.enqueue(j, work("team_a", "batch_1", 1))
	poll(t, "the task to be put off", postponed)
	later.Store(int64(2 * time.Minute))
	err := pgx.BeginFunc(t.Context(), p.pool, func(tx pgx.Tx) error {
		_, err := jobs.Hasten(t.Context(), tx, testQueue, "team_a", "batch_1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	j.Wake(testQueue)
	await(t, "the task", r.until(1))
	p.settled(1)
}

// poll waits until met returns true.
func poll(t *testing.T, what string, met func() bool) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(time.Minute)
	for !met() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("waiting for %s: not within a minute", what)
		}
	}
}

// picky refuses some results, as a database does that cannot store a value.
type picky struct {
	*recorder

	mu      sync.Mutex
	refused int
}

func (h *picky) Finish(ctx context.Context, done []jobs.Done) error {
	for _, d := range done {
		if d.Result == "poison" {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.refused++
			return errFault
		}
	}
	return h.recorder.Finish(ctx, done)
}

// A result that cannot be stored does not block the others of its group.
func TestResultThatCannotBeKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	h := &picky{recorder: p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		if task.N == 5 {
			return "poison", nil
		}
		return "good", nil
	})}
	j := p.start(jobs.Queue{Handler: h})
	p.enqueue(j, work("team_a", "batch_1", 12))
	await(t, "all", h.until(12))
	p.settled(12)
	if got := p.count(`select count(*) from ended where n = 5 and starts_with(error, $1)`, jobs.ErrNotKept.Error()); got != 1 {
		t.Errorf("the poisonous one: got %d endings that say so, want 1", got)
	}
}

// A stop lets running tasks finish within the grace period, hands the others back, and keeps none.
func TestStopHandsBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	began := make(chan struct{}, 100)
	quick := make(chan struct{})
	r := p.recorder(func(ctx context.Context, task jobs.Task) (any, error) {
		began <- struct{}{}
		if task.N == 1 {
			<-quick // ends within the grace period
			return nil, nil
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	j := p.build(jobs.Queue{Handler: r, LaneMax: 4}, func(c *jobs.Config) { c.Grace = 200 * time.Millisecond })
	if err := j.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.enqueue(j, work("team_a", "batch_1", 10))
	for range 4 {
		await(t, "a task", began)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- j.Stop(context.Background()) }()
	close(quick)
	if err := <-stopped; err != nil {
		t.Errorf("stopping: %v", err)
	}
	if got := p.count(`select count(*) from ended where error = ''`); got != 1 {
		t.Errorf("tasks that ended in the grace: got %d, want 1", got)
	}
	if got := p.count(`select count(*) from task where token is null and attempt = 0 and takeovers = 0`); got != 9 {
		t.Errorf("tasks handed back: got %d, want the 9 that were not finished", got)
	}
	next := p.recorder(nil)
	p.start(jobs.Queue{Handler: next, Lease: 2 * time.Second})
	await(t, "the rest", next.until(9))
	p.settled(10)
}

// A canceled group ends at once. Its running tasks are cut off and end nothing.
func TestCancelCutsOff(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	began, cut := make(chan struct{}, 1), make(chan error, 1)
	r := p.recorder(func(ctx context.Context, _ jobs.Task) (any, error) {
		began <- struct{}{}
		<-ctx.Done()
		cut <- ctx.Err()
		return "result", nil
	})
	j := p.start(jobs.Queue{Handler: r, Lease: 400 * time.Millisecond, LaneMax: 1})
	p.enqueue(j, work("team_a", "batch_1", 20))
	await(t, "a task", began)
	err := pgx.BeginFunc(t.Context(), p.pool, func(tx pgx.Tx) error {
		n, err := jobs.Cancel(t.Context(), tx, testQueue, "team_a", "batch_1")
		if n != 20 {
			t.Errorf("cancelled: got %d, want 20", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-cut; !errors.Is(err, context.Canceled) {
		t.Errorf("how the running task ended: got %v, want it cancelled", err)
	}
	p.settled(0)
}

// Periodic work runs in one process when it is due. If it fails, it waits for its next time.
func TestPeriodic(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var swept, failed atomic.Int64
	periodic := func(c *jobs.Config) {
		c.Queues = nil
		c.Periodic = []jobs.Periodic{
			{Name: "sweep", Every: time.Hour, Run: func(context.Context) error { swept.Add(1); return nil }},
			{Name: "fail", Every: time.Hour, Run: func(context.Context) error { failed.Add(1); return errFault }},
		}
	}
	processes := []*jobs.Jobs{p.build(jobs.Queue{}, periodic), p.build(jobs.Queue{}, periodic)}
	run := func(want int64) {
		t.Helper()
		var all sync.WaitGroup
		for _, j := range processes {
			all.Go(func() {
				if err := jobs.RunDue(t.Context(), j); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if swept.Load() != want || failed.Load() != want {
			t.Errorf("runs: got %d and %d, want %d", swept.Load(), failed.Load(), want)
		}
	}
	run(1)
	run(1)
	if _, err := p.pool.Exec(t.Context(), `update periodic set next_at = now()`); err != nil {
		t.Fatal(err)
	}
	run(2)
	if got := p.count(`select count(*) from periodic where next_at between now() + interval '59 minutes' and now() + interval '1 hour'`); got != 2 {
		t.Errorf("rows due in an hour: got %d, want 2", got)
	}
}

// Periodic work that takes longer than the time to its next run is not started beside itself.
func TestPeriodicDoesNotOverlap(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	began, hold := make(chan struct{}, 2), make(chan struct{})
	j := p.build(jobs.Queue{}, func(c *jobs.Config) {
		c.Queues = nil
		c.Periodic = []jobs.Periodic{{Name: "sweep", Every: time.Hour, Run: func(context.Context) error {
			began <- struct{}{}
			<-hold
			return nil
		}}}
	})
	if err := jobs.StartDue(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	<-began
	if _, err := p.pool.Exec(t.Context(), `update periodic set next_at = now()`); err != nil {
		t.Fatal(err)
	}
	if err := jobs.StartDue(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if got := p.count(`select count(*) from periodic where next_at <= now()`); got != 1 {
		t.Errorf("runs that are still due: got %d, want 1", got)
	}
	close(hold)
	if err := jobs.RunDue(t.Context(), j); err != nil {
		t.Fatal(err)
	}
}

func TestStartWithoutWork(t *testing.T) {
	t.Parallel()
	if err := newPlace(t).adder().Start(t.Context()); err == nil {
		t.Error("starting without queues: got no error, want one")
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	registry := prometheus.NewRegistry()
	hold := make(chan struct{})
	r := p.recorder(func(context.Context, jobs.Task) (any, error) { <-hold; return nil, nil })
	j := p.start(jobs.Queue{Handler: r, LaneMax: 2}, func(c *jobs.Config) { c.Registerer = registry })
	p.enqueue(j, work("team_a", "batch_1", 5))
	poll(t, "two to run", func() bool { return p.count(`select running from lane`) == 2 })
	if err := jobs.Measure(t.Context(), j, testQueue); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"turnpike_jobs_running": 2, "turnpike_jobs_waiting": 3, "turnpike_jobs_delayed": 0} {
		if got := gathered(t, registry, name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	close(hold)
	await(t, "all", r.until(5))
	poll(t, "the count of what is done", func() bool { return gathered(t, registry, "turnpike_jobs_finished_total") == 5 })
}

// gathered sums a counter or a gauge.
func gathered(t *testing.T, g prometheus.Gatherer, name string) (sum float64) {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

func TestConfigurationFaults(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	good := jobs.Queue{Name: "page", Handler: p.recorder(nil)}
	for _, tc := range []struct {
		name   string
		change func(*jobs.Queue)
		want   string
	}{
		{"no handler", func(q *jobs.Queue) { q.Handler = nil }, "Handler"},
		{"a name of nothing", func(q *jobs.Queue) { q.Name = "" }, "name"},
		{"a name with spaces", func(q *jobs.Queue) { q.Name = "a b" }, "name"},
		{"no slots", func(q *jobs.Queue) { q.Slots = -1 }, "Slots"},
		{"a lease of nothing", func(q *jobs.Queue) { q.Lease = time.Millisecond }, "Lease"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			q := good
			tc.change(&q)
			_, err := jobs.New(jobs.Config{Pool: p.pool, Queues: []jobs.Queue{q}, Logger: newLogger(), Now: time.Now})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: got %v, want one about %q", err, tc.want)
			}
		})
	}
}

func TestEnqueueFaults(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	j := p.adder()
	other := work("team_a", "batch_2", 1)
	other.Queue = "delivery"
	for _, tc := range []struct {
		name  string
		works []jobs.Work
		want  string
	}{
		{"no team", []jobs.Work{{Queue: testQueue, Lane: "a", Group: "b", Ns: numbers(1)}}, "required"},
		{"two queues", []jobs.Work{work("team_a", "batch_1", 1), other}, "page and delivery"},
		{"a number twice", []jobs.Work{work("team_a", "batch_1", 1), work("team_a", "batch_1", 1)}, "adding 2 tasks"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := pgx.BeginFunc(t.Context(), p.pool, func(tx pgx.Tx) error { return j.Enqueue(t.Context(), tx, tc.works...) })
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: got %v, want one about %q", err, tc.want)
			}
		})
	}
}

// When replicas start together, one migrates, and then nothing is pending for the others.
func TestMigratingAtOnce(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	if n, err := db.Pending(t.Context(), url); err != nil || n < 13 {
		t.Errorf("pending in an empty database: got %d and error %v, want all", n, err)
	}
	var wg sync.WaitGroup
	var worked atomic.Int64
	for range 4 {
		wg.Go(func() {
			n, err := db.Migrate(t.Context(), url)
			if err != nil {
				t.Errorf("migrating: %v", err)
			}
			worked.Add(int64(n))
		})
	}
	wg.Wait()
	if n, err := db.Pending(t.Context(), url); err != nil || n != 0 {
		t.Errorf("pending afterwards: got %d and error %v, want none", n, err)
	}
	if again, err := db.Migrate(t.Context(), url); err != nil || again != 0 {
		t.Errorf("migrating again: got %d and error %v, want none", again, err)
	}
}
