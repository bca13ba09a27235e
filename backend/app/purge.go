package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	purgeEvery = time.Hour
	// purgeBatch is how many expired items are deleted at a time.
	purgeBatch = 500
)

// periodic returns what the whole installation does repeatedly.
func (b *Backend) periodic() []jobs.Periodic {
	return []jobs.Periodic{
		{Name: "delete expired data", Every: purgeEvery, Run: b.purge},
		{Name: "end late batches", Every: jobs.PeriodicLeast, Run: b.batches.EndLate},
		{Name: "end late crawls", Every: jobs.PeriodicLeast, Run: b.crawls.EndLate},
	}
}

// purge deletes expired data. If one kind fails, the others are still deleted, and the next run tries it again.
func (b *Backend) purge(ctx context.Context) error {
	var errs []error
	for _, kind := range []struct {
		name  string
		batch func() (int64, error)
	}{
		{"content and scrapes", func() (int64, error) { return wide(b.scrapes.Purge(ctx, purgeBatch)) }},
		{"pages of the search index", func() (int64, error) { return wide(b.index.Purge(ctx, purgeBatch)) }},
		{"pages of batches", func() (int64, error) { return wide(b.batches.Purge(ctx, purgeBatch)) }},
		{"pages of crawls", func() (int64, error) { return wide(b.crawls.Purge(ctx, purgeBatch)) }},
		{"answers", func() (int64, error) { return wide(b.answers.Purge(ctx, purgeBatch)) }},
		{"maps", func() (int64, error) { return wide(b.maps.Purge(ctx, purgeBatch)) }},
		{"searches", func() (int64, error) { return wide(b.searches.Purge(ctx, purgeBatch)) }},
		{"copies of pages", func() (int64, error) { return b.copies.Purge(ctx, purgeBatch) }},
		{"parsers", func() (int64, error) { return b.parsers.Purge(ctx, purgeBatch) }},
		{"files", func() (int64, error) { return b.files.Purge(ctx, purgeBatch) }},
		{"responses for repeated requests", func() (int64, error) { return b.replays.Purge(ctx, purgeBatch) }},
		{"runs of monitors", func() (int64, error) { return wide(b.monitors.Purge(ctx, purgeBatch)) }},
		{"schedules", func() (int64, error) { return b.schedules.Purge(ctx, purgeBatch) }},
		{"deliveries", func() (int64, error) { _, err := b.webhooks.Purge(ctx); return 0, err }},
		{"notifications", func() (int64, error) { _, err := b.notifications.Purge(ctx); return 0, err }},
		{"events", func() (int64, error) { _, err := outbox.Purge(ctx, db.New(b.pool), time.Now()); return 0, err }},
		{"hosts", func() (int64, error) { return 0, b.forgetHosts(ctx) }},
	} {
		if err := inBatches(kind.batch); err != nil {
			errs = append(errs, fmt.Errorf("deleting expired %s: %w", kind.name, err))
		}
	}
	return errors.Join(errs...)
}

func wide(n int, err error) (int64, error) { return int64(n), err }

// inBatches calls purge until it deletes less than a full batch.
func inBatches(purge func() (int64, error)) error {
	for {
		n, err := purge()
		if err != nil || n < purgeBatch {
			return err
		}
	}
}
