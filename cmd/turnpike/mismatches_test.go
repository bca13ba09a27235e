package main_test

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// A payment that an operator has to resolve fails the reconciliation until they do. The resolution is kept.
func TestMismatchesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	stripe := httptest.NewServer(stripetest.New(stripetest.Config{}))
	t.Cleanup(stripe.Close)
	url := pgtest.New(t, migrate)
	pool := pgtest.Open(t, url, nil)
	none := newCheckout(t).with("DATABASE_URL=" + url)
	wantLine(t, none.Succeeds(t, "turnpike payments mismatches").Stdout, `^No Stripe payments need to be resolved\.\n$`)
	wantLine(t, none.Succeeds(t, "turnpike payments mismatches --all").Stdout, `^All Stripe payments were credited\.\n$`)
	if _, err := db.New(pool).RecordTopupMismatch(t.Context(), db.RecordTopupMismatchParams{
		PaymentIntentID: "pi_stray", TopupID: "topup_lost", AmountReceived: 1000, Currency: "usd", CustomerID: "cus_1",
		Reason: "there is no such top-up", Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}); err != nil {
		t.Fatal(err)
	}
	c := newCheckout(t).with("DATABASE_URL="+url, "STRIPE_SECRET_KEY=sk_test_double", "STRIPE_API_BASE="+stripe.URL)

	if got := c.Turnpike(t, "payments", "reconcile"); got.Code != 1 || !strings.Contains(got.Stdout, "top-up topup_lost: payment pi_stray: 1000 usd received but not credited") {
		t.Errorf("reconcile: got %d %q, want the payment and 1", got.Code, got.Stdout)
	}
	wantLine(t, c.Succeeds(t, "turnpike payments mismatches").Stdout,
		`^PAYMENT .*\npi_stray +topup_lost +1000 cents +test +2026-03-01 12:00:00 +there is no such top-up +- +- +-\n$`)

	resolve := func(args ...string) []string { return append([]string{"payments", "mismatches", "resolve"}, args...) }
	t.Run("refused", func(t *testing.T) {
		c.refuses(t, []wrong{
			{"nothing", resolve("--note", "x"), "want one, the id of a payment"},
			{"no reason", resolve("pi_stray"), `required flag(s) "note" not set`},
			{"an empty reason", resolve("pi_stray", "--note", " "), "--note is empty: want a note on what was found and done"},
			{"a reason on two lines", resolve("pi_stray", "--note", "a\nb"), "--note: want text on one line"},
			{"a reason that is too long", resolve("pi_stray", "--note", strings.Repeat("x", 1001)), "--note has 1001 bytes: want 1000 or fewer"},
			{"by nobody", resolve("pi_stray", "--note", "x", "--by", ""), "--by is empty: want the name"},
			{"an unknown payment", resolve("pi_other", "--note", "x"), `payment "pi_other": no such mismatch: ` + "`turnpike payments mismatches` lists them"},
			{"no such command", []string{"payments", "mismatches", "settle"}, `unknown command "settle"`},
		})
	})
	if got := c.Turnpike(t, "payments", "reconcile"); got.Code != 1 {
		t.Errorf("reconcile after refusals: got %d, want 1", got.Code)
	}

	wantLine(t, c.Succeeds(t, "turnpike payments mismatches resolve pi_stray --by alex --note 'refunded at Stripe'").Stdout,
		`^pi_stray resolved by alex: refunded at Stripe\n$`)
	t.Run("twice", func(t *testing.T) {
		c.refuses(t, []wrong{{"again", resolve("pi_stray", "--note", "x"), "by alex: refunded at Stripe"}})
	})
	if got := c.Succeeds(t, "turnpike payments reconcile").Stdout; !strings.Contains(got, "note: resolved payments, which were left out: 1") {
		t.Errorf("reconcile: got %q, want a note of what is left out", got)
	}
	wantLine(t, c.Succeeds(t, "turnpike payments mismatches").Stdout, `^No Stripe payments need to be resolved\.\n$`)
	wantLine(t, c.Succeeds(t, "turnpike payments mismatches --all").Stdout, `\npi_stray .* +\d{4}-\d\d-\d\d [\d:]{8} +alex +refunded at Stripe\n$`)

	if got := c.Succeeds(t, "turnpike payments mismatches --json").Stdout; got != "[]\n" {
		t.Errorf("waiting as JSON: got %q, want an empty list", got)
	}
	var all []struct {
		PaymentIntentID string `json:"payment_intent_id"`
		AmountReceived  int64  `json:"amount_received"`
		Resolution      struct {
			Note         string    `json:"note"`
			ResolvedBy   string    `json:"resolved_by"`
			DatabaseRole string    `json:"database_role"`
			ResolvedAt   time.Time `json:"resolved_at"`
		} `json:"resolution"`
	}
	text := c.Succeeds(t, "turnpike payments mismatches --all --json").Stdout
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != 1 {
		t.Fatalf("all as JSON: got %s, error %v", text, err)
	}
	if m := all[0]; m.PaymentIntentID != "pi_stray" || m.AmountReceived != 1000 || m.Resolution.Note != "refunded at Stripe" ||
		m.Resolution.ResolvedBy != "alex" || m.Resolution.DatabaseRole == "" || m.Resolution.ResolvedAt.IsZero() {
		t.Errorf("all as JSON: got %s", text)
	}
}

func wantLine(t *testing.T, got, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(got) {
		t.Errorf("got %q, want %s", got, pattern)
	}
}
