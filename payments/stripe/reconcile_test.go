package stripe

import (
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

func (b *bench) reconcile() Report {
	b.t.Helper()
	report, err := b.svc.Reconcile(b.t.Context(), clocktest.New().Now(), b.clock.Now().Add(time.Second))
	if err != nil {
		b.t.Fatalf("reconciling: %v", err)
	}
	return report
}

func TestReconcileFindsDifferences(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*bench, string)
		want   string
	}{
		{"none", func(*bench, string) {}, ""},
		{"a refund that nobody told of", func(b *bench, intent string) { must[string](t)(b.stripe.Refund(intent, 100)) }, "900"},
		{"a dispute that nobody told of", func(b *bench, intent string) { must[string](t)(b.stripe.Dispute(intent)) }, "Stripe has 0 cents, which is 0 credits"},
		{"a credit that was not charged", func(b *bench, _ string) {
			b.exec(`update topup set id = 'topup_other'`)
			b.exec(`alter table ledger_transfer disable trigger ledger_transfer_append_only`)
			b.exec(`update ledger_transfer set note = 'topup_other' where note is not null`)
		}, "not charged at Stripe"},
		{"a lost row", func(b *bench, _ string) { b.exec(`delete from topup`) }, "the top-up does not exist"},
		{"given up as failed", func(b *bench, _ string) { b.exec(`update topup set state = 'failed'`) }, "but failed here"},
		{"another payment", func(b *bench, _ string) { b.exec(`update topup set payment_intent_id = 'pi_other'`) }, "in addition to pi_other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b, intent := bought(t)
			tc.change(b, intent)
			report := b.reconcile()
			if tc.want == "" {
				if len(report.Differences) > 0 || report.Stripe != 1000 || report.Ledger != 1000 || report.Topups != 1 {
					t.Errorf("report: got %+v, want agreement on 1000 cents", report)
				}
				return
			}
			var reasons []string
			for _, d := range report.Differences {
				reasons = append(reasons, d.Reason)
			}
			if got := strings.Join(reasons, "; "); !strings.Contains(got, tc.want) {
				t.Errorf("differences: got %q, want %q among them", got, tc.want)
			}
		})
	}
}

func (b *bench) exec(statement string) {
	b.t.Helper()
	if _, err := b.pool.Exec(b.t.Context(), statement); err != nil {
		b.t.Fatalf("%s: %v", statement, err)
	}
}

func TestReconcileCountsWhatIsOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.Error500Before)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	if report := b.reconcile(); report.Open != 1 || len(report.Differences) > 0 {
		t.Errorf("report: got %+v, want one open and no difference", report)
	}
}
