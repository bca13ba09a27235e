package stripe

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// border stands between a service and the database and Stripe. At a given operation it injects a real failure: the
// process is killed before or after, the answer is lost, the other side is away, or another process comes in between.
// The service does not know of it.
type border struct {
	db   DB
	http http.RoundTripper

	crossed int
	dead    bool
	down    bool // the database is away
	inTx    bool
	acts    acts
	seen    func(operation, what string)
}

// act is what happens at one operation. A process killed before it has not sent it; one killed after it does not learn
// the result.
type act struct {
	name   string
	after  bool
	kill   bool
	down   bool   // the database refuses this connection
	lose   bool   // the answer is lost
	said   error  // the database's error then; nil: errLost
	others func() // what others do in between
}

// acts are planned for the n-th operation, or for the first operation of a name.
type acts struct {
	at map[int]act
	on map[string]act
}

func (a acts) take(n int, operation string) (act, bool) {
	if planned, ok := a.on[operation]; ok {
		delete(a.on, operation)
		return planned, true
	}
	planned, ok := a.at[n]
	return planned, ok
}

var (
	errKilled = errors.New("the process is dead")
	errLost   = errors.New("connection reset by peer")
	errPooler = &pgconn.PgError{Severity: "FATAL", Code: "08P01", Message: "server closed the connection unexpectedly"}
)

func (b *border) pass(operation string, isDB bool, f func() error) error {
	b.crossed++
	a, planned := b.acts.take(b.crossed, operation)
	if b.dead {
		return errKilled
	}
	if isDB && b.down {
		return &pgconn.ConnectError{Config: &pgconn.Config{}}
	}
	if planned && !a.after {
		if err := b.happen(operation, isDB, a); err != nil {
			return err
		}
	}
	err := f()
	if planned && a.after {
		if happened := b.happen(operation, isDB, a); happened != nil {
			return happened
		}
	}
	return err
}

func (b *border) happen(operation string, isDB bool, a act) error {
	when := "before "
	if a.after {
		when = "after "
	}
	switch {
	case a.kill:
		b.dead = true
		b.seen(operation, "killed "+when)
		return errKilled
	case a.down && isDB:
		b.down = true
		b.seen(operation, "database away "+when)
		return errLost
	case a.lose:
		b.seen(operation, "answer lost "+when)
		if isDB && a.said != nil {
			return a.said
		}
		if isDB {
			return errLost
		}
		return os.ErrDeadlineExceeded
	case a.others != nil && !b.inTx: // in a transaction, others would wait for its locks forever
		b.seen(operation, a.name+" "+when)
		a.others()
	}
	return nil
}

// name returns a statement's name, from the comment that sqlc puts before it.
func name(sql string) string {
	rest, _ := strings.CutPrefix(sql, "-- name: ")
	n, _, _ := strings.Cut(rest, " ")
	return n
}

func (b *border) Begin(ctx context.Context) (pgx.Tx, error) {
	var tx pgx.Tx
	err := b.pass("begin", true, func() (err error) {
		tx, err = b.db.Begin(ctx)
		return err
	})
	if err != nil {
		if tx != nil {
			tx.Rollback(context.WithoutCancel(ctx))
		}
		return nil, err
	}
	b.inTx = true
	return &borderTx{Tx: tx, b: b}, nil
}

func (b *border) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return execute(ctx, b, b.db, sql, args)
}

func (b *border) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return query(ctx, b, b.db, sql, args)
}

func (b *border) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return lazyRow{ctx, b, b.db, sql, args}
}

// CopyFrom is part of db.DBTX; payments never use it.
func (*border) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, errors.New("a copy, which payments do not make")
}

type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func execute(ctx context.Context, b *border, q querier, sql string, args []any) (tag pgconn.CommandTag, err error) {
	err = b.pass(name(sql), true, func() (err error) {
		tag, err = q.Exec(ctx, sql, args...)
		return err
	})
	return tag, err
}

func query(ctx context.Context, b *border, q querier, sql string, args []any) (rows pgx.Rows, err error) {
	err = b.pass(name(sql), true, func() (err error) {
		rows, err = q.Query(ctx, sql, args...) //nolint:sqlclosecheck // the caller closes them
		return err
	})
	if err != nil && rows != nil {
		rows.Close()
	}
	return rows, err
}

// lazyRow runs its query when it is scanned, so that the statement is one operation.
type lazyRow struct {
	ctx  context.Context
	b    *border
	q    querier
	sql  string
	args []any
}

func (r lazyRow) Scan(dest ...any) error {
	return r.b.pass(name(r.sql), true, func() error { return r.q.QueryRow(r.ctx, r.sql, r.args...).Scan(dest...) })
}

type borderTx struct {
	pgx.Tx
	b *border
}

func (t *borderTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return execute(ctx, t.b, t.Tx, sql, args)
}

func (t *borderTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return query(ctx, t.b, t.Tx, sql, args)
}

func (t *borderTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return lazyRow{ctx, t.b, t.Tx, sql, args}
}

func (t *borderTx) Commit(ctx context.Context) error {
	defer func() { t.b.inTx = false }()
	return t.b.pass("commit", true, func() error { return t.Tx.Commit(ctx) })
}

// Rollback always arrives: the server rolls back by itself when a connection is gone.
func (t *borderTx) Rollback(ctx context.Context) error {
	t.b.inTx = false
	return t.Tx.Rollback(context.WithoutCancel(ctx))
}

// RoundTrip implements http.RoundTripper.
func (b *border) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	parts := strings.SplitN(r.URL.Path, "/", 4)
	operation := r.Method + " " + parts[2]
	if strings.HasSuffix(r.URL.Path, "/expire") || strings.HasSuffix(r.URL.Path, "/cancel") {
		operation += r.URL.Path[strings.LastIndexByte(r.URL.Path, '/'):]
	}
	err = b.pass(operation, false, func() (err error) {
		resp, err = b.http.RoundTrip(r) //nolint:bodyclose // the caller closes it
		return err
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}
