package db

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema at url up to date and returns how many migrations
// it ran. Several processes may call it at once: an advisory lock lets one work
// while the others wait.
func Migrate(ctx context.Context, url string) (int, error) {
	var ran int
	err := withProvider(url, func(p *goose.Provider) error {
		results, err := p.Up(ctx)
		ran = len(results)
		return err
	})
	if err != nil {
		return ran, fmt.Errorf("migrating: %w", err)
	}
	return ran, ensureMonths(ctx, url)
}

// ensureMonths sees that the months to come have their partitions, for an
// installation whose edges have been away or may not change the schema.
func ensureMonths(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("reaching the database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := New(conn).EnsureUsageMonths(ctx); err != nil {
		return fmt.Errorf("making the months' partitions: %w", err)
	}
	return nil
}

// Pending reports how many migrations the schema at url still lacks.
func Pending(ctx context.Context, url string) (int, error) {
	var pending int64
	err := withProvider(url, func(p *goose.Provider) error {
		current, target, err := p.GetVersions(ctx)
		pending = target - current
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	return int(pending), nil
}

func withProvider(url string, f func(*goose.Provider) error) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("parsing the database URL: %w", err)
	}
	conn := stdlib.OpenDB(*cfg)
	defer conn.Close()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, files, goose.WithSessionLocker(locker))
	if err != nil {
		return err
	}
	return f(provider)
}
