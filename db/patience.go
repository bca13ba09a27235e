package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// AcquireWithin returns a pool configuration for [Open] that limits the wait for a connection to wait; after that, the
// error is context.DeadlineExceeded. Without it, a request waits as long as its client does, and once a stalled server
// has used up the pool, no request gets an answer.
func AcquireWithin(wait time.Duration) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.Tracer = patience(wait) }
}

// patience bounds the wait for a connection. The pool has no such limit, but it uses the context that its tracer
// returns.
type patience time.Duration

type stopKey struct{}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (p patience) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	ctx, stop := context.WithTimeout(ctx, time.Duration(p))
	return context.WithValue(ctx, stopKey{}, stop)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (patience) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	if stop, ok := ctx.Value(stopKey{}).(context.CancelFunc); ok {
		stop()
	}
}

// TraceQueryStart implements pgx.QueryTracer, as every tracer must.
func (patience) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (patience) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

var _ pgxpool.AcquireTracer = patience(0)
