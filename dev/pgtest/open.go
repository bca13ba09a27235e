package pgtest

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
)

// Open opens a pool on a database until the test ends, as [db.Open] does. The test fails if a function that runs in a
// transaction, such as pgx.BeginFunc's, waits for another connection of the pool: with as many of them at once as there
// are connections, they would deadlock. configure may be nil.
func Open(t testing.TB, url string, configure func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(context.Background(), url, func(c *pgxpool.Config) {
		if configure != nil {
			configure(c)
		}
		if c.ConnConfig.Tracer == nil {
			c.ConnConfig.Tracer = nesting{t}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// nesting reports connections that are acquired within a transaction.
type nesting struct{ testing.TB }

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (n nesting) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for waiting := ""; ; {
		frame, more := frames.Next()
		switch {
		case !more, strings.HasSuffix(frame.File, "_test.go"): // a test that intervenes in another transaction
			return ctx
		case strings.HasSuffix(frame.Function, "/pgx/v5.beginFuncExec"):
			n.Errorf("%s waits for a second connection within a transaction: use the transaction's connection", waiting)
			return ctx
		case waiting == "" && !slices.ContainsFunc([]string{"/pgx/", "/dev/pgtest.", "/turnpike/db."}, func(below string) bool { return strings.Contains(frame.Function, below) }):
			waiting = frame.Function
		}
	}
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (nesting) TraceAcquireEnd(context.Context, *pgxpool.Pool, pgxpool.TraceAcquireEndData) {}

// TraceQueryStart implements pgx.QueryTracer, which every tracer must implement.
func (nesting) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (nesting) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

var _ pgxpool.AcquireTracer = nesting{}
