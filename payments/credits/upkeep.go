package credits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// beatsBeforeSweep is how many heartbeats in a row must have reached the database
// before this edge judges others by theirs: after an outage that was longer than
// LostAfter, every edge that lives has beaten by then.
const beatsBeforeSweep = 2

// keepAlive beats the edge's heart, sweeps the holds of edges that are gone, and
// deletes what is old.
func (p *Postgres) keepAlive(ctx context.Context) {
	beat := time.NewTicker(p.cfg.HeartbeatEvery)
	defer beat.Stop()
	sweep := time.NewTicker(p.cfg.SweepEvery)
	defer sweep.Stop()
	beats := 1 // NewPostgres has beaten
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			beats++
			if !p.upkeep(ctx, func(ctx context.Context, q *db.Queries) error { return q.BeatEdge(ctx, p.cfg.EdgeID) }) {
				beats = 0
			}
		case <-sweep.C:
			if beats < beatsBeforeSweep {
				continue
			}
			p.upkeep(ctx, p.sweep)
		}
	}
}

// upkeep runs f on a connection made for it, since a few times a minute is not
// worth a pool, and reports whether it went well.
func (p *Postgres) upkeep(ctx context.Context, f func(context.Context, *db.Queries) error) bool {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.LostAfter/2)
	defer cancel()
	conn, err := p.connect(ctx)
	if err == nil {
		err = f(ctx, db.New(conn))
		_ = conn.Close(context.WithoutCancel(ctx))
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		p.cfg.Logger.Error("keeping the edge alive", "error", err)
	}
	return err == nil
}

func (p *Postgres) sweep(ctx context.Context, q *db.Queries) error {
	if _, err := sweepHolds(ctx, q, p.cfg.LostAfter); err != nil {
		return err
	}
	return deleteBatches(ctx, q, p.cfg.KeepBatches)
}

// One statement of a sweep locks at most so many batches, and their accounts; one
// that deletes takes so many rows, and one round so many statements, so that what
// has piled up is worked off beside the metering and not in its way.
const (
	sweepBatch   = 16
	deleteBatch  = 500
	deleteRounds = 40
)

func sweepHolds(ctx context.Context, q *db.Queries, lostAfter time.Duration) (int64, error) {
	var total int64
	for after := uuid.Nil; ; {
		swept, err := q.SweepMeterBatches(ctx, db.SweepMeterBatchesParams{LostAfterSeconds: lostAfter.Seconds(), After: after, BatchSize: sweepBatch})
		if err != nil {
			return total, fmt.Errorf("sweeping holds: %w", err)
		}
		total += swept.Slots
		if after = swept.Last; after == uuid.Nil {
			break
		}
	}
	if err := q.ForgetEdges(ctx, max(lostAfter, time.Hour).Seconds()); err != nil {
		return total, fmt.Errorf("forgetting edges: %w", err)
	}
	return total, nil
}

func deleteBatches(ctx context.Context, q *db.Queries, olderThan time.Duration) error {
	for range deleteRounds {
		n, err := q.DeleteMeterBatches(ctx, db.DeleteMeterBatchesParams{OlderThanSeconds: olderThan.Seconds(), BatchSize: deleteBatch})
		if err != nil {
			return fmt.Errorf("deleting old batches: %w", err)
		}
		if n < deleteBatch {
			return nil
		}
	}
	return nil
}
