package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// also adds settings to the address of a database.
func also(url, settings string) string {
	if strings.Contains(url, "?") {
		return url + "&" + settings
	}
	return url + "?" + settings
}

// Every connection has time limits, in pools and single ones; settings in the address take precedence.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t, migrate)
	pool := func(ctx context.Context, url string) (db.DBTX, func(), error) {
		pool, err := db.Open(ctx, url, nil)
		if err != nil {
			return nil, nil, err
		}
		return pool, pool.Close, nil
	}
	one := func(settings map[string]string) func(context.Context, string) (db.DBTX, func(), error) {
		return func(ctx context.Context, url string) (db.DBTX, func(), error) {
			conn, err := db.Connect(ctx, url, "turnpike-test", settings)
			return conn, func() { _ = conn.Close(context.WithoutCancel(ctx)) }, err
		}
	}
	for name, tc := range map[string]struct {
		open            func(context.Context, string) (db.DBTX, func(), error)
		settings        string
		statement, idle string
	}{
		"pool":                     {pool, "", "1min", "10s"},
		"one":                      {one(nil), "", "1min", "10s"},
		"an operator's":            {one(db.Unbounded), "", "0", "10s"},
		"what the address says":    {pool, "statement_timeout=7s", "7s", "10s"},
		"one that the address has": {one(db.Unbounded), "statement_timeout=7s&idle_in_transaction_session_timeout=3s", "7s", "3s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, closes, err := tc.open(t.Context(), also(url, tc.settings))
			if err != nil {
				t.Fatal(err)
			}
			defer closes()
			got, err := db.New(conn).SessionSettings(t.Context())
			if err != nil || got.StatementTimeout != tc.statement || got.IdleTimeout != tc.idle {
				t.Errorf("got %+v, %v; want statements ended after %s and transactions after %s", got, err, tc.statement, tc.idle)
			}
		})
	}
}

// A client that stops within a transaction loses its locks.
func TestIdleTransactionsEnd(t *testing.T) {
	t.Parallel()
	conn, err := db.Connect(t.Context(), also(pgtest.New(t, migrate), "idle_in_transaction_session_timeout=50ms"), "turnpike-test", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `begin`); err != nil {
		t.Fatal(err)
	}
	_, err = conn.WaitForNotification(t.Context()) // until the server sends something
	if ended, ok := errors.AsType[*pgconn.PgError](err); !ok || ended.Code != "25P03" {
		t.Errorf("got %v, want the session ended for its idle transaction", err)
	}
}

// A session behind a pooler has the limits of its role. A process does not start if the role has none.
func TestPooledSessionsNeedBoundsOfTheRole(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://h/d", "postgres://h/d?sslmode=disable", "host=h dbname=d"} {
		config, err := pgx.ParseConfig(db.Pooled(url))
		if err != nil || config.DefaultQueryExecMode != pgx.QueryExecModeCacheDescribe || config.Database != "d" || db.Pooled(db.Pooled(url)) != db.Pooled(url) {
			t.Errorf("%s: got %q, %v; want no prepared statements, said once", url, db.Pooled(url), err)
		}
	}
	url := pgtest.New(t, migrate)
	pool, err := db.Open(t.Context(), db.Pooled(url), nil)
	if err == nil {
		pool.Close()
		t.Fatal("got a pool, want an error that says what the role lacks")
	}
	for _, want := range []string{"statement_timeout is 0", "set statement_timeout = '60s'", "set idle_in_transaction_session_timeout = '10s'", "docs/pgbouncer.md"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want it to say %q", err, want)
		}
	}
}
