package jobs_test

import (
	"context"
	"slices"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// stuckFinish is a recorder that blocks the results of one group for a while.
type stuckFinish struct {
	*recorder

	group       string
	stuck, hold chan struct{}
}

func (s *stuckFinish) Finish(ctx context.Context, done []jobs.Done) error {
	if slices.ContainsFunc(done, func(d jobs.Done) bool { return d.Group == s.group }) {
		close(s.stuck)
		<-s.hold
	}
	return s.recorder.Finish(ctx, done)
}

// In a mixed queue, results wait for the previous flight to finish together, but not for a blocked flight.
func TestFlightBesideOneThatIsHeldUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	h := &stuckFinish{p.recorder(nil), "batch_1", make(chan struct{}), make(chan struct{})}
	h.mixed = true
	j := p.start(jobs.Queue{Handler: h, Mixed: true})
	p.enqueue(j, work("team_a", "batch_1", 1))
	await(t, "the first flight", h.stuck)
	p.enqueue(j, work("team_b", "batch_2", 5))
	await(t, "the other team's tasks", h.until(5))
	close(h.hold)
	await(t, "all", h.until(6))
	p.settled(6)
}
