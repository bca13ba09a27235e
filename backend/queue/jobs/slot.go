package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/db"
)

// jobWorker runs the tasks of River jobs.
type jobWorker struct {
	river.WorkerDefaults[jobArgs]

	j *Jobs
}

// Timeout implements river.Worker. Each task has its own timeout within this.
func (w *jobWorker) Timeout(job *river.Job[jobArgs]) time.Duration {
	if q := w.j.queues[job.Queue]; q != nil {
		return q.Timeout * time.Duration(len(job.Args.tasks))
	}
	return 0
}

// Work runs tasks and returns once they have results. The finisher stores the results, with others, after the River job
// has ended. It never returns an error for a retry by River: only the task's own state decides.
func (w *jobWorker) Work(ctx context.Context, job *river.Job[jobArgs]) error {
	t := job.Args
	q := w.j.queues[t.tasks[0].Queue]
	if q == nil {
		return river.JobCancel(fmt.Errorf("queue %s has no workers in this process", t.tasks[0].Queue))
	}
	q.window.begin(len(t.tasks))
	defer q.window.leave()
	todo := &pile{tasks: t.tasks}
	if len(t.tasks) > 1 {
		// Tasks behind a slow one do not wait for it.
		gone := make(chan struct{})
		late := time.AfterFunc(min(pilePatience, q.Lease/4), func() {
			defer close(gone)
			q.handBack(todo.clear()...)
		})
		defer func() {
			if !late.Stop() {
				<-gone
			}
		}()
	}
	for !q.j.cutShort(ctx) {
		task, ok := todo.next()
		if !ok {
			return nil
		}
		q.work(ctx, task, t.leaseEnd)
	}
	q.handBack(todo.clear()...)
	return nil
}

// pilePatience is how long the tasks of a River job may wait for each other before they are handed back.
const pilePatience = time.Second

// pile is what a River job has left to do.
type pile struct {
	mu    sync.Mutex
	tasks []Task
}

func (p *pile) next() (Task, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tasks) == 0 {
		return Task{}, false
	}
	t := p.tasks[0]
	p.tasks = p.tasks[1:]
	return t, true
}

func (p *pile) clear() []Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.tasks
	p.tasks = nil
	return left
}

// work runs a task and passes the result to the finisher, or gives the task up.
func (q *queue) work(ctx context.Context, t Task, leaseEnd time.Time) {
	now := q.j.now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q.held.add(&t, now, cancel)
	if leaseEnd.Sub(now) < q.Lease/2 && !q.stillOurs(ctx, &t) {
		q.drop(t)
		return
	}
	if t.Attempt == 1 && t.Takeovers == 0 {
		q.j.metrics.waited(q.Name, now.Sub(t.CreatedAt))
	}
	d := Done{Task: t}
	if t.Takeovers >= takeoversMax {
		d.Err = ErrLost
	} else {
		d.Result, d.Err = q.run(ctx, t)
		q.j.metrics.ran(q.Name, q.j.now().Sub(now))
	}
	switch {
	case errors.Is(context.Cause(ctx), errNotOurs):
		q.j.metrics.ended(q.Name, outcomeLost)
		q.drop(t)
	case d.Err != nil && q.j.cutShort(ctx):
		q.handBack(t)
	case !q.finish.put(d):
		q.drop(t)
	}
}

// drop removes tasks that this process must not finish.
func (q *queue) drop(tasks ...Task) {
	for i := range tasks {
		q.held.drop(tasks[i].token)
	}
	q.window.end(len(tasks))
	q.scheduler.landed()
}

// run calls the handler, and turns a panic into an error.
func (q *queue) run(ctx context.Context, t Task) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			q.j.logger.Error("work panicked", "queue", q.Name, "group", t.Group, "n", t.N, "panic", r, "stack", string(debug.Stack()))
			result, err = nil, fmt.Errorf("%w: %v", ErrPanicked, r)
		}
	}()
	ctx, cancel := context.WithTimeout(admission.With(ctx, admission.Holder{Name: t.TeamID}), q.Timeout)
	defer cancel()
	return q.Handler.Run(ctx, t)
}

// cutShort reports whether a task's context ended because the process is stopping.
func (j *Jobs) cutShort(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) && j.feed.Err() != nil
}

// handBack makes tasks ready again that were interrupted or not begun. If that fails, the expiry of the lease does it.
func (q *queue) handBack(tasks ...Task) {
	if len(tasks) == 0 {
		return
	}
	defer q.drop(tasks...)
	ctx, cancel := context.WithTimeout(q.j.life, databaseTimeout)
	defer cancel()
	done := make([]Done, len(tasks))
	for i := range tasks {
		done[i].Task = tasks[i]
	}
	k := keysOf(done)
	p := db.HandBackTasksParams{Queue: k.queue, Lanes: k.lanes, Groups: k.groups, Ns: k.ns, Tokens: k.tokens}
	if _, err := q.j.queries.HandBackTasks(ctx, p); err != nil {
		q.j.logger.Warn("tasks could not be handed back: they are taken over when their leases expire",
			"queue", q.Name, "tasks", len(tasks), "group", tasks[0].Group, "n", tasks[0].N, "error", err)
		return
	}
	for range tasks {
		q.j.metrics.ended(q.Name, outcomeHandedBack)
	}
}
