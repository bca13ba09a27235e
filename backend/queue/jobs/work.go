package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
)

// Work is tasks to add: the items of one group, in one lane.
type Work struct {
	Queue, Lane, TeamID, Group string
	// Ns are the items' numbers, in the order of execution. A group has each number once.
	Ns []int32
	// LaneMax is how many tasks of the lane may run at once, if this call creates the lane. Default: the queue's.
	LaneMax int
}

// Enqueue adds work in the transaction that promises it. All works must be of one queue, and a transaction that adds to
// several lanes must do so in one call, so that their locks are taken in order. The lanes stay locked until the
// transaction ends. Call Wake after the commit, so that the work does not wait for the next tick.
func (j *Jobs) Enqueue(ctx context.Context, tx pgx.Tx, works ...Work) error {
	p := db.EnqueueTasksParams{}
	for i, w := range works {
		if w.Queue == "" || w.Lane == "" || w.TeamID == "" || w.Group == "" {
			return fmt.Errorf("work for queue %q: lane, team and group are required", w.Queue)
		}
		if i > 0 && w.Queue != p.Queue {
			return fmt.Errorf("adding to queues %s and %s at once: want one queue", p.Queue, w.Queue)
		}
		laneMax := laneMaxDefault
		if q := j.queues[w.Queue]; q != nil {
			laneMax = q.LaneMax
		}
		p.Queue = w.Queue
		p.Lanes, p.Teams, p.Groups = append(p.Lanes, w.Lane), append(p.Teams, w.TeamID), append(p.Groups, w.Group)
		p.RunningMaxima = append(p.RunningMaxima, clamp(cmp.Or(w.LaneMax, laneMax)))
		for _, n := range w.Ns {
			p.Ns, p.OfWork = append(p.Ns, n), append(p.OfWork, clamp(i+1))
		}
	}
	if len(p.Ns) == 0 {
		return nil
	}
	if err := queriesOn(tx).EnqueueTasks(ctx, p); err != nil {
		return fmt.Errorf("adding %d tasks: %w", len(p.Ns), err)
	}
	return nil
}

// Wake makes a queue look for work at once. It does nothing in a process that does not work on the queue.
func (j *Jobs) Wake(queueName string) {
	if q := j.queues[queueName]; q != nil {
		q.scheduler.hurry()
	}
}

// Complete ends the tasks of one queue whose tokens are still valid, and returns those. What is written in the same
// transaction must be written only for them. It locks the tasks' lanes.
func Complete(ctx context.Context, tx pgx.Tx, done []Done) ([]Done, error) {
	if len(done) == 0 {
		return nil, nil
	}
	k := keysOf(done)
	ended, err := queriesOn(tx).CompleteTasks(ctx, db.CompleteTasksParams{Queue: k.queue, Lanes: k.lanes, Groups: k.groups, Ns: k.ns, Tokens: k.tokens})
	if err != nil {
		return nil, fmt.Errorf("completing %d tasks: %w", len(done), err)
	}
	return among(done, ended), nil
}

// Postpone is called instead of Complete to retry a task after a while, and reports whether its token was still valid.
// Only then may the same transaction write about the try. The try counts, for Task.Attempt.
func Postpone(ctx context.Context, tx pgx.Tx, d Done, after time.Duration) (bool, error) {
	late, err := PostponeAll(ctx, tx, []Done{d}, []time.Duration{after})
	return len(late) == 1, err
}

// PostponeAll is Postpone for many tasks of one queue, each with its own wait. It returns those whose tokens were still valid.
func PostponeAll(ctx context.Context, tx pgx.Tx, done []Done, after []time.Duration) ([]Done, error) {
	verdicts := make([]verdict, len(done))
	for i := range done {
		verdicts[i] = verdict{after: after[i], counts: 1}
	}
	return postpone(ctx, queriesOn(tx), done, verdicts)
}

func postpone(ctx context.Context, queries *db.Queries, done []Done, verdicts []verdict) ([]Done, error) {
	if len(done) == 0 {
		return nil, nil
	}
	k := keysOf(done)
	p := db.PostponeTasksParams{Queue: k.queue, Lanes: k.lanes, Groups: k.groups, Ns: k.ns, Tokens: k.tokens}
	for _, v := range verdicts {
		p.AfterMs, p.Counts = append(p.AfterMs, v.after.Milliseconds()), append(p.Counts, v.counts)
	}
	late, err := queries.PostponeTasks(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("postponing %d tasks: %w", len(done), err)
	}
	return among(done, late), nil
}

// Cancel ends the remaining tasks of a group, in the transaction that ends the group, and returns how many. Running
// ones are interrupted within a quarter of a lease, and finish nothing.
func Cancel(ctx context.Context, tx pgx.Tx, queue, lane, group string) (int, error) {
	n, err := queriesOn(tx).CancelTasks(ctx, db.CancelTasksParams{Queue: queue, Lane: lane, GroupID: group})
	if err != nil {
		return 0, fmt.Errorf("cancelling the tasks of %s: %w", group, err)
	}
	return int(n), nil
}

