package outbox_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// migrate makes the schema, a team, and the table of the tests' listeners.
func migrate(ctx context.Context, url string) error {
	if _, err := db.Migrate(ctx, url); err != nil {
		return err
	}
	pool, err := db.Open(ctx, url, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, statement := range []string{
		`insert into team (id) values ('team_a'), ('team_b')`,
		`create table told (event_id text)`,
	} {
		if _, err := pool.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return pgtest.Open(t, pgtest.New(t, migrate), nil)
}

func count(t *testing.T, pool *pgxpool.Pool, query string, args ...any) int {
	t.Helper()
	var n int
	if err := pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
