package webhooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/jobs"
)

// slowTry is how long a try may take before its address counts as slow.
const slowTry = 10 * time.Second

// flight is results that are written down together.
type flight struct {
	ended, late, anew []jobs.Done
	after             []time.Duration // of late
	tries             map[string]*tried
}

// Finish writes down tries, and what becomes of their deliveries. It implements jobs.Handler.
func (s *Service) Finish(ctx context.Context, done []jobs.Done) error {
	f, err := s.sort(ctx, done)
	if err != nil {
		return err
	}
	var written []*tried
	err = pgx.BeginFunc(ctx, s.config.Pool, func(tx pgx.Tx) error {
		written, err = s.write(ctx, tx, f, lanes(done))
		return err
	})
	if err != nil {
		return fmt.Errorf("writing down %d tries: %w", len(done), err)
	}
	for _, t := range written {
		s.metrics.tried(t.verdict.status)
	}
	if len(f.anew) > 0 {
		s.config.Tasks.Wake(QueueName)
	}
	return nil
}

// sort decides what becomes of each delivery.
func (s *Service) sort(ctx context.Context, done []jobs.Done) (*flight, error) {
	f := &flight{tries: make(map[string]*tried, len(done))}
	for i := range done {
		d := done[i]
		t, _ := d.Result.(*tried)
		if d.Err != nil {
			var err error
			if t, err = s.untold(ctx, &d); err != nil {
				return nil, err
			}
		}
		if t == nil {
			f.ended = append(f.ended, d)
			continue
		}
		t.verdict = judge(t, s.config.Schedule, chance())
		f.tries[d.Group] = t
		switch {
		case t.verdict.status != StatusPending:
			f.ended = append(f.ended, d)
		case errors.Is(d.Err, jobs.ErrLost):
			// The task remembers its lost workers and would not be run again: the next try has a new one.
			t.verdict.after = 0
			f.anew = append(f.anew, d)
		default:
			f.late, f.after = append(f.late, d), append(f.after, t.verdict.after)
		}
	}
	return f, nil
}

// untold is the try of which nobody knows what came: its workers were lost, or could not say. It is nil where the
// delivery has ended.
func (s *Service) untold(ctx context.Context, d *jobs.Done) (*tried, error) {
	row, err := s.store.toSend(ctx, d.Group)
	switch {
	case errors.Is(err, errNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	reason := errorInternal
	if errors.Is(d.Err, jobs.ErrLost) {
		reason = errorLost
	} else {
		s.config.Logger.Error("a webhook could not be sent", "delivery", d.Group, "error", d.Err)
	}
	return &tried{id: d.Group, lane: d.Lane, tries: row.Tries, triesMax: row.TriesMax, at: s.config.Now(), reason: reason}, nil
}

// write ends tasks or has them tried again, and returns the tries of those that were still theirs, written down.
func (s *Service) write(ctx context.Context, tx pgx.Tx, f *flight, lanes []string) ([]*tried, error) {
	if err := jobs.LockLanes(ctx, tx, QueueName, lanes...); err != nil {
		return nil, err
	}
	ended, err := jobs.Complete(ctx, tx, slices.Concat(f.ended, f.anew))
	if err != nil {
		return nil, err
	}
	late, err := jobs.PostponeAll(ctx, tx, f.late, f.after)
	if err != nil {
		return nil, err
	}
	var works []jobs.Work
	var tries []*tried
	for _, d := range slices.Concat(ended, late) {
		t := f.tries[d.Group]
		if t == nil {
			continue
		}
		tries = append(tries, t)
		if errors.Is(d.Err, jobs.ErrLost) && t.verdict.status == StatusPending {
			works = append(works, s.work(d.Lane, d.TeamID, d.Group))
		}
	}
	if len(tries) == 0 {
		return nil, nil
	}
	if err := newStore(tx).record(ctx, tries, s.config.Now()); err != nil {
		return nil, err
	}
	if err := s.config.Tasks.Enqueue(ctx, tx, works...); err != nil {
		return nil, err
	}
	return tries, jobs.SetLaneMax(ctx, tx, QueueName, s.laneMaxima(tries))
}

// laneMaxima says how many tries may be under way at each address: one where the last failed or took long.
func (s *Service) laneMaxima(tries []*tried) map[string]int {
	maxima := map[string]int{}
	for _, t := range byTime(tries) {
		maxima[t.lane] = s.config.LaneMax
		if t.verdict.status != StatusDelivered || t.took > slowTry {
			maxima[t.lane] = 1
		}
	}
	return maxima
}

func lanes(done []jobs.Done) []string {
	lanes := make([]string, len(done))
	for i := range done {
		lanes[i] = done[i].Lane
	}
	slices.Sort(lanes)
	return slices.Compact(lanes)
}
