package credits

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Random histories of all operations of the ledger, on one customer and two edges: Postgres and the reference agree
// after every step, and the audit finds nothing.
func TestWholeLedgerAgreesWithTheReference(t *testing.T) {
	t.Parallel()
	for _, ledger := range []string{"one", "another"} { // in parallel, since each waits for its commits
		t.Run(ledger, func(t *testing.T) {
			t.Parallel()
			b := newHastyBench(t)
			edges := []*Postgres{b.meter(t, nil), b.meter(t, nil)}
			steps := 0
			rapid.Check(t, func(rt *rapid.T) {
				w := &whole{t: t, b: b, edges: edges, c: b.customer(t, 0)}
				rt.Repeat(w.actions())
				steps += w.steps
			})
			t.Logf("%d steps", steps)
		})
	}
}

// newHastyBench is a bench whose transactions do not wait for the disk: the tests check what they do, thousands of times.
func newHastyBench(t *testing.T) *bench {
	t.Helper()
	url := pgtest.New(t, migrate)
	pool := pgtest.Open(t, url, func(cfg *pgxpool.Config) {
		cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	})
	return &bench{url: url, pool: pool, q: db.New(pool), ledger: NewLedger(pool)}
}

// whole is one customer in both ledgers.
type whole struct {
	t      *testing.T
	b      *bench
	edges  []*Postgres
	c      customer
	ref    reference
	serial int
	steps  int
}

func (w *whole) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"grant":       w.grant,
		"grant again": w.grantAgain,
		"refund":      w.refundUsage,
		"claw back":   w.clawBack,
		"win dispute": w.winDispute,
		"reverse":     w.reverse,
		"authorize":   w.authorize,
		"capture":     w.capture,
		"void":        w.void,
		"adopt":       w.adopt,
		"sweep":       w.sweep,
		"open job":    w.openJob,
		"capture job": w.captureJob,
		"finish job":  w.finishJob,
		"extend job":  w.extendJob,
		"close job":   w.closeJob,
		"lapse job":   w.lapseJob,
		"expire jobs": w.expireJobs,
		"":            w.compare,
	}
}

// key returns a new idempotency key or job.
func (w *whole) key() string {
	w.serial++
	return fmt.Sprintf("%s %d", w.c.team, w.serial)
}

func credits(rt *rapid.T, least, most int64) money.Credits {
	return money.Credits(rapid.Int64Range(least, most).Draw(rt, "credits"))
}

// sample picks one, and skips the step if there is none.
func sample[T any](rt *rapid.T, of []T) T {
	if len(of) == 0 {
		rt.Skip("none yet")
	}
	return rapid.SampledFrom(of).Draw(rt, "which")
}

func (w *whole) grant(rt *rapid.T) {
	source := rapid.SampledFrom([]Source{SourcePromo, SourceStripe}).Draw(rt, "source")
	n, key := credits(rt, 1, 60), w.key()
	made, err := w.b.ledger.Grant(w.t.Context(), Grant{TeamID: w.c.team, Amount: n, Source: source, Key: key})
	if err != nil || !made {
		rt.Fatalf("granting: got %t, %v; want it made", made, err)
	}
	prior, err := w.b.q.TransferByKey(w.t.Context(), db.TransferByKeyParams{Kind: source.transferKind(), IdemKey: key})
	if err != nil {
		rt.Fatal(err)
	}
	w.ref.give(n)
	w.ref.moves = append(w.ref.moves, &referenceMove{transfer: prior.ID, credits: n, cause: Cause(source), key: key})
}

// of returns the moves with one of the causes.
func (w *whole) of(causes ...Cause) (found []*referenceMove) {
	for _, m := range w.ref.moves {
		for _, c := range causes {
			if m.cause == c {
				found = append(found, m)
			}
		}
	}
	return found
}

func (w *whole) grantAgain(rt *rapid.T) {
	m := sample(rt, w.of(Cause(SourcePromo), Cause(SourceStripe)))
	g := Grant{TeamID: w.c.team, Amount: m.credits, Source: Source(m.cause), Key: m.key}
	if made, err := w.b.ledger.Grant(w.t.Context(), g); err != nil || made {
		rt.Fatalf("granting again: got %t, %v; want nothing made", made, err)
	}
	g.Amount++
	if _, err := w.b.ledger.Grant(w.t.Context(), g); !errors.Is(err, ErrKeyReused) {
		rt.Fatalf("granting more: got %v, want ErrKeyReused", err)
	}
}

func (w *whole) refundUsage(rt *rapid.T) {
	n := credits(rt, 1, 10)
	if made, err := w.b.ledger.Refund(w.t.Context(), w.c.team, n, w.key(), ""); err != nil || !made {
		rt.Fatalf("refunding: got %t, %v; want it made", made, err)
	}
	w.ref.give(n)
}

