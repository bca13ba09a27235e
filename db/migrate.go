package db

import (
	"context"
	"database/sql"
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
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return 0, fmt.Errorf("parsing the database URL: %w", err)
	}
	conn := stdlib.OpenDB(*cfg)
	defer conn.Close()
	provider, err := newProvider(conn)
	if err != nil {
		return 0, err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrating: %w", err)
	}
	return len(results), nil
}

// Pending reports how many migrations the schema at url still lacks.
func Pending(ctx context.Context, url string) (int, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return 0, fmt.Errorf("parsing the database URL: %w", err)
	}
	conn := stdlib.OpenDB(*cfg)
	defer conn.Close()
	provider, err := newProvider(conn)
	if err != nil {
		return 0, err
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	return int(target - current), nil
}

func newProvider(conn *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, conn, files, goose.WithSessionLocker(locker))
}
