package credits

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// spend uses up c's credits through a job.
func (b *bench) spend(t testing.TB, c customer, amount money.Credits) {
	t.Helper()
	job := b.open(t, c, amount)
	b.capture(t, job, amount)
	b.close(t, job)
}

// grantOf returns the transfer that a customer's first grant made.
func (b *bench) grantOf(t testing.TB, c customer) (transfer int64) {
	t.Helper()
	err := b.pool.QueryRow(t.Context(), `select id from ledger_transfer where credit_account = $1 order by id limit 1`, c.account).Scan(&transfer)
	if err != nil {
		t.Fatal(err)
	}
	return transfer
}

func (b *bench) grant(t testing.TB, c customer, amount money.Credits) {
	t.Helper()
	if _, err := b.ledger.Grant(t.Context(), Grant{TeamID: c.team, Amount: amount, Source: SourcePromo, Key: NewID().String()}); err != nil {
		t.Fatal(err)
	}
}

func TestReverse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	t.Run("each", func(t *testing.T) {
		for _, tc := range []struct {
			name        string
			spent, held money.Credits
			owed        money.Credits
			wantBalance money.Credits
		}{
			{"all is there", 0, 0, 0, 0},
			{"some was spent", 30, 0, 30, 0},
			{"some is held", 0, 25, 25, 25},
			{"some of each", 30, 25, 55, 25},
		} {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				c := b.customer(t, 100)
				b.spend(t, c, tc.spent)
				job := b.open(t, c, tc.held)
				made, err := b.ledger.Reverse(t.Context(), b.grantOf(t, c), "to the wrong team")
				if err != nil || !made.Made || made.Credits != -100 || made.Owed != tc.owed {
					t.Fatalf("got %+v, %v; want -100 and %d owed", made, err, tc.owed)
				}
				b.wants(t, c, tc.wantBalance, tc.held, tc.owed)

				// The reversal of a reversal restores the first state.
				back, err := b.ledger.Reverse(t.Context(), made.Transfer, "it was the right team")
				if err != nil || !back.Made || back.Credits != 100 || back.Owed != -tc.owed {
					t.Fatalf("got %+v, %v; want 100 and %d less owed", back, err, tc.owed)
				}
				b.wants(t, c, 100-tc.spent, tc.held, 0)
				b.close(t, job)
				b.wants(t, c, 100-tc.spent, 0, 0)
			})
		}
		t.Run("no transfer", func(t *testing.T) {
			t.Parallel()
			if _, err := b.ledger.Reverse(t.Context(), 1<<40, ""); !errors.Is(err, ErrNoTransfer) {
				t.Fatalf("got %v, want ErrNoTransfer", err)
			}
		})
		t.Run("between house accounts", func(t *testing.T) {
			t.Parallel()
			var id int64
			err := b.pool.QueryRow(t.Context(), `
				insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
				select c.id, r.id, 7, 'usdc6', 'x402', 'claim' from ledger_account c, ledger_account r
				where c.kind = 'x402_clearing' and r.kind = 'revenue' and r.unit = 'usdc6' returning id`).Scan(&id)
			if err != nil {
				t.Fatal(err)
			}
			for _, first := range []bool{true, false} {
				if made, err := b.ledger.Reverse(t.Context(), id, ""); err != nil || made.Made != first || made.Credits != 0 {
					t.Fatalf("got %+v, %v; want made %t and no credits", made, err, first)
				}
			}
		})
	})
	b.sound(t)
}

func TestReverseOnceOfMany(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.customer(t, 100)
	transfer := b.grantOf(t, c)
	var made atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			m, err := b.ledger.Reverse(t.Context(), transfer, "")
			if err != nil {
				t.Errorf("reversing: %v", err)
			}
			if m.Made {
				made.Add(1)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Fatalf("got %d reversals, want 1", made.Load())
	}
	b.wants(t, c, 0, 0, 0)
	b.sound(t)
}

func TestRefund(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	c := b.customer(t, 100)
	b.spend(t, c, 80)
	for _, first := range []bool{true, false} {
		if made, err := b.ledger.Refund(ctx, c.team, 30, "ticket 7", "pages were empty"); err != nil || made != first {
			t.Fatalf("got %t, %v; want %t", made, err, first)
		}
		b.wants(t, c, 50, 0, 0)
	}
	if _, err := b.ledger.Refund(ctx, c.team, 31, "ticket 7", ""); !errors.Is(err, ErrKeyReused) {
		t.Errorf("another amount: got %v, want ErrKeyReused", err)
	}
	if _, err := b.ledger.Refund(ctx, c.team, 1, "", ""); err == nil {
		t.Error("no key: got no error")
	}
	if _, err := b.ledger.Refund(ctx, c.team, 0, "nothing", ""); err == nil {
		t.Error("nothing: got no error")
	}
	b.sound(t)
}
