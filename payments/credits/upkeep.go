package credits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// keepUp sweeps the holds of processes that have ended, and deletes what is old.
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

// upkeep runs f on a connection made for it, since a few times a minute is not
// worth a pool.
func (p *Postgres) upkeep(ctx context.Context, f func(context.Context, *db.Queries) error) {
	ctx, cancel := context.WithTimeout(ctx, upkeepTimeout)
	defer cancel()
	conn, err := p.connect(ctx)
	if err == nil {
		err = f(ctx, db.New(conn))
		_ = conn.Close(context.WithoutCancel(ctx))
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		p.cfg.Logger.Error("upkeep of the ledger", "error", err)
	}
}

// voidOrphans gives back what processes that have ended hold.
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

// One statement of a sweep locks at most so many batches, and their accounts; one
// that deletes takes so many rows, and one round so many statements, so that what
// has piled up is worked off beside the metering and not in its way.
const (
	sweepBatch   = 16
	deleteBatch  = 500
	deleteRounds = 40
)

// What batches used becomes rows of usage when it is as old as foldAfter: the longer it waits, the fewer these are, and the
// more has to be looked through for what one account used. One statement takes so many batches with about so many entries,
// and one round so many statements. A million entries take some 2 s if they are of 100,000 accounts, and 12 s if each is of
// another account.
const (
	foldAfter   = 10 * time.Minute
	foldBatch   = 20_000
	foldEntries = 1_000_000
	foldRounds  = 4
)

// FoldUsage has what batches used become rows of usage if the oldest is older than that. Upkeep does it by itself.
func FoldUsage(ctx context.Context, q *db.Queries, olderThan time.Duration) error {
	for range foldRounds {
		n, err := q.FoldUsage(ctx, db.FoldUsageParams{OlderThanSeconds: olderThan.Seconds(), BatchSize: foldBatch, EntriesMost: foldEntries})
		if err != nil {
			return fmt.Errorf("adding up usage: %w", err)
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
