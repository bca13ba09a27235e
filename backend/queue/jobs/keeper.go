package jobs

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// errNotOurs ends the context of a task that was cancelled, or taken over by another worker.
var errNotOurs = errors.New("the task was cancelled or taken over by another worker")

// renewalsBeforeTakeover is how many renewals in a row must succeed before expired leases of others are taken over:
// after an outage, live workers need the time to renew theirs.
const renewalsBeforeTakeover = 2

// held are the tasks that a process has promoted and not finished.
type held struct {
	mu    sync.Mutex
	tasks map[uuid.UUID]*holding
}

// holding is a task in hand. Its context ends when the task is not to be finished here.
type holding struct {
	task   Task
	since  time.Time       // of its promotion
	ctx    context.Context //nolint:containedctx // the task's own
	cancel context.CancelCauseFunc
}

func newHeld() *held { return &held{tasks: map[uuid.UUID]*holding{}} }

func (h *held) add(ctx context.Context, t Task, at time.Time) *holding {
	ctx, cancel := context.WithCancelCause(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	one := &holding{t, at, ctx, cancel}
	h.tasks[t.token] = one
	return one
}

func (h *held) drop(token uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tasks, token)
}

// older returns the tasks that have been held since at or longer.
func (h *held) older(at time.Time) []*holding {
	h.mu.Lock()
	defer h.mu.Unlock()
	var old []*holding
	for _, one := range h.tasks {
		if !one.since.After(at) {
			old = append(old, one)
		}
	}
	return old
}

// keep renews the leases of long tasks, and takes over tasks that others have lost.
func (q *queue) keep(ctx context.Context) {
	tick := time.NewTicker(q.Lease / 4)
	defer tick.Stop()
	good := 0
	for turn := 1; ; turn++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := q.renew(ctx, q.held.older(q.j.now().Add(-q.Lease/4))); err != nil {
			if ctx.Err() == nil && good > 0 {
				q.j.logger.Warn("leases could not be renewed", "queue", q.Name, "error", err)
			}
			good = 0
			continue
		}
		if good++; good < renewalsBeforeTakeover || turn%2 != 0 || q.j.feed.Err() != nil {
			continue
		}
		if err := q.takeOver(ctx); err != nil && ctx.Err() == nil {
			q.j.logger.Warn("lost tasks could not be taken over", "queue", q.Name, "error", err)
			good = 0
		}
	}
}

// renew extends leases, and cancels the tasks that this worker no longer owns.
func (q *queue) renew(ctx context.Context, tasks []*holding) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	if len(tasks) == 0 {
		return q.j.cfg.Pool.Ping(ctx) // an outage must be noticed even while there are no tasks
	}
	p := db.RenewLeasesParams{LeaseMs: q.Lease.Milliseconds()}
	for _, h := range tasks {
		p.Groups, p.Ns, p.Tokens = append(p.Groups, h.task.Group), append(p.Ns, h.task.N), append(p.Tokens, h.task.token)
	}
	tokens, err := q.j.queries.RenewLeases(ctx, p)
	if err != nil {
		return err
	}
	ours := make(map[uuid.UUID]bool, len(tokens))
	for _, token := range tokens {
		ours[token] = true
	}
	for _, h := range tasks {
		if !ours[h.task.token] {
			h.cancel(errNotOurs)
		}
	}
	return nil
}

func (q *queue) takeOver(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	n, err := q.j.queries.TakeOverTasks(ctx, db.TakeOverTasksParams{Queue: q.Name, TasksMax: takeOverMax})
	if err != nil || n == 0 {
		return err
	}
	q.j.logger.Warn("took over tasks of lost workers", "queue", q.Name, "tasks", n)
	q.j.metrics.tookOver(q.Name, int(n))
	q.scheduler.hurry()
	return nil
}
