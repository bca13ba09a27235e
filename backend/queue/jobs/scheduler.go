package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"

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
	last   time.Time     // when job args were last passed to River
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
			if f.q.window.room() < f.q.window.size/3 {
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
	room := f.q.window.room()
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

// promote passes at most room tasks to River, and returns how many.
func (f *scheduler) promote(ctx context.Context, room int) (n int, err error) {
	// River announces new jobs at most once per cooldown; jobs added in between wait until it polls.
	if err := rest(ctx, f.q.j.cfg.FetchCooldown+time.Millisecond-f.q.j.now().Sub(f.last)); err != nil {
		return 0, err
	}
	began := f.q.j.now()
	// Two transactions, because the first may hold locks on lanes that turned out to be unavailable. No transaction
	// waits while it holds locks that another may wait for.
	for _, turns := range []turnsFunc{f.freeTurns, f.nextTurn} {
		err = pgx.BeginFunc(ctx, f.q.j.cfg.Pool, func(tx pgx.Tx) error {
			n, err = f.take(ctx, tx, turns, room)
			return err
		})
		if err != nil || n > 0 {
			break
		}
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == lockNotAvailable {
		return 0, nil // the lane is busy: its next results or the tick wake this scheduler
	}
	if err != nil || n == 0 {
		return 0, err
	}
	f.last = f.q.j.now()
	f.q.window.promoted(n)
	f.q.j.metrics.promoted(f.q.Name, n, f.last.Sub(began))
	return n, nil
}

// lockNotAvailable is the SQLSTATE of a lock wait that timed out.
const lockNotAvailable = "55P03"

func (f *scheduler) take(ctx context.Context, tx pgx.Tx, turns turnsFunc, room int) (int, error) {
	queries, q := queriesOn(tx), f.q
	lanes, err := turns(ctx, queries, room)
	if err != nil || len(lanes) == 0 {
		return 0, err
	}
	taken, err := queries.TakeTasks(ctx, db.TakeTasksParams{
		Queue: q.Name, Lanes: lanes, Room: clamp(room), LeaseMs: q.Lease.Milliseconds(),
	})
	if err != nil || len(taken) == 0 {
		return 0, err
	}
	var inserts []river.InsertManyParams
	for _, t := range f.group(taken) {
		// Each River job gets one try: the task's row decides what happens to the task.
		inserts = append(inserts, river.InsertManyParams{Args: t, InsertOpts: &river.InsertOpts{Queue: q.Name, MaxAttempts: 1}})
	}
	if _, err := q.j.client.InsertManyFastTx(ctx, tx, inserts); err != nil {
		return 0, err
	}
	return len(taken), nil
}

// group distributes promoted tasks over as many River jobs as there are free slots, and over more if one would have
// more than Queue.Backlog tasks. A task that was tried before gets its own River job: it may be slow, or kill its
// worker again and others with it.
func (f *scheduler) group(taken []db.TakeTasksRow) []jobArgs {
	free := max(1, f.q.window.freeSlots())
	most := min(f.q.Backlog, (len(taken)+free-1)/free)
	leaseEnd := f.q.j.now().Add(f.q.Lease)
	var args []jobArgs
	open := map[string]int{} // the job of each lane that still has room
	for i := range taken {
		row := &taken[i]
		t := Task{
			Queue: f.q.Name, Lane: row.Lane, TeamID: row.TeamID, Group: row.GroupID, N: row.N,
			Attempt: row.Attempt + 1, Takeovers: row.Takeovers, CreatedAt: row.CreatedAt, token: *row.Token,
		}
		if row.StalledAt != nil {
			t.stalledAt = *row.StalledAt
		}
		fresh := t.Attempt == 1 && t.Takeovers == 0
		if at, ok := open[t.Lane]; ok && fresh && len(args[at].tasks) < most {
			args[at].tasks = append(args[at].tasks, t)
			continue
		}
		if fresh {
			open[t.Lane] = len(args)
		}
		args = append(args, jobArgs{[]Task{t}, leaseEnd})
	}
	return args
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
