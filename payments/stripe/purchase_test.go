package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
	"github.com/turnpike-edge/turnpike/payments/token"
)

func wantError[E error](t *testing.T, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("error: got %v (%T), want %T", err, err, e)
	}
	return e
}

func TestPurchaseCreditsEachPack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.OK)
	var total, cents int64
	for _, pack := range price.DefaultPacks() {
		got, err := b.buy(pack.Credits, "")
		if err != nil {
			t.Fatalf("buying %d: %v", pack.Credits, err)
		}
		if got.Status != Succeeded || got.Credits != pack.Credits || !strings.HasPrefix(got.PaymentIntentID, "pi_") || !token.Is(got.TopupID, "topup") || got.Replayed {
			t.Errorf("result: got %+v, want %d credits", got, pack.Credits)
		}
		total += int64(pack.Credits)
		cents += int64(pack.Price)
		b.wantBalance(total, 0)
		b.clock.Advance(time.Minute)
	}
	if got := b.stripe.Oracle().Charged; got != cents {
		t.Errorf("charged: got %d cents, want %d", got, cents)
	}
	b.deliver(b.stripe.Events()...)
	b.wantBalance(total, 0)
	wantTrialBalance(t, b)
}

// wantTrialBalance compares the ledger's own sums with each other and with Stripe.
func wantTrialBalance(t *testing.T, b *bench) {
	t.Helper()
	off, err := b.q.ListAccountsOutOfBalance(t.Context())
	if err != nil || len(off) > 0 {
		t.Errorf("accounts out of balance: got %v (%v), want none", off, err)
	}
	var cents int64
	if err := b.pool.QueryRow(t.Context(), `
		select coalesce(sum(case when h.id = l.debit_account then l.amount else -l.amount end), 0)::bigint
		from ledger_account h join ledger_transfer l on h.id in (l.debit_account, l.credit_account)
		where h.kind = 'stripe_clearing' and h.unit = 'usd_cent'`).Scan(&cents); err != nil {
		t.Fatalf("summing the clearing account: %v", err)
	}
	if want := b.stripe.Oracle().Net; cents != want {
		t.Errorf("clearing account: got %d cents, want %d, what Stripe has", cents, want)
	}
}

