//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"context"
	"crypto/sha256"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/caddymodule/topup"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

// cannedTopUps returns what a test sets, and records its requests.
type cannedTopUps struct {
	result stripe.Result
	card   stripe.Card
	url    string
	err    error

	purchases []stripe.PurchaseRequest
	setups    []stripe.SetupRequest
	removed   []string
	events    []string
	signature string
}

func (c *cannedTopUps) Purchase(_ context.Context, req stripe.PurchaseRequest) (stripe.Result, error) {
	c.purchases = append(c.purchases, req)
	return c.result, c.err
}

func (c *cannedTopUps) SetupPage(_ context.Context, req stripe.SetupRequest) (string, error) {
	c.setups = append(c.setups, req)
	return c.url, c.err
}

func (c *cannedTopUps) PaymentMethod(context.Context, string) (stripe.Card, error) {
	return c.card, c.err
}

func (c *cannedTopUps) RemovePaymentMethod(_ context.Context, team string) error {
	c.removed = append(c.removed, team)
	return c.err
}

func (*cannedTopUps) CheckSignature(string) error { return nil }

func (c *cannedTopUps) Webhook(_ context.Context, payload []byte, signature string) error {
	c.events = append(c.events, string(payload))
	c.signature = signature
	return c.err
}

func (*cannedTopUps) RatePolicy() string { return `"topup";q=1;w=60` }

// canned is the source of the running configuration.
var canned atomic.Pointer[cannedTopUps]

// topUpCanned is the module that names it in a configuration.
type topUpCanned struct{}

func (*topUpCanned) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "turnpike.topups.canned", New: func() caddy.Module { return new(topUpCanned) }}
}
func (*topUpCanned) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return config.ParseNothing(d) }
func (*topUpCanned) Open(topup.Env) (topup.Seller, error)            { return canned.Load(), nil }

func init() { caddy.RegisterModule(new(topUpCanned)) }

const topUpSite = "handle /webhooks/* {\ntopup\n}\nhandle {\napi_key\ntopup\n}\n"

func newTopUpEdge(t *testing.T) (*edge, *cannedTopUps) {
	t.Helper()
	c := new(cannedTopUps)
	canned.Store(c)
	e := newEdge(t, topUpSite)
	return e, c
}