// Hasten makes the postponed tasks of a group ready at once, and returns how many. Call Wake after the commit.
func Hasten(ctx context.Context, tx pgx.Tx, queue, lane, group string) (int, error) {
	n, err := queriesOn(tx).HastenTasks(ctx, db.HastenTasksParams{Queue: queue, Lane: lane, GroupID: group})
	if err != nil {
		return 0, fmt.Errorf("making the tasks of %s ready: %w", group, err)
	}
	return int(n), nil
}

// LockLanes locks lanes of a queue, in order, for a transaction that changes their tasks in several calls.
func LockLanes(ctx context.Context, tx pgx.Tx, queue string, lanes ...string) error {
	if err := queriesOn(tx).LockLanes(ctx, db.LockLanesParams{Queue: queue, Lanes: lanes}); err != nil {
		return fmt.Errorf("locking %d lanes: %w", len(lanes), err)
	}
	return nil
}

// SetLaneMax changes how many tasks of lanes may run at once, in a transaction that has locked them. Running tasks continue.
func SetLaneMax(ctx context.Context, tx pgx.Tx, queue string, maxima map[string]int) error {
	p := db.SetLanesMaxParams{Queue: queue}
	for lane, n := range maxima {
		if n < 1 {
			return fmt.Errorf("limit of lane %s: got %d, want at least 1", lane, n)
		}
		p.Lanes, p.RunningMaxima = append(p.Lanes, lane), append(p.RunningMaxima, clamp(n))
	}
	if len(p.Lanes) == 0 {
		return nil
	}
	if err := queriesOn(tx).SetLanesMax(ctx, p); err != nil {
		return fmt.Errorf("limiting %d lanes: %w", len(p.Lanes), err)
	}
	return nil
}

func clamp(n int) int32 { return int32(min(n, math.MaxInt32)) } //nolint:gosec // bounded, and never negative

// keys are tasks in the form of the statements' parameters.
type keys struct {
	queue         string
	lanes, groups []string
	ns            []int32
	tokens        []uuid.UUID
}

func keysOf(done []Done) keys {
	k := keys{
		queue: done[0].Queue, lanes: make([]string, 0, 1),
		groups: make([]string, len(done)), ns: make([]int32, len(done)), tokens: make([]uuid.UUID, len(done)),
	}
	for i := range done {
		d := &done[i]
		k.groups[i], k.ns[i], k.tokens[i] = d.Group, d.N, d.token
		if i == 0 || d.Lane != done[i-1].Lane {
			k.lanes = append(k.lanes, d.Lane)
		}
	}
	slices.Sort(k.lanes)
	k.lanes = slices.Compact(k.lanes)
	return k
}

// among returns those of done that have one of the tokens, in the order of done.
func among(done []Done, tokens []uuid.UUID) []Done {
	if len(tokens) == len(done) {
		return done
	}
	found := make(map[uuid.UUID]bool, len(tokens))
	for _, token := range tokens {
		found[token] = true
	}
	return slices.DeleteFunc(slices.Clone(done), func(d Done) bool { return !found[d.token] })
}

// Recount compares the lanes' counters with their tasks and corrects differences, which are bugs: the error names the
// lanes. It also deletes lanes that were unused for a day.
func (j *Jobs) Recount(ctx context.Context) error {
	wrong, err := j.queries.LanesOutOfLine(ctx)
	if err != nil {
		return fmt.Errorf("comparing lanes with their tasks: %w", err)
	}
	var faults []error
	for _, lane := range wrong {
		faults = append(faults, fmt.Errorf("the counters of lane %s of queue %s did not match its tasks", lane.Lane, lane.Queue))
		if err := j.mend(ctx, lane); err != nil {
			faults = append(faults, fmt.Errorf("correcting the counters: %w", err))
		}
	}
	if _, err := j.queries.DropIdleLanes(ctx); err != nil {
		faults = append(faults, fmt.Errorf("dropping idle lanes: %w", err))
	}
	return errors.Join(faults...)
}

// mend recounts a lane. A separate statement takes the lock first, so that the count sees the state under the lock.
func (j *Jobs) mend(ctx context.Context, lane db.LanesOutOfLineRow) error {
	return pgx.BeginFunc(ctx, j.cfg.Pool, func(tx pgx.Tx) error {
		queries := queriesOn(tx)
		if err := queries.LockLane(ctx, db.LockLaneParams(lane)); err != nil {
			return err
		}
		return queries.MendLane(ctx, db.MendLaneParams(lane))
	})
}

func byLane(a, b Done) int { return cmp.Compare(a.Lane, b.Lane) }
