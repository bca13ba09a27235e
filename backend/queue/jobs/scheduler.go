package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/db/outage"
)

const (
	// schedulerTick is how soon work is found that another process added or that has become due.
	schedulerTick = 250 * time.Millisecond
	// gatherFor is how long a few free places wait for more, so that one promotion fills several.
	gatherFor = 25 * time.Millisecond
	// turnWait is how long a promotion waits for a locked lane if no other lane has work.
	turnWait = "100ms"
	// databaseTimeout bounds the package's own database calls.
	databaseTimeout = 10 * time.Second
	// ripenMax and takeOverMax are how many tasks one statement moves.
	ripenMax    = 1000
	takeOverMax = 500
)

// scheduler is the scheduler of one queue: it promotes tasks.
type scheduler struct {
	q      *queue
	urgent chan struct{} // look for work at once
	freed  chan struct{} // places are free again
	pause  time.Duration // after a failure
}

func newScheduler(q *queue) *scheduler {
	return &scheduler{q: q, urgent: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
}

func (f *scheduler) hurry()  { signal(f.urgent) }
func (f *scheduler) landed() { signal(f.freed) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (f *scheduler) run(ctx context.Context) {
	// Spread the database queries of processes that started at the same time.
	tick := time.NewTicker(schedulerTick + rand.N(schedulerTick/8)) //nolint:gosec // it only spreads
	defer tick.Stop()
	var gather <-chan time.Time
	for {
		ripen := false
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			ripen = true
		case <-f.urgent:
		case <-gather:
		case <-f.freed:
			if f.q.slots.room() < f.q.slots.size()/3 {
				if gather == nil {
					gather = time.After(gatherFor)
				}
				continue
			}
		}
		gather = nil
		f.report(ctx, f.round(ctx, ripen))
	}
}

// round promotes once, and signals freed if it promoted something, so that another round follows.
func (f *scheduler) round(ctx context.Context, ripen bool) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	room := f.q.slots.room()
	if room < 1 && !ripen {
		return nil
	}
	there, err := f.q.j.queries.WorkThere(ctx, f.q.Name)
	if err != nil {
		return err
	}
	if ripen && there.HasDue {
		p := db.RipenTasksParams{Queue: f.q.Name, TasksMax: ripenMax}
		if _, err := f.q.j.queries.RipenTasks(ctx, p); err != nil {
			return err
		}
		there.HasTurn = true
	}
	if room < 1 || !there.HasTurn {
		return nil
	}
	n, err := f.promote(ctx, room)
	if n > 0 {
		f.landed()
	}
	return err
}

// report logs once that promoting fails, and waits a little.
func (f *scheduler) report(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		f.pause = 0
		return
	}
	if f.pause == 0 || !outage.Is(err) {
		f.q.j.logger.Error("tasks could not be promoted", "queue", f.q.Name, "error", err)
	}
	f.pause = min(max(2*f.pause, schedulerTick), 20*schedulerTick)
	_ = rest(ctx, f.pause)
}

// rest waits for d, or returns the context's error.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// promote gives at most room tasks to the slots, and returns how many.
func (f *scheduler) promote(ctx context.Context, room int) (int, error) {
	began := f.q.j.now()
	tasks, err := f.take(ctx, room)
	if len(tasks) == 0 || err != nil {
		return 0, err
	}
	f.q.j.metrics.promoted(f.q.Name, len(tasks), f.q.j.now().Sub(began))
	f.q.slots.begin(tasks)
	return len(tasks), nil
}

// take promotes at most room tasks.
func (f *scheduler) take(ctx context.Context, room int) (tasks []Task, err error) {
	// Two transactions, because the first may hold locks on lanes that turned out to be unavailable. No transaction
	// waits while it holds locks that another may wait for.
	for _, turns := range []turnsFunc{f.freeTurns, f.nextTurn} {
		err = pgx.BeginFunc(ctx, f.q.j.cfg.Pool, func(tx pgx.Tx) error {
			tasks, err = f.takeIn(ctx, tx, turns, room)
			return err
		})
		if err != nil || len(tasks) > 0 {
			break
		}
	}
	if err != nil && len(tasks) > 0 {
		// They may be promoted nevertheless. Nobody would run them until their leases expire.
		return nil, errors.Join(err, f.q.ready(tasks))
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == lockNotAvailable {
		return nil, nil // the lane is busy: its next results or the tick wake this scheduler
	}
	return tasks, err
}

// lockNotAvailable is the SQLSTATE of a lock wait that timed out.
const lockNotAvailable = "55P03"

func (f *scheduler) takeIn(ctx context.Context, tx pgx.Tx, turns turnsFunc, room int) ([]Task, error) {
	queries, q := queriesOn(tx), f.q
	lanes, err := turns(ctx, queries, room)
	if err != nil || len(lanes) == 0 {
		return nil, err
	}
	taken, err := queries.TakeTasks(ctx, db.TakeTasksParams{
		Queue: q.Name, Lanes: lanes, Room: clamp(room), LeaseMs: q.Lease.Milliseconds(),
	})
	if err != nil {
		return nil, err
	}
	tasks := make([]Task, len(taken))
	for i := range taken {
		row := &taken[i]
		tasks[i] = Task{
			Queue: q.Name, Lane: row.Lane, TeamID: row.TeamID, Group: row.GroupID, N: row.N,
			Attempt: row.Attempt + 1, Takeovers: row.Takeovers, CreatedAt: row.CreatedAt, token: *row.Token,
		}
		if row.StalledAt != nil {
			tasks[i].stalledAt = *row.StalledAt
		}
	}
	return tasks, nil
}

// turnsFunc locks at most so many lanes whose turn it is.
type turnsFunc func(ctx context.Context, queries *db.Queries, most int) ([]string, error)

// freeTurns locks lanes that no other transaction has locked.
func (f *scheduler) freeTurns(ctx context.Context, queries *db.Queries, most int) ([]string, error) {
	rows, err := queries.LockTurns(ctx, db.LockTurnsParams{Queue: f.q.Name, LanesMax: clamp(most)})
	lanes := make([]string, len(rows))
	for i := range rows {
		lanes[i] = rows[i].Lane
	}
	return lanes, err
}

// nextTurn waits for the next lane. While results keep arriving, a single lane would otherwise be locked at every attempt.
func (f *scheduler) nextTurn(ctx context.Context, queries *db.Queries, _ int) ([]string, error) {
	if err := queries.BoundLockWait(ctx, turnWait); err != nil {
		return nil, err
	}
	rows, err := queries.AwaitTurn(ctx, f.q.Name)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return []string{rows[0].Lane}, nil
}
