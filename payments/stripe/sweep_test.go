package stripe

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// A key that Stripe may have forgotten is looked up and never sent.
func TestOldKeysAreNotSent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		card    stripetest.Behaviour
		credits int64
	}{
		{"charged", stripetest.TimeoutAfter, 10_000},
		{"never arrived", stripetest.TimeoutBefore, 0},
		{"declined", stripetest.InsufficientFunds, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.card(tc.card)
			var sent atomic.Int64
			inner := b.cfg.HTTPClient.Transport
			cfg := b.cfg
			cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPost {
					sent.Add(1)
				}
				return inner.RoundTrip(r)
			})}
			lost := &border{db: b.pool, http: inner, seen: func(string, string) {}, acts: acts{on: map[string]act{"POST payment_intents": {kill: true, after: true}}}}
			crashed := b.cfg
			crashed.DB, crashed.HTTPClient = lost, &http.Client{Transport: lost}
			b.svc = newService(t, crashed)
			_, _ = b.buy(10_000, "key")
			b.svc = newService(t, cfg)
			b.clock.Advance(23*time.Hour + time.Second)
			_ = b.svc.Sweep(t.Context())
			b.wantBalance(tc.credits, 0)
			b.clock.Advance(time.Hour)
			b.sweep()
			b.wantBalance(tc.credits, 0)
			if got := sent.Load(); got != 0 {
				t.Errorf("requests to charge: got %d, want none", got)
			}
			if _, err := b.q.OpenTopupOf(t.Context(), openOf(b.team)); err == nil {
				t.Errorf("the top-up is still open after 24 hours")
			}
		})
	}
}

func openOf(team string) db.OpenTopupOfParams {
	return db.OpenTopupOfParams{TeamID: team}
}

// Concurrent sweepers share the work: each purchase is charged and credited once.
func TestSweepersAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const teams = 30
	for range teams {
		team := token.New("team")
		newTeam(t, b.q, team)
		page := must[string](t)(b.svc.SetupPage(t.Context(), SetupRequest{TeamID: team}))
		must[string](t)(b.stripe.Complete(page, stripetest.DropAfter))
		got, err := b.svc.Purchase(t.Context(), PurchaseRequest{TeamID: team, Credits: 10_000, IdempotencyKey: "k", RequestHash: sha256.Sum256(nil)})
		if err != nil || got.Status != Pending {
			t.Fatalf("purchase: got %+v, %v, want pending", got, err)
		}
	}
	b.clock.Advance(2 * time.Minute)
	events := b.stripe.Events()
	var wg sync.WaitGroup
	for i := range 4 {
		svc := newService(t, b.cfg)
		wg.Go(func() {
			if err := svc.Sweep(t.Context()); err != nil {
				t.Errorf("sweeping: %v", err)
			}
		})
		wg.Go(func() {
			for j := range events {
				ev := events[(j+i*17)%len(events)]
				if err := svc.Webhook(t.Context(), ev.Payload, b.stripe.Sign(ev.Payload)); err != nil {
					t.Errorf("webhook: %v", err)
				}
			}
		})
	}
	wg.Wait()
	var credits int64
	if err := b.pool.QueryRow(t.Context(), `select sum(available)::bigint from ledger_account where kind = 'customer'`).Scan(&credits); err != nil {
		t.Fatal(err)
	}
	if want := int64(teams * 10_000); credits != want || b.stripe.Oracle().Charged != teams*1000 {
		t.Errorf("credits and cents: got %d and %d, want %d and %d", credits, b.stripe.Oracle().Charged, want, teams*1000)
	}
	wantTrialBalance(t, b)
}

func TestRunSweepsAtEachTick(t *testing.T) {
	t.Parallel()
	ticks := make(chan time.Time)
	b := setup(t, func(c *Config) { c.Ticks = ticks })
	b.card(stripetest.TimeoutAfter)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.svc.Run(ctx) }()
	ticks <- b.clock.Now() // too soon: nothing is due
	ticks <- b.clock.Now() // taken after the first round is done
	b.wantBalance(0, 0)
	b.clock.Advance(2 * time.Minute)
	ticks <- b.clock.Now()
	ticks <- b.clock.Now()
	b.wantBalance(10_000, 0)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("run: got %v, want %v", err, context.Canceled)
	}
}

// Two edges that create a customer at once, or one that tries again after a crash, create one.
func TestOneCustomerPerTeam(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := b.svc.SetupPage(t.Context(), SetupRequest{TeamID: b.team}); err != nil {
				t.Errorf("setup page: %v", err)
			}
		})
	}
	wg.Wait()
	if row, err := b.svc.customer(t.Context(), b.team); err != nil || row.CustomerID != b.stripe.Customer(b.team) {
		t.Errorf("customer: got %+v, %v, want %s", row, err, b.stripe.Customer(b.team))
	}
}
