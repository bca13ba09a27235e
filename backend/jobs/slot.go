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

// ticketWorker does what tickets say.
type ticketWorker struct {
	river.WorkerDefaults[ticket]

	j *Jobs
}

// Timeout implements river.Worker. Each task has a timeout of its own within this.
func (w *ticketWorker) Timeout(job *river.Job[ticket]) time.Duration {
	if q := w.j.queues[job.Queue]; q != nil {
		return q.Timeout * time.Duration(len(job.Args.tasks))
	}
	return 0
}

// Work runs tasks and answers as soon as there are results: that they are written down, with others, is the finisher's
// care and no longer the ticket's. An error would have River try the ticket again; only the tasks' own state decides.
func (w *ticketWorker) Work(ctx context.Context, job *river.Job[ticket]) error {
	t := job.Args
	q := w.j.queues[t.tasks[0].Queue]
	if q == nil {
		return river.JobCancel(fmt.Errorf("queue %s is not worked on here", t.tasks[0].Queue))
	}
	q.window.begin(len(t.tasks))
	defer q.window.leave()
	todo := &pile{tasks: t.tasks}
	if len(t.tasks) > 1 {
		// What comes behind a task that takes long does not wait for it.
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

// pilePatience is how long the tasks of a ticket may wait for each other before they are handed back.
const pilePatience = time.Second

// pile is what a ticket has left to do.
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

// work runs a task and sees it on: to the finisher, or out of this process.
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

// drop lets tasks go that are not this process' to finish.
func (q *queue) drop(tasks ...Task) {
	for i := range tasks {
		q.held.drop(tasks[i].token)
	}
	q.window.end(len(tasks))
	q.feeder.landed()
}

// run calls the handler, and takes a panic for an answer.
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

// cutShort reports whether a task's context ended because the process is to end.
func (j *Jobs) cutShort(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) && j.feed.Err() != nil
}

// handBack makes tasks ready again that were cut short, or not begun. If that fails, the lease's end does it.
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
		q.j.logger.Warn("tasks could not be handed back: they are taken over when their leases are over",
			"queue", q.Name, "tasks", len(tasks), "group", tasks[0].Group, "n", tasks[0].N, "error", err)
		return
	}
	for range tasks {
		q.j.metrics.ended(q.Name, outcomeHandedBack)
	}
}
