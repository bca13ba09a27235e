package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

func TestTasksAreDoneOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
		if task.N%10 == 0 {
			return nil, errFault
		}
		return nil, nil
	})
	j := p.start(jobs.Queue{Handler: r})
	p.enqueue(j, work("team_b", "batch_2", 30), work("team_a", "batch_1", 100))
	await(t, "130 tasks", r.until(130))
	p.settled(130)
	if got := p.count(`select count(*) from ended where error <> ''`); got != 13 {
		t.Errorf("failed: got %d, want 13", got)
	}
}

// Recount finds, names and repairs wrong counters, and tasks that could never be found: a ready one below its lane's
// clock, and a lost one above it.
func TestRecountMends(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	j := p.adder()
	p.enqueue(j, work("team_a", "batch_1", 5), work("team_b", "batch_2", 5))
	if _, err := p.pool.Exec(t.Context(), `update lane set waiting = 9, running = 2, clock = 3 where lane = 'team_a'`); err != nil {
		t.Fatal(err)
	}
	if err := j.Recount(t.Context()); err == nil || !strings.Contains(err.Error(), "lane team_a of queue page") || strings.Contains(err.Error(), "team_b") {
		t.Errorf("recounting: got %v, want team_a's lane named", err)
	}
	if err := j.Recount(t.Context()); err != nil {
		t.Errorf("recounting what was mended: got %v, want no error", err)
	}
	const astray = `with t as (update task set token = gen_random_uuid(), lease_until = now() where lane = 'team_b' and n = 5)
		update lane set waiting = 4, running = 1 where lane = 'team_b'`
	if _, err := p.pool.Exec(t.Context(), astray); err != nil {
		t.Fatal(err)
	}
	if err := j.Recount(t.Context()); err == nil || !strings.Contains(err.Error(), "lane team_b of queue page") {
		t.Errorf("recounting with a promoted task above the clock: got %v, want team_b's lane named", err)
	}
	r := p.recorder(nil)
	p.start(jobs.Queue{Handler: r, Lease: time.Second})
	await(t, "all", r.until(10))
	p.settled(10)
	if _, err := p.pool.Exec(t.Context(), `update lane set served_at = now() - interval '2 days'`); err != nil {
		t.Fatal(err)
	}
	if err := j.Recount(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := p.count(`select count(*) from lane`); got != 0 {
		t.Errorf("lanes that nobody used for two days: got %d, want none", got)
	}
}
