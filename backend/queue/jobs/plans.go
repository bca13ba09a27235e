package jobs

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
)

// queriesOn returns the statements of this package, planned anew for each run. Table task grows from nothing to a hundred
// thousand rows in one statement, and Postgres keeps the plans of prepared statements until it has analyzed the table
// again, a minute later or more. Until then every result would use a plan made for the empty table, which scans all of it.
func queriesOn(on db.DBTX) *db.Queries { return db.New(unprepared{on}) }

// unprepared runs statements without preparing them. It caches the types of their parameters and columns.
type unprepared struct{ db.DBTX }

func (u unprepared) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return u.DBTX.Exec(ctx, sql, described(args)...)
}

func (u unprepared) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return u.DBTX.Query(ctx, sql, described(args)...)
}

func (u unprepared) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return u.DBTX.QueryRow(ctx, sql, described(args)...)
}

func described(args []any) []any { return append([]any{pgx.QueryExecModeCacheDescribe}, args...) }
