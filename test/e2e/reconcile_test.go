package e2e

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// reconcile runs the operator's command on the database and the chain.
func (s *stack) reconcile(t *testing.T, args ...string) (output string, code int) {
	t.Helper()
	return s.reconcileWith(t, nil, args...)
}

// reconcileWith is reconcile with further settings.
func (s *stack) reconcileWith(t *testing.T, settings []string, args ...string) (output string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.binary, append([]string{"payments", "reconcile"}, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + s.databaseURL, "BASE_RPC_URL=" + s.chain.RPCURL(), "X402_NETWORK=base-sepolia",
	}
	cmd.Env = append(cmd.Env, settings...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the exit code is checked instead
	return out.String(), cmd.ProcessState.ExitCode()
}

// TestReconcile shows that no differences are reported for normal payments, and that every kind of difference between
// claims, ledger and chain is found.
func TestReconcile(t *testing.T) { //nolint:paralleltest // it creates differences, which other tests must not see
	s := setup(t)
	w := s.wallet(t)
	s.paidScrape(s.pages.fresh()).with(w.good(t, 2)...).do(t).wantStatus(t, http.StatusOK)
	s.paidScrape("http://127.0.0.1:1/").with(w.good(t, 1)...).do(t) // released: nothing moves
	for _, want := range []string{"ledger: no differences", "claims, ledger: no differences", "claims, chain: no differences"} {
		if out, code := s.reconcile(t); code != 0 || !strings.Contains(out, want) {
			t.Errorf("got %d and\n%s\nwant 0 and %q", code, out, want)
		}
	}
	if out, code := s.reconcile(t, "--since", "-1h"); code != 1 || !strings.Contains(out, "--since") {
		t.Errorf("a wrong flag: got %d and\n%s", code, out)
	}

	var id, transaction string
	err := s.pool.QueryRow(t.Context(), `select id::text, transaction from x402_claim where payer = $1 and state = 'settled'`, w.address().Hex()).Scan(&id, &transaction)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, change, back, want string }{
		{
			"settled by nothing", `update x402_claim set transaction = '0x` + strings.Repeat("12", 32) + `' where id = $1`,
			`update x402_claim set transaction = '` + transaction + `' where id = $1`, "which is not on the chain",
		},
		{
			"another amount", `update x402_claim set amount = amount + 1 where id = $1`,
			`update x402_claim set amount = amount - 1 where id = $1`, "which does not pay 0.010001 USDC",
		},
		{
			"paid and not settled", `update x402_claim set state = 'failed' where id = $1`,
			`update x402_claim set state = 'settled' where id = $1`, "is failed, but transaction " + transaction + " has paid it to us",
		},
		{
			"ledger without claim", `update x402_claim set id = '` + uuid.Nil.String() + `' where id = $1`,
			`update x402_claim set id = $1 where id = '` + uuid.Nil.String() + `'`, "but no paid claim has this id",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := s.pool.Exec(t.Context(), tt.change, id); err != nil {
				t.Fatal(err)
			}
			out, code := s.reconcile(t)
			if _, err := s.pool.Exec(t.Context(), tt.back, id); err != nil {
				t.Fatal(err)
			}
			if code != 1 || !strings.Contains(out, tt.want) {
				t.Errorf("got %d and\n%s\nwant 1 and %q", code, out, tt.want)
			}
		})
	}
	if out, code := s.reconcile(t); code != 0 {
		t.Errorf("in the end: got %d and\n%s", code, out)
	}
}

// TestReconcileTopUps shows that Stripe's charges and refunds are compared with the ledger.
func TestReconcileTopUps(t *testing.T) { //nolint:paralleltest // it creates differences, which other tests must not see
	s := setup(t)
	stripe := []string{"STRIPE_SECRET_KEY=" + stripeKey, "STRIPE_API_BASE=" + s.stripe.url}
	want := func(t *testing.T, settings []string, code int, says ...string) {
		t.Helper()
		out, got := s.reconcileWith(t, settings)
		if got != code {
			t.Errorf("got %d, want %d, and\n%s", got, code, out)
		}
		for _, part := range says {
			if !strings.Contains(out, part) {
				t.Errorf("got\n%s\nwant %q", out, part)
			}
		}
		if strings.Contains(out, "of_these_tests") {
			t.Errorf("shows the key:\n%s", out)
		}
	}
	p := s.buyer(t)
	p.saveCard(t, stripetest.OK)
	bought := p.buy(t, `{"credits": 10000}`)
	bought.wantStatus(t, http.StatusOK)
	var b purchase
	bought.json(t, &b)
	// Purchases are compared once they are a minute old.
	if _, err := s.pool.Exec(t.Context(), `update topup set created_at = created_at - interval '5 minutes' where team_id = $1`, p.team); err != nil {
		t.Fatal(err)
	}

	want(t, nil, 0, "top-ups, Stripe: not compared: set STRIPE_SECRET_KEY")
	want(t, stripe, 0, "top-ups, Stripe: no differences (", "Stripe 10.00, ledger 10.00")
	want(t, []string{"STRIPE_SECRET_KEY=pk_of_these_tests", stripe[1]}, 1, "STRIPE_SECRET_KEY", "want a secret key of Stripe")
	want(t, []string{"STRIPE_SECRET_KEY=sk_live_of_these_tests", stripe[1]}, 1, "a live key is sent only to Stripe")
	want(t, []string{stripe[0], "STRIPE_API_BASE=http://127.0.0.1:1"}, 1, "top-ups, Stripe: could not be compared")

	if _, err := s.stripe.Refund(b.PaymentIntentID, 100); err != nil {
		t.Fatal(err)
	}
	want(t, stripe, 1, "top-ups, Stripe: 1 difference (", "payment "+b.PaymentIntentID+": the ledger has 1000 cents and 10000 credits, but Stripe has 900 cents, which is 9000 credits")
	s.stripe.deliver(t, s.edge)
	want(t, stripe, 0, "Stripe 9.00, ledger 9.00")
}
