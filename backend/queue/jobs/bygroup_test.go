package jobs_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// Features that share a queue run and finish only the tasks of their own groups.
func TestByGroup(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	only := func(prefix string) *recorder {
		return p.recorder(func(_ context.Context, task jobs.Task) (any, error) {
			if !strings.HasPrefix(task.Group, prefix) {
				return nil, errFault
			}
			return nil, nil
		})
	}
	batches, crawls := only("batch_"), only("crawl_")
	j := p.start(jobs.Queue{Handler: jobs.ByGroup(map[string]jobs.Handler{"batch": batches, "crawl": crawls})})
	p.enqueue(j, work("team_a", "batch_1", 30), work("team_b", "crawl_1", 20), work("team_c", "batch_crawl_2", 5))
	await(t, "batches", batches.until(35))
	await(t, "crawls", crawls.until(20))
	p.settled(55)
	if got := p.count(`select count(*) from ended where error <> ''`); got != 0 {
		t.Errorf("tasks that came to another feature: got %d, want none", got)
	}
}

// Tasks of groups unknown here are left for other processes: they are neither tried nor finished.
func TestByGroupLeavesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.recorder(nil)
	h := jobs.ByGroup(map[string]jobs.Handler{"batch": r})
	j := p.start(jobs.Queue{Handler: h})
	p.enqueue(j, work("team_a", "crawl_1", 1), work("team_a", "batch_1", 1))
	await(t, "the batch", r.until(1))
	_, err := h.Run(t.Context(), jobs.Task{Group: "crawl_1"})
	if err == nil || !strings.Contains(err.Error(), "crawl_1") {
		t.Errorf("running: got %v, want an error that names the group", err)
	}
	if err := h.Finish(t.Context(), []jobs.Done{{Task: jobs.Task{Group: "crawl_1"}}}); err == nil {
		t.Error("finishing: got no error, want one")
	}
	if got := p.count(`select count(*) from task where group_id = 'crawl_1'`); got != 1 {
		t.Errorf("tasks of the group: got %d, want it left", got)
	}
}

// sized records the largest flight that Finish gets.
type sized struct {
	*recorder

	most atomic.Int64
}

func (s *sized) Finish(ctx context.Context, done []jobs.Done) error {
	for n, old := int64(len(done)), s.most.Load(); n > old && !s.most.CompareAndSwap(old, n); old = s.most.Load() {
	}
	return s.recorder.Finish(ctx, done)
}

func TestFlightMax(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := &sized{recorder: p.recorder(nil)}
	j := p.start(jobs.Queue{Handler: s, FlightMax: 3, Flights: 1, LaneMax: 64})
	p.enqueue(j, work("team_a", "batch_1", 200))
	await(t, "all", s.until(200))
	p.settled(200)
	if got := s.most.Load(); got > 3 {
		t.Errorf("got a flight of %d, want at most 3", got)
	}
}

// Results wait to be finished together, but not once half a lane waits, and never forever.
func TestFlightsGather(t *testing.T) {
	t.Parallel()
	for name, gather := range map[string]time.Duration{"half a lane goes at once": time.Hour, "the rest in time": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := &sized{recorder: p.recorder(nil)}
			j := p.start(jobs.Queue{Handler: s, Gather: gather, Slots: 8, LaneMax: 2})
			p.enqueue(j, work("team_a", "crawl_1", 41))
			await(t, "all", s.until(41))
			p.settled(41)
		})
	}
}

func TestQueueRefuses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, q := range map[string]jobs.Queue{
		"FlightMax: got -1":        {FlightMax: -1},
		"FlightMax: got 501":       {FlightMax: 501},
		"Mixed cannot be combined": {Handler: jobs.ByGroup(nil), Mixed: true},
	} {
		q.Name = testQueue
		if q.Handler == nil {
			q.Handler = p.recorder(nil)
		}
		_, err := jobs.New(jobs.Config{Pool: p.pool, Queues: []jobs.Queue{q}, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want it to say %q", err, name)
		}
	}
}
