package schedules

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// Run claims due schedules and makes the calls until ctx ends. Calls in progress then have grace to end; other replicas
// repeat those that are aborted.
func (s *Service) Run(ctx context.Context, grace time.Duration) {
	calls, stopCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCalls()
	hurry := make(chan struct{}, 1)
	var loops, under sync.WaitGroup
	every := func(interval time.Duration, signal <-chan struct{}, doing string, do func() error) {
		loops.Go(func() {
			tick := time.NewTicker(interval)
			defer tick.Stop()
			for {
				if err := do(); err != nil && ctx.Err() == nil {
					s.config.Logger.ErrorContext(ctx, "background work failed", "doing", doing, "error", err)
				}
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				case <-signal:
				}
			}
		})
	}
	every(claimEvery, nil, "claiming due schedules", func() error { return s.claimAll(ctx, hurry) })
	every(measureEvery, nil, "measuring schedules", func() error { return s.Measure(ctx) })
	every(claimEvery, hurry, "starting scheduled runs", func() error { return s.begin(ctx, calls, &under, hurry) })
	keeping, stopKeeping := context.WithCancel(calls)
	defer stopKeeping()
	kept := make(chan struct{})
	go func() { // also while calls in progress end
		defer close(kept)
		s.keep(keeping)
	}()
	loops.Wait()
	s.await(&under, grace, stopCalls)
	stopKeeping()
	<-kept
}

// await waits for the calls in progress, for at most grace, and then aborts them.
func (s *Service) await(under *sync.WaitGroup, grace time.Duration, stopCalls func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		under.Wait()
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
		return
	case <-timer.C:
	}
	stopCalls()
	<-ended
}

// claimAll claims until nothing more is due.
func (s *Service) claimAll(ctx context.Context, hurry chan<- struct{}) error {
	for ctx.Err() == nil {
		claimed, enqueued, err := s.Claim(ctx, ClaimMax)
		if err != nil {
			return err
		}
		if enqueued > 0 {
			signal(hurry)
		}
		if claimed < ClaimMax {
			return nil
		}
	}
	return nil
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// begin takes as many runs as there are free slots, and makes their calls.
func (s *Service) begin(ctx, calls context.Context, under *sync.WaitGroup, freed chan<- struct{}) error {
	rows, err := s.take(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		s.mu.Lock()
		s.running[row.ID] = row
		s.mu.Unlock()
		under.Go(func() {
			defer signal(freed)
			defer s.over(row)
			s.attempt(calls, row)
		})
	}
	return nil
}

// attempt makes a call, and logs an error that kept its outcome from being written.
func (s *Service) attempt(ctx context.Context, row *db.TakeRunsRow) {
	err := s.call(ctx, row)
	if err != nil && !errors.Is(err, errLost) {
		s.config.Logger.ErrorContext(ctx, "a scheduled call could not be made and will be retried", "schedule", row.ScheduleID, "error", err)
	}
}

// over releases a run, unless a later attempt of this process owns it.
func (s *Service) over(row *db.TakeRunsRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[row.ID] == row {
		delete(s.running, row.ID)
	}
}

// room returns the free slots, the teams that use their full share, and the team after which the turn continues.
func (s *Service) room() (slots int, busy []string, after string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	teams := map[string]int{}
	busy = []string{}
	for _, r := range s.running {
		if teams[r.TeamID]++; teams[r.TeamID] == s.config.TeamRunning {
			busy = append(busy, r.TeamID)
		}
	}
	return s.config.Slots - len(s.running), busy, s.afterTeam
}

// take takes runs for the free slots, one of each team: from the teams after the last turn, then once from the beginning.
func (s *Service) take(ctx context.Context) ([]db.TakeRunsRow, error) {
	var all []db.TakeRunsRow
	slots, busy, after := s.room()
	rounds := []string{after, ""}
	if after == "" {
		rounds = rounds[:1]
	}
	for _, from := range rounds {
		if slots == 0 {
			break
		}
		now := s.config.Now()
		rows, err := s.queries.TakeRuns(ctx, db.TakeRunsParams{
			AfterTeam: from, Busy: busy, Now: now, TeamsMax: int32(slots), LeaseUntil: now.Add(s.config.Lease), //nolint:gosec // small
		})
		if err != nil {
			return all, fmt.Errorf("taking runs: %w", err)
		}
		slots -= len(rows)
		for i := range rows { // teams that had a turn are skipped in the second round
			busy = append(busy, rows[i].TeamID)
		}
		s.tookAt(rows, now)
		all = append(all, rows...)
	}
	if len(all) > 0 {
		s.mu.Lock()
		s.afterTeam = all[len(all)-1].TeamID
		s.mu.Unlock()
	}
	return all, nil
}

// tookAt measures how late first attempts are.
func (s *Service) tookAt(rows []db.TakeRunsRow, now time.Time) {
	for i := range rows {
		if rows[i].Attempt == 1 {
			s.metrics.seconds.Observe(max(0, now.Sub(rows[i].DueAt).Seconds()))
		}
	}
}

// keep runs Keep at a third of the lease.
func (s *Service) keep(ctx context.Context) {
	tick := time.NewTicker(s.config.Lease / 3)
	defer tick.Stop()
	for {
		if err := s.Keep(ctx); err != nil && ctx.Err() == nil {
			s.config.Logger.ErrorContext(ctx, "background work failed", "doing", "renewing the leases of scheduled runs", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Keep renews the leases of this process, and requeues runs whose leases have expired.
func (s *Service) Keep(ctx context.Context) error {
	now := s.config.Now()
	params := db.RenewRunsParams{LeaseUntil: now.Add(s.config.Lease), ScheduleIds: []string{}, Dues: []time.Time{}, Attempts: []int32{}}
	s.mu.Lock()
	for _, r := range s.running {
		params.ScheduleIds = append(params.ScheduleIds, r.ScheduleID)
		params.Dues, params.Attempts = append(params.Dues, r.DueAt), append(params.Attempts, r.Attempt)
	}
	s.mu.Unlock()
	if len(params.Dues) > 0 {
		if _, err := s.queries.RenewRuns(ctx, params); err != nil {
			return fmt.Errorf("renewing the leases of runs: %w", err)
		}
	}
	lost, err := s.queries.ReturnLostRuns(ctx, now)
	if err != nil {
		return fmt.Errorf("requeueing lost runs: %w", err)
	}
	if lost > 0 {
		s.metrics.takeovers.Add(float64(lost))
		s.config.Logger.WarnContext(ctx, "scheduled runs were taken over from unresponsive processes", "runs", lost)
	}
	return nil
}
