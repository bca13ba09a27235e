package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db/outage"
)

// drainTimeout is how long results may take to be stored after the last task has ended.
const drainTimeout = 30 * time.Second

// cancelTimeout is how long cancelled tasks may take to end when Stop itself is out of time.
const cancelTimeout = 2 * time.Second

// Start begins to work on the queues, as soon as the database can be used. ctx bounds only the start; Stop ends the work.
func (j *Jobs) Start(ctx context.Context) error {
	if !j.works() {
		return errors.New("starting jobs: no queues are configured")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for pause := retryLeast; ; pause = min(2*pause, retryMost) {
		err := j.cfg.Pool.Ping(ctx)
		if err == nil {
			break
		}
		if err = fmt.Errorf("reaching the database: %w", err); !outage.Is(err) {
			return err
		}
		j.logger.Warn("jobs are waiting for the database", "error", err)
		if ended := rest(ctx, pause); ended != nil {
			return errors.Join(err, ended)
		}
	}
	for _, q := range j.queues {
		j.schedulers.Go(func() { q.scheduler.run(j.feed) })
		j.background.Go(func() { q.keep(j.life) })
	}
	j.background.Go(func() { j.measure(j.life) })
	if len(j.cfg.Periodic) > 0 {
		j.schedulers.Go(func() { j.repeat(j.feed) })
	}
	return nil
}

// Stop ends the work. Nothing more is promoted, and what has not begun is handed back. Running tasks have Config.Grace
// to end; then they are cancelled and handed back. Results of ended tasks are stored. What is unfinished when ctx ends
// is taken over by another process after its lease expires.
func (j *Jobs) Stop(ctx context.Context) error {
	j.endFeed()
	j.schedulers.Wait() // they were cancelled
	defer func() {
		j.endLife()
		j.background.Wait()
	}()
	for _, q := range j.queues {
		q.slots.stop()
	}
	grace, cancel := context.WithTimeout(ctx, j.cfg.Grace)
	defer cancel()
	err := j.drainSlots(grace)
	if err != nil {
		j.endRunning()
		err = j.drainSlots(ctx)
	}
	if err != nil {
		hurry, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
		defer cancel()
		err = errors.Join(err, j.drainSlots(hurry))
	}
	drain, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	for _, q := range j.queues {
		if failed := q.finish.drain(drain); failed != nil {
			err = errors.Join(err, fmt.Errorf("storing the results of queue %s: %w", q.Name, failed))
		}
	}
	return err
}

// drainSlots waits until no task runs.
func (j *Jobs) drainSlots(ctx context.Context) error {
	var errs []error
	for _, q := range j.queues {
		errs = append(errs, q.slots.drain(ctx))
	}
	return errors.Join(errs...)
}