// moved compares a transfer's result with the change that apply makes to the reference.
func (w *whole) moved(rt *rapid.T, got Moved, err error, n money.Credits, apply func()) {
	before := w.ref.owed
	apply()
	if err != nil || !got.Made || got.Credits != n || got.Owed != w.ref.owed-before {
		rt.Fatalf("got %+v, %v; want %d moved and %d more owed", got, err, n, w.ref.owed-before)
	}
}

func (w *whole) clawBack(rt *rapid.T) {
	claw := Clawback{
		TeamID: w.c.team, Amount: credits(rt, 1, 80), Key: w.key(),
		Cause: rapid.SampledFrom([]Cause{CauseRefund, CauseDispute}).Draw(rt, "cause"),
	}
	got, err := w.b.ledger.ClawBack(w.t.Context(), claw)
	w.moved(rt, got, err, -claw.Amount, func() { w.ref.take(claw.Amount) })
	w.ref.moves = append(w.ref.moves, &referenceMove{transfer: got.Transfer, credits: -claw.Amount, cause: claw.Cause, key: claw.Key})
	if again, err := w.b.ledger.ClawBack(w.t.Context(), claw); err != nil || again.Made || again.Transfer != got.Transfer {
		rt.Fatalf("clawing back again: got %+v, %v; want nothing made", again, err)
	}
}

func (w *whole) winDispute(rt *rapid.T) {
	m := sample(rt, w.of(CauseDispute))
	got, err := w.b.ledger.WinDispute(w.t.Context(), m.key, "")
	w.back(rt, m, got, err)
}

func (w *whole) reverse(rt *rapid.T) {
	m := sample(rt, w.ref.moves)
	got, err := w.b.ledger.Reverse(w.t.Context(), m.transfer, "")
	w.back(rt, m, got, err)
}

// back checks the reversal of a move: the opposite, once.
func (w *whole) back(rt *rapid.T, m *referenceMove, got Moved, err error) {
	if m.reversed {
		if err != nil || got.Made {
			rt.Fatalf("moving back again: got %+v, %v; want nothing made", got, err)
		}
		return
	}
	m.reversed = true
	w.moved(rt, got, err, -m.credits, func() { w.ref.move(-m.credits) })
	w.ref.moves = append(w.ref.moves, &referenceMove{transfer: got.Transfer, credits: -m.credits})
}

func (w *whole) authorize(rt *rapid.T) {
	edge := rapid.IntRange(0, len(w.edges)-1).Draw(rt, "edge")
	n := credits(rt, 0, 25)
	d, err := w.edges[edge].Authorize(w.t.Context(), request(w.c.account, w.c.key, n))
	want := Refused
	if w.ref.hold(n) {
		want = Accepted
		w.ref.requests = append(w.ref.requests, &referenceRequest{hold: d.Hold, edge: edge, open: true})
	}
	if err != nil || d.Outcome != want || d.Available != w.ref.available() {
		rt.Fatalf("authorising %d: got %+v, %v; want outcome %d with %d available", n, d, err, want, w.ref.available())
	}
}

func (w *whole) capture(rt *rapid.T) {
	q, n := sample(rt, w.ref.requests), credits(rt, 0, 30)
	w.edges[q.edge].Capture(q.hold, n)
	w.ref.endRequest(q, n)
}

func (w *whole) void(rt *rapid.T) {
	q := sample(rt, w.ref.requests)
	w.edges[q.edge].Void(q.hold)
	w.ref.endRequest(q, 0)
}

func (w *whole) adopt(rt *rapid.T) {
	q, job := sample(rt, w.ref.requests), w.key()
	err := Adopt(w.t.Context(), w.b.pool, q.hold.ID(), job, time.Now().Add(time.Hour))
	if q.open != (err == nil) || (!q.open && !errors.Is(err, ErrHoldNotOpen)) {
		rt.Fatalf("adopting: got %v, open %t", err, q.open)
	}
	if q.open {
		q.open = false
		w.ref.jobs = append(w.ref.jobs, &referenceJob{id: job, amount: q.hold.Amount(), state: HoldOpen})
	}
}

// sweep treats one edge as dead: what is open there is voided.
func (w *whole) sweep(rt *rapid.T) {
	edge := rapid.IntRange(0, len(w.edges)-1).Draw(rt, "dead")
	w.b.lose(w.t, w.edges[edge])
	w.b.sweep(w.t)
	w.b.find(w.t, w.edges[edge])
	for _, q := range w.ref.requests {
		if q.edge == edge {
			w.ref.endRequest(q, 0)
		}
	}
}

