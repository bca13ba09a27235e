package jobs

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// Kill ends a process's work like kill -9: nothing is handed back or written.
func Kill(j *Jobs) {
	j.endLife()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = j.drainSlots(ctx)
	j.schedulers.Wait()
	j.background.Wait()
}

// TakeOver takes over tasks whose leases ended, as the keeper does.
func TakeOver(ctx context.Context, j *Jobs, queue string) (int64, error) {
	return j.queries.TakeOverTasks(ctx, db.TakeOverTasksParams{Queue: queue, TasksMax: takeOverMax})
}

// Ripen makes delayed tasks ready, as the scheduler does.
func Ripen(ctx context.Context, j *Jobs, queue string) (int64, error) {
	return j.queries.RipenTasks(ctx, db.RipenTasksParams{Queue: queue, TasksMax: ripenMax})
}

// Backoff is the default of queues.
var Backoff = backoff

// Measure reads the depth of a queue into the metrics.
func Measure(ctx context.Context, j *Jobs, queue string) error { return j.measureQueue(ctx, queue) }

// Promote promotes once, by a process that runs no tasks itself.
func Promote(ctx context.Context, j *Jobs, queue string, room int) (int, error) {
	tasks, err := j.queues[queue].scheduler.take(ctx, room)
	return len(tasks), err
}

// StartDue starts the periodic work that is due.
func StartDue(ctx context.Context, j *Jobs) error { return j.runDue(ctx) }

// RunDue runs the periodic work that is due, and waits for it.
func RunDue(ctx context.Context, j *Jobs) error {
	err := j.runDue(ctx)
	j.background.Wait()
	return err
}

// Renew extends the leases of tasks and returns how many still have these tokens.
func Renew(ctx context.Context, j *Jobs, done []Done) (int, error) {
	k := keysOf(done)
	tokens, err := j.queries.RenewLeases(ctx, db.RenewLeasesParams{Groups: k.groups, Ns: k.ns, Tokens: k.tokens, LeaseMs: 60_000})
	return len(tokens), err
}

// HandBack makes tasks ready again.
func HandBack(ctx context.Context, j *Jobs, done []Done) error {
	k := keysOf(done)
	_, err := j.queries.HandBackTasks(ctx, db.HandBackTasksParams{Queue: k.queue, Lanes: k.lanes, Groups: k.groups, Ns: k.ns, Tokens: k.tokens})
	return err
}

// WithToken is a result of the task with a token.
func WithToken(t Task, token uuid.UUID) Done {
	t.token = token
	return Done{Task: t}
}

// Room is how many tasks a process would promote.
func Room(j *Jobs, queue string) int { return j.queues[queue].slots.room() }

// Canceled is how many tasks in hand are not this process's any more.
func Canceled(j *Jobs, queue string) (n int) {
	for _, h := range j.queues[queue].held.older(j.now()) {
		if h.ctx.Err() != nil {
			n++
		}
	}
	return n
}
