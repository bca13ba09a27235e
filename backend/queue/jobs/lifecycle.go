package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnpike-edge/turnpike/db/outage"
)

// drainTimeout is how long results may take to be stored after the last task has ended.
const drainTimeout = 30 * time.Second

// hardStopTimeout is how long cancelled tasks may take to end when Stop itself is out of time.
const hardStopTimeout = 2 * time.Second

// Start begins to work on the queues, as soon as the database can be used. ctx bounds only the start; Stop ends the work.
func (j *Jobs) Start(ctx context.Context) error {
	if !j.works() {
		return errors.New("starting jobs: no queues are configured")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for pause := retryLeast; ; pause = min(2*pause, retryMost) {
		err := j.client.Start(j.life)
		if err == nil {
			break
		}
		if err = fmt.Errorf("starting River: %w", err); !outage.Is(err) {
			return err
		}
		j.logger.Warn("jobs are waiting for the database", "error", err)
		if ended := rest(ctx, pause); ended != nil {
			return errors.Join(err, ended)
		}
	}
	for _, q := range j.queues {
		j.background.Go(func() { q.scheduler.run(j.feed) })
		j.background.Go(func() { q.keep(j.life) })
	}
	j.background.Go(func() { j.measure(j.life) })
	return nil
}

// Stop ends the work. Nothing more is promoted. Running tasks have Config.Grace to end; then they are cancelled and
// handed back. Results of ended tasks are stored. What is unfinished when ctx ends is taken over by another process
// after its lease expires.
func (j *Jobs) Stop(ctx context.Context) error {
	j.endFeed()
	defer func() {
		j.endLife()
		j.background.Wait()
	}()
	err := j.client.Stop(ctx)
	if err != nil {
		hurry, cancel := context.WithTimeout(context.WithoutCancel(ctx), hardStopTimeout)
		defer cancel()
		err = fmt.Errorf("stopping River: %w", errors.Join(err, j.client.StopAndCancel(hurry)))
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

// quiet returns a logger that passes only warnings of River, which otherwise logs each start, stop and election.
func quiet(logger *slog.Logger) *slog.Logger { return slog.New(warnings{logger.Handler()}) }

type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
