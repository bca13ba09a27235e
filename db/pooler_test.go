//go:build unix

package db_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// When the context of a statement behind a pooler ends, no cancel request is sent, since it could make PgBouncer exit. The
// statement ends in Postgres all the same.
func TestPooledStatementsAreGivenUp(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t, migrate)
	direct := dial(t, url)
	if _, err := direct.Exec(t.Context(), `
		do $$ begin
			execute format('alter database %I set statement_timeout = ''60s''', current_database());
			execute format('alter database %I set idle_in_transaction_session_timeout = ''10s''', current_database());
			execute format('alter database %I set client_connection_check_interval = ''100ms''', current_database());
		end $$`); err != nil {
		t.Fatal(err)
	}
	bouncer, err := rig.StartPgBouncer(t.Context(), t.TempDir(), url)
	if errors.Is(err, rig.ErrNoPgBouncer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := bouncer.Kill(); err != nil {
			t.Error(err)
		}
	}()
	pool, err := db.Open(t.Context(), db.Pooled(bouncer.URL), nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Connect(t.Context(), db.Pooled(bouncer.URL), "turnpike-test", nil)
	if err != nil {
		t.Fatal(err)
	}
	const patience = 200 * time.Millisecond
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if _, err := pool.Exec(ctx, `select pg_sleep(30)`); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("by the pool: got %v, want it given up", err)
		}
		cancel()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := conn.Exec(ctx, `select pg_sleep(30)`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("by a connection: got %v, want it given up", err)
	}
	pool.Close() // waits until the connections are closed
	<-conn.PgConn().CleanupDone()

	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for began, left := time.Now(), 1; left > 0; {
		<-again.C
		if err := direct.QueryRow(t.Context(), `select count(*) from pg_stat_activity
			where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%d statements still run, want none", left)
		}
	}
	log, err := os.ReadFile(bouncer.Log)
	if err != nil || strings.Contains(string(log), "cancel request") || !strings.Contains(string(log), "client disconnect") && !strings.Contains(string(log), "client close request") {
		t.Errorf("got %v and\n%s\nwant closed connections, and no cancel requests", err, log)
	}
}
