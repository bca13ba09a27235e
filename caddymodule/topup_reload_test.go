//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/topup"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/stripe"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// shop is an edge that sells credits through a Stripe double, which can be made to wait.
type shop struct {
	t       *testing.T
	address string
	double  *stripetest.Double
	stripe  *httptest.Server
	pool    *pgxpool.Pool
	key     string

	mu   sync.Mutex
	held map[string]*hold
}

// hold is a request that the double received and does not answer.
type hold struct{ arrived, answer chan struct{} }

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{
		t: t, pool: sellingDatabase(t), address: freeAddress(t), held: map[string]*hold{},
		double: stripetest.New(stripetest.Config{SecretKey: testStripeKey, WebhookSecret: testStripeWebhook}),
	}
	s.stripe = httptest.NewServer(http.HandlerFunc(s.serveStripe))
	t.Cleanup(s.stripe.Close)
	made, err := apikey.NewIssuer(s.pool).Create(t.Context(), apikey.NewKey{TeamID: teamSelling, Name: "buyer", Scopes: apikey.ScopeWrite | apikey.ScopeBilling})
	if err != nil {
		t.Fatal(err)
	}
	s.key = made.Key
	t.Cleanup(func() { // stops what a failed test has left, before its database goes
		_ = caddy.Stop()
		reload.StillInUse.Wait()
	})
	return s
}

