package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// Periodic is work that the whole installation does repeatedly: deleting what has expired, ending what is late. One
// process starts each run. If a run takes longer than Every, this process waits for its end, and another may start the next.
type Periodic struct {
	// Name is the name of its row in the database, in logs and in errors. Required.
	Name string
	// Every is the time between two runs, from start to start: at least [PeriodicLeast]. A run that fails is not
	// repeated: the next one does its work.
	Every time.Duration
	// Run does the work. Its context ends after [periodicTimeout], or when the process stops.
	Run func(ctx context.Context) error
}

const (
	// PeriodicLeast is the shortest time between two runs of the same work: how often processes look for work that is due.
	PeriodicLeast = 5 * time.Second
	// periodicTimeout bounds a run.
	periodicTimeout = 10 * time.Minute
)

func (p Periodic) validate() error {
	if p.Name == "" || p.Run == nil || p.Every < PeriodicLeast {
		return fmt.Errorf("periodic work %q: Name and Run are required, and Every is at least %s", p.Name, PeriodicLeast)
	}
	return nil
}

// repeat runs periodic work as it becomes due, until ctx ends.
func (j *Jobs) repeat(ctx context.Context) {
	// Spread the queries of processes that started at the same time.
	tick := time.NewTicker(PeriodicLeast + rand.N(PeriodicLeast/8)) //nolint:gosec // it only spreads
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := j.runDue(ctx); err != nil && ctx.Err() == nil {
			j.logger.Warn("periodic work could not be started", "error", err)
		}
	}
}

// runDue starts the periodic work that is due, unless another process has started it or its last run here goes on.
func (j *Jobs) runDue(ctx context.Context) error {
	var p db.TakeDuePeriodicParams
	for _, work := range j.cfg.Periodic {
		if _, runs := j.repeating.Load(work.Name); !runs {
			p.Names, p.EveryMs = append(p.Names, work.Name), append(p.EveryMs, work.Every.Milliseconds())
		}
	}
	asking, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	due, err := j.queries.TakeDuePeriodic(asking, p)
	if err != nil {
		return err
	}
	for _, work := range j.cfg.Periodic {
		for _, name := range due {
			if name == work.Name {
				j.repeating.Store(name, true)
				j.background.Go(func() {
					defer j.repeating.Delete(name)
					j.runOnce(ctx, work)
				})
			}
		}
	}
	return nil
}

func (j *Jobs) runOnce(ctx context.Context, p Periodic) {
	ctx, cancel := context.WithTimeout(ctx, periodicTimeout)
	defer cancel()
	if err := p.Run(ctx); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		j.logger.Error("periodic work failed", "work", p.Name, "error", err)
	}
}
