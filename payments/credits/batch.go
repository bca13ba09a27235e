package credits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Statuses of the MeterBatch statement.
const (
	statusAccepted = iota
	statusRefused
	statusBehind
	statusKeyInvalid
	statusDuplicate
)

// batch is one statement's worth of work. Its slices and maps are reused.
type batch struct {
	waiters []*waiter
	ends    []end

	params    db.MeterBatchParams
	positions map[int64]int32 // of accounts in params.AccountIds, from 1
	holds     map[uuid.UUID]struct{}
}

// prepare sorts the ends by hold and drops repeats, and returns the requests
// whose id stands in the batch already: they belong into the next one, which
// will see what became of the first.
func (b *batch) prepare() (repeated []*waiter) {
	slices.SortFunc(b.ends, func(x, y end) int { return bytes.Compare(x.hold[:], y.hold[:]) })
	b.ends = slices.CompactFunc(b.ends, func(x, y end) bool { return x.hold == y.hold })
	if b.holds == nil {
		b.holds = make(map[uuid.UUID]struct{}, batchMax)
	}
	clear(b.holds)
	kept := b.waiters[:0]
	for _, w := range b.waiters {
		if _, ok := b.holds[w.req.ID]; ok {
			repeated = append(repeated, w)
			continue
		}
		b.holds[w.req.ID] = struct{}{}
		kept = append(kept, w)
	}
	b.waiters = kept
	return repeated
}

// fill writes the statement's arrays.
func (b *batch) fill(edge uuid.UUID, revenue int64) db.MeterBatchParams {
	p := &b.params
	p.EdgeID, p.RevenueAccount = edge, revenue
	b.placeAccounts()
	p.HoldIds, p.Positions, p.KeyIds = p.HoldIds[:0], p.Positions[:0], p.KeyIds[:0]
	p.Amounts, p.Operations = p.Amounts[:0], p.Operations[:0]
	for _, w := range b.waiters {
		p.HoldIds = append(p.HoldIds, w.req.ID)
		p.Positions = append(p.Positions, b.positions[w.req.Account])
		p.KeyIds = append(p.KeyIds, w.req.Key)
		p.Amounts = append(p.Amounts, int64(w.req.Amount))
		p.Operations = append(p.Operations, w.req.Operation)
	}
	p.EndHoldIds, p.EndPositions, p.EndCaptures = p.EndHoldIds[:0], p.EndPositions[:0], p.EndCaptures[:0]
	for _, e := range b.ends {
		p.EndHoldIds = append(p.EndHoldIds, e.hold)
		p.EndPositions = append(p.EndPositions, b.positions[e.account])
		p.EndCaptures = append(p.EndCaptures, e.capture)
	}
	return *p
}

// placeAccounts lists the batch's accounts in order, each once, and numbers them.
func (b *batch) placeAccounts() {
	if b.positions == nil {
		b.positions = make(map[int64]int32, 2*batchMax)
	}
	clear(b.positions)
	ids := b.params.AccountIds[:0]
	note := func(account int64) {
		if _, ok := b.positions[account]; !ok {
			b.positions[account] = 0
			ids = append(ids, account)
		}
	}
	for _, w := range b.waiters {
		note(w.req.Account)
	}
	for _, e := range b.ends {
		note(e.account)
	}
	slices.Sort(ids)
	for i, id := range ids {
		b.positions[id] = int32(i + 1) //nolint:gosec // at most 2 × batchMax
	}
	b.params.AccountIds = ids
}

// commit runs the batch and answers its requests.
func (p *Postgres) commit(ctx context.Context, conn *pgx.Conn, b *batch) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.CommitTimeout)
	defer cancel()
	taken := len(b.ends)
	repeated := b.prepare()
	start := time.Now()
	row, err := db.New(conn).MeterBatch(ctx, b.fill(p.cfg.EdgeID, p.revenue))
	if err == nil && (len(row.Statuses) != len(b.waiters) || len(row.Available) != len(b.waiters)) {
		err = fmt.Errorf("statement answered %d of them", len(row.Statuses))
	}
	p.queue.pushFront(repeated)
	if err != nil {
		err = fmt.Errorf("committing %d requests and %d ends: %w", len(b.waiters), len(b.ends), err)
		p.undo(b, err)
	} else {
		if p.cfg.OnBatch != nil {
			p.cfg.OnBatch(len(b.waiters), len(b.ends), time.Since(start))
		}
		p.noteLost(b, row.Ended)
		p.answer(b, row)
	}
	p.queue.settle(taken)
	return err
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
		// The requester may reuse w as soon as it is answered.
		hold, account := w.req.ID, w.req.Account
		if !w.answer(result{decision: d}) && d.Outcome == Accepted {
			// Answered 503, or the client has left, while its batch went on.
			voids = append(voids, end{hold: hold, account: account})
		}
	}
	p.queue.pushFront(behind)
	p.queue.pushEnd(voids...)
}

// undo deals with a batch whose outcome is not known. Its requests are refused
// and their holds voided, should they exist; its ends are sent again. If the
// statement never left, or was rolled back, the requests wait on for their own
// deadline; one that is refused by itself has its answer.
func (p *Postgres) undo(b *batch, err error) {
	if _, refused := errors.AsType[*pgconn.PgError](err); refused && len(b.waiters) == 1 && len(b.ends) == 0 {
		b.waiters[0].answer(result{err: err}) // it is this one that the database will not have
		return
	}
	if safeToRetry(err) {
		p.queue.pushFront(slices.Clone(b.waiters))
		p.queue.pushEnd(b.ends...)
		return
	}
	for _, w := range b.waiters {
		hold, account := w.req.ID, w.req.Account
		w.answer(result{err: ErrOverloaded})
		p.queue.pushEnd(end{hold: hold, account: account, again: true})
	}
	for _, e := range b.ends {
		e.again = true
		p.queue.pushEnd(e)
	}
}

// noteLost counts captures whose hold was closed by somebody else: the edge was
// taken for dead, and what it served is the operator's loss. The statement lists
// what it did end only if that is not everything.
func (p *Postgres) noteLost(b *batch, ended []uuid.UUID) {
	if ended == nil {
		return
	}
	done := make(map[uuid.UUID]bool, len(ended))
	for _, id := range ended {
		done[id] = true
	}
	for _, e := range b.ends {
		if !done[e.hold] && e.capture > 0 && !e.again {
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