// hold makes the double delay its answer to the next request with a method and a path.
func (s *shop) hold(method, path string) *hold {
	h := &hold{arrived: make(chan struct{}), answer: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[method+" "+path] = h
	return h
}

func (s *shop) serveStripe(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.held[r.Method+" "+r.URL.Path]
	delete(s.held, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	if h != nil {
		close(h.arrived)
		<-h.answer
	}
	s.double.ServeHTTP(w, r)
}

// load loads the configuration, with further options of `topup stripe`.
func (s *shop) load(options string) {
	s.t.Helper()
	err := caddy.Load(adaptConfig(s.t, `{
		admin off
		persist_config off
		auto_https off
		turnpike {
			ledger postgres {env.TURNPIKE_TEST_DATABASE}
			topup stripe {
				secret_key {env.TURNPIKE_TEST_STRIPE}
				webhook_secret {env.TURNPIKE_TEST_WEBHOOK}
				return_url https://shop.example.com/
				api_base `+s.stripe.URL+`
				`+options+`
			}
		}
	}
	http://`+s.address+` {
		handle /webhooks/stripe {
			topup
		}
		handle {
			api_key
			topup
		}
	}`), true)
	if err != nil {
		s.t.Fatal(err)
	}
}

// stop ends the last configuration; nothing shared must remain.
func (s *shop) stop() {
	s.t.Helper()
	if err := caddy.Stop(); err != nil {
		s.t.Fatal(err)
	}
	reload.StillInUse.Wait()
	if n := poolSize(); n != 0 {
		s.t.Errorf("%d shared resources outlive their last configuration", n)
	}
}

// soldService is a seller that several configurations can share.
type soldService interface {
	topup.Seller
	Running() int64
}

// sold returns the services of the configurations.
func (*shop) sold() (found []soldService) {
	reload.Pool.Range(func(_, value any) bool {
		if p, ok := value.(soldService); ok {
			found = append(found, p)
		}
		return true
	})
	return found
}

func (s *shop) post(path, body string) answered {
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		return answered{err: err}
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	return send(r)
}

// event delivers a Stripe event.
func (s *shop) event(ev stripetest.Event) answered {
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://"+s.address+topup.PathWebhook, bytes.NewReader(ev.Payload))
	if err != nil {
		return answered{err: err}
	}
	r.Header.Set("Stripe-Signature", s.double.Sign(ev.Payload))
	return send(r)
}

type answered struct {
	status int
	body   map[string]any
	err    error
}

func send(r *http.Request) answered {
	client := &http.Client{Timeout: testTimeout}
	res, err := client.Do(r)
	if err != nil {
		return answered{err: err}
	}
	defer res.Body.Close()
	a := answered{status: res.StatusCode}
	a.err = json.NewDecoder(res.Body).Decode(&a.body)
	return a
}

func (a answered) want(t *testing.T, status int) {
	t.Helper()
	if a.err != nil || a.status != status {
		t.Fatalf("got %d %v, error %v, want %d", a.status, a.body, a.err, status)
	}
}

// saveCard saves a good card, and delivers Stripe's events for it.
func (s *shop) saveCard() {
	s.t.Helper()
	a := s.post(topup.PathPaymentMethod, `{"email":"billing@example.com"}`)
	a.want(s.t, http.StatusOK)
	page, _ := a.body["url"].(string)
	if _, err := s.double.Complete(page, stripetest.OK); err != nil {
		s.t.Fatal(err)
	}
	s.deliver()
}

func (s *shop) deliver() {
	s.t.Helper()
	for _, ev := range s.double.Events() {
		s.event(ev).want(s.t, http.StatusOK)
	}
}

// wantSold wants that one pack of 10,000 credits was charged and granted, once.
func (s *shop) wantSold() {
	s.t.Helper()
	b, err := credits.NewLedger(s.pool).Balance(s.t.Context(), teamSelling)
	if err != nil {
		s.t.Fatal(err)
	}
	if charged := s.double.Oracle().Charged; b.Balance != 10_000 || charged != 10_00 {
		s.t.Errorf("got %d credits for %d cents, want 10000 for 1000", b.Balance, charged)
	}
}

// during starts a request that waits for Stripe, loads another configuration meanwhile, and returns the response.
func (s *shop) during(h *hold, request func() answered) answered {
	s.t.Helper()
	answers := make(chan answered, 1)
	go func() { answers <- request() }()
	select {
	case <-h.arrived:
	case a := <-answers:
		s.t.Fatalf("answered without Stripe: %d %v, error %v", a.status, a.body, a.err)
	}
	old := s.sold()
	if len(old) != 1 {
		s.t.Fatalf("got %d services, want 1", len(old))
	}
	s.load("paused")
	if now := s.sold(); len(now) != 1 || now[0] == old[0] {
		s.t.Errorf("got %d services, want another one", len(now))
	}
	if n := old[0].Running(); n != 1 {
		s.t.Errorf("got %d requests that the old service waits for, want 1", n)
	}
	if _, err := old[0].PaymentMethod(s.t.Context(), teamSelling); err != nil && !is[*stripe.NoPaymentMethodError](err) {
		s.t.Errorf("the old service has lost its database: %v", err)
	}
	close(h.answer)
	a := <-answers
	reload.StillInUse.Wait()
	if _, err := old[0].PaymentMethod(s.t.Context(), teamSelling); err == nil || is[*stripe.NoPaymentMethodError](err) {
		s.t.Error("the old service outlives its last request")
	}
	return a
}

// A purchase that waits for Stripe during reloads is answered and credited once.
func TestReloadDuringAPurchase(t *testing.T) {
	s := newShop(t)
	s.load("")
	s.saveCard()
	a := s.during(s.hold(http.MethodPost, "/v1/payment_intents"), func() answered { return s.post(topup.PathPurchase, `{"credits":10000}`) })
	a.want(t, http.StatusOK)
	if a.body["success"] != true || a.body["credits"] != float64(10_000) {
		t.Errorf("got %v, want a purchase of 10000", a.body)
	}
	s.wantSold()
	s.deliver()
	s.wantSold()
	s.stop()
}

// The same holds for an event, which has no API key.
func TestReloadDuringAnEvent(t *testing.T) {
	s := newShop(t)
	s.load("")
	s.saveCard()
	// The bank is slow, so the event brings the credits.
	card := s.double.DefaultCard(s.double.Customer(teamSelling))
	s.double.SetBehaviour(card, stripetest.ProcessingSucceeds)
	a := s.post(topup.PathPurchase, `{"credits":10000}`)
	a.want(t, http.StatusAccepted)
	intent, _ := a.body["payment_intent_id"].(string)
	s.deliver()
	if !s.double.Finish(intent) {
		t.Fatalf("no payment %q is processing", intent)
	}
	events := s.double.Events()
	if len(events) != 1 {
		t.Fatalf("got %d events, want 1", len(events))
	}
	s.during(s.hold(http.MethodGet, "/v1/payment_intents/"+intent), func() answered { return s.event(events[0]) }).want(t, http.StatusOK)
	s.wantSold()
	s.event(events[0]).want(t, http.StatusOK)
	s.wantSold()
	s.stop()
}

// A reload keeps the same service and its one sweeper. The last configuration ends it.
func TestTopUpStripeOutlivesReloads(t *testing.T) {
	s := newShop(t)
	s.load("")
	first := s.sold()
	s.load("optional")
	if got := s.sold(); len(first) != 1 || len(got) != 1 || got[0] != first[0] {
		t.Errorf("got %d services, then %d: want the same one", len(first), len(got))
	}
	s.load("paused")
	if got := s.sold(); len(got) != 1 || got[0] == first[0] {
		t.Errorf("got %d services, want another one", len(got))
	}
	s.stop()
}
