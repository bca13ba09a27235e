package credits

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// customer is a team with credits and a key.
type customer struct {
	team         string
	account, key int64
}

func (b *bench) customer(t testing.TB, credits money.Credits) customer {
	t.Helper()
	var c customer
	c.account, c.key = b.account(t, credits)
	if err := b.pool.QueryRow(t.Context(), `select team_id from ledger_account where id = $1`, c.account).Scan(&c.team); err != nil {
		t.Fatal(err)
	}
	return c
}

// newJobHold is a hold for a new job.
func (c customer) newJobHold(amount money.Credits) NewJobHold {
	return NewJobHold{JobID: "crawl_" + NewID().String(), TeamID: c.team, Operation: "crawl", Amount: amount, Lasts: time.Hour}
}

// open opens a hold of amount and returns its job.
func (b *bench) open(t testing.TB, c customer, amount money.Credits) (job string) {
	t.Helper()
	h, err := b.ledger.OpenHold(t.Context(), c.newJobHold(amount))
	if err != nil {
		t.Fatal(err)
	}
	return h.JobID
}

func (b *bench) capture(t testing.TB, job string, amount money.Credits) {
	t.Helper()
	if err := b.ledger.CaptureHold(t.Context(), job, amount, 1); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) close(t testing.TB, job string) JobHold {
	t.Helper()
	h, err := b.ledger.CloseHold(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// lapse makes a job's hold expire.
func (b *bench) lapse(t testing.TB, job string) {
	t.Helper()
	if _, err := b.pool.Exec(t.Context(), `update hold set expires_at = now() - interval '1 second' where job_id = $1`, job); err != nil {
		t.Fatal(err)
	}
}

// wants fails the test unless the account has these values.
func (b *bench) wants(t testing.TB, c customer, balance, held, owed money.Credits) {
	t.Helper()
	want := Balance{Account: c.account, Balance: balance, Held: held, Owed: owed}
	if got := b.balance(t, c.account); got != want {
		t.Fatalf("account: got %+v, want %+v", got, want)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()

	t.Run("each", func(t *testing.T) {
		t.Run("items are captured and the rest is freed", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			job := b.open(t, c, 40)
			b.wants(t, c, 100, 40, 0)
			for range 3 {
				b.capture(t, job, 5)
			}
			b.wants(t, c, 100, 40, 0) // the account is charged at the close
			for range 2 {
				h := b.close(t, job)
				if h.State != HoldClosed || h.Captured != 15 || h.Captures != 3 {
					t.Fatalf("closing: got %+v, want closed with 15 captured of 3", h)
				}
				b.wants(t, c, 85, 0, 0)
			}
			var amount, n, rows int64
			err := b.pool.QueryRow(ctx, `select sum(amount), sum(n), count(*) from ledger_usage where debit_account = $1 and operation = 'crawl'`, c.account).
				Scan(&amount, &n, &rows)
			if err != nil || amount != 15 || n != 3 || rows != 1 {
				t.Fatalf("usage: got %d for %d in %d rows, %v; want 15 for 3 in one", amount, n, rows, err)
			}
		})

		t.Run("a capture does not wait for the account", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			job := b.open(t, c, 40)
			tx, err := b.pool.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(ctx)
			if _, err := tx.Exec(ctx, `select from ledger_account where id = $1 for update`, c.account); err != nil {
				t.Fatal(err)
			}
			b.capture(t, job, 5)
		})

		t.Run("a hold that captured nothing is a void", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			b.close(t, b.open(t, c, 40))
			b.wants(t, c, 100, 0, 0)
		})

		t.Run("refused with what is required and available", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			b.open(t, c, 60)
			n := c.newJobHold(41)
			for range 2 { // the refusal was not recorded, so a second try is no duplicate
				_, err := b.ledger.OpenHold(ctx, n)
				var short *Insufficient
				if !errors.As(err, &short) || short.Required != 41 || short.Available != 40 {
					t.Fatalf("got %v, want 41 required and 40 available", err)
				}
			}
			b.wants(t, c, 100, 60, 0)
			n.Amount = 40
			if _, err := b.ledger.OpenHold(ctx, n); err != nil {
				t.Fatal(err)
			}
			b.wants(t, c, 100, 100, 0)
		})

		t.Run("the same job again", func(t *testing.T) {
			t.Parallel()
			c, other := b.customer(t, 100), b.customer(t, 100)
			n := c.newJobHold(60)
			first, err := b.ledger.OpenHold(ctx, n)
			if err != nil {
				t.Fatal(err)
			}
			// The same result every time, even now that another 60 would not fit.
			if again, err := b.ledger.OpenHold(ctx, n); err != nil || again.ID != first.ID {
				t.Fatalf("got %+v, %v; want %s", again, err, first.ID)
			}
			b.wants(t, c, 100, 60, 0)
			more, others, renamed := n, n, n
			more.Amount, others.TeamID, renamed.Operation = 61, other.team, "batch"
			for _, n := range []NewJobHold{more, others, renamed} {
				if _, err := b.ledger.OpenHold(ctx, n); !errors.Is(err, ErrJobReused) {
					t.Errorf("%+v: got %v, want ErrJobReused", n, err)
				}
			}
			b.wants(t, other, 100, 0, 0)
		})

		t.Run("a capture of more than is left", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			job := b.open(t, c, 10)
			b.capture(t, job, 7)
			for _, amount := range []money.Credits{4, math.MaxInt64} {
				err := b.ledger.CaptureHold(ctx, job, amount, 1)
				var short *Insufficient
				if !errors.As(err, &short) || short.Required != amount || short.Available != 3 {
					t.Fatalf("got %v, want %d required and 3 available", err, amount)
				}
			}
			b.capture(t, job, 3)
			if h := b.close(t, job); h.Captured != 10 || h.Captures != 2 {
				t.Fatalf("got %+v, want 10 captured of 2", h)
			}
			b.wants(t, c, 90, 0, 0)
		})

		t.Run("nothing after the close", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			job := b.open(t, c, 10)
			b.close(t, job)
			if err := b.ledger.CaptureHold(ctx, job, 1, 1); !errors.Is(err, ErrHoldClosed) {
				t.Errorf("capturing: got %v, want ErrHoldClosed", err)
			}
			if err := b.ledger.ExtendHold(ctx, job, time.Hour); !errors.Is(err, ErrHoldClosed) {
				t.Errorf("extending: got %v, want ErrHoldClosed", err)
			}
			b.wants(t, c, 100, 0, 0)
		})

		t.Run("an item that fails is not paid", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			job := b.open(t, c, 10)
			failed := errors.New("item failed")
			err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
				if err := NewLedger(tx).CaptureHold(ctx, job, 5, 1); err != nil {
					return err
				}
				return failed
			})
			if !errors.Is(err, failed) {
				t.Fatal(err)
			}
			if h := b.close(t, job); h.Captured != 0 {
				t.Fatalf("got %+v, want nothing captured", h)
			}
		})
	})
	b.refusals(t)
	b.sound(t)
}

