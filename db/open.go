package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Open returns a pool on url and checks that the server answers. The pool must be closed. configure may be nil; it can
// change the pool's configuration, as tests do. Each connection gets the limits in session. Behind a pooler (see
// [Pooled]), a connection cannot set them, so the role must have them.
func Open(ctx context.Context, url string, configure func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("parsing the database URL: %w", err)
	}
	bound(cfg.ConnConfig, "turnpike", nil)
	cfg.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		withoutCancel(c)
		return nil
	}
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
	if isPooled(cfg.ConnConfig) {
		if err := checkSession(ctx, New(pool)); err != nil {
			pool.Close()
			return nil, err
		}
	}
	return pool, nil
}

// Connect opens one connection on url with an application name, the limits in session, and further settings. Behind a
// pooler it sets neither limits nor settings: the role must have them.
func Connect(ctx context.Context, url, name string, settings map[string]string) (*pgx.Conn, error) {
	cfg, err := parse(url)
	if err != nil {
		return nil, err
	}
	bound(cfg, name, settings)
	withoutCancel(cfg)
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("reaching the database: %w", err)
	}
	RegisterUUID(conn.TypeMap())
	return conn, nil
}

// parse parses the address of a database, which may have pool settings too.
func parse(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("parsing the database URL: %w", err)
	}
	return cfg.ConnConfig, nil
}
