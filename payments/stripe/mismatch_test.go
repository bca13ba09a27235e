package stripe

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// mismatched returns a bench with one payment that could not be credited, the payment's id, and a function that
// delivers Stripe's events again. change breaks the row before the first delivery.
func mismatched(t *testing.T, change string) (b *bench, intent string, again func()) {
	t.Helper()
	b = setup(t)
	b.card(stripetest.TimeoutAfter)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	b.exec(change)
	events := b.stripe.Events()
	b.deliver(events...)
	return b, b.stripe.Oracle().Payments[0].ID, func() {
		b.exec(`delete from stripe_event`)
		b.deliver(events...)
	}
}

const otherAmount, lostRow = `update topup set amount_cents = 999`, `delete from topup`

// A mismatch that a person has resolved is not reported again.
func TestResolvedMismatchIsNoDifference(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{"another amount": otherAmount, "a lost row": lostRow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, intent, again := mismatched(t, change)
			if report := b.reconcile(); len(report.Differences) == 0 || report.Resolved != 0 {
				t.Errorf("before: got %+v, want a difference", report)
			}
			mismatches := NewMismatches(b.pool, b.clock.Now)
			m, err := mismatches.Resolve(t.Context(), intent, "alex", " refunded at Stripe, ticket 7\n")
			if err != nil {
				t.Fatal(err)
			}
			if m.Resolution == nil || m.Resolution.By != "alex" || m.Resolution.Note != "refunded at Stripe, ticket 7" ||
				!m.Resolution.At.Equal(b.clock.Now()) || m.Resolution.Role == "" {
				t.Errorf("resolution: got %+v, want who, when and why", m.Resolution)
			}
			if report := b.reconcile(); len(report.Differences) != 0 || report.Resolved != 1 || report.Stripe != report.Ledger {
				t.Errorf("after: got %+v, want agreement and one resolved", report)
			}
			again()
			waiting := must[[]Mismatch](t)(mismatches.Waiting(t.Context()))
			all := must[[]Mismatch](t)(mismatches.All(t.Context()))
			if len(waiting) != 0 || len(all) != 1 || all[0].PaymentIntentID != intent || all[0].Resolution == nil || all[0].AmountReceived != 1000 {
				t.Errorf("after the event came again: got %+v waiting of %+v, want the one, resolved", waiting, all)
			}
			b.wantBalance(0, 0)
		})
	}
}

// A payment that was credited after all is compared, whatever the resolution.
func TestResolvedAndCredited(t *testing.T) {
	t.Parallel()
	b, intent, again := mismatched(t, otherAmount)
	must[Mismatch](t)(NewMismatches(b.pool, b.clock.Now).Resolve(t.Context(), intent, "alex", "granted by hand"))
	b.exec(`update topup set amount_cents = 1000`)
	again()
	b.wantBalance(10_000, 0)
	if report := b.reconcile(); len(report.Differences) != 0 || report.Stripe != 1000 || report.Ledger != 1000 {
		t.Errorf("got %+v, want agreement on 1000 cents", report)
	}
	must[string](t)(b.stripe.Refund(intent, 100))
	if report := b.reconcile(); len(report.Differences) != 1 {
		t.Errorf("after a refund that nobody told of: got %+v, want one difference", report)
	}
}

func TestResolveRefusals(t *testing.T) {
	t.Parallel()
	b, intent, _ := mismatched(t, lostRow)
	mismatches := NewMismatches(b.pool, b.clock.Now)
	if _, err := mismatches.Resolve(t.Context(), "pi_unknown", "alex", "x"); !errors.Is(err, ErrNoMismatch) || !strings.Contains(err.Error(), "pi_unknown") {
		t.Errorf("unknown: got %v, want ErrNoMismatch with its name", err)
	}
	for _, said := range [][2]string{{"", "x"}, {"alex", " \n"}} {
		if _, err := mismatches.Resolve(t.Context(), intent, said[0], said[1]); err == nil {
			t.Errorf("by %q, note %q: got no error", said[0], said[1])
		}
	}
	// Of several people at once one decides, and the others learn who it was.
	var decided, told atomic.Int64
	var people sync.WaitGroup
	for range 8 {
		people.Go(func() {
			_, err := mismatches.Resolve(t.Context(), intent, "alex", "refunded")
			if before, ok := errors.AsType[*ResolvedError](err); ok && before.Resolution.By == "alex" && strings.Contains(err.Error(), "refunded") {
				told.Add(1)
			} else if err == nil {
				decided.Add(1)
			} else {
				t.Errorf("got %v", err)
			}
		})
	}
	people.Wait()
	if decided.Load() != 1 || told.Load() != 7 {
		t.Errorf("got %d that decided and %d that were told, want 1 and 7", decided.Load(), told.Load())
	}
	for _, statement := range []string{
		`update topup_mismatch_resolution set note = 'x'`, `delete from topup_mismatch_resolution`, `truncate topup_mismatch_resolution`,
		`update topup_mismatch set reason = 'x'`, `delete from topup_mismatch`, `truncate topup_mismatch cascade`,
	} {
		if _, err := b.pool.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: got %v, want a refusal", statement, err)
		}
	}
}
