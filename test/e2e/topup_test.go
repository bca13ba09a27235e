package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

type purchase struct {
	Success         bool   `json:"success"`
	PaymentIntentID string `json:"payment_intent_id"`
	Credits         int64  `json:"credits"`
	Status          string `json:"status"`
}

// TestTopUpJourney goes from no card to credits that pay for a request, only through the API.
func TestTopUpJourney(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, page := s.buyer(t), s.pages.fresh()
	s.scrape(page).with(p.bearer()...).do(t).refused(t, http.StatusPaymentRequired, "credits_exhausted")
	p.call("GET", "/user/payment-method", "").do(t).refused(t, http.StatusNotFound, "payment_method_not_found", "No card is saved")
	no := p.buy(t, `{"credits": 10000}`).refused(t, http.StatusPaymentRequired, "no_payment_method", "No card is saved")
	if setup, _ := no.Metadata["setup_url"].(string); !strings.HasPrefix(setup, s.stripe.url) {
		t.Errorf("got %v, want a page on which a card can be saved", no.Metadata)
	}
	p.saveCard(t, stripetest.OK)
	var card struct {
		Card struct {
			Brand, Last4 string
			ExpMonth     int `json:"exp_month"`
			ExpYear      int `json:"exp_year"`
		}
	}
	got := p.call("GET", "/user/payment-method", "").do(t)
	got.wantStatus(t, http.StatusOK)
	got.json(t, &card)
	if c := card.Card; c.Brand != "visa" || c.Last4 != "4242" || c.ExpMonth != 12 || c.ExpYear != 2034 {
		t.Errorf("got %+v", c)
	}

	got = p.buy(t, `{"credits": 10000}`, "Idempotency-Key", "order-1")
	got.wantStatus(t, http.StatusOK)
	got.wantPlainHeaders(t)
	var bought purchase
	got.json(t, &bought)
	if !bought.Success || bought.Credits != 10_000 || !strings.HasPrefix(bought.PaymentIntentID, "pi_") || bought.Status != "" {
		t.Errorf("got %s, want 10000 credits", got.body)
	}
	p.wantBought(t, 10_000, 10_00, 1)

	// The events of the purchase arrive later, and twice.
	s.stripe.deliver(t, s.edge)
	again := p.buy(t, `{"credits": 10000}`, "Idempotency-Key", "order-1")
	if again.status != http.StatusOK || string(again.body) != string(got.body) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same again: got %d %s, want what it was, as a replay", again.status, again.body)
	}
	p.buy(t, `{"credits": 20000}`, "Idempotency-Key", "order-1").refused(t, http.StatusUnprocessableEntity, "idempotency_key_reuse")
	soon := p.buy(t, `{"credits": 10000}`)
	soon.refused(t, http.StatusTooManyRequests, "rate_limit_exceeded", "Nothing was charged")
	if soon.header.Get("Retry-After") == "" || !strings.HasPrefix(soon.header.Get("RateLimit"), `"topup";r=0;t=`) {
		t.Errorf("got %v, want when to try again", soon.header)
	}
	p.wantBought(t, 10_000, 10_00, 1)

	got = s.scrape(page).with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	if left := got.header.Get("X-Credits-Remaining"); left != "9999" {
		t.Errorf("got %s credits left, want 9999", left)
	}

	p.call("DELETE", "/user/payment-method", "").do(t).wantStatus(t, http.StatusOK)
	p.call("GET", "/user/payment-method", "").do(t).refused(t, http.StatusNotFound, "payment_method_not_found")
}

// TestTopUpPacks shows that each pack has its price and adds its credits.
func TestTopUpPacks(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for body, cents := range map[string]int64{
		`{"credits": 10000}`: 10_00, `{"credits": 20000}`: 19_00, `{"credits": 80000}`: 70_00, `{"credits": 100000}`: 80_00,
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			p := s.buyer(t)
			p.saveCard(t, stripetest.OK)
			got := p.buy(t, body)
			got.wantStatus(t, http.StatusOK)
			var bought purchase
			got.json(t, &bought)
			if asked := fmt.Sprintf(`{"credits": %d}`, bought.Credits); asked != body {
				t.Errorf("asked for %s, got %d", body, bought.Credits)
			}
			p.wantBought(t, money.Credits(bought.Credits), cents, 1)
		})
	}
}

func TestTopUpThatIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	t.Run("what is no purchase", func(t *testing.T) {
		t.Parallel()
		p := s.buyer(t)
		p.saveCard(t, stripetest.OK)
		for body, says := range map[string]string{
			``: "body", `{}`: "credits", `{"credits": 5}`: "want one of 10000, 20000, 80000, 100000", `{"credits": -10000}`: "want one of",
			`{"credits": "10000"}`: "must be an integer", `{"credits": 10000.5}`: "must be an integer",
			`{"credits": 10000, "price": 1}`: "price", `{"Credits": 10000}`: "Credits",
		} {
			p.buy(t, body).refused(t, http.StatusBadRequest, "validation_error", says)
		}
		p.buy(t, `{"credits": 10000, "credits": 20000}`).refused(t, http.StatusBadRequest, "invalid_json", "appears more than once")
		p.buy(t, `credits`).refused(t, http.StatusBadRequest, "invalid_json")
		p.buy(t, `{"credits": 10000}`, "Idempotency-Key", strings.Repeat("k", 256)).refused(t, http.StatusBadRequest, "validation_error", "Idempotency-Key")
		p.buy(t, strings.Repeat(" ", 1<<20)).refused(t, http.StatusRequestEntityTooLarge, "payload_too_large")
		got := p.call("GET", "/user/purchase-topup", "").do(t)
		got.refused(t, http.StatusMethodNotAllowed, "method_not_allowed")
		if allow := got.header.Get("Allow"); allow != "POST, OPTIONS" {
			t.Errorf("got Allow %q", allow)
		}
		p.wantBought(t, 0, 0, 0)
	})
	t.Run("a key that may not buy", func(t *testing.T) {
		t.Parallel()
		p := s.purse(t, 0)
		p.useKey(t, apikey.ScopesUsual)
		p.buy(t, `{"credits": 10000}`).refused(t, http.StatusForbidden, "access_denied", "billing")
		p.call("POST", "/user/payment-method", "").do(t).refused(t, http.StatusForbidden, "access_denied", "billing")
	})
	for name, b := range map[string]stripetest.Behaviour{"insufficient_funds": stripetest.InsufficientFunds, "expired_card": stripetest.ExpiredCard} {
		t.Run("a card that is declined: "+name, func(t *testing.T) {
			t.Parallel()
			p := s.buyer(t)
			p.saveCard(t, b)
			no := p.buy(t, `{"credits": 10000}`, "Idempotency-Key", "d").refused(t, http.StatusPaymentRequired, "card_declined", "Nothing was charged")
			if no.Metadata["decline_code"] != name && no.Metadata["reason"] != name {
				t.Errorf("got %v, want %s", no.Metadata, name)
			}
			again := p.buy(t, `{"credits": 10000}`, "Idempotency-Key", "d")
			again.refused(t, http.StatusPaymentRequired, "card_declined")
			if again.header.Get("Idempotent-Replayed") != "true" {
				t.Error("the same again is tried again")
			}
			s.stripe.deliver(t, s.edge)
			p.wantBought(t, 0, 0, 0)
		})
	}
}

// TestTopUpThatItsOwnerConfirms shows that a bank can require its customer's confirmation, and that the credits follow.
func TestTopUpThatItsOwnerConfirms(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.buyer(t)
	p.saveCard(t, stripetest.AuthenticationRequired)
	no := p.buy(t, `{"credits": 20000}`).refused(t, http.StatusPaymentRequired, "authentication_required", "Nothing was charged")
	page, _ := no.Metadata["action_url"].(string)
	if !strings.HasPrefix(page, s.stripe.url) {
		t.Fatalf("got %v, want a page on which the owner can pay", no.Metadata)
	}
	s.stripe.deliver(t, s.edge)
	p.wantBought(t, 0, 0, 0)
	completePage(t, page, stripetest.OK)
	s.stripe.deliver(t, s.edge)
	p.wantBought(t, 20_000, 19_00, 1)
}

// TestTopUpThatIsPending shows that an undecided payment is neither reported as paid nor repeated.
func TestTopUpThatIsPending(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.buyer(t)
	p.saveCard(t, stripetest.ProcessingSucceeds)
	got := p.buy(t, `{"credits": 10000}`, "Idempotency-Key", "p")
	got.wantStatus(t, http.StatusAccepted)
	got.wantPlainHeaders(t)
	var bought purchase
	got.json(t, &bought)
	if bought.Success || bought.Credits != 0 || bought.Status != "pending" {
		t.Errorf("got %s, want it pending", got.body)
	}
	p.buy(t, `{"credits": 10000}`).refused(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	p.wantBought(t, 0, 0, 0)
	s.stripe.Finish(bought.PaymentIntentID)
	s.stripe.deliver(t, s.edge)
	p.wantBought(t, 10_000, 10_00, 1)
	got = p.buy(t, `{"credits": 10000}`, "Idempotency-Key", "p")
	got.wantStatus(t, http.StatusOK)
	p.wantBought(t, 10_000, 10_00, 1)
}

// TestForgedWebhook shows that only Stripe's own events are accepted.
func TestForgedWebhook(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const body = `{"id": "evt_forged", "object": "event", "type": "payment_intent.succeeded", "livemode": false, "data": {"object": {"id": "pi_1", "object": "payment_intent"}}}`
	for name, signature := range map[string]string{
		"none": "", "another's": s.stripe.SignWith([]byte(body), "whsec_of_another"), "of another body": s.stripe.Sign([]byte("{}")), "nonsense": "t=now",
	} {
		c := call{url: s.edge + "/webhooks/stripe", body: body}
		if signature != "" {
			c = c.with("Stripe-Signature", signature)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.do(t).refused(t, http.StatusBadRequest, "validation_error", "Stripe-Signature")
		})
	}
	call{url: s.edge + "/webhooks/stripe", body: strings.Repeat("x", 256<<10+1)}.with("Stripe-Signature", "t=1,v1=a").do(t).
		refused(t, http.StatusRequestEntityTooLarge, "payload_too_large")
	// A signed event about an unknown payment is accepted, so that Stripe does not repeat it forever.
	call{url: s.edge + "/webhooks/stripe", body: body}.with("Stripe-Signature", s.stripe.Sign([]byte(body))).do(t).wantStatus(t, http.StatusOK)
}
