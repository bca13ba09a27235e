package jobs

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// Kill ends a process' part in the work as kill -9 would: nothing is handed back, nothing more is written down.
func Kill(j *Jobs) {
	j.endLife()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = j.client.StopAndCancel(ctx)
	j.background.Wait()
}

// TakeOver is what the keeper does about leases that are over.
func TakeOver(ctx context.Context, j *Jobs, queue string) (int64, error) {
	return j.queries.TakeOverTasks(ctx, db.TakeOverTasksParams{Queue: queue, TasksMax: takeOverMax})
}

// Ripen is what the feeder does about delayed tasks.
func Ripen(ctx context.Context, j *Jobs, queue string) (int64, error) {
	return j.queries.RipenTasks(ctx, db.RipenTasksParams{Queue: queue, TasksMax: ripenMax})
}

// Backoff is the queues' default.
var Backoff = backoff

// Measure reads the depth of a queue into the metrics.
func Measure(ctx context.Context, j *Jobs, queue string) error { return j.measureQueue(ctx, queue) }

// Promote is one promotion, by a process that works on nothing itself.
func Promote(ctx context.Context, j *Jobs, queue string, room int) (int, error) {
	return j.queues[queue].feeder.promote(ctx, room)
}

// Renew prolongs the leases of tasks and returns how many are still those of their tokens.
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

// Ticket is what River carries.
type Ticket = ticket

// NewTicket makes a ticket for tasks of one lane.
func NewTicket(leaseEnd time.Time, tasks ...Task) Ticket { return ticket{tasks, leaseEnd} }

// Share is how a feeder would share tasks out among tickets: their numbers.
func Share(j *Jobs, queue string, taken []db.TakeTasksRow) (shares [][]int32) {
	for _, t := range j.queues[queue].feeder.tickets(taken) {
		var ns []int32
		for i := range t.tasks {
			ns = append(ns, t.tasks[i].N)
		}
		shares = append(shares, ns)
	}
	return shares
}

// WithToken is a result of the task that a ticket would carry.
func WithToken(t Task, token uuid.UUID) Done {
	t.token = token
	return Done{Task: t}
}

// Room is how many tasks a process would promote.
func Room(j *Jobs, queue string) int { return j.queues[queue].window.room() }
