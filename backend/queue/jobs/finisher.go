package jobs

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/db/outage"
)

const (
	// flightMaxDefault is the default and the maximum of how many results one call of Finish gets.
	flightMaxDefault = 500
	// waitingMax is how many results may wait for Finish before slots wait too.
	waitingMax = 2000
	// finishTimeout bounds one call of Finish.
	finishTimeout = 30 * time.Second
	// refusalsMax is how often Finish may refuse a batch of results (a flight) before they are finished one by one.
	refusalsMax = 2

	// gatherResults is how long results of a Mixed queue wait for a running flight to end and for more results, to
	// share a commit.
	gatherResults = 50 * time.Millisecond

	retryLeast, retryMost = 250 * time.Millisecond, 5 * time.Second
)

// finisher collects results and has them stored, many in one transaction. Results that arrive while flights run wait
// for the next one. A group is in one flight at a time, so flights of a batch never wait for each other's locks.
type finisher struct {
	q *queue

	mu      sync.Mutex
	waiting map[string][]landing // by group
	order   []string             // groups with results, first come first
	n       int
	flying  map[string]bool
	resting map[string]*time.Timer // groups whose flight has just ended, until more results have come
	flights int
	gather  *time.Timer   // starts the next flight although one is running; nil: none waits
	space   chan struct{} // closed and replaced when there is space again
	idle    sync.Cond     // signalled when nothing waits or flies
}

// landing is a result and the decision about its task.
type landing struct {
	Done

	verdict verdict
}

func newFinisher(q *queue) *finisher {
	f := &finisher{q: q, waiting: map[string][]landing{}, flying: map[string]bool{}, resting: map[string]*time.Timer{}, space: make(chan struct{})}
	f.idle.L = &f.mu
	return f
}

// put adds a result. It blocks while too many wait, and returns false if the process ends meanwhile.
func (f *finisher) put(d Done) bool {
	l := landing{d, f.q.judge(&d.Task, d.Err)}
	l.Err = l.verdict.err
	for {
		f.mu.Lock()
		if f.n < waitingMax {
			break
		}
		space := f.space
		f.mu.Unlock()
		select {
		case <-space:
		case <-f.q.j.life.Done():
			return false
		}
	}
	defer f.mu.Unlock()
	if len(f.waiting[d.Group]) == 0 {
		f.order = append(f.order, d.Group)
	}
	f.waiting[d.Group] = append(f.waiting[d.Group], l)
	f.n++
	if f.q.Mixed && f.flights > 0 && f.n < f.q.FlightMax {
		f.gatherMore()
		return true
	}
	f.launch()
	return true
}

// gatherMore starts a flight after a while, unless another one ends before. The lock must be held.
func (f *finisher) gatherMore() {
	if f.gather != nil {
		return
	}
	f.gather = time.AfterFunc(gatherResults, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.launch()
	})
}

// launch starts as many flights as possible. The lock must be held.
func (f *finisher) launch() {
	if f.gather != nil {
		f.gather.Stop()
		f.gather = nil
	}
	for f.flights < f.q.Flights && f.q.j.life.Err() == nil {
		groups, results := f.next()
		if len(results) == 0 {
			return
		}
		f.flights++
		go func() {
			f.fly(results)
			f.land(groups, len(results))
		}()
	}
}

// next takes the results of the group that has waited longest or, in a Mixed queue, of all groups that are not in a flight.
func (f *finisher) next() (groups []string, results []landing) {
	left := f.order[:0:0]
	for _, group := range f.order {
		room := f.q.FlightMax - len(results)
		if f.flying[group] || f.rests(group) || room == 0 || (len(groups) == 1 && !f.q.Mixed) {
			left = append(left, group)
			continue
		}
		all := f.waiting[group]
		some := all[:min(room, len(all))]
		if len(some) == len(all) {
			delete(f.waiting, group)
		} else {
			f.waiting[group] = all[len(some):]
			left = append(left, group)
		}
		groups, results = append(groups, group), append(results, some...)
	}
	f.order = left
	f.n -= len(results)
	for _, group := range groups {
		f.flying[group] = true
	}
	return groups, results
}

func (f *finisher) land(groups []string, n int) {
	f.q.slots.end(n)
	f.q.scheduler.landed()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flights--
	for _, group := range groups {
		delete(f.flying, group)
		f.rest(group)
	}
	close(f.space)
	f.space = make(chan struct{})
	f.launch()
	if f.flights == 0 && f.n == 0 {
		f.idle.Broadcast()
	}
}

