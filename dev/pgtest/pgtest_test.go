package pgtest_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func count(t *testing.T, conn *pgx.Conn, query string) int {
	t.Helper()
	var n int
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestURLIsEmptyAndOwn(t *testing.T) {
	t.Parallel()
	a, b := pgtest.URL(t), pgtest.URL(t)
	if a == b {
		t.Fatalf("got the same database twice: %s", a)
	}
	connA, connB := connect(t, a), connect(t, b)
	if _, err := connA.Exec(t.Context(), `CREATE TABLE only_in_a (id int)`); err != nil {
		t.Fatal(err)
	}
	const tables = `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`
	if got := count(t, connB, tables); got != 0 {
		t.Errorf("tables in the other database: got %d, want 0", got)
	}
}

var migrations atomic.Int32

func migrate(ctx context.Context, url string) error {
	migrations.Add(1)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `CREATE TABLE account (id int); INSERT INTO account VALUES (1), (2)`)
	return errors.Join(err, conn.Close(ctx))
}

func TestNewCopiesOneTemplate(t *testing.T) {
	t.Parallel()
	t.Run("copies", func(t *testing.T) {
		for range 8 {
			t.Run("copy", func(t *testing.T) {
				t.Parallel()
				conn := connect(t, pgtest.New(t, migrate))
				if got := count(t, conn, `SELECT count(*) FROM account`); got != 2 {
					t.Errorf("rows: got %d, want 2", got)
				}
				if _, err := conn.Exec(t.Context(), `INSERT INTO account VALUES (3)`); err != nil {
					t.Error(err)
				}
			})
		}
	})
	if got := migrations.Load(); got != 1 {
		t.Errorf("migrations: got %d, want 1", got)
	}
}

func TestKeysTellTemplatesApart(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"first", "second"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, pgtest.NewKeyed(t, table, func(ctx context.Context, url string) error {
				conn, err := pgx.Connect(ctx, url)
				if err != nil {
					return err
				}
				_, err = conn.Exec(ctx, "CREATE TABLE "+pgx.Identifier{table}.Sanitize()+" (id int)")
				return errors.Join(err, conn.Close(ctx))
			}))
			if got := count(t, conn, "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize()); got != 0 {
				t.Errorf("rows: got %d, want 0", got)
			}
		})
	}
}

func TestDatabaseIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("user", func(t *testing.T) {
		url = pgtest.URL(t)
		// Left open on purpose: an open connection must not prevent the drop.
		if _, err := pgx.Connect(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	})
	if conn, err := pgx.Connect(t.Context(), url); err == nil {
		conn.Close(t.Context())
		t.Error("the database is still there after its test")
	}
}
