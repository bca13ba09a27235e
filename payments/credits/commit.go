package credits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/db/outage"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// commit sends the batch and answers its requests.
func (p *Postgres) commit(ctx context.Context, conn *pgx.Conn, b *batch) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.CommitTimeout)
	defer cancel()
	hadEnds := len(b.ends) > 0
	open := len(b.ends) // taken ends that are neither durable nor queued again
	start := time.Now()
	row, later, err := p.run(ctx, conn, b)
	p.queue.pushFront(slices.Clone(b.left))
	open -= len(later)
	p.defers(later)
	if err != nil {
		err = fmt.Errorf("committing %d requests and %d captures or voids: %w", len(b.waiters), len(b.ends), err)
		p.undo(b, err)
		p.queue.settle(open)
		return err
	}
	if len(row.Locked) > 0 {
		open -= len(b.ends)
		p.setAside(b, row.Locked)
		p.queue.settle(open)
		return nil
	}
	p.got(b)
	if p.cfg.OnBatch != nil {
		p.cfg.OnBatch(len(b.waiters), len(b.ends), time.Since(start))
	}
	if hadEnds { // a batch without ends does not show whether the refused ones can be applied
		b.careful = !row.EndsTaken
	}
	if !row.EndsTaken {
		p.queue.pushEnd(b.ends...)
	}
	err = p.answer(ctx, conn, b, &row)
	p.queue.settle(open)
	return err
}

// run sends the batch. If the batch waited too long for a locked account, run sends it once more without waiting for
// any.
func (p *Postgres) run(ctx context.Context, conn *pgx.Conn, b *batch) (row db.MeterBatchRow, later []end, err error) {
	row, later, err = p.send(ctx, conn, b)
	if b.wary || !isLocked(err) {
		return row, later, err
	}
	b.wary = true
	p.queue.pushFront(slices.Clone(b.left))
	row, more, err := p.send(ctx, conn, b)
	return row, append(later, more...), err
}

// send sends the batch once. A careful batch first checks what its ends touch and leaves out the ends that cannot be
// applied. Ends whose batch another transaction has locked are returned, to be tried again later.
func (p *Postgres) send(ctx context.Context, conn *pgx.Conn, b *batch) (row db.MeterBatchRow, later []end, err error) {
	b.id, b.left = newBatchID(), b.left[:0]
	q := db.New(conn)
	if b.careful && len(b.ends) > 0 {
		if later, err = p.pickEnds(ctx, q, b); err != nil {
			return row, later, err
		}
	}
	params := b.fill(p.cfg.Instance.ID(), p.revenue)
	if len(b.waiters) == 1 && len(b.ends) == 0 && !b.wary {
		if row, err = runLone(ctx, q, &params); !errors.Is(err, pgx.ErrNoRows) {
			return row, later, err
		}
	}
	row, err = q.MeterBatch(ctx, params)
	return row, later, err
}

// runLone sends a batch of one request. It returns pgx.ErrNoRows if the request was not accepted or its account is
// locked; MeterBatch then finds the reason.
func runLone(ctx context.Context, q *db.Queries, b *db.MeterBatchParams) (db.MeterBatchRow, error) {
	available, err := q.MeterLone(ctx, db.MeterLoneParams{
		ID: b.ID, EdgeID: b.EdgeID, AccountID: b.SlotAccountIds[0], KeyID: b.KeyIds[0], Amount: b.Amounts[0],
		Operation: b.Operations[0], Unused: b.Unused,
	})
	if err != nil {
		return db.MeterBatchRow{}, err
	}
	return db.MeterBatchRow{EndsTaken: true, Ids: b.SlotAccountIds, Taken: b.Amounts, Available: []int64{available}}, nil
}

// deferFor is how long an end waits when another transaction has locked its batch, such as that of a job that adopts
// one of its holds, which takes one commit.
const deferFor = 20 * time.Millisecond

