package stripetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"
)

// at is a clock that a test sets.
type at struct{ time.Time }

func (a *at) now() time.Time { return a.Time }

type bench struct {
	t      *testing.T
	double *Double
	clock  *at
	client *http.Client
	base   string
}

func setup(t *testing.T) *bench {
	t.Helper()
	clock := &at{time.Unix(1_790_000_000, 0)}
	d := New(Config{Now: clock.now})
	return &bench{t: t, double: d, clock: clock, client: d.Client(), base: "http://stripe.test"}
}

// do sends a request and returns the status and the answer.
func (b *bench) do(method, path, key string, form url.Values) (int, map[string]any, http.Header, error) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk_test_double")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	var body map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		b.t.Fatalf("%s %s: answer: %v", method, path, err)
	}
	return resp.StatusCode, body, resp.Header, nil
}

func (b *bench) customer() string {
	b.t.Helper()
	_, c, _, err := b.do("POST", "/v1/customers", "", url.Values{"metadata[team_id]": {"team_a"}})
	if err != nil {
		b.t.Fatal(err)
	}
	return c["id"].(string)
}

func payment(customer, card string) url.Values {
	return url.Values{
		"amount": {"1000"}, "currency": {"usd"}, "customer": {customer}, "payment_method": {card}, "confirm": {"true"},
		"off_session": {"true"}, "metadata[topup_id]": {"topup_a"},
	}
}

// pay returns the payment.
func (b *bench) pay(key string, form url.Values) map[string]any {
	b.t.Helper()
	status, pi, _, err := b.do("POST", "/v1/payment_intents", key, form)
	if err != nil || status != http.StatusOK {
		b.t.Fatalf("payment: got %d, %v", status, err)
	}
	return pi
}

func TestKeysAreRememberedForADay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	customer := b.customer()
	form := payment(customer, b.double.AddCard(customer, OK))
	first := b.pay("key", form)
	_, again, header, _ := b.do("POST", "/v1/payment_intents", "key", form)
	if first["id"] != again["id"] || header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same key: got %v (%v), want %v replayed", again["id"], header, first["id"])
	}
	other := payment(customer, form.Get("payment_method"))
	other.Set("amount", "1900")
	status, refused, _, _ := b.do("POST", "/v1/payment_intents", "key", other)
	if e := refused["error"].(map[string]any); status != 400 || e["type"] != "idempotency_error" {
		t.Errorf("other parameters: got %d %v, want an idempotency_error", status, e)
	}
	b.clock.Time = b.clock.Add(KeysKept)
	late := b.pay("key", form)
	if late["id"] == first["id"] || b.double.Oracle().Charged != 2000 {
		t.Errorf("the same key after a day: got %v and %d cents, want a second charge", late["id"], b.double.Oracle().Charged)
	}
}

func TestCardsBehave(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		card           Behaviour
		first, again   int // status; 0: no answer
		charged, after int64
	}{
		{OK, 200, 200, 1000, 1000},
		{InsufficientFunds, 402, 402, 0, 0},
		{ExpiredCard, 402, 402, 0, 0},
		{LostCard, 402, 402, 0, 0},
		{AuthenticationRequired, 402, 402, 0, 0},
		{RequiresAction, 200, 200, 0, 0},
		{ProcessingSucceeds, 200, 200, 0, 0},
		{ProcessingFails, 200, 200, 0, 0},
		{Error500Before, 500, 500, 0, 0},
		{Error500After, 500, 500, 1000, 1000},
		{TimeoutBefore, 0, 200, 0, 1000},
		{TimeoutAfter, 0, 200, 1000, 1000},
		{DropBefore, 0, 200, 0, 1000},
		{DropAfter, 0, 200, 1000, 1000},
		{InUse, 409, 409, 0, 0},
		{Limited, 429, 429, 0, 0},
		{Unavailable, 503, 200, 0, 1000},
	} {
		t.Run(string(tc.card), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			customer := b.customer()
			form := payment(customer, b.double.AddCard(customer, tc.card))
			for _, want := range []struct {
				status  int
				charged int64
			}{{tc.first, tc.charged}, {tc.again, tc.after}} {
				status, _, _, err := b.do("POST", "/v1/payment_intents", "key", form)
				if status != want.status || (err != nil) != (want.status == 0) {
					t.Errorf("status: got %d (%v), want %d", status, err, want.status)
				}
				if got := b.double.Oracle().Charged; got != want.charged {
					t.Errorf("charged: got %d, want %d", got, want.charged)
				}
			}
		})
	}
	if len(Behaviours()) != 17 {
		t.Errorf("behaviours: got %d, want each of them tested above", len(Behaviours()))
	}
}

func TestUnknownParametersAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	status, body, _, _ := b.do("POST", "/v1/customers", "", url.Values{"colour": {"red"}})
	if status != 400 || !strings.Contains(body["error"].(map[string]any)["message"].(string), "colour") {
		t.Errorf("answer: got %d %v, want the parameter refused", status, body)
	}
	b.double.cfg.SecretKey = "sk_test_other"
	if status, _, _, _ := b.do("GET", "/v1/customers/cus_1", "", nil); status != 401 {
		t.Errorf("with another key: got %d, want 401", status)
	}
}

func TestListsComeInPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	customer := b.customer()
	card := b.double.AddCard(customer, OK)
	for range 5 {
		if _, _, _, err := b.do("POST", "/v1/payment_intents", "", payment(customer, card)); err != nil {
			t.Fatal(err)
		}
	}
	var got int
	after := ""
	for {
		_, page, _, _ := b.do("GET", "/v1/payment_intents?limit=2&customer="+customer+after, "", nil)
		data := page["data"].([]any)
		got += len(data)
		if page["has_more"] != true {
			break
		}
		after = "&starting_after=" + data[len(data)-1].(map[string]any)["id"].(string)
	}
	if got != 5 {
		t.Errorf("payments: got %d, want 5", got)
	}
}

func TestRefundsAndDisputesOnlyAsFarAsPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	customer := b.customer()
	pi := b.pay("", payment(customer, b.double.AddCard(customer, OK)))
	id := pi["id"].(string)
	if _, err := b.double.Refund(id, 1001); !errors.Is(err, ErrNotPossible) {
		t.Errorf("more than was paid: got %v", err)
	}
	if status, _, _, _ := b.do("POST", "/v1/refunds", "", url.Values{"payment_intent": {id}, "amount": {"400"}}); status != 200 {
		t.Errorf("a refund: got %d, want 200", status)
	}
	dispute, err := b.double.Dispute(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.double.Refund(id, 1); !errors.Is(err, ErrNotPossible) {
		t.Errorf("what is disputed: got %v", err)
	}
	if got := b.double.Oracle(); got.Net != 0 || got.Payments[0].Disputed != 600 {
		t.Errorf("disputed: got %+v, want the rest, 600", got)
	}
	if err := b.double.CloseDispute(dispute, true); err != nil {
		t.Fatal(err)
	}
	if got := b.double.Oracle().Net; got != 600 {
		t.Errorf("won: got %d, want 600", got)
	}
}

// As a server it serves pages and the oracle, and delivers events. An answer that never comes ends with the client's timeout.
func TestAsAServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := httptest.NewServer(b.double)
	t.Cleanup(server.Close)
	b.client, b.base = server.Client(), server.URL
	b.double.cfg.PagesURL = server.URL
	customer := b.customer()
	status, page, _, err := b.do("POST", "/v1/checkout/sessions", "", url.Values{
		"mode": {"setup"}, "customer": {customer}, "success_url": {"https://example.com"}, "payment_method_types[0]": {"card"},
	})
	if err != nil || status != http.StatusOK {
		t.Fatalf("session: got %d, %v", status, err)
	}
	path := strings.TrimPrefix(page["url"].(string), server.URL)
	status, done, _, err := b.do("POST", path, "", url.Values{"behaviour": {string(TimeoutAfter)}})
	if err != nil || status != http.StatusOK {
		t.Fatalf("page: got %d, %v, want 200", status, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() { // cancelled once it is charged, since no answer comes
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for b.double.Oracle().Charged == 0 && ctx.Err() == nil {
			<-tick.C
		}
		leave()
	}()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/payment_intents", strings.NewReader(payment(customer, done["payment_method"].(string)).Encode()))
	req.Header.Set("Authorization", "Bearer sk_test_double")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Idempotency-Key", "key")
	if _, err := b.client.Do(req); !errors.Is(err, context.Canceled) { //nolint:bodyclose // there is none
		t.Errorf("an answer that never comes: got %v", err)
	}
	if _, oracle, _, _ := b.do("GET", "/_oracle", "", nil); oracle["charged"] != 1000.0 {
		t.Errorf("oracle: got %v, want 1000 charged", oracle)
	}

	var got []byte
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		payload, _ := io.ReadAll(r.Body)
		if err := webhook.ValidatePayloadIgnoringTolerance(payload, r.Header.Get("Stripe-Signature"), "whsec_double"); err != nil {
			t.Errorf("signature: %v", err)
		}
		got = payload
	}))
	t.Cleanup(endpoint.Close)
	events := b.double.Events()
	if status, err := b.double.Deliver(t.Context(), endpoint.Client(), endpoint.URL, events[0]); err != nil || status != 200 || string(got) != string(events[0].Payload) {
		t.Errorf("delivering: got %d, %v, want the event there", status, err)
	}
}