func TestPurchaseOutcomes(t *testing.T) {
	t.Parallel()
	declined := func(code, declineCode string) func(*testing.T, Result, error) {
		return func(t *testing.T, _ Result, err error) {
			t.Helper()
			e := wantError[*DeclinedError](t, err)
			if e.Code != code || e.DeclineCode != declineCode || e.PaymentIntentID == "" || e.Message == "" || e.TopupID == "" {
				t.Errorf("refusal: got %+v, want %s (%s), with a payment and a message", e, code, declineCode)
			}
		}
	}
	owner := func(t *testing.T, _ Result, err error) {
		t.Helper()
		e := wantError[*AuthenticationError](t, err)
		if !strings.Contains(e.ActionURL, "/_pages/cs_") || e.PaymentIntentID == "" {
			t.Errorf("refusal: got %+v, want a page and a payment", e)
		}
	}
	pending := func(t *testing.T, got Result, err error) {
		t.Helper()
		if err != nil || got.Status != Pending || got.Credits != 0 || got.TopupID == "" {
			t.Errorf("result: got %+v, %v, want pending without credits", got, err)
		}
	}
	succeeded := func(t *testing.T, got Result, err error) {
		t.Helper()
		if err != nil || got.Status != Succeeded {
			t.Errorf("result: got %+v, %v, want success", got, err)
		}
	}
	for _, tc := range []struct {
		card    stripetest.Behaviour
		want    func(*testing.T, Result, error)
		atEnd   int64 // credits, after the sweeper and a day
		charged int64
	}{
		{stripetest.OK, succeeded, 10_000, 1000},
		{stripetest.InsufficientFunds, declined("card_declined", "insufficient_funds"), 0, 0},
		{stripetest.ExpiredCard, declined("expired_card", "expired_card"), 0, 0},
		{stripetest.LostCard, declined("card_declined", "lost_card"), 0, 0},
		{stripetest.AuthenticationRequired, owner, 0, 0},
		{stripetest.RequiresAction, owner, 0, 0},
		{stripetest.ProcessingSucceeds, pending, 10_000, 1000},
		{stripetest.ProcessingFails, pending, 0, 0},
		{stripetest.Error500Before, pending, 0, 0},
		{stripetest.Error500After, pending, 10_000, 1000},
		{stripetest.TimeoutBefore, pending, 10_000, 1000},
		{stripetest.TimeoutAfter, pending, 10_000, 1000},
		{stripetest.DropBefore, pending, 10_000, 1000},
		{stripetest.DropAfter, pending, 10_000, 1000},
		{stripetest.InUse, pending, 10_000, 1000},
		{stripetest.Limited, pending, 10_000, 1000},
		{stripetest.Unavailable, pending, 10_000, 1000},
	} {
		t.Run(string(tc.card), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.card(tc.card)
			got, err := b.buy(10_000, "key")
			tc.want(t, got, err)
			for _, p := range b.stripe.Oracle().Payments {
				b.stripe.Finish(p.ID)
			}
			for range 5 {
				b.clock.Advance(6 * time.Hour)
				_ = b.svc.Sweep(t.Context()) // returns what is still unknown
			}
			b.wantBalance(tc.atEnd, 0)
			if got := b.stripe.Oracle().Charged; got != tc.charged {
				t.Errorf("charged: got %d cents, want %d", got, tc.charged)
			}
			again, againErr := b.buy(10_000, "key")
			if tc.atEnd > 0 && (againErr != nil || again.Status != Succeeded || !again.Replayed || again.Credits != 10_000) {
				t.Errorf("the same key at the end: got %+v, %v, want the success again", again, againErr)
			}
			if tc.atEnd == 0 && againErr == nil {
				t.Errorf("the same key at the end: got %+v, want a refusal", again)
			}
			if got := b.stripe.Oracle().Charged; got != tc.charged {
				t.Errorf("charged after the same key again: got %d cents, want %d", got, tc.charged)
			}
			wantTrialBalance(t, b)
		})
	}
}

func TestPurchaseRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.buy(10_001, "")
	if e := wantError[*PackError](t, err); e.Credits != 10_001 || fmt.Sprint(e.Allowed) != "[10000 20000 80000 100000]" {
		t.Errorf("refusal: got %+v, want the packs", e)
	}
	_, err = b.buy(10_000, "key")
	if e := wantError[*NoPaymentMethodError](t, err); !strings.Contains(e.SetupURL, "/_pages/cs_") {
		t.Errorf("without a card: got page %q, want one", e.SetupURL)
	}
	b.card(stripetest.OK)
	if got, err := b.buy(10_000, "key"); err != nil || got.Replayed {
		t.Errorf("the same key with a card: got %+v, %v, want a purchase", got, err)
	}
	_, err = b.buy(20_000, "key")
	if !errors.Is(err, ErrKeyReuse) {
		t.Errorf("the same key for another pack: got %v, want %v", err, ErrKeyReuse)
	}
	b.clock.Advance(20 * time.Second)
	_, err = b.buy(10_000, "other")
	if e := wantError[*TooSoonError](t, err); e.RetryAfter != 40*time.Second {
		t.Errorf("20 s after an attempt: got %s to wait, want 40 s", e.RetryAfter)
	}
	b.clock.Advance(40 * time.Second)
	if _, err := b.buy(10_000, "other"); err != nil {
		t.Errorf("a key that was refused for a limit: got %v, want a purchase", err)
	}
	b.wantBalance(20_000, 0)
}

