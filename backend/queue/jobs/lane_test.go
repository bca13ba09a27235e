package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// settler completes the second tries and postpones the first ones, each for a different time, in one transaction over
// many lanes.
type settler struct {
	*recorder

	late atomic.Int64
}

func (s *settler) Finish(ctx context.Context, done []jobs.Done) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var ended, late []jobs.Done
		var after []time.Duration
		var lanes []string
		for _, d := range done {
			lanes = append(lanes, d.Lane)
			if d.Attempt == 1 {
				late, after = append(late, d), append(after, time.Duration(d.N)*time.Millisecond)
			} else {
				ended = append(ended, d)
			}
		}
		if err := jobs.LockLanes(ctx, tx, testQueue, lanes...); err != nil {
			return err
		}
		ended, err := jobs.Complete(ctx, tx, ended)
		if err != nil {
			return err
		}
		for _, d := range ended {
			if _, err := tx.Exec(ctx, `insert into ended (group_id, n, error) values ($1, $2, '')`, d.Group, d.N); err != nil {
				return err
			}
		}
		postponed, err := jobs.PostponeAll(ctx, tx, late, after)
		if err != nil {
			return err
		}
		s.late.Add(int64(len(postponed)))
		return jobs.SetLaneMax(ctx, tx, testQueue, map[string]int{done[0].Lane: int(done[0].N)})
	})
}

// Concurrent transactions may each complete and postpone tasks of many lanes.
func TestEndingSomeAndPostponingOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := &settler{recorder: p.recorder(nil)}
	j := p.start(jobs.Queue{Handler: s, Mixed: true, Slots: 16})
	var works []jobs.Work
	for _, team := range []string{"team_a", "team_b", "team_c", "team_d", "team_e"} {
		works = append(works, work(team, "batch_"+team, 40))
	}
	p.enqueue(j, works...)
	p.awaitNone()
	p.settled(200)
	if got := s.late.Load(); got != 200 {
		t.Errorf("postponed: got %d, want 200", got)
	}
	if got := p.count(`select count(*) from lane where running_max = 12`); got == 5 {
		t.Error("limits: got none that was changed")
	}
}

func TestSetLaneMaxRefusesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	err := pgx.BeginFunc(t.Context(), p.pool, func(tx pgx.Tx) error {
		return jobs.SetLaneMax(t.Context(), tx, testQueue, map[string]int{"team_a": 0})
	})
	if err == nil {
		t.Error("a limit of 0: got no error, want one")
	}
}
