package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/db"
)

// slots run the tasks that this process has promoted: as many at once as the queue has slots, the others as soon as one
// is free.
type slots struct {
	q *queue

	mu      sync.Mutex
	waiting []*holding // promoted and not begun, in the order of promotion
	busy    int
	inHand  int // promoted, and neither stored nor handed back
	closed  bool
	idle    sync.Cond // signalled when no slot is busy
}

func newSlots(q *queue) *slots {
	s := &slots{q: q}
	s.idle.L = &s.mu
	return s
}

// size is how many tasks a process has in hand at most.
func (s *slots) size() int { return s.q.Slots * s.q.Backlog }

// room returns how many more tasks may be promoted.
func (s *slots) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size() - s.inHand
}

// begin takes tasks that were promoted, or hands them back if the process is stopping.
func (s *slots) begin(tasks []Task) {
	now := s.q.j.now()
	s.mu.Lock()
	s.inHand += len(tasks)
	if s.closed {
		s.mu.Unlock()
		s.q.handBack(tasks...)
		return
	}
	defer s.mu.Unlock()
	for i := range tasks {
		s.waiting = append(s.waiting, s.q.held.add(s.q.j.running, tasks[i], now))
	}
	for range min(len(s.waiting), s.q.Slots-s.busy) {
		s.busy++
		go s.work()
	}
}

// work runs tasks in one slot until none waits.
func (s *slots) work() {
	for h := s.next(); h != nil; h = s.next() {
		s.q.work(h)
	}
}

// next returns the next task of a slot. If there is none, the slot is free.
func (s *slots) next() *holding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 {
		h := s.waiting[0]
		s.waiting = s.waiting[1:]
		return h
	}
	if s.busy--; s.busy == 0 {
		s.idle.Broadcast()
	}
	return nil
}

// end records that n tasks are stored, handed back or lost.
func (s *slots) end(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inHand -= n
}

// stop hands back the tasks that have not begun.
func (s *slots) stop() {
	s.mu.Lock()
	waiting := s.waiting
	s.waiting, s.closed = nil, true
	s.mu.Unlock()
	tasks := make([]Task, len(waiting))
	for i, h := range waiting {
		h.cancel(nil)
		tasks[i] = h.task
	}
	s.q.handBack(tasks...)
}

// drain waits until no task runs, or the context ends.
func (s *slots) drain(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.busy > 0 && ctx.Err() == nil {
		s.idle.Wait()
	}
	if s.busy > 0 {
		return fmt.Errorf("%d tasks of queue %s still run: %w", s.busy, s.q.Name, ctx.Err())
	}
	return nil
}

// work runs a task and passes the result to the finisher, or gives the task up.
func (q *queue) work(h *holding) {
	defer h.cancel(nil)
	t, now := h.task, q.j.now()
	if t.Attempt == 1 && t.Takeovers == 0 {
		q.j.metrics.waited(q.Name, now.Sub(t.CreatedAt))
	}
	d := Done{Task: t}
	switch {
	case h.ctx.Err() != nil: // lost before it began
		d.Err = h.ctx.Err()
	case t.Takeovers >= takeoversMax:
		d.Err = ErrLost
	default:
		d.Result, d.Err = q.run(h.ctx, t)
		q.j.metrics.ran(q.Name, q.j.now().Sub(now))
	}
	switch {
	case errors.Is(context.Cause(h.ctx), errNotOurs):
		q.j.metrics.ended(q.Name, outcomeLost)
		q.drop(t)
	case d.Err != nil && h.ctx.Err() != nil: // the process is stopping
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
	q.slots.end(len(tasks))
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

// handBack makes tasks ready again that were interrupted or not begun. If that fails, the expiry of the lease does it.
func (q *queue) handBack(tasks ...Task) {
	if len(tasks) == 0 {
		return
	}
	defer q.drop(tasks...)
	if err := q.ready(tasks); err != nil {
		q.j.logger.Warn("tasks could not be handed back: they are taken over when their leases expire",
			"queue", q.Name, "tasks", len(tasks), "group", tasks[0].Group, "n", tasks[0].N, "error", err)
		return
	}
	for range tasks {
		q.j.metrics.ended(q.Name, outcomeHandedBack)
	}
}

// ready makes promoted tasks ready again, as if not promoted.
func (q *queue) ready(tasks []Task) error {
	ctx, cancel := context.WithTimeout(q.j.life, databaseTimeout)
	defer cancel()
	done := make([]Done, len(tasks))
	for i := range tasks {
		done[i].Task = tasks[i]
	}
	k := keysOf(done)
	_, err := q.j.queries.HandBackTasks(ctx, db.HandBackTasksParams{Queue: k.queue, Lanes: k.lanes, Groups: k.groups, Ns: k.ns, Tokens: k.tokens})
	return err
}