func TestVelocityLimits(t *testing.T) {
	t.Parallel()
	t.Run("attempts", func(t *testing.T) {
		t.Parallel()
		b := setup(t, func(c *Config) { c.AttemptsPerDay = 3 })
		b.card(stripetest.InsufficientFunds)
		for range 3 {
			_, err := b.buy(10_000, "")
			wantError[*DeclinedError](t, err)
			b.clock.Advance(time.Hour)
		}
		_, err := b.buy(10_000, "")
		if e := wantError[*VelocityError](t, err); e.RetryAfter != 21*time.Hour {
			t.Errorf("to wait: got %s, want 21 h", e.RetryAfter)
		}
		b.clock.Advance(21*time.Hour + time.Second)
		_, err = b.buy(10_000, "")
		wantError[*DeclinedError](t, err)
	})
	t.Run("money", func(t *testing.T) {
		t.Parallel()
		b := setup(t, func(c *Config) { c.CentsPerDay = 25_00 })
		b.card(stripetest.OK)
		for range 2 {
			if _, err := b.buy(10_000, ""); err != nil {
				t.Fatalf("within the limit: %v", err)
			}
			b.clock.Advance(time.Hour)
		}
		_, err := b.buy(10_000, "")
		if e := wantError[*VelocityError](t, err); !strings.Contains(e.Limit, "25.00 USD") {
			t.Errorf("limit: got %q, want its figure", e.Limit)
		}
	})
}

func TestDisabled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.TimeoutAfter)
	if got, err := b.buy(10_000, "key"); err != nil || got.Status != Pending {
		t.Fatalf("purchase: got %+v, %v, want pending", got, err)
	}
	off := b.cfg
	off.Disabled = true
	b.svc = newService(t, off)
	b.clock.Advance(2 * time.Minute)
	if _, err := b.buy(20_000, ""); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a new purchase: got %v, want %v", err, ErrUnavailable)
	}
	b.sweep()
	if got, err := b.buy(10_000, "key"); err != nil || got.Status != Succeeded || !got.Replayed {
		t.Errorf("what was begun: got %+v, %v, want its success", got, err)
	}
}

// Of many concurrent requests at several edges, one is charged.
func TestPurchasesAtOnce(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "key"} {
		t.Run("key "+key, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.card(stripetest.OK)
			edges := []*Service{b.svc, newService(t, b.cfg), newService(t, b.cfg)}
			var wg sync.WaitGroup
			for i := range 24 {
				wg.Go(func() {
					got, err := edges[i%3].Purchase(t.Context(), PurchaseRequest{TeamID: b.team, Credits: 10_000, IdempotencyKey: key})
					if err == nil && got.Status != Succeeded {
						t.Errorf("result: got %+v, want success or a refusal", got)
					}
				})
			}
			wg.Wait()
			if got := b.stripe.Oracle().Charged; got != 1000 {
				t.Errorf("charged: got %d cents, want 1000", got)
			}
			b.wantBalance(10_000, 0)
		})
	}
}

func TestOnePurchaseAtATime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.Error500Before)
	first, err := b.buy(10_000, "first")
	if err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(2 * time.Minute)
	_, err = b.buy(10_000, "second")
	if e := wantError[*InProgressError](t, err); e.TopupID != first.TopupID || e.RetryAfter <= 0 {
		t.Errorf("refusal: got %+v, want top-up %s and a time", e, first.TopupID)
	}
}

func TestKeyInProgress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.OK)
	crashed := &border{db: b.pool, http: b.cfg.HTTPClient.Transport, seen: func(string, string) {}, acts: acts{on: map[string]act{"POST payment_intents": {kill: true}}}}
	cfg := b.cfg
	cfg.DB, cfg.HTTPClient = crashed, &http.Client{Transport: crashed}
	alive := b.svc
	b.svc = newService(t, cfg)
	_, _ = b.buy(10_000, "key") // its edge is killed before it calls Stripe
	b.svc = alive
	if _, err := b.buy(10_000, "key"); !errors.Is(err, ErrKeyInProgress) {
		t.Errorf("the same key at once: got %v, want %v", err, ErrKeyInProgress)
	}
	b.clock.Advance(2 * time.Minute)
	if got, err := b.buy(10_000, "key"); err != nil || got.Status != Pending || !got.Replayed {
		t.Errorf("the same key after two minutes: got %+v, %v, want pending", got, err)
	}
	b.sweep()
	if got, err := b.buy(10_000, "key"); err != nil || got.Status != Succeeded || !got.Replayed {
		t.Errorf("the same key after the sweep: got %+v, %v, want success", got, err)
	}
	b.wantBalance(10_000, 0)
}

