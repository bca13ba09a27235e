package credits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// keepUp sweeps the holds of ended processes and deletes old batches.
func (p *Postgres) keepUp(ctx context.Context) {
	sweep := time.NewTicker(p.cfg.SweepEvery)
	defer sweep.Stop()
	next := voidOrphans
	for {
		changed := p.cfg.Instance.Changed()
		p.upkeep(ctx, next)
		next = voidOrphans
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-sweep.C:
			next = p.sweep
		}
	}
}

// upkeepTimeout bounds one round of upkeep.
const upkeepTimeout = 30 * time.Second

// upkeep runs f on a new connection: a few runs a minute do not justify a pool.
func (p *Postgres) upkeep(ctx context.Context, f func(context.Context, *db.Queries) error) {
	ctx, cancel := context.WithTimeout(ctx, upkeepTimeout)
	defer cancel()
	conn, err := p.connect(ctx)
	if err == nil {
		err = f(ctx, db.New(conn))
		_ = conn.Close(context.WithoutCancel(ctx))
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		p.cfg.Logger.Error("upkeep of the ledger failed", "error", err)
	}
}

// voidOrphans voids the open holds of ended processes.
func voidOrphans(ctx context.Context, q *db.Queries) error {
	_, err := sweepHolds(ctx, q)
	return err
}

func (p *Postgres) sweep(ctx context.Context, q *db.Queries) error {
	if err := voidOrphans(ctx, q); err != nil {
		return err
	}
	// Adding up comes last: it may take the time of a whole round where there is much.
	return errors.Join(deleteBatches(ctx, q, p.cfg.KeepBatches), FoldUsage(ctx, q, foldAfter))
}

// One statement of a sweep locks at most this many batches and their accounts. One that deletes takes this many rows,
// and one round runs this many statements, so that a backlog is worked off without blocking the metering.
const (
	sweepBatch   = 16
	deleteBatch  = 500
	deleteRounds = 40
)

// Usage of batches older than foldAfter is merged into fewer rows. A longer wait makes fewer rows, but more rows to search for
// the usage of one account. One statement takes at most this many batches with about this many entries, and one round runs this
// many statements. A million entries take about 2 s if they are of 100,000 accounts, and 12 s if each is of another account.
const (
	foldAfter   = 10 * time.Minute
	foldBatch   = 20_000
	foldEntries = 1_000_000
	foldRounds  = 4
)

// FoldUsage merges the usage of batches into rows if the oldest batch is older than olderThan. Upkeep calls it too.
func FoldUsage(ctx context.Context, q *db.Queries, olderThan time.Duration) error {
	for range foldRounds {
		n, err := q.FoldUsage(ctx, db.FoldUsageParams{OlderThanSeconds: olderThan.Seconds(), BatchSize: foldBatch, EntriesMost: foldEntries})
		if err != nil {
			return fmt.Errorf("aggregating usage: %w", err)
		}
		if n == 0 {
			return nil
		}
	}
	return nil
}

func sweepHolds(ctx context.Context, q *db.Queries) (int64, error) {
	var total int64
	for after := uuid.Nil; ; {
		swept, err := q.SweepMeterBatches(ctx, db.SweepMeterBatchesParams{After: after, BatchSize: sweepBatch})
		if err != nil {
			return total, fmt.Errorf("sweeping holds: %w", err)
		}
		total += swept.Slots
		if after = swept.Last; after == uuid.Nil {
			return total, nil
		}
	}
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
