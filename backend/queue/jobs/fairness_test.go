package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// workTime is how long a task of these tests takes: far less than a page.
const workTime = 5 * time.Millisecond

// take waits for the duration of a task.
func take(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Team A has ten thousand tasks queued when team B adds one.
func TestOneTaskDoesNotWaitForAnotherTeamsBacklog(t *testing.T) {
	t.Parallel()
	t.Run("a task a job", func(t *testing.T) {
		t.Parallel()
		oneTaskDoesNotWait(t, jobs.Queue{})
	})
	t.Run("several", func(t *testing.T) {
		t.Parallel()
		oneTaskDoesNotWait(t, jobs.Queue{Slots: 8, Backlog: 4, LaneMax: 24})
	})
}

func oneTaskDoesNotWait(t *testing.T, q jobs.Queue) {
	p := newPlace(t)
	began := make(chan time.Time, 1)
	r := p.recorder(func(ctx context.Context, task jobs.Task) (any, error) {
		if task.TeamID == "team_b" {
			began <- time.Now()
		}
		return nil, take(ctx, workTime)
	})
	q.Handler = r
	j := p.start(q)
	p.enqueue(j, work("team_a", "batch_a", 10_000))
	await(t, "team A's first 200", r.until(200))
	added := time.Now()
	p.enqueue(j, work("team_b", "batch_b", 1))
	select {
	case at := <-began:
		t.Logf("team B's task began %s after it was asked for; team A had %d left", at.Sub(added).Round(time.Millisecond), p.count(`select count(*) from task`))
		if wait := at.Sub(added); wait > time.Second {
			t.Errorf("team B's task: began after %s, want 1 s at most", wait)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("team B's task did not begin")
	}
	if _, err := p.pool.Exec(t.Context(), `delete from task`); err != nil { // the rest does not matter
		t.Fatal(err)
	}
}

// crowd runs five tasks for each of 200 teams. Behind one team's hundred thousand tasks it takes at most half as long
// again as alone.
func TestManyTeamsDoNotWaitForOne(t *testing.T) {
	t.Parallel()
	const teams, each = 200, 5
	p := newPlace(t)
	var mu sync.Mutex
	var wanted string
	var left int
	var all chan struct{}
	r := p.recorder(nil)
	r.run = func(ctx context.Context, task jobs.Task) (any, error) {
		err := take(ctx, workTime)
		mu.Lock()
		defer mu.Unlock()
		if task.Group == wanted+task.TeamID {
			if left--; left == 0 {
				close(all)
			}
		}
		return nil, err
	}
	registry := prometheus.NewRegistry()
	j := p.start(jobs.Queue{Handler: r}, func(c *jobs.Config) { c.Registerer = registry })
	crowd := func(name string) time.Duration {
		works := make([]jobs.Work, teams)
		for i := range works {
			team := fmt.Sprintf("team_%03d", i)
			works[i] = work(team, name+team, each)
		}
		mu.Lock()
		wanted, left, all = name, teams*each, make(chan struct{})
		done := all
		mu.Unlock()
		began := time.Now()
		p.enqueue(j, works...)
		select {
		case <-done:
		case <-time.After(5 * time.Minute): // a busy machine can be slow for one of the attempts
			t.Fatalf("%s: not within five minutes", name)
		}
		return time.Since(began)
	}
	crowd("first_") // sets up lanes, connections and plans
	// Others use the machine, too, so the best of three counts. The first run alone is the cleanest, since the backlogs
	// leave dead rows behind.
	const attempts, most = 3, 1.5
	alone, behind := make([]time.Duration, attempts), make([]time.Duration, attempts)
	for attempt := range attempts {
		alone[attempt] = crowd(fmt.Sprintf("alone%d_", attempt))
		var backlog []string
		for n := range 10 {
			backlog = append(backlog, fmt.Sprintf("batch_a%d_%d", attempt, n))
			p.enqueue(j, work("team_a", backlog[n], 10_000))
		}
		behind[attempt] = crowd(fmt.Sprintf("behind%d_", attempt))
		waiting := p.count(`select count(*) from task where team_id = 'team_a'`)
		t.Logf("200 teams × 5: %s alone, %s behind %d tasks of another team", alone[attempt], behind[attempt], waiting)
		if waiting == 0 {
			t.Error("the backlog: gone before the crowd was done, want some left")
		}
		for _, group := range backlog {
			p.cancel("team_a", group)
		}
	}
	if got := gathered(t, registry, "turnpike_jobs_takeovers_total"); got != 0 {
		t.Errorf("tasks that were lost, and taken over after their lease: got %v, want none", got)
	}
	if ratio := slices.Min(behind).Seconds() / slices.Min(alone).Seconds(); ratio > most {
		t.Errorf("behind a backlog: got %.2f times what it takes alone, want at most %.1f", ratio, most)
	}
	if _, err := p.pool.Exec(t.Context(), `delete from task`); err != nil {
		t.Fatal(err)
	}
}