// refusals are calls that are wrong in any state of the ledger.
func (b *bench) refusals(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	c := b.customer(t, 10)
	job := b.open(t, c, 5)
	for name, change := range map[string]func(*NewJobHold){
		"no job":         func(n *NewJobHold) { n.JobID = "" },
		"no operation":   func(n *NewJobHold) { n.Operation = "" },
		"less than 0":    func(n *NewJobHold) { n.Amount = -1 },
		"no time":        func(n *NewJobHold) { n.Lasts = 0 },
		"a time past":    func(n *NewJobHold) { n.Lasts = -time.Second },
		"a team unknown": func(n *NewJobHold) { n.TeamID = "team_none" },
	} {
		n := c.newJobHold(1)
		change(&n)
		if h, err := b.ledger.OpenHold(ctx, n); err == nil {
			t.Errorf("opening with %s: got %+v, want an error", name, h)
		}
	}
	for name, err := range map[string]error{
		"capturing less than 0":    b.ledger.CaptureHold(ctx, job, -1, 1),
		"capturing for no item":    b.ledger.CaptureHold(ctx, job, 1, 0),
		"capturing for too many":   b.ledger.CaptureHold(ctx, job, 1, math.MaxInt32+1),
		"extending into the past":  b.ledger.ExtendHold(ctx, job, -time.Hour),
		"capturing from no hold":   b.ledger.CaptureHold(ctx, "crawl_none", 1, 1),
		"extending a hold of none": b.ledger.ExtendHold(ctx, "crawl_none", time.Hour),
	} {
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := b.ledger.CloseHold(ctx, "crawl_none"); !errors.Is(err, ErrNoHold) {
		t.Errorf("closing a hold of none: got %v, want ErrNoHold", err)
	}
	b.wants(t, c, 10, 5, 0)
}

func TestHoldExpires(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	c := b.customer(t, 100)
	over, kept, closed := b.open(t, c, 10), b.open(t, c, 20), b.open(t, c, 30)
	b.capture(t, over, 4)
	if err := b.ledger.ExtendHold(ctx, over, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	b.close(t, closed)
	b.lapse(t, over)
	b.lapse(t, closed)

	// The hold has expired, whether or not the sweeper has run.
	if err := b.ledger.CaptureHold(ctx, over, 1, 1); !errors.Is(err, ErrHoldExpired) {
		t.Errorf("capturing before the sweep: got %v, want ErrHoldExpired", err)
	}
	if err := b.ledger.ExtendHold(ctx, over, time.Hour); !errors.Is(err, ErrHoldExpired) {
		t.Errorf("extending: got %v, want ErrHoldExpired", err)
	}
	if n, err := b.ledger.ExpireHolds(ctx); err != nil || n != 1 {
		t.Fatalf("got %d, %v; want 1 expired", n, err)
	}
	b.wants(t, c, 96, 20, 0)
	if err := b.ledger.CaptureHold(ctx, over, 1, 1); !errors.Is(err, ErrHoldExpired) {
		t.Errorf("capturing after the sweep: got %v, want ErrHoldExpired", err)
	}
	if h := b.close(t, over); h.State != HoldExpired || h.Captured != 4 {
		t.Errorf("closing: got %+v, want expired with 4 captured", h)
	}
	if n, err := b.ledger.ExpireHolds(ctx); err != nil || n != 0 {
		t.Errorf("again: got %d, %v; want none expired", n, err)
	}
	b.capture(t, kept, 20)
	b.close(t, kept)
	b.wants(t, c, 76, 0, 0)
	b.sound(t)
}

// An item's transaction may capture the last item and close the job while others close it and the sweeper runs: no
// deadlock, and the job is settled once.
func TestHoldsOfOneAccountAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	c := b.customer(t, 1000)
	const jobs, items = 8, 12
	var captured atomic.Int64
	var all sync.WaitGroup
	for range jobs {
		job := b.open(t, c, items-2) // nothing is left for the last two items
		for i := range items {
			all.Go(func() {
				err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
					l := NewLedger(tx)
					if err := l.CaptureHold(ctx, job, 1, 1); err != nil {
						return err
					}
					if i%6 == 5 {
						_, err := l.CloseHold(ctx, job)
						return err
					}
					return nil
				})
				if i == items/2 {
					b.lapse(t, job)
					if _, err := b.ledger.ExpireHolds(ctx); err != nil {
						t.Errorf("expiring: %v", err)
					}
				}
				var short *Insufficient
				switch {
				case err == nil:
					captured.Add(1)
				case !errors.Is(err, ErrHoldClosed) && !errors.Is(err, ErrHoldExpired) && !errors.As(err, &short):
					t.Errorf("item: %v", err)
				}
			})
		}
	}
	all.Wait()
	if _, err := b.ledger.ExpireHolds(ctx); err != nil {
		t.Fatal(err)
	}
	b.wants(t, c, 1000-money.Credits(captured.Load()), 0, 0)
	b.sound(t)
}