func TestPurchaseGoesOnWhenItsClientLeaves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.OK)
	ctx, leave := context.WithCancel(t.Context())
	inner := b.cfg.HTTPClient.Transport
	cfg := b.cfg
	cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		leave()
		return inner.RoundTrip(r)
	})}
	got, err := newService(t, cfg).Purchase(ctx, PurchaseRequest{TeamID: b.team, Credits: 10_000})
	if err != nil || got.Status != Succeeded {
		t.Errorf("result: got %+v, %v, want success", got, err)
	}
	b.wantBalance(10_000, 0)
}

func TestStripeDoesNotLetUsIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.OK)
	cfg := b.cfg
	cfg.SecretKey = "sk_test_revoked"
	good := b.svc
	b.svc = newService(t, cfg)
	if _, err := b.buy(10_000, "key"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("with a wrong key: got %v, want %v", err, ErrUnavailable)
	}
	b.svc = good
	b.clock.Advance(time.Minute)
	if got, err := b.buy(10_000, "key"); err != nil || got.Replayed {
		t.Errorf("the same key when it is mended: got %+v, %v, want a purchase", got, err)
	}
	b.wantBalance(10_000, 0)
}

func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.OK)
	for _, tc := range []struct {
		name string
		act  act
		on   string
		want func(Result, error) bool
	}{
		{"before anything", act{down: true}, "TopupByKey", func(_ Result, err error) bool { return errors.Is(err, ErrUnavailable) }},
		{"when it begins, unsaid", act{lose: true, after: true}, "OpenTopup", func(r Result, err error) bool { return err == nil && r.Status == Pending }},
		{"when it begins, and a pooler loses the server", act{lose: true, after: true, said: errPooler}, "OpenTopup", func(r Result, err error) bool { return err == nil && r.Status == Pending }},
		{"after the charge", act{down: true}, "CreditTopup", func(r Result, err error) bool {
			return err == nil && r.Status == Pending && r.PaymentIntentID != ""
		}},
	} {
		between := &border{db: b.pool, http: b.cfg.HTTPClient.Transport, seen: func(string, string) {}, acts: acts{on: map[string]act{tc.on: tc.act}}}
		cfg := b.cfg
		cfg.DB, cfg.HTTPClient = between, &http.Client{Transport: between}
		got, err := newService(t, cfg).Purchase(t.Context(), PurchaseRequest{TeamID: b.team, Credits: 10_000, IdempotencyKey: tc.name})
		if !tc.want(got, err) {
			t.Errorf("%s: got %+v, %v", tc.name, got, err)
		}
		b.clock.Advance(2 * time.Minute)
		b.sweep()
	}
	if got := b.stripe.Oracle().Charged; got != 3000 {
		t.Errorf("charged: got %d cents, want 3000", got)
	}
	b.wantBalance(30_000, 0)
}

func TestReceiptsAndParameters(t *testing.T) {
	t.Parallel()
	var form string
	b := setup(t)
	inner := b.cfg.HTTPClient.Transport
	cfg := b.cfg
	cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/v1/payment_intents" {
			if err := r.ParseForm(); err != nil {
				return nil, err
			}
			form = r.Form.Encode() + " key=" + r.Header.Get("Idempotency-Key")
			r.Body, _ = r.GetBody()
		}
		return inner.RoundTrip(r)
	})}
	b.svc = newService(t, cfg)
	page, err := b.svc.SetupPage(t.Context(), SetupRequest{TeamID: b.team, Email: "books@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	pm, err := b.stripe.Complete(page, stripetest.OK)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.buy(10_000, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"amount=1000", "currency=usd", "confirm=true", "off_session=true", "customer=" + b.stripe.Customer(b.team), "payment_method=" + pm,
		"receipt_email=books%40example.com", "metadata%5Btopup_id%5D=" + got.TopupID, "metadata%5Bteam_id%5D=" + b.team, "key=" + got.TopupID,
	} {
		if !strings.Contains(form, want) {
			t.Errorf("payment request: got %s, want %s in it", form, want)
		}
	}
}

func TestAnswersOfErrors(t *testing.T) {
	t.Parallel()
	if got := (&DeclinedError{Code: "card_declined", DeclineCode: "lost_card"}).Error(); !strings.Contains(got, "lost_card") {
		t.Errorf("text: got %q, want the issuer's reason", got)
	}
	_ = money.Cents(0)
}
