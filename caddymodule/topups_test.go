//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/caddymodule/ledger"
	"github.com/turnpike-edge/turnpike/caddymodule/topup"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/stripe"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

const (
	testStripeKey     = "sk_test_double"
	testStripeWebhook = "whsec_double"
	teamSelling       = "team_selling"
)

// stripeFake is a module that sells credits, with its ledger and Stripe double.
type stripeFake struct {
	topup.Seller
	balance func() money.Credits
	double  *stripetest.Double // nil: nothing is sold
}

// openStripeFake opens a module on a database, as the app does.
func openStripeFake(t *testing.T, source topup.Source) *stripeFake {
	t.Helper()
	pool := sellingDatabase(t)
	ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
	t.Cleanup(cancel)
	ledger := &ledger.Postgres{URL: "{env.TURNPIKE_TEST_DATABASE}"}
	if err := ledger.Provision(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ledger.Cleanup() })
	double := stripetest.New(stripetest.Config{SecretKey: testStripeKey, WebhookSecret: testStripeWebhook})
	server := httptest.NewServer(double)
	t.Cleanup(server.Close)
	if s, ok := source.(*topup.Stripe); ok {
		s.APIBase = server.URL
		t.Cleanup(func() { _ = s.Cleanup() })
	}
	topups, err := source.Open(topup.Env{Logger: ctx.Logger(), Ledger: ledger, DocsURL: "https://docs.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	k := &stripeFake{Seller: topups, double: double, balance: func() money.Credits {
		b, err := credits.NewLedger(pool).Balance(t.Context(), teamSelling)
		if err != nil {
			t.Fatal(err)
		}
		return b.Balance
	}}
	if errors.Is(topups.CheckSignature(""), topup.ErrOff) {
		k.double = nil
	}
	return k
}

// sellingDatabase is a database with the one team that buys. Configurations find it and the double's secrets in the environment.
func sellingDatabase(t *testing.T) *pgxpool.Pool {
	t.Helper()
	url := pgtest.New(t, migrated)
	t.Setenv("TURNPIKE_TEST_DATABASE", url)
	t.Setenv("TURNPIKE_TEST_STRIPE", testStripeKey)
	t.Setenv("TURNPIKE_TEST_WEBHOOK", testStripeWebhook)
	pool := pgtest.Open(t, url, nil)
	if _, err := db.New(pool).CreateTeam(t.Context(), db.CreateTeamParams{ID: teamSelling}); err != nil {
		t.Fatal(err)
	}
	return pool
}

// saveCard does what a person does on the page, and delivers the events.
func (k *stripeFake) saveCard(t *testing.T, b stripetest.Behaviour) {
	t.Helper()
	page, err := k.SetupPage(t.Context(), stripe.SetupRequest{TeamID: teamSelling, Email: "billing@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.double.Complete(page, b); err != nil {
		t.Fatal(err)
	}
	for _, event := range k.double.Events() {
		if err := k.Webhook(t.Context(), event.Payload, k.double.Sign(event.Payload)); err != nil {
			t.Fatalf("%s: %v", event.Type, err)
		}
	}
}

// TestTopUpSources tests the rules for every module in turnpike.topups.
func TestTopUpSources(t *testing.T) {
	for name, source := range map[string]topup.Source{
		"none":   new(topup.None),
		"stripe": &topup.Stripe{SecretKey: "{env.TURNPIKE_TEST_STRIPE}", WebhookSecret: "{env.TURNPIKE_TEST_WEBHOOK}"},
		"stripe without secrets": &topup.Stripe{
			SecretKey: "{env.TURNPIKE_TEST_UNSET}", WebhookSecret: "{env.TURNPIKE_TEST_UNSET}", Optional: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := openStripeFake(t, source)
			for name, test := range conformance {
				t.Run(name, func(t *testing.T) {
					test(t, k)
					if got := k.balance(); got != 0 {
						t.Errorf("got %d credits for nothing", got)
					}
				})
			}
			t.Run("sells", func(t *testing.T) { testSale(t, k) })
		})
	}
}

