package jobs

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/turnpike-edge/turnpike/db"
)

// migrationLock is the advisory lock for creating River's tables: River takes none itself.
const migrationLock = 0x7475726e70696b65 // "turnpike"

// Migrate updates the whole schema at url, ours and River's, and returns how many migrations it ran. Several processes
// may call it at once: one migrates while the others wait.
func Migrate(ctx context.Context, url string) (int, error) {
	ran, err := db.Migrate(ctx, url)
	if err != nil {
		return ran, err
	}
	err = withMigrator(ctx, url, func(pool *pgxpool.Pool, m *rivermigrate.Migrator[pgx.Tx]) error {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		queries := db.New(conn)
		if err := queries.LockRiverMigration(ctx, migrationLock); err != nil {
			return err
		}
		// If unlocking fails, closing the pool afterwards releases the lock.
		defer func() { _ = queries.UnlockRiverMigration(context.WithoutCancel(ctx), migrationLock) }()
		result, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		if err == nil {
			ran += len(result.Versions)
		}
		return err
	})
	if err != nil {
		return ran, fmt.Errorf("migrating the job queue: %w", err)
	}
	return ran, nil
}

// Pending returns how many migrations the schema at url still lacks, ours and River's.
func Pending(ctx context.Context, url string) (int, error) {
	pending, err := db.Pending(ctx, url)
	if err != nil {
		return 0, err
	}
	err = withMigrator(ctx, url, func(_ *pgxpool.Pool, m *rivermigrate.Migrator[pgx.Tx]) error {
		existing, err := m.ExistingVersions(ctx)
		pending += len(m.AllVersions()) - len(existing)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("reading the job queue's version: %w", err)
	}
	return pending, nil
}

func withMigrator(ctx context.Context, url string, do func(*pgxpool.Pool, *rivermigrate.Migrator[pgx.Tx]) error) error {
	pool, err := db.Open(ctx, url, func(c *pgxpool.Config) { c.MaxConns = 2 })
	if err != nil {
		return err
	}
	defer pool.Close()
	silent := slog.New(slog.DiscardHandler)
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: riverSchema, Logger: silent})
	if err != nil {
		return err
	}
	return do(pool, m)
}
