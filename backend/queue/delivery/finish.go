package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// slowTry is how long a try may take before its address counts as slow.
const slowTry = 10 * time.Second

// flight is results that are stored together.
type flight struct {
	ended, late, anew []jobs.Done
	after             []time.Duration // of late
	tries             map[string]*Try
}

// Finish stores tries and the new statuses of their deliveries. It implements jobs.Handler.
func (e *Engine) Finish(ctx context.Context, done []jobs.Done) error {
	f, err := e.sort(ctx, done)
	if err != nil {
		return err
	}
	var written []*Try
	err = pgx.BeginFunc(ctx, e.config.Pool, func(tx pgx.Tx) error {
		written, err = e.write(ctx, tx, f, lanes(done))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing %d tries: %w", len(done), err)
	}
	e.config.Carrier.Recorded(written)
	if len(f.anew) > 0 {
		e.Wake()
	}
	return nil
}

// sort decides the next step of each delivery.
func (e *Engine) sort(ctx context.Context, done []jobs.Done) (*flight, error) {
	f := &flight{tries: make(map[string]*Try, len(done))}
	for i := range done {
		d := done[i]
		t, _ := d.Result.(*Try)
		if d.Err != nil {
			var err error
			if t, err = e.untold(ctx, &d); err != nil {
				return nil, err
			}
		}
		if t == nil {
			f.ended = append(f.ended, d)
			continue
		}
		t.judge(e.config.Schedule, chance())
		f.tries[d.Group] = t
		switch {
		case t.Status != StatusPending:
			f.ended = append(f.ended, d)
		case errors.Is(d.Err, jobs.ErrLost):
			// The task keeps its count of lost workers and would not run again, so the next try gets a new task.
			t.Wait = 0
			f.anew = append(f.anew, d)
		default:
			f.late, f.after = append(f.late, d), append(f.after, t.Wait)
		}
	}
	return f, nil
}

// untold returns a try with an unknown outcome: its workers were lost, or could not report. It is nil if the delivery
// has ended.
func (e *Engine) untold(ctx context.Context, d *jobs.Done) (*Try, error) {
	made, most, err := e.config.Carrier.Standing(ctx, d.Group)
	switch {
	case errors.Is(err, ErrEnded):
		return nil, nil
	case err != nil:
		return nil, err
	}
	reason := ErrorInternal
	if errors.Is(d.Err, jobs.ErrLost) {
		reason = ErrorLost
	} else {
		e.config.Logger.Error("a delivery could not be attempted", "queue", e.config.Queue, "delivery", d.Group, "error", d.Err)
	}
	return &Try{ID: d.Group, Lane: d.Lane, Made: made, TriesMax: most, At: e.config.Now(), Error: reason}, nil
}

// write ends or postpones tasks, and stores and returns the tries of those whose tokens were still valid.
func (e *Engine) write(ctx context.Context, tx pgx.Tx, f *flight, lanes []string) ([]*Try, error) {
	if err := jobs.LockLanes(ctx, tx, e.config.Queue, lanes...); err != nil {
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
	var tries []*Try
	for _, d := range slices.Concat(ended, late) {
		t := f.tries[d.Group]
		if t == nil {
			continue
		}
		tries = append(tries, t)
		if errors.Is(d.Err, jobs.ErrLost) && t.Status == StatusPending {
			works = append(works, e.Work(d.Lane, d.TeamID, d.Group))
		}
	}
	if len(tries) == 0 {
		return nil, nil
	}
	if err := e.config.Carrier.Record(ctx, tx, tries); err != nil {
		return nil, err
	}
	if err := e.config.Tasks.Enqueue(ctx, tx, works...); err != nil {
		return nil, err
	}
	return tries, jobs.SetLaneMax(ctx, tx, e.config.Queue, e.laneMaxima(tries))
}

// laneMaxima returns how many tries may run in each lane: one if the last try failed or took long.
func (e *Engine) laneMaxima(tries []*Try) map[string]int {
	maxima := map[string]int{}
	for _, t := range byTime(tries) {
		maxima[t.Lane] = e.config.LaneMax
		if t.Status != StatusDelivered || t.Took > slowTry {
			maxima[t.Lane] = 1
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