// However many jobs open holds at once, they never hold more than is available.
func TestHoldsNeverOverspend(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	var opened atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			_, err := b.ledger.OpenHold(context.WithoutCancel(t.Context()), c.newJobHold(3))
			var short *Insufficient
			if err == nil {
				opened.Add(1)
			} else if !errors.As(err, &short) {
				t.Errorf("opening: %v", err)
			}
		})
	}
	all.Wait()
	if got := opened.Load(); got != 33 {
		t.Fatalf("got %d holds of 3 on 100 credits, want 33", got)
	}
	b.wants(t, c, 100, 99, 0)
	b.sound(t)
}

// The job that a schedule's run creates takes over the run's hold, once. No other job's hold can be taken over.
func TestRunIsTakenOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	ctx, soon := t.Context(), time.Now().Add(time.Hour)
	run, other := c.newJobHold(30), c.newJobHold(20)
	run.ID = NewID()
	if _, err := b.ledger.OpenHold(ctx, run); err == nil {
		t.Error("a hold with an id of its caller's was opened for a job that has another name")
	}
	run.JobID = RunJob(run.ID)
	for _, n := range []NewJobHold{run, other} {
		if _, err := b.ledger.OpenHold(ctx, n); err != nil {
			t.Fatal(err)
		}
	}
	held, err := b.ledger.JobHold(ctx, other.JobID)
	if err != nil {
		t.Fatal(err)
	}
	if err := Adopt(ctx, b.pool, HoldID(held.ID), "crawl_of_another", soon); !errors.Is(err, ErrHoldNotOpen) {
		t.Errorf("the hold of a job that is no run: got %v, want ErrHoldNotOpen", err)
	}
	if err := Adopt(ctx, b.pool, HoldID(run.ID), "crawl_made", soon); err != nil {
		t.Fatal(err)
	}
	if err := Adopt(ctx, b.pool, HoldID(run.ID), "crawl_again", soon); !errors.Is(err, ErrHoldNotOpen) {
		t.Errorf("a second time: got %v, want ErrHoldNotOpen", err)
	}
	b.capture(t, "crawl_made", 10)
	if h := b.close(t, "crawl_made"); h.Captured != 10 || h.ID != run.ID {
		t.Errorf("got %+v, want the run's hold with 10 captured", h)
	}
}
