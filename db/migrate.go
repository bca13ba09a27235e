package db

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate migrates the schema at url to the latest version and returns how many migrations it ran. Several processes
// can call it at once: an advisory lock lets one work while the others wait.
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

// ensureMonths creates the partitions for this month and the next twelve.
func ensureMonths(ctx context.Context, url string) error {
	conn, err := Connect(ctx, url, "turnpike-migrate", Unbounded)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := New(conn).EnsureUsageMonths(ctx); err != nil {
		return fmt.Errorf("creating the monthly partitions: %w", err)
	}
	return nil
}

// Pending reports how many migrations the schema at url still lacks.
func Pending(ctx context.Context, url string) (int, error) {
	pending := 0
	err := withProvider(url, func(p *goose.Provider) error {
		migrations, err := p.Status(ctx)
		for _, m := range migrations {
			if m.State == goose.StatePending {
				pending++
			}
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	return pending, nil
}

func withProvider(url string, f func(*goose.Provider) error) error {
	cfg, err := parse(url)
	if err != nil {
		return err
	}
	bound(cfg, "turnpike-migrate", Unbounded)
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
