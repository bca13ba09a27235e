package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// Tasks that share a River job each end once, retried ones too, and there are fewer River jobs than tasks.
func TestJobsOfSeveralTasks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const n = 400
	r := p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		if task.N%10 == 0 && task.Attempt == 1 {
			return nil, jobs.Later(errFault)
		}
		return nil, nil
	})
	queue := jobs.Queue{Handler: r, Slots: 8, Backlog: 4, LaneMax: 32, Backoff: func(int) time.Duration { return time.Millisecond }}
	p.enqueue(p.build(queue), work("team_a", "batch_1", n/2), work("team_b", "batch_2", n/2))
	p.start(queue)
	await(t, "all tasks", r.until(n))
	p.settled(n)
	// Later promotions find room for varying numbers of tasks. The first one finds all slots free.
	const first = `from river.river_job where created_at = (select min(created_at) from river.river_job)`
	jobCount, tasks := p.count(`select count(*) `+first), p.count(`select sum(cardinality(string_to_array(args->>'t', ';')) - 1) `+first)
	if jobCount != 8 || tasks != 4*jobCount {
		t.Errorf("first promotion: got %d tasks in %d jobs, want a job of 4 for each of the 8 slots", tasks, jobCount)
	}
}

// A slow task does not block the others of its River job.
func TestSlowTaskOfAJob(t *testing.T) {
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
		t.Errorf("takeovers: got %v, want none: they were handed back", got)
	}
}

// A stop also hands back the rest of a River job's tasks, unchanged.
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