func TestPurchaseAnswers(t *testing.T) {
	e, c := newTopUpEdge(t)
	tests := []struct {
		name   string
		result stripe.Result
		status int
		want   string
		replay string
	}{
		{"charged", stripe.Result{Status: stripe.Succeeded, PaymentIntentID: "pi_1", Credits: 10_000}, 200, `{"success":true,"payment_intent_id":"pi_1","credits":10000}`, ""},
		{"charged before", stripe.Result{Status: stripe.Succeeded, PaymentIntentID: "pi_1", Credits: 10_000, Replayed: true}, 200, `{"success":true,"payment_intent_id":"pi_1","credits":10000}`, "true"},
		{"not known yet", stripe.Result{Status: stripe.Pending, PaymentIntentID: "pi_1"}, 202, `{"success":false,"payment_intent_id":"pi_1","credits":0,"status":"pending"}`, ""},
		{"not known yet, nor by which payment", stripe.Result{Status: stripe.Pending}, 202, `{"success":false,"credits":0,"status":"pending"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c.result = tt.result
			a := e.do("POST", topup.PathPurchase, `{"credits": 10000}`, append(bearerHeader, "X-Request-Id", "mine")...)
			if a.status != tt.status || strings.TrimSpace(a.body) != tt.want {
				t.Errorf("got %d %s, want %d %s", a.status, a.body, tt.status, tt.want)
			}
			for name, want := range map[string]string{
				"Content-Type": "application/json", "X-Request-Id": "mine", "Access-Control-Allow-Origin": "*",
				"Cache-Control": "no-store", "Idempotent-Replayed": tt.replay, "RateLimit-Policy": `"topup";q=1;w=60`,
			} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
	if e.calls.Load() != 0 {
		t.Error("the upstream has seen a top-up")
	}
	want := stripe.PurchaseRequest{TeamID: "team_rich", Credits: 10_000}
	for _, got := range c.purchases {
		got.RequestHash = want.RequestHash
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestPurchaseRefusals(t *testing.T) {
	e, c := newTopUpEdge(t)
	tests := []struct {
		name     string
		err      error
		status   int
		code     string
		header   map[string]string
		metadata map[string]any
	}{
		{
			"no card", &stripe.NoPaymentMethodError{SetupURL: "https://setup.example"}, 402, "no_payment_method", nil,
			map[string]any{"setup_url": "https://setup.example", "setup": "POST /user/payment-method"},
		},
		{
			"no card and no page", &stripe.NoPaymentMethodError{}, 402, "no_payment_method", nil,
			map[string]any{"setup": "POST /user/payment-method"},
		},
		{
			"declined", &stripe.DeclinedError{TopupID: "topup_1", PaymentIntentID: "pi_1", Code: "card_declined", DeclineCode: "insufficient_funds", Message: "Your card has insufficient funds.", Replayed: true},
			402, "card_declined",
			map[string]string{"Idempotent-Replayed": "true"},
			map[string]any{"reason": "card_declined", "decline_code": "insufficient_funds", "payment_intent_id": "pi_1", "topup_id": "topup_1"},
		},
		{"declined without a word", &stripe.DeclinedError{Code: "payment_failed"}, 402, "card_declined", map[string]string{"Idempotent-Replayed": ""}, map[string]any{"reason": "payment_failed"}},
		{
			"to be confirmed", &stripe.AuthenticationError{TopupID: "topup_1", PaymentIntentID: "pi_1", ActionURL: "https://action.example"},
			402, "authentication_required", nil,
			map[string]any{"action_url": "https://action.example", "payment_intent_id": "pi_1", "topup_id": "topup_1"},
		},
		{"to be confirmed, too late", &stripe.AuthenticationError{Replayed: true}, 402, "authentication_required", map[string]string{"Idempotent-Replayed": "true"}, map[string]any{}},
		{"in progress", &stripe.InProgressError{TopupID: "topup_1", RetryAfter: 1500 * time.Millisecond}, 409, "topup_in_progress", map[string]string{"Retry-After": "2"}, map[string]any{"topup_id": "topup_1"}},
		{"too soon", &stripe.TooSoonError{RetryAfter: 53 * time.Second}, 429, "rate_limit_exceeded", map[string]string{
			"Retry-After": "53", "RateLimit-Policy": `"topup";q=1;w=60`, "RateLimit": `"topup";r=0;t=53`,
		}, map[string]any{"policy": "topup", "retry_after": 53.0}},
		{"too much", &stripe.VelocityError{Limit: "20 purchases", RetryAfter: time.Hour}, 429, "rate_limit_exceeded", map[string]string{
			"Retry-After": "3600", "RateLimit": `"topup-day";r=0;t=3600`,
		}, map[string]any{"policy": "topup-day", "retry_after": 3600.0}},
		{"key reuse", stripe.ErrKeyReuse, 422, "idempotency_key_reuse", nil, map[string]any{}},
		{"key in progress", stripe.ErrKeyInProgress, 409, "idempotency_key_in_progress", map[string]string{"Retry-After": "2"}, map[string]any{}},
		{"unavailable", stripe.ErrUnavailable, 503, "overloaded", map[string]string{"Retry-After": "10"}, map[string]any{}},
		{"off", topup.ErrOff, 501, "provider_not_configured", nil, map[string]any{}},
		{"unforeseen", errors.New("broken"), 500, "internal_server_error", nil, map[string]any{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c.err = tt.err
			a := e.do("POST", topup.PathPurchase, `{"credits": 10000}`, bearerHeader...)
			o := a.wantError(t, tt.status, tt.code)
			if !reflect.DeepEqual(o.Metadata, tt.metadata) && (len(o.Metadata) > 0 || len(tt.metadata) > 0) {
				t.Errorf("metadata: got %v, want %v", o.Metadata, tt.metadata)
			}
			for name, want := range tt.header {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			if tt.err == topup.ErrOff && !strings.HasPrefix(o.Detail, "Credit purchases are not configured on this service. Nothing was charged.") { //nolint:errorlint // the table's own
				t.Errorf("got %s, want it said plainly", o.Detail)
			}
			if tt.status == 500 && strings.Contains(o.Detail, "Nothing was charged") {
				t.Errorf("nobody knows that: %s", o.Detail)
			}
		})
	}
	t.Run("no such pack", func(t *testing.T) {
		c.err = &stripe.PackError{Credits: 5, Allowed: []money.Credits{10_000, 20_000}}
		o := e.do("POST", topup.PathPurchase, `{"credits": 5}`, bearerHeader...).wantError(t, 400, "validation_error")
		wantLoc(t, o, "body.credits")
		if !strings.Contains(o.Detail, "got 5, want one of 10000, 20000") {
			t.Errorf("got %s", o.Detail)
		}
	})
}

// wantLoc checks the location in a validation error.
func wantLoc(t *testing.T, o response.ErrorObject, want string) {
	t.Helper()
	list, _ := o.Metadata["errors"].([]any)
	if len(list) != 1 {
		t.Fatalf("got %v, want one error", o.Metadata)
	}
	fault, _ := list[0].(map[string]any)
	var loc []string
	parts, _ := fault["loc"].([]any)
	for _, part := range parts {
		s, _ := part.(string)
		loc = append(loc, s)
	}
	if got := strings.Join(loc, "."); got != want {
		t.Errorf("loc: got %s, want %s", got, want)
	}
}

// An invalid purchase is refused before Stripe is involved.
func TestPurchaseBodies(t *testing.T) {
	e, c := newTopUpEdge(t)
	tests := []struct {
		name, body, loc string
		status          int
		code            string
	}{
		{"nothing", ``, "body", 400, "validation_error"},
		{"no JSON", `credits=10000`, "", 400, "invalid_json"},
		{"two values", `{"credits":10000}{"credits":10000}`, "", 400, "invalid_json"},
		{"twice", `{"credits":10000,"credits":20000}`, "", 400, "invalid_json"},
		{"twice but for case", `{"credits":10000,"Credits":20000}`, "", 400, "invalid_json"},
		{"other case", `{"Credits":10000}`, "body.Credits", 400, "validation_error"},
		{"unknown field", `{"credits":10000,"price":1}`, "body.price", 400, "validation_error"},
		{"a list", `[10000]`, "body", 400, "validation_error"},
		{"null", `null`, "body", 400, "validation_error"},
		{"no field", `{}`, "body.credits", 400, "validation_error"},
		{"text", `{"credits":"10000"}`, "body.credits", 400, "validation_error"},
		{"nothing in it", `{"credits":null}`, "body.credits", 400, "validation_error"},
		{"a fraction", `{"credits":10000.5}`, "body.credits", 400, "validation_error"},
		{"an exponent", `{"credits":1e4}`, "body.credits", 400, "validation_error"},
		{"too large a number", `{"credits":99999999999999999999}`, "body.credits", 400, "validation_error"},
		{"too large a body", `{"credits":` + strings.Repeat(" ", 16<<10) + `10000}`, "", 413, "payload_too_large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := e.do("POST", topup.PathPurchase, tt.body, bearerHeader...).wantError(t, tt.status, tt.code)
			if tt.loc != "" {
				wantLoc(t, o, tt.loc)
			}
		})
	}
	for _, header := range [][]string{
		{"Content-Type", "application/x-www-form-urlencoded"},
		{"Content-Encoding", "gzip"},
		{"Idempotency-Key", strings.Repeat("k", 256)},
		{"Idempotency-Key", "a b"},
		{"Idempotency-Key", `""`},
		{"Idempotency-Key", "a", "Idempotency-Key", "b"},
	} {
		o := e.do("POST", topup.PathPurchase, `{"credits":10000}`, append(header, bearerHeader...)...).wantError(t, 400, "validation_error")
		wantLoc(t, o, "header."+header[0])
	}
	if len(c.purchases) != 0 {
		t.Errorf("got purchases %+v", c.purchases)
	}
}

func TestPurchaseIdempotencyKey(t *testing.T) {
	e, c := newTopUpEdge(t)
	c.result = stripe.Result{Status: stripe.Pending}
	for _, try := range []struct{ key, body string }{
		{"k-1", `{"credits":10000}`}, {`"k-1"`, `{"credits":10000}`}, {"k-1", `{"credits":20000}`}, {strings.Repeat("k", 255), `{"credits":10000}`},
	} {
		if a := e.do("POST", topup.PathPurchase, try.body, append([]string{"Idempotency-Key", try.key}, bearerHeader...)...); a.status != 202 {
			t.Fatalf("got %+v", a)
		}
	}
	first, quoted, other := c.purchases[0], c.purchases[1], c.purchases[2]
	if first.IdempotencyKey != "k-1" || first != quoted {
		t.Errorf("got %+v and %+v, want the same with the key k-1", first, quoted)
	}
	if first.RequestHash == other.RequestHash || first.RequestHash == [sha256.Size]byte{} {
		t.Error("another body has the same hash")
	}
}

// The scope is required whether or not `api_key` names it for these paths. Where it does, no other scope is required.
func TestTopUpNeedsAKeyThatMayBuy(t *testing.T) {
	const named = "handle {\napi_key {\nscope billing /*\n}\ntopup\n}\n"
	for _, tt := range []struct {
		name, site string
		may, not   apikey.Scopes
	}{
		{"not named", topUpSite, apikey.ScopesAll, apikey.ScopesUsual},
		{"named", named, apikey.ScopeBilling, apikey.ScopesUsual},
		{"named, and the key has none", named, apikey.ScopeBilling, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := new(cannedTopUps)
			canned.Store(c)
			e := newEdge(t, tt.site)
			poor, err := e.ledger.Resolve(t.Context(), testPoorKey)
			if err != nil {
				t.Fatal(err)
			}
			for _, route := range [][2]string{
				{"POST", topup.PathPurchase}, {"GET", topup.PathPaymentMethod}, {"POST", topup.PathPaymentMethod}, {"DELETE", topup.PathPaymentMethod},
			} {
				poor.Scopes = tt.not
				e.do(route[0], route[1], "").wantError(t, 401, "invalid_api_key")
				e.do(route[0], route[1], "", "Authorization", "Bearer tp_nobody").wantError(t, 401, "invalid_api_key")
				o := e.do(route[0], route[1], "", "Authorization", "Bearer "+testPoorKey).wantError(t, 403, "access_denied")
				if o.Metadata["required_scope"] != "billing" {
					t.Errorf("got %v", o.Metadata)
				}
				if len(c.purchases)+len(c.setups)+len(c.removed) != 0 {
					t.Fatalf("got %+v", c)
				}
			}
			poor.Scopes = tt.may
			e.do("DELETE", topup.PathPaymentMethod, "", "Authorization", "Bearer "+testPoorKey)
			if len(c.removed) != 1 {
				t.Errorf("got %+v, want what a key with the scope asked for", c)
			}
		})
	}
}

func TestTopUpRoutes(t *testing.T) {
	e, _ := newTopUpEdge(t)
	for path, allow := range map[string]string{
		topup.PathPurchase: "POST, OPTIONS", topup.PathPaymentMethod: "GET, HEAD, POST, DELETE, OPTIONS", topup.PathWebhook: "POST, OPTIONS",
	} {
		if a := e.do("PUT", path, "", bearerHeader...); a.header.Get("Allow") != allow {
			t.Errorf("%s: got Allow %q, want %q", path, a.header.Get("Allow"), allow)
		} else {
			a.wantError(t, 405, "method_not_allowed")
		}
		if a := e.do("OPTIONS", path, ""); a.status != 204 || a.header.Get("Access-Control-Allow-Methods") == "" {
			t.Errorf("%s: got %+v, want a preflight's answer", path, a)
		}
	}
	for _, path := range []string{"/user/purchase-topup/", "/user/Purchase-Topup", "/user", "/user/purchase-topup/x", "/webhooks/other"} {
		e.do("POST", path, "", bearerHeader...).wantError(t, 404, "not_found")
	}
}

func TestPaymentMethod(t *testing.T) {
	e, c := newTopUpEdge(t)
	c.url, c.card = "https://setup.example/a?b=c&d=e", stripe.Card{Brand: "visa", Last4: "4242", ExpMonth: 2, ExpYear: 2031}
	for _, tt := range []struct{ method, body, want string }{
		{"POST", ``, `{"url":"https://setup.example/a?b=c&d=e"}`},
		{"POST", `{}`, `{"url":"https://setup.example/a?b=c&d=e"}`},
		{"POST", `{"email":"billing@example.com"}`, `{"url":"https://setup.example/a?b=c&d=e"}`},
		{"GET", ``, `{"object":"payment_method","type":"card","card":{"brand":"visa","last4":"4242","exp_month":2,"exp_year":2031}}`},
		{"HEAD", ``, ``},
		{"DELETE", ``, `{"object":"payment_method","deleted":true}`},
	} {
		if a := e.do(tt.method, topup.PathPaymentMethod, tt.body, bearerHeader...); a.status != 200 || strings.TrimSpace(a.body) != tt.want {
			t.Errorf("%s: got %d %s, want %s", tt.method, a.status, a.body, tt.want)
		}
	}
	wantSetups := []stripe.SetupRequest{{TeamID: "team_rich"}, {TeamID: "team_rich"}, {TeamID: "team_rich", Email: "billing@example.com"}}
	if !reflect.DeepEqual(c.setups, wantSetups) || !reflect.DeepEqual(c.removed, []string{"team_rich"}) {
		t.Errorf("got %+v and %v", c.setups, c.removed)
	}
	for _, body := range []string{`{"email":"a"}`, `{"email":"A <a@example.com>"}`, `{"email":7}`, `{"email":""}`, `{"email":"a@example.com\r\nBcc: b@example.com"}`} {
		wantLoc(t, e.do("POST", topup.PathPaymentMethod, body, bearerHeader...).wantError(t, 400, "validation_error"), "body.email")
	}
	wantLoc(t, e.do("POST", topup.PathPaymentMethod, `{"mail":"a@example.com"}`, bearerHeader...).wantError(t, 400, "validation_error"), "body.mail")
	c.err = &stripe.NoPaymentMethodError{}
	o := e.do("GET", topup.PathPaymentMethod, "", bearerHeader...).wantError(t, 404, "payment_method_not_found")
	if o.Metadata["setup"] != "POST /user/payment-method" {
		t.Errorf("got %v", o.Metadata)
	}
	c.err = stripe.ErrUnavailable
	for _, method := range []string{"GET", "POST", "DELETE"} {
		e.do(method, topup.PathPaymentMethod, "", bearerHeader...).wantError(t, 503, "overloaded")
	}
}

func TestTopUpWebhook(t *testing.T) {
	e, c := newTopUpEdge(t)
	const body = "{\"id\": \"evt_1\",\n \"type\":\"x\"} " // signed, so no byte may change
	a := e.do("POST", topup.PathWebhook, body, "Stripe-Signature", "t=1,v1=a")
	if a.status != 200 || a.body != "{\"received\":true}\n" || len(c.events) != 1 || c.events[0] != body || c.signature != "t=1,v1=a" {
		t.Errorf("got %+v, events %q, signature %q", a, c.events, c.signature)
	}
	wantLoc(t, e.do("POST", topup.PathWebhook, body).wantError(t, 400, "validation_error"), "header.Stripe-Signature")
	e.do("POST", topup.PathWebhook, body, "Stripe-Signature", "a", "Stripe-Signature", "b").wantError(t, 400, "validation_error")
	e.do("POST", topup.PathWebhook, strings.Repeat("x", stripe.WebhookBytesMax+1), "Stripe-Signature", "a").wantError(t, 413, "payload_too_large")
	if len(c.events) != 1 {
		t.Errorf("got %d events, want the first only", len(c.events))
	}
	for _, tt := range []struct {
		err    error
		status int
		code   string
	}{
		{stripe.ErrSignature, 400, "validation_error"},
		{stripe.ErrPayloadTooLarge, 413, "payload_too_large"},
		{topup.ErrOff, 501, "provider_not_configured"},
		{stripe.ErrUnavailable, 503, "overloaded"},
		{errors.New("database away"), 503, "overloaded"}, // never a 4xx: Stripe would not send it again
	} {
		c.err = tt.err
		a := e.do("POST", topup.PathWebhook, body, "Stripe-Signature", "t=1,v1=a")
		a.wantError(t, tt.status, tt.code)
		if (a.header.Get("Retry-After") != "") != (tt.status == 503) {
			t.Errorf("%v: got Retry-After %q", tt.err, a.header.Get("Retry-After"))
		}
	}
}
