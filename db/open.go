package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Open returns a pool on url and checks that the server answers. The caller
// closes it. configure may be nil; it can change the pool's configuration, as
// tests and the meter do.
func Open(ctx context.Context, url string, configure func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("parsing the database URL: %w", err)
	}
	cfg.ConnConfig.RuntimeParams["application_name"] = "turnpike"
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		RegisterUUID(conn.TypeMap())
		return nil
	}
	if configure != nil {
		configure(cfg)
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reaching the database: %w", err)
	}
	return pool, nil
}