func (p *Postgres) defers(ends []end) {
	if len(ends) > 0 {
		time.AfterFunc(deferFor, func() { p.queue.putBack(ends) })
	}
}

// pickEnds keeps in b the ends that can be applied. It counts those whose hold has ended, and returns those that must
// wait. It holds no lock afterwards: if something changes before the batch is sent, the statement refuses the ends once
// more.
func (p *Postgres) pickEnds(ctx context.Context, q *db.Queries, b *batch) (later []end, err error) {
	b.markEnds()
	free, err := q.ListFreeMeterBatches(ctx, b.params.EndBatchIds)
	if err != nil {
		return nil, err
	}
	ended := make(map[uuid.UUID][]byte, len(free))
	for _, f := range free {
		ended[f.ID] = f.Ended.Bytes
	}
	there := make(map[uuid.UUID]bool)
	if len(free) < len(b.params.EndBatchIds) {
		all, err := q.ListMeterBatches(ctx, b.params.EndBatchIds)
		if err != nil {
			return nil, err
		}
		for _, id := range all {
			there[id] = true
		}
	}
	kept := b.ends[:0]
	for _, e := range b.ends {
		bits := ended[e.hold.id.Batch()]
		switch {
		case bits != nil && !hasBit(bits, e.hold.id.Slot()):
			kept = append(kept, e)
		case bits == nil && there[e.hold.id.Batch()]:
			later = append(later, e)
		default:
			p.noteLost(&e)
		}
	}
	b.ends = kept
	return later, nil
}

// noteLost counts a capture whose hold another process has closed: this edge was considered dead, and the operator
// loses what the edge served.
func (p *Postgres) noteLost(e *end) {
	if e.capture > 0 && !e.again {
		p.lost.Add(1)
		if p.cfg.OnLost != nil {
			p.cfg.OnLost()
		}
		p.cfg.Logger.Error("capture lost: its hold was already closed", "hold", e.hold.id, "credits", e.capture)
	}
}

// answer gives the requesters the decisions of the statement.
func (p *Postgres) answer(ctx context.Context, conn *pgx.Conn, b *batch, row *db.MeterBatchRow) error {
	if len(row.InvalidKeys) > 0 {
		p.answerInvalid(b, row.InvalidKeys)
		return nil
	}
	for i, id := range row.Ids {
		at, _ := slices.BinarySearch(b.params.AccountIds, id)
		s := &b.spans[at]
		s.changed, s.taken, s.available = true, row.Taken[i], row.Available[i]
	}
	var voids []end
	var behind []*waiter
	var unmoved []int64
	for i, s := range b.spans {
		if !s.changed {
			if s.last > s.first {
				unmoved = append(unmoved, b.params.AccountIds[i])
			}
			continue
		}
		for slot := s.first; slot < s.last; slot++ {
			w := b.waiters[slot]
			sum := b.params.Sums[slot]
			if sum > s.taken {
				behind = refuse(w, s.available, behind)
				continue
			}
			hold := b.hold(slot) // the requester may reuse w as soon as it is answered
			if !w.answer(result{decision: Decision{Outcome: Accepted, Hold: hold, Available: money.Credits(s.available + s.taken - sum)}}) {
				// The request was already answered with 503, or its client left, while the batch was running.
				voids = append(voids, end{hold: hold})
			}
		}
	}
	p.queue.pushEnd(voids...)
	behind, err := p.answerUnmoved(ctx, conn, b, unmoved, behind)
	p.queue.pushFront(behind)
	return err
}

// refuse tells w that its account has too little. If the account has enough for w alone, w stood behind a large
// request, and joins the next batch instead.
func refuse(w *waiter, available int64, behind []*waiter) []*waiter {
	if int64(w.req.Amount) <= available {
		return append(behind, w)
	}
	w.answer(result{decision: Decision{Outcome: Refused, Available: money.Credits(available)}})
	return behind
}

