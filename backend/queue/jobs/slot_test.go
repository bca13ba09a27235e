package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// With a backlog, tasks wait in the process for a slot. Each ends once, retried ones too, and never more run than there
// are slots.
func TestBacklog(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const n, slots = 400, 8
	var running, most atomic.Int64
	r := p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		defer running.Add(-1)
		now := running.Add(1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		if task.N%10 == 0 && task.Attempt == 1 {
			return nil, jobs.Later(errFault)
		}
		return nil, nil
	})
	queue := jobs.Queue{Handler: r, Slots: slots, Backlog: 4, LaneMax: 32, Backoff: func(int) time.Duration { return time.Millisecond }}
	p.enqueue(p.build(queue), work("team_a", "batch_1", n/2), work("team_b", "batch_2", n/2))
	p.start(queue)
	await(t, "all tasks", r.until(n))
	p.settled(n)
	if got := most.Load(); got > slots {
		t.Errorf("tasks that ran at once: got %d, want at most %d", got, slots)
	}
}

// A slow task does not block those that wait in the process.
func TestSlowTaskBesideOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const n = 8
	hold := make(chan struct{})
	registry := prometheus.NewRegistry()
	r := p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		if task.N == 1 {
			<-hold
		}
		return nil, nil
	})
	j := p.start(jobs.Queue{Handler: r, Slots: 2, Backlog: 4}, func(c *jobs.Config) { c.Registerer = registry })
	p.enqueue(j, work("team_a", "batch_1", n))
	await(t, "the others", r.until(n-1))
	close(hold)
	await(t, "the slow one", r.until(n))
	p.settled(n)
	if got := gathered(t, registry, "turnpike_jobs_takeovers_total"); got != 0 {
		t.Errorf("takeovers: got %v, want none", got)
	}
}

// A task that waits in the process for longer than its lease stays its own, and one that is cancelled meanwhile does not
// begin.
func TestWaitingTasksAreKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	began, hold := make(chan int32, 4), make(chan struct{})
	registry := prometheus.NewRegistry()
	r := p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		began <- task.N
		<-hold
		return nil, nil
	})
	const lease = 400 * time.Millisecond
	j := p.start(jobs.Queue{Handler: r, Slots: 1, Backlog: 4, Lease: lease}, func(c *jobs.Config) { c.Registerer = registry })
	p.enqueue(j, work("team_a", "batch_1", 2), work("team_b", "batch_2", 1))
	<-began
	poll(t, "all to be promoted", func() bool { return p.count(`select count(*) from task where token is not null`) == 3 })
	first := p.count(`select (extract(epoch from max(lease_until)) * 1000)::bigint from task`)
	poll(t, "three leases to pass", func() bool {
		return p.count(`select (extract(epoch from min(lease_until)) * 1000)::bigint from task`) > first+3*int(lease.Milliseconds())
	})
	p.cancel("team_b", "batch_2")
	poll(t, "the cancelled one to be noticed", func() bool { return jobs.Canceled(j, testQueue) == 1 })
	close(hold)
	await(t, "the others", r.until(2))
	p.settled(2)
	if got := gathered(t, registry, "turnpike_jobs_takeovers_total"); got != 0 {
		t.Errorf("takeovers: got %v, want none", got)
	}
}

// A stop also hands back the tasks that wait in the process, unchanged.
func TestStopHandsBackTasks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	began := make(chan struct{}, 1)
	var runs atomic.Int32
	r := p.recorder(func(ctx context.Context, _ jobs.Task) (any, error) {
		runs.Add(1)
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	j := p.build(jobs.Queue{Handler: r, Slots: 1, Backlog: 4}, func(c *jobs.Config) { c.Grace = 50 * time.Millisecond })
	if err := j.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.enqueue(j, work("team_a", "batch_1", 4))
	await(t, "the first task", began)
	if err := j.Stop(context.Background()); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if got := p.count(`select count(*) from task where token is null and attempt = 0 and takeovers = 0`); got != 4 {
		t.Errorf("tasks handed back: got %d, want 4", got)
	}
	if got := runs.Load(); got != 1 {
		t.Errorf("tasks that were begun: got %d, want 1", got)
	}
	next := p.recorder(nil)
	p.start(jobs.Queue{Handler: next})
	await(t, "all of them", next.until(4))
	p.settled(4)
}
