package credits

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestClawBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()

	t.Run("each", func(t *testing.T) {
		t.Run("takes what is available, the rest is owed", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			b.spend(t, c, 30)
			claw := Clawback{TeamID: c.team, Amount: 90, Cause: CauseRefund, Key: "re_" + c.team}
			made, err := b.ledger.ClawBack(ctx, claw)
			if err != nil || !made.Made || made.Credits != -90 || made.Owed != 20 {
				t.Fatalf("got %+v, %v; want 90 taken, 20 of them owed", made, err)
			}
			b.wants(t, c, 0, 0, 20)
			again, err := b.ledger.ClawBack(ctx, claw)
			if err != nil || again.Made || again.Transfer != made.Transfer {
				t.Fatalf("again: got %+v, %v; want nothing made, transfer %d", again, err, made.Transfer)
			}
			b.wants(t, c, 0, 0, 20)
			claw.Amount = 91
			if _, err := b.ledger.ClawBack(ctx, claw); !errors.Is(err, ErrKeyReused) {
				t.Errorf("another amount: got %v, want ErrKeyReused", err)
			}
			b.grant(t, c, 15)
			b.wants(t, c, 0, 0, 5)
			b.grant(t, c, 15)
			b.wants(t, c, 10, 0, 0)
		})

		// Otherwise a customer could keep what a dispute takes by holding it first.
		t.Run("what comes free of a hold pays what is owed", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			first, second := b.open(t, c, 60), b.open(t, c, 30)
			if _, err := b.ledger.ClawBack(ctx, Clawback{TeamID: c.team, Amount: 100, Cause: CauseDispute, Key: "dp_" + c.team}); err != nil {
				t.Fatal(err)
			}
			b.wants(t, c, 90, 90, 90)
			b.capture(t, first, 20) // finished work is paid from its hold
			b.close(t, first)
			b.wants(t, c, 30, 30, 50)
			b.lapse(t, second)
			if _, err := b.ledger.ExpireHolds(ctx); err != nil {
				t.Fatal(err)
			}
			b.wants(t, c, 0, 0, 20)
			if _, err := b.ledger.OpenHold(ctx, c.newJobHold(1)); err == nil {
				t.Error("opening a hold with credits owed: got no error")
			}

			won, err := b.ledger.WinDispute(ctx, "dp_"+c.team, "")
			if err != nil || !won.Made || won.Credits != 100 || won.Owed != -20 {
				t.Fatalf("winning: got %+v, %v; want 100 back, 20 less owed", won, err)
			}
			b.wants(t, c, 80, 0, 0)
			if won, err := b.ledger.WinDispute(ctx, "dp_"+c.team, ""); err != nil || won.Made {
				t.Fatalf("winning again: got %+v, %v; want nothing made", won, err)
			}
			b.wants(t, c, 80, 0, 0)
		})

		t.Run("a dispute that an operator reversed is not given back twice", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			made, err := b.ledger.ClawBack(ctx, Clawback{TeamID: c.team, Amount: 100, Cause: CauseDispute, Key: "dp_" + c.team})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.ledger.Reverse(ctx, made.Transfer, ""); err != nil {
				t.Fatal(err)
			}
			if won, err := b.ledger.WinDispute(ctx, "dp_"+c.team, ""); err != nil || won.Made {
				t.Fatalf("got %+v, %v; want nothing made", won, err)
			}
			b.wants(t, c, 100, 0, 0)
		})

		t.Run("refused", func(t *testing.T) {
			t.Parallel()
			c := b.customer(t, 100)
			for name, claw := range map[string]Clawback{
				"nothing":         {TeamID: c.team, Cause: CauseRefund, Key: "a"},
				"less than 0":     {TeamID: c.team, Amount: -1, Cause: CauseRefund, Key: "a"},
				"no key":          {TeamID: c.team, Amount: 1, Cause: CauseRefund},
				"no cause":        {TeamID: c.team, Amount: 1, Key: "a"},
				"another's cause": {TeamID: c.team, Amount: 1, Cause: "grant", Key: "a"},
				"an unknown team": {TeamID: "team_none", Amount: 1, Cause: CauseRefund, Key: "a"},
			} {
				if made, err := b.ledger.ClawBack(ctx, claw); err == nil {
					t.Errorf("%s: got %+v, want an error", name, made)
				}
			}
			if _, err := b.ledger.WinDispute(ctx, "dp_none", ""); !errors.Is(err, ErrNoTransfer) {
				t.Errorf("winning no dispute: got %v, want ErrNoTransfer", err)
			}
			b.wants(t, c, 100, 0, 0)
		})
	})
	b.sound(t)
}

// Events arrive several times and concurrently, while holds open and close.
func TestClawBackOnceOfMany(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	c := b.customer(t, 100)
	var made, won atomic.Int64
	var all sync.WaitGroup
	for range 24 {
		all.Go(func() {
			m, err := b.ledger.ClawBack(ctx, Clawback{TeamID: c.team, Amount: 80, Cause: CauseDispute, Key: "dp"})
			if err != nil {
				t.Errorf("clawing back: %v", err)
			}
			if m.Made {
				made.Add(1)
			}
			m, err = b.ledger.WinDispute(ctx, "dp", "")
			if err != nil {
				t.Errorf("winning: %v", err)
			}
			if m.Made {
				won.Add(1)
			}
		})
		all.Go(func() {
			n := c.newJobHold(9)
			var short *Insufficient
			if _, err := b.ledger.OpenHold(ctx, n); errors.As(err, &short) {
				return
			} else if err != nil {
				t.Errorf("opening: %v", err)
			}
			if _, err := b.ledger.CloseHold(ctx, n.JobID); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || won.Load() != 1 {
		t.Fatalf("got %d clawbacks and %d wins, want one of each", made.Load(), won.Load())
	}
	b.wants(t, c, 100, 0, 0)
	b.sound(t)
}