// answerUnmoved looks up what is available in the accounts from which the batch took nothing.
func (p *Postgres) answerUnmoved(ctx context.Context, conn *pgx.Conn, b *batch, unmoved []int64, behind []*waiter) ([]*waiter, error) {
	if len(unmoved) == 0 {
		return behind, nil
	}
	rows, err := db.New(conn).ListAvailable(ctx, unmoved)
	available := make(map[int64]int64, len(rows))
	for _, r := range rows {
		available[r.ID] = r.Available
	}
	for _, account := range unmoved {
		at, _ := slices.BinarySearch(b.params.AccountIds, account)
		left, known := available[account]
		for _, w := range b.waiters[b.spans[at].first:b.spans[at].last] {
			switch {
			case err != nil:
				behind = append(behind, w)
			case !known:
				w.answer(result{decision: Decision{Outcome: KeyInvalid}})
			default:
				behind = refuse(w, left, behind)
			}
		}
	}
	if err != nil {
		return behind, fmt.Errorf("reading the available credits of %d accounts: %w", len(unmoved), err)
	}
	return behind, nil
}

// answerInvalid refuses the requests whose keys have ended. The others were not decided and come first in the next
// batch.
func (p *Postgres) answerInvalid(b *batch, invalid []int64) {
	var rest []*waiter
	for _, w := range b.waiters {
		if slices.Contains(invalid, w.req.Key) {
			w.answer(result{decision: Decision{Outcome: KeyInvalid}})
		} else {
			rest = append(rest, w)
		}
	}
	p.queue.pushFront(rest)
}

// undo handles a batch that failed. If the statement was never sent or was rolled back, its requests stay queued until
// their own deadline; a request that fails as the only one gets the error. If the outcome is unknown, its requests are
// refused, its ends are sent again, and settleDoubts later finds out what it accepted.
func (p *Postgres) undo(b *batch, err error) {
	undone := outage.NotDone(err)
	if undone && !outage.Is(err) && len(b.waiters) == 1 && len(b.ends) == 0 {
		b.waiters[0].answer(result{err: err}) // the database rejects this very request
		return
	}
	if undone {
		p.queue.pushFront(slices.Clone(b.waiters))
		p.queue.pushEnd(b.ends...)
		return
	}
	if len(b.waiters) > 0 {
		d := doubt{id: b.id}
		for slot, w := range b.waiters {
			d.holds = append(d.holds, b.hold(slot))
			w.answer(result{err: ErrOverloaded})
		}
		p.doubts = append(p.doubts, d)
		p.queue.expect()
	}
	for _, e := range b.ends {
		e.again = true
		p.queue.pushEnd(e)
	}
}

// doubt is a batch whose commit has an unknown outcome.
type doubt struct {
	id    uuid.UUID
	holds []Hold // by slot
}

// settleDoubts finds out whether batches of unknown outcome were committed. It inserts a row with the batch's id unless
// one exists. If the insert succeeds, the batch can no longer commit, even if it is still running. Otherwise the batch
// was committed; its requesters are gone, so its accepted holds are voided.
func (p *Postgres) settleDoubts(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.CommitTimeout)
	defer cancel()
	q := db.New(conn)
	for len(p.doubts) > 0 {
		d := p.doubts[0]
		if err := q.BarMeterBatch(ctx, db.BarMeterBatchParams{ID: d.id, EdgeID: p.cfg.Instance.ID()}); err != nil {
			return fmt.Errorf("blocking batch %s: %w", d.id, err)
		}
		ended, err := q.MeterBatchEnded(ctx, d.id)
		if err != nil {
			return fmt.Errorf("reading batch %s: %w", d.id, err)
		}
		for slot, hold := range d.holds {
			if !hasBit(ended.Bytes, slot) {
				p.queue.pushEnd(end{hold: hold, again: true})
			}
		}
		p.doubts = p.doubts[1:]
		p.queue.settle(1)
	}
	return nil
}
