package credits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// commitTimeout bounds one statement. Requests have left by then; the bound is
// for a database that hangs without closing the connection.
const commitTimeout = 2 * time.Second

// Statuses of the MeterBatch statement.
const (
	statusAccepted = iota
	statusRefused
	statusBehind
	statusKeyInvalid
	statusDuplicate
)

// batch is one statement's worth of work. Its slices are reused.
type batch struct {
	waiters []*waiter
	ends    []end
	params  db.MeterBatchParams
}

// fill writes the statement's arrays. A hold must not be ended twice in one
// statement, and the queue cannot hold it twice: each request ends once, and the
// committer requeues an end only after its batch failed.
func (b *batch) fill(edge uuid.UUID, revenue int64) *db.MeterBatchParams {
	p := &b.params
	p.HoldIds, p.AccountIds, p.KeyIds = p.HoldIds[:0], p.AccountIds[:0], p.KeyIds[:0]
	p.Amounts, p.Operations = p.Amounts[:0], p.Operations[:0]
	p.EndHoldIds, p.EndAccountIds, p.EndCaptures = p.EndHoldIds[:0], p.EndAccountIds[:0], p.EndCaptures[:0]
	for _, w := range b.waiters {
		p.HoldIds = append(p.HoldIds, w.req.ID)
		p.AccountIds = append(p.AccountIds, w.req.Account)
		p.KeyIds = append(p.KeyIds, w.req.Key)
		p.Amounts = append(p.Amounts, int64(w.req.Amount))
		p.Operations = append(p.Operations, w.req.Operation)
	}
	for _, e := range b.ends {
		p.EndHoldIds = append(p.EndHoldIds, e.hold)
		p.EndAccountIds = append(p.EndAccountIds, e.account)
		p.EndCaptures = append(p.EndCaptures, e.capture)
	}
	p.EdgeID, p.RevenueAccount = edge, revenue
	return p
}

// commit runs the batch and answers its requests.
func (p *Postgres) commit(ctx context.Context, conn *pgx.Conn, b *batch) error {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	start := time.Now()
	row, err := db.New(conn).MeterBatch(ctx, *b.fill(p.cfg.EdgeID, p.revenue))
	if err != nil {
		return fmt.Errorf("committing %d requests and %d ends: %w", len(b.waiters), len(b.ends), err)
	}
	if len(row.Statuses) != len(b.waiters) || len(row.Available) != len(b.waiters) {
		return fmt.Errorf("statement answered %d of %d requests", len(row.Statuses), len(b.waiters))
	}
	if p.cfg.OnBatch != nil {
		p.cfg.OnBatch(len(b.waiters), len(b.ends), time.Since(start))
	}
	p.noteLost(b, row.NotEnded)
	p.answer(b, row)
	p.queue.settle(len(b.ends))
	return nil
}

func (p *Postgres) answer(b *batch, row db.MeterBatchRow) {
	var behind []*waiter
	var voids []end
	for i, w := range b.waiters {
		d := Decision{Available: money.Credits(row.Available[i])}
		switch row.Statuses[i] {
		case statusAccepted:
			d.Outcome = Accepted
		case statusRefused:
			d.Outcome = Refused
		case statusKeyInvalid:
			d.Outcome = KeyInvalid
		case statusDuplicate:
			d.Outcome = Duplicate
		case statusBehind:
			behind = append(behind, w)
			continue
		}
		hold, account := w.req.ID, w.req.Account
		if !w.answer(result{decision: d}) && d.Outcome == Accepted {
			// Answered 503, or the client has left, while its batch went on.
			voids = append(voids, end{hold: hold, account: account})
		}
	}
	p.queue.pushFront(behind)
	if len(voids) > 0 {
		p.queue.pushEnd(voids...)
	}
}

// noteLost counts captures whose hold was closed by somebody else. The edge was
// taken for dead; what it served is the operator's loss.
func (p *Postgres) noteLost(b *batch, notEnded []uuid.UUID) {
	if len(notEnded) == 0 {
		return
	}
	closed := make(map[uuid.UUID]bool, len(notEnded))
	for _, id := range notEnded {
		closed[id] = true
	}
	for _, e := range b.ends {
		if closed[e.hold] && e.capture > 0 && !e.again {
			p.lost.Add(1)
			p.cfg.Logger.Error("capture found its hold closed", "hold", e.hold, "credits", e.capture)
		}
	}
}

// safeToRetry reports whether the statement certainly had no effect: it never
// left, or the server itself says that it rolled back.
func safeToRetry(err error) bool {
	var pgErr *pgconn.PgError
	switch {
	case pgconn.SafeToRetry(err):
		return true
	case errors.As(err, &pgErr):
		// An error response to a single statement means that it was rolled back;
		// 57P01–57P03 (shutdown, crash, starting up) leave the commit in doubt.
		return pgErr.Code != "57P01" && pgErr.Code != "57P02" && pgErr.Code != "57P03"
	default:
		return false
	}
}

// backoff spaces attempts to reach the database: 20 ms doubling to 500 ms, so
// that metering is back well within a second of the database.
type backoff struct{ next time.Duration }

const (
	backoffMin = 20 * time.Millisecond
	backoffMax = 500 * time.Millisecond
)

func newBackoff() *backoff { return &backoff{next: backoffMin} }

func (b *backoff) reset() { b.next = backoffMin }

func (b *backoff) wait(ctx context.Context) {
	timer := time.NewTimer(b.next)
	defer timer.Stop()
	b.next = min(2*b.next, backoffMax)
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
