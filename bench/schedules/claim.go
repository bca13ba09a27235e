package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// tracer remembers the statements of a claim.
type tracer struct {
	pgx.QueryTracer

	find, advance statement
}

type statement struct {
	sql  string
	args []any
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	for name, to := range map[string]*statement{"LockDueSchedules": &t.find, "AdvanceSchedules": &t.advance} {
		if strings.Contains(data.SQL, "-- name: "+name+" ") {
			*to = statement{data.SQL, data.Args}
		}
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// service returns a service with one connection and a fixed clock.
func service(pool *pgxpool.Pool, now time.Time) (*schedules.Service, error) {
	book, err := pricebook.New()
	if err != nil {
		return nil, err
	}
	signer, err := edgewire.NewSigner(make([]byte, edgewire.SecretBytesMin), "bench", time.Now)
	if err != nil {
		return nil, err
	}
	return schedules.New(schedules.Config{
		Pool: pool, Book: book, Signer: signer, API: http.NotFoundHandler, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
	})
}

// claimAll claims rowsMax at a time until nothing is due. It returns the number of schedules and the longest transaction.
func claimAll(ctx context.Context, s *schedules.Service, rowsMax int) (n int64, slowest time.Duration, err error) {
	for {
		began := time.Now()
		claimed, _, err := s.Claim(ctx, rowsMax)
		if err != nil {
			return n, slowest, err
		}
		slowest = max(slowest, time.Since(began))
		if n += int64(claimed); claimed == 0 {
			return n, slowest, nil
		}
	}
}

// want checks that everything that was due until now, and nothing else, was enqueued, each once and for its due time; and
// that nothing is due any more.
func (b *bench) want(ctx context.Context, now time.Time) error {
	q := db.New(b.pool)
	due, err := q.DueSchedules(ctx, now)
	if err != nil {
		return err
	}
	if len(due) > 0 {
		return fmt.Errorf("%d schedules are still due", len(due))
	}
	rows, err := q.EnqueuedRuns(ctx)
	if err != nil {
		return err
	}
	var twice, strange, loose int
	seen := make(map[string]bool, len(rows))
	for i := range rows {
		row := &rows[i]
		switch at, is := b.owed[row.ScheduleID]; {
		case seen[row.ScheduleID]:
			twice++
		case !is || !at.Equal(row.DueAt):
			strange++
		case !row.IsOpen:
			loose++
		}
		seen[row.ScheduleID] = true
	}
	if lost := len(b.owed) - len(seen); lost+twice+strange+loose > 0 {
		return fmt.Errorf("of %d schedules that were due %d are lost, %d were enqueued twice, %d for another time than theirs, %d are not known to their schedules",
			len(b.owed), lost, twice, strange, loose)
	}
	return nil
}

// owe remembers what is due now, and returns the number.
func (b *bench) owe(ctx context.Context, now time.Time) (int64, error) {
	rows, err := db.New(b.pool).DueSchedules(ctx, now)
	for i := range rows {
		b.owed[rows[i].ID] = rows[i].DueAt
	}
	return int64(len(rows)), err
}

// claimAlone claims on one connection, and prints the plan by which the database finds the due schedules among all.
func (b *bench) claimAlone(ctx context.Context) error {
	if _, err := b.owe(ctx, b.due); err != nil {
		return err
	}
	s, err := service(b.pool, b.due)
	if err != nil {
		return err
	}
	if _, _, err := s.Claim(ctx, schedules.ClaimMax); err != nil { // prepares the statements, and provides one to explain
		return err
	}
	if b.plan, err = b.explain(ctx); err != nil {
		return err
	}
	began := time.Now()
	b.alone, b.slowest, err = claimAll(ctx, s, schedules.ClaimMax)
	if err != nil {
		return err
	}
	b.aloneTook = time.Since(began)
	fmt.Fprintf(os.Stderr, "bench-schedules: one connection: %.0f a second\n", perSecond(b.alone, b.aloneTook))
	return b.want(ctx, b.due)
}

// explain returns the database's plan of a claim, and rolls the claim back.
func (b *bench) explain(ctx context.Context) (string, error) {
	tx, err := b.pool.Begin(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if err := db.New(tx).PlanForClaims(ctx); err != nil {
		return "", err
	}
	var plans []string
	for _, asked := range []statement{b.traced.find, b.traced.advance} {
		rows, err := tx.Query(ctx, "explain (analyze, buffers, costs off, summary off) "+asked.sql, asked.args...)
		if err != nil {
			return "", err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return "", err
		}
		plans = append(plans, strings.Join(lines, "\n"))
	}
	return strings.Join(plans, "\n\n"), nil
}

// claimInCrowd claims with four replicas that have one connection each.
func (b *bench) claimInCrowd(ctx context.Context) error {
	now := b.due.Add(time.Hour)
	due, err := b.owe(ctx, now)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	var claimed atomic.Int64
	errs := make([]error, replicas)
	began := time.Now()
	for i := range replicas {
		group.Go(func() {
			errs[i] = func() error {
				pool, err := db.Open(ctx, b.url, func(c *pgxpool.Config) { c.MaxConns = 1 })
				if err != nil {
					return err
				}
				defer pool.Close()
				s, err := service(pool, now)
				if err != nil {
					return err
				}
				n, _, err := claimAll(ctx, s, schedules.ClaimMax)
				claimed.Add(n)
				return err
			}()
		})
	}
	group.Wait()
	b.crowdTook = time.Since(began)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if b.crowd = claimed.Load(); b.crowd != due {
		return fmt.Errorf("%d replicas claimed %d schedules, and %d were due", replicas, b.crowd, due)
	}
	fmt.Fprintf(os.Stderr, "bench-schedules: %d replicas: %.0f a second\n", replicas, perSecond(b.crowd, b.crowdTook))
	return b.want(ctx, now)
}