func (w *whole) openJob(rt *rapid.T) {
	n := w.c.newJobHold(credits(rt, 0, 40))
	h, err := w.b.ledger.OpenHold(w.t.Context(), n)
	available := w.ref.available()
	if !w.ref.hold(n.Amount) {
		var short *Insufficient
		if !errors.As(err, &short) || short.Required != n.Amount || short.Available != available {
			rt.Fatalf("opening: got %+v, %v; want %d available", h, err, available)
		}
		return
	}
	if again, e := w.b.ledger.OpenHold(w.t.Context(), n); err != nil || e != nil || again.ID != h.ID {
		rt.Fatalf("opening: got %+v, %v, then %+v, %v; want one hold", h, err, again, e)
	}
	w.ref.jobs = append(w.ref.jobs, &referenceJob{id: n.JobID, amount: n.Amount, state: HoldOpen})
}

// wantJob fails unless err is the right result for a change to a job's hold in this state.
func wantJob(rt *rapid.T, err error, j *referenceJob, n money.Credits) (done bool) {
	var short *Insufficient
	switch {
	case j.state == HoldExpired, j.state == HoldOpen && j.lapsed:
		done = errors.Is(err, ErrHoldExpired)
	case j.state == HoldClosed:
		done = errors.Is(err, ErrHoldClosed)
	case n > j.amount-j.captured:
		done = errors.As(err, &short) && short.Available == j.amount-j.captured
	default:
		if err != nil {
			rt.Fatalf("job %+v: got %v, want it done", *j, err)
		}
		return true
	}
	if !done {
		rt.Fatalf("job %+v: got %v, which is not its reason", *j, err)
	}
	return false
}

func (w *whole) captureJob(rt *rapid.T) {
	j, n, items := sample(rt, w.ref.jobs), credits(rt, 0, 15), rapid.IntRange(1, 3).Draw(rt, "items")
	if wantJob(rt, w.b.ledger.CaptureHold(w.t.Context(), j.id, n, items), j, n) {
		j.captured += n
		j.captures += items
	}
}

// finishJob captures and closes in one transaction, which may still fail.
func (w *whole) finishJob(rt *rapid.T) {
	j, n, fails := sample(rt, w.ref.jobs), credits(rt, 0, 15), rapid.Bool().Draw(rt, "fails")
	failed := errors.New("item failed")
	err := pgx.BeginFunc(w.t.Context(), w.b.pool, func(tx pgx.Tx) error {
		l := NewLedger(tx)
		if err := l.CaptureHold(w.t.Context(), j.id, n, 1); err != nil {
			return err
		}
		if _, err := l.CloseHold(w.t.Context(), j.id); err != nil {
			return err
		}
		if fails {
			return failed
		}
		return nil
	})
	if errors.Is(err, failed) {
		err = nil
	}
	if wantJob(rt, err, j, n) && !fails {
		j.captured += n
		j.captures++
		w.ref.endJob(j, HoldClosed)
	}
}

func (w *whole) extendJob(rt *rapid.T) {
	j := sample(rt, w.ref.jobs)
	wantJob(rt, w.b.ledger.ExtendHold(w.t.Context(), j.id, 2*time.Hour), j, 0)
}

func (w *whole) closeJob(rt *rapid.T) {
	j := sample(rt, w.ref.jobs)
	h, err := w.b.ledger.CloseHold(w.t.Context(), j.id)
	w.ref.endJob(j, HoldClosed)
	if err != nil || h.State != j.state || h.Captured != j.captured || h.Captures != j.captures {
		rt.Fatalf("closing: got %+v, %v; want %+v", h, err, *j)
	}
}

func (w *whole) lapseJob(rt *rapid.T) {
	j := sample(rt, w.ref.jobs)
	w.b.lapse(w.t, j.id)
	j.lapsed = true
}

func (w *whole) expireJobs(rt *rapid.T) {
	if _, err := w.b.ledger.ExpireHolds(w.t.Context()); err != nil {
		rt.Fatal(err)
	}
	for _, j := range w.ref.jobs {
		if j.lapsed {
			w.ref.endJob(j, HoldExpired)
		}
	}
}

func (w *whole) compare(rt *rapid.T) {
	w.steps++
	for _, m := range w.edges {
		if err := m.Flush(w.t.Context()); err != nil {
			rt.Fatal(err)
		}
	}
	got, want := w.b.balance(w.t, w.c.account), w.ref
	if got.Balance != want.balance || got.Held != want.held || got.Owed != want.owed {
		rt.Fatalf("got %+v, want balance %d, held %d, owed %d", got, want.balance, want.held, want.owed)
	}
	found, err := w.b.ledger.Check(w.t.Context())
	if err != nil || len(found) != 0 {
		rt.Fatalf("audit: got %+v, %v; want no difference", found, err)
	}
}