// rest makes a group whose flight has ended wait for more results. The lock must be held.
func (f *finisher) rest(group string) {
	if f.q.Gather == 0 {
		return
	}
	f.resting[group] = time.AfterFunc(f.q.Gather, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.resting, group)
		f.launch()
	})
}

// rests reports whether a group still waits for more results. It stops waiting once half of a lane's tasks have
// results. The lock must be held.
func (f *finisher) rests(group string) bool {
	timer := f.resting[group]
	if timer == nil {
		return false
	}
	if len(f.waiting[group]) < max(f.q.LaneMax/2, 1) || !timer.Stop() {
		return true // if Stop fails, the timer has fired and launches next
	}
	delete(f.resting, group)
	return false
}

// drain waits until all results are stored, or the context ends.
func (f *finisher) drain(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.idle.Broadcast()
	})
	defer stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for (f.flights > 0 || f.n > 0) && ctx.Err() == nil {
		f.idle.Wait()
	}
	return ctx.Err()
}

// fly has results stored, however long that takes; keep renews their leases meanwhile.
func (f *finisher) fly(results []landing) {
	began := f.q.j.now()
	var final, late []landing
	for _, l := range results {
		if l.verdict.postpone {
			late = append(late, l)
		} else {
			final = append(final, l)
		}
	}
	if len(late) > 0 {
		f.deliver(late, f.postpone)
	}
	if len(final) > 0 {
		f.deliver(final, f.finish)
	}
	for i := range results {
		f.q.held.drop(results[i].token)
	}
	f.q.j.metrics.flew(f.q.Name, f.q.j.now().Sub(began))
}

func (f *finisher) finish(ctx context.Context, results []landing) error {
	done := make([]Done, len(results))
	for i := range results {
		done[i] = results[i].Done
	}
	if err := f.q.Handler.Finish(ctx, done); err != nil {
		return err
	}
	for i := range done {
		f.q.j.metrics.ended(f.q.Name, outcomeOf(done[i].Err))
	}
	return nil
}

func (f *finisher) postpone(ctx context.Context, results []landing) error {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b landing) int { return byLane(a.Done, b.Done) })
	done, verdicts := make([]Done, len(results)), make([]verdict, len(results))
	for i := range results {
		done[i], verdicts[i] = results[i].Done, results[i].verdict
	}
	if _, err := postpone(ctx, f.q.j.queries, done, verdicts); err != nil {
		return err
	}
	for _, v := range verdicts {
		outcome := outcomePutOff
		if v.counts > 0 {
			outcome = outcomeRetried
		}
		f.q.j.metrics.ended(f.q.Name, outcome)
	}
	return nil
}

// deliver calls do until it succeeds, and waits during an outage. Results that are refused repeatedly are tried one by
// one, so that one bad result does not block its group; that one is then finished as an error.
func (f *finisher) deliver(results []landing, do func(context.Context, []landing) error) {
	pause, refusals := retryLeast, 0
	for f.q.j.life.Err() == nil {
		ctx, cancel := context.WithTimeout(f.q.j.life, finishTimeout)
		err := do(ctx, results)
		cancel()
		if err == nil || f.q.j.life.Err() != nil {
			return
		}
		if pause == retryLeast || !outage.Is(err) {
			group := results[0].Group
			f.q.j.logger.Error("results could not be stored", "queue", f.q.Name, "group", group, "results", len(results), "error", err)
		}
		if !outage.Is(err) {
			refusals++
		}
		if refusals >= refusalsMax {
			f.single(results, err, do)
			return
		}
		_ = rest(f.q.j.life, pause)
		pause = min(2*pause, retryMost)
	}
}

// single delivers results one by one, and a lone one as an error in place of its result. If that is refused too, the
// result is dropped: its lease expires, and after some more workers the task ends with ErrLost.
func (f *finisher) single(results []landing, err error, do func(context.Context, []landing) error) {
	if len(results) > 1 {
		for _, l := range results {
			f.deliver([]landing{l}, do)
		}
		return
	}
	l := results[0]
	if l.verdict.postpone || notKept(l.Err) {
		f.q.j.logger.Error("a task stays unfinished until its lease expires", "queue", f.q.Name, "group", l.Group, "n", l.N, "error", err)
		f.q.j.metrics.ended(f.q.Name, outcomeRefused)
		return
	}
	l.Result, l.Err = nil, &keepError{err}
	f.deliver([]landing{l}, do)
}