// refusesBy wants an error: topup.ErrOff if the module sells nothing, and otherwise one that want accepts.
func (k *stripeFake) refusesBy(t *testing.T, err error, want func(error) bool) {
	t.Helper()
	if k.double == nil {
		want = func(err error) bool { return errors.Is(err, topup.ErrOff) }
	}
	if err == nil || !want(err) {
		t.Errorf("got %v", err)
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

var conformance = map[string]func(*testing.T, *stripeFake){
	"a team without a card buys nothing": func(t *testing.T, k *stripeFake) {
		_, err := k.Purchase(t.Context(), stripe.PurchaseRequest{TeamID: teamSelling, Credits: 10_000})
		k.refusesBy(t, err, is[*stripe.NoPaymentMethodError])
	},
	"what is no pack is not sold": func(t *testing.T, k *stripeFake) {
		for _, n := range []money.Credits{0, -1, 1, 10_001} {
			_, err := k.Purchase(t.Context(), stripe.PurchaseRequest{TeamID: teamSelling, Credits: n})
			k.refusesBy(t, err, is[*stripe.PackError])
		}
	},
	"a team without a card has none to show": func(t *testing.T, k *stripeFake) {
		_, err := k.PaymentMethod(t.Context(), teamSelling)
		k.refusesBy(t, err, is[*stripe.NoPaymentMethodError])
	},
	"no card is removed twice": func(t *testing.T, k *stripeFake) {
		for range 2 {
			if err := k.RemovePaymentMethod(t.Context(), teamSelling); k.double == nil || err != nil {
				k.refusesBy(t, err, func(error) bool { return false })
			}
		}
	},
	"an event that nobody signed is refused": func(t *testing.T, k *stripeFake) {
		for _, signature := range []string{"", "t=1,v1=0", "nonsense"} {
			err := k.Webhook(t.Context(), []byte(`{"id":"evt_1","object":"event","type":"payment_intent.succeeded"}`), signature)
			k.refusesBy(t, err, func(err error) bool { return errors.Is(err, stripe.ErrSignature) })
		}
	},
	"an event that is too large is refused": func(t *testing.T, k *stripeFake) {
		err := k.Webhook(t.Context(), make([]byte, stripe.WebhookBytesMax+1), "t=1,v1=0")
		k.refusesBy(t, err, func(err error) bool { return errors.Is(err, stripe.ErrPayloadTooLarge) })
	},
	"limits are said by who has some": func(t *testing.T, k *stripeFake) {
		if has := k.RatePolicy() != ""; has != (k.double != nil) {
			t.Errorf("got %q", k.RatePolicy())
		}
	},
}

// testSale shows that a module that sells charges once and credits once.
func testSale(t *testing.T, k *stripeFake) {
	if k.double == nil {
		_, err := k.SetupPage(t.Context(), stripe.SetupRequest{TeamID: teamSelling})
		k.refusesBy(t, err, nil)
		return
	}
	k.saveCard(t, stripetest.OK)
	if card, err := k.PaymentMethod(t.Context(), teamSelling); err != nil || len(card.Last4) != 4 {
		t.Errorf("got %+v, error %v", card, err)
	}
	req := stripe.PurchaseRequest{TeamID: teamSelling, Credits: 10_000, IdempotencyKey: "one", RequestHash: [32]byte{1}}
	first, err := k.Purchase(t.Context(), req)
	if err != nil || first.Status != stripe.Succeeded || first.Credits != 10_000 || first.PaymentIntentID == "" {
		t.Fatalf("got %+v, error %v", first, err)
	}
	again, err := k.Purchase(t.Context(), req)
	first.Replayed = true
	if err != nil || again != first {
		t.Errorf("the same again: got %+v, error %v, want %+v", again, err, first)
	}
	req.RequestHash = [32]byte{2}
	if _, err := k.Purchase(t.Context(), req); !errors.Is(err, stripe.ErrKeyReuse) {
		t.Errorf("another request with the key: got %v", err)
	}
	req.IdempotencyKey = ""
	if _, err := k.Purchase(t.Context(), req); !is[*stripe.TooSoonError](err) {
		t.Errorf("at once another: got %v", err)
	}
	if got, charged := k.balance(), k.double.Oracle().Charged; got != 10_000 || charged != 10_00 {
		t.Errorf("got %d credits for %d cents, want 10000 for 1000", got, charged)
	}
}

// databaseAway is a ledger in a database that cannot be reached.
type databaseAway struct{}

func (databaseAway) DatabaseURL() string { return "postgres://127.0.0.1:1/none?connect_timeout=1" }

// A configuration that lacks one of the secrets does not start, even with optional.
func TestTopUpStripeSecrets(t *testing.T) {
	t.Setenv("TURNPIKE_TEST_STRIPE", testStripeKey)
	t.Setenv("TURNPIKE_TEST_WEBHOOK", testStripeWebhook)
	const set, unset = "{env.TURNPIKE_TEST_STRIPE}", "{env.TURNPIKE_TEST_UNSET}"
	app := topup.Env{DocsURL: "https://docs.example.com", Ledger: databaseAway{}}
	for _, tt := range []struct{ name, key, webhook, want string }{
		{"no key", unset, "{env.TURNPIKE_TEST_WEBHOOK}", "secret_key: evaluated placeholder {env.TURNPIKE_TEST_UNSET} is empty"},
		{"no webhook secret", set, unset, "webhook_secret: evaluated placeholder {env.TURNPIKE_TEST_UNSET} is empty"},
		{"a key as text", testStripeKey, "{env.TURNPIKE_TEST_WEBHOOK}", "secret_key is a secret"},
		{"both, and no database", set, "{env.TURNPIKE_TEST_WEBHOOK}", "reaching the database"},
	} {
		for _, optional := range []bool{true, false} {
			s := &topup.Stripe{SecretKey: tt.key, WebhookSecret: tt.webhook, Optional: optional}
			_, err := s.Open(app)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, optional %v: got %v, want %s", tt.name, optional, err, tt.want)
			}
		}
	}
	app.DocsURL = docsURLDefault
	if _, err := (&topup.Stripe{SecretKey: set, WebhookSecret: "{env.TURNPIKE_TEST_WEBHOOK}"}).Open(app); err == nil || !strings.Contains(err.Error(), "return_url: want the URL of the page") {
		t.Errorf("nowhere to lead back to: got %v", err)
	}
}
