package stripe

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

func TestSavingACard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	if _, err := b.svc.PaymentMethod(ctx, b.team); wantError[*NoPaymentMethodError](t, err).SetupURL != "" {
		t.Errorf("asking for the card made a page")
	}
	first := b.card(stripetest.OK)
	customer := b.stripe.Customer(b.team)
	card, err := b.svc.PaymentMethod(ctx, b.team)
	if want := (Card{Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2034}); err != nil || card != want {
		t.Errorf("card: got %+v, %v, want %+v", card, err, want)
	}
	if got := b.stripe.DefaultCard(customer); got != first {
		t.Errorf("default at Stripe: got %s, want %s", got, first)
	}
	b.clock.Advance(time.Second)
	second := b.card(stripetest.OK)
	b.wantCard(second)
	if got := b.stripe.Customer(b.team); got != customer {
		t.Errorf("customer: got %s, want the same as before, %s", got, customer)
	}
	row, err := b.svc.customer(ctx, b.team)
	if err != nil || row.Email != "owner@example.com" {
		t.Errorf("receipts: got %+v, %v, want them to go to who typed the card in", row, err)
	}
}

func (b *bench) wantCard(want string) {
	b.t.Helper()
	row, err := b.svc.customer(b.t.Context(), b.team)
	if err != nil {
		b.t.Fatal(err)
	}
	if got := deref(row.PaymentMethodID); got != want {
		b.t.Errorf("saved card: got %q, want %q", got, want)
	}
}

// Events of two set-ups arrive in the wrong order: the card that was set up last is kept.
func TestCardEventsInAnyOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var events [][]stripetest.Event
	var last string
	for range 2 {
		page := must[string](t)(b.svc.SetupPage(t.Context(), SetupRequest{TeamID: b.team}))
		last = must[string](t)(b.stripe.Complete(page, stripetest.OK))
		events = append(events, b.stripe.Events())
		b.clock.Advance(time.Second)
	}
	b.deliver(events[1]...)
	b.deliver(events[0]...)
	b.wantCard(last)
}

// Without a webhook, the card is looked up when it is needed.
func TestCardWithoutWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := must[string](t)(b.svc.SetupPage(t.Context(), SetupRequest{TeamID: b.team}))
	must[string](t)(b.stripe.Complete(page, stripetest.OK))
	if got, err := b.buy(10_000, ""); err != nil || got.Status != Succeeded {
		t.Errorf("purchase: got %+v, %v, want success", got, err)
	}
}

func TestRemovingACard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	if err := b.svc.RemovePaymentMethod(ctx, b.team); err != nil {
		t.Errorf("removing none: got %v", err)
	}
	page := must[string](t)(b.svc.SetupPage(ctx, SetupRequest{TeamID: b.team}))
	must[string](t)(b.stripe.Complete(page, stripetest.OK))
	late := b.stripe.Events()
	if _, err := b.svc.PaymentMethod(ctx, b.team); err != nil {
		t.Fatal(err)
	}
	if err := b.svc.RemovePaymentMethod(ctx, b.team); err != nil {
		t.Fatalf("removing: %v", err)
	}
	b.deliver(late...)
	_, err := b.svc.PaymentMethod(ctx, b.team)
	wantError[*NoPaymentMethodError](t, err)
	_, err = b.buy(10_000, "")
	wantError[*NoPaymentMethodError](t, err)
	b.card(stripetest.OK)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Errorf("with a new card: got %v", err)
	}
}

func TestPageForTheOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.AuthenticationRequired)
	_, err := b.buy(20_000, "key")
	page := wantError[*AuthenticationError](t, err).ActionURL
	b.wantBalance(0, 0)

	// Another card is declined on the page, then the owner confirms the first.
	if _, err := b.stripe.Complete(page, stripetest.InsufficientFunds); err != nil {
		t.Fatal(err)
	}
	b.deliver(b.stripe.Events()...)
	b.wantBalance(0, 0)
	confirmed := must[string](t)(b.stripe.Complete(page, stripetest.AuthenticationRequired))
	events := b.stripe.Events()
	b.deliver(events...)
	b.deliver(events...)
	b.wantBalance(20_000, 0)
	b.wantCard(confirmed)
	if got := b.stripe.Oracle().Charged; got != 1900 {
		t.Errorf("charged: got %d cents, want 1900", got)
	}
	_, err = b.buy(20_000, "key")
	if again := wantError[*AuthenticationError](t, err); !again.Replayed || again.ActionURL != page {
		t.Errorf("the same key: got %+v, want its outcome again", again)
	}
	wantTrialBalance(t, b)
}

// A page that was not paid is closed by the next attempt, or after a time.
func TestPageIsClosed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.AuthenticationRequired)
	var pages []string
	for range 2 {
		_, err := b.buy(10_000, "")
		pages = append(pages, wantError[*AuthenticationError](t, err).ActionURL)
		b.clock.Advance(2 * time.Minute)
	}
	if _, err := b.stripe.Complete(pages[0], stripetest.OK); !errors.Is(err, stripetest.ErrClosed) {
		t.Errorf("the first page: got %v, want it closed", err)
	}
	b.clock.Advance(2 * time.Hour)
	b.sweep()
	if _, err := b.stripe.Complete(pages[1], stripetest.OK); !errors.Is(err, stripetest.ErrClosed) {
		t.Errorf("the second page: got %v, want it lapsed", err)
	}
	var states string
	if err := b.pool.QueryRow(t.Context(), `select string_agg(error_code, ' ' order by created_at, kind desc) from topup`).Scan(&states); err != nil {
		t.Fatal(err)
	}
	if want := "authentication_required superseded authentication_required expired"; states != want {
		t.Errorf("rows: got %s, want %s", states, want)
	}
}

// A page that was paid a moment ago must not lead to a second charge.
func TestPageIsPaidMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pm := b.card(stripetest.AuthenticationRequired)
	_, err := b.buy(10_000, "")
	must[string](t)(b.stripe.Complete(wantError[*AuthenticationError](t, err).ActionURL, stripetest.OK))
	b.stripe.SetBehaviour(pm, stripetest.OK)
	b.clock.Advance(2 * time.Minute)
	_, err = b.buy(10_000, "")
	wantError[*InProgressError](t, err)
	b.sweep()
	b.wantBalance(10_000, 0)
	if got := b.stripe.Oracle().Charged; got != 1000 {
		t.Errorf("charged: got %d cents, want 1000", got)
	}
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	b := Config{SecretKey: "pk_test_x", WebhookSecret: "secret", APIBase: "ftp://x", SetupReturnURL: "/billing", AttemptsPerDay: -1}
	err := b.Validate()
	for _, want := range []string{"db:", "secret key:", "webhook secret:", "api base:", "setup return url:", "attempts per day:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("faults: got %v, want %q among them", err, want)
		}
	}
	for _, tc := range []struct {
		name, key, base string
		ok              bool
	}{
		{"live to Stripe", "sk_live_x", "", true},
		{"live elsewhere", "sk_live_x", "http://127.0.0.1:12111", false},
		{"live in the clear", "rk_live_x", "http://api.stripe.com", false},
		{"live to a name like it", "sk_live_x", "https://api.notstripe.com", false},
		{"test elsewhere", "rk_test_x", "http://127.0.0.1:12111", true},
	} {
		if err := (Config{SecretKey: tc.key, APIBase: tc.base}.withDefaults().checkAPIBase()); (err == nil) != tc.ok {
			t.Errorf("%s: got %v, want it accepted: %t", tc.name, err, tc.ok)
		}
	}
}
