package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

const (
	stripeKey     = "sk_test_of_these_tests"
	stripeWebhook = "whsec_of_these_tests"
)

// bank is the Stripe fake that the edge talks to.
type bank struct {
	*stripetest.Double

	url string

	mu sync.Mutex // one delivery at a time: the next waits until the one before has ended
}

func (s *stack) startStripe() error {
	server := httptest.NewUnstartedServer(nil)
	address := "http://" + server.Listener.Addr().String()
	s.stripe = &bank{url: address, Double: stripetest.New(stripetest.Config{
		SecretKey: stripeKey, WebhookSecret: stripeWebhook, PagesURL: address,
	})}
	server.Config.Handler = s.stripe.Double
	server.Start()
	s.onStop(server.Close)
	return nil
}

// deliver sends every event so far to the edge, which must accept each.
func (b *bank) deliver(t *testing.T, edge string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, event := range b.Events() {
		status, err := b.Deliver(t.Context(), client, edge+"/webhooks/stripe", event)
		if err != nil || status != http.StatusOK {
			t.Errorf("event %s: got %d, error %v, want 200", event.Type, status, err)
		}
	}
}

// charged returns how many cents a team was charged, and in how many payments.
func (b *bank) charged(team string) (cents int64, payments int) {
	for _, p := range b.Oracle().Payments {
		if p.TeamID == team && p.Charged > 0 {
			cents, payments = cents+p.Charged, payments+1
		}
	}
	return cents, payments
}

// buyer returns a team whose key may buy credits.
func (s *stack) buyer(t *testing.T) *purse {
	t.Helper()
	return s.purse(t, 0)
}

// completePage submits a Stripe page as a customer does.
func completePage(t *testing.T, page string, b stripetest.Behaviour) {
	t.Helper()
	form := url.Values{"behaviour": {string(b)}}.Encode()
	call{url: page, body: form, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}}.do(t).wantStatus(t, http.StatusOK)
}

// saveCard saves a card as a customer does: on Stripe's page, followed by Stripe's event.
func (p *purse) saveCard(t *testing.T, b stripetest.Behaviour) {
	t.Helper()
	got := p.call("POST", "/user/payment-method", `{"email": "billing@example.com"}`).do(t)
	got.wantStatus(t, http.StatusOK)
	var page struct{ URL string }
	got.json(t, &page)
	if !strings.HasPrefix(page.URL, p.s.stripe.url) {
		t.Fatalf("got the page %q, want one of Stripe's", page.URL)
	}
	completePage(t, page.URL, b)
	p.s.stripe.deliver(t, p.s.edge)
}

func (p *purse) call(method, path, body string) call {
	return call{method: method, url: p.s.edge + path, body: body}.with(p.bearer()...)
}

func (p *purse) buy(t *testing.T, body string, headers ...string) answer {
	t.Helper()
	return p.call("POST", "/user/purchase-topup", body).with(headers...).do(t)
}

// wantBought checks the team's credits, and what its card was charged for them.
func (p *purse) wantBought(t *testing.T, want money.Credits, cents int64, payments int) {
	t.Helper()
	b, err := credits.NewLedger(p.s.pool).Balance(t.Context(), p.team)
	if err != nil {
		t.Fatal(err)
	}
	charged, n := p.s.stripe.charged(p.team)
	if b.Balance != want || charged != cents || n != payments {
		t.Errorf("got %d credits for %d cents in %d payments, want %d for %d in %d", b.Balance, charged, n, want, cents, payments)
	}
}
