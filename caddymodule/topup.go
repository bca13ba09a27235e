package caddymodule

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

func init() {
	caddy.RegisterModule(new(TopUp))
}

// TopUp sells credits: a team saves a card on a page of the payment provider's
// and from then on buys packs with one request. It serves these paths, and
// answers 404 on any other:
//
// Request | What it does
// --------|-------------
// `POST /user/purchase-topup` | charges the saved card for a pack and credits it
// `POST /user/payment-method` | makes a page on which a card can be saved
// `GET /user/payment-method` | shows the saved card
// `DELETE /user/payment-method` | forgets the saved card
// `POST /webhooks/stripe` | takes the payment provider's events
//
// All but the last need an `api_key` before this handler, and a key with the
// scope `billing`. The last needs no key, for events are signed. What cannot be an
// event by its headers is refused before its body is read, and 64 bodies are read at
// once, each for 5 s at most. Put `team_limit` before it for a rate by address.
type TopUp struct {
	app    *App
	logger *zap.Logger
	events eventReads
}

// CaddyModule returns the Caddy module information.
func (*TopUp) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.topup",
		New: func() caddy.Module { return new(TopUp) },
	}
}

// Provision sets up the handler.
func (t *TopUp) Provision(ctx caddy.Context) error {
	var err error
	if t.app, err = appOf(ctx); err != nil {
		return err
	}
	if t.app.topups == nil {
		return errors.New("no top-ups: configure `topup` in the global option `turnpike`, such as `topup none`")
	}
	t.logger = ctx.Logger()
	return nil
}

const (
	pathPurchase      = "/user/purchase-topup"
	pathPaymentMethod = "/user/payment-method"
	pathWebhook       = "/webhooks/stripe"

	// topUpBytesMax is far more than any body here has.
	topUpBytesMax = 16 << 10
)

// topUpRoute answers one method of one path for a team.
type topUpRoute func(w http.ResponseWriter, r *http.Request, team string) error

func (t *TopUp) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	// A purchase waits for a bank, and an event for the payment provider: a reload meanwhile leaves both what they need.
	defer beginOn(t.app.topups)()
	cleanRequest(r)
	if r.Method == http.MethodOptions {
		return preflight(w, r)
	}
	method, u := sent(r)
	var routes map[string]topUpRoute
	switch u.EscapedPath() {
	case pathPurchase:
		routes = map[string]topUpRoute{http.MethodPost: t.purchase}
	case pathPaymentMethod:
		routes = map[string]topUpRoute{
			http.MethodGet: t.showCard, http.MethodHead: t.showCard,
			http.MethodPost: t.setUpCard, http.MethodDelete: t.removeCard,
		}
	case pathWebhook:
		if method != http.MethodPost {
			return t.refuse(w, r, &price.MethodError{Allowed: []string{http.MethodPost}})
		}
		return t.webhook(w, r)
	default:
		return t.refuse(w, r, price.ErrNoRule)
	}
	found := accessOf(r)
	if found == nil || found.principal == nil {
		decisions.keyMissing.Inc()
		return t.app.errs.write(w, r, refuseNoKey())
	}
	if !mayBuy(found.principal) {
		return t.app.errs.write(w, r, refuseScope(apikey.ScopeBilling))
	}
	route := routes[method]
	if route == nil {
		return t.refuse(w, r, &price.MethodError{Allowed: allowed(routes)})
	}
	return route(w, r, found.principal.TeamID)
}

// mayBuy: spending money, and saying with which card, takes a scope of its own.
func mayBuy(p *apikey.Principal) bool { return p.Scopes.Has(apikey.ScopeBilling) }

// allowed lists the methods of a path in the order in which people name them.
func allowed(routes map[string]topUpRoute) []string {
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}
	return slices.DeleteFunc(methods, func(m string) bool { return routes[m] == nil })
}

// purchaseAnswer has the fields of the service contract. Status is there while
// the outcome is not known.
type purchaseAnswer struct {
	Success         bool          `json:"success"`
	PaymentIntentID string        `json:"payment_intent_id,omitempty"`
	Credits         int64         `json:"credits"`
	Status          stripe.Status `json:"status,omitempty"`
}

func (t *TopUp) purchase(w http.ResponseWriter, r *http.Request, team string) error {
	body, credits, err := readPurchase(r)
	if err != nil {
		return t.refuse(w, r, err)
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return t.refuse(w, r, err)
	}
	topups := t.app.topups
	result, err := topups.Purchase(r.Context(), stripe.PurchaseRequest{
		TeamID: team, Credits: credits, IdempotencyKey: key, RequestHash: hashRequest(http.MethodPost, pathPurchase, body),
	})
	if err != nil {
		return t.refusePurchase(w, r, err)
	}
	if policy := topups.RatePolicy(); policy != "" {
		w.Header()[headerRatePolicy] = []string{policy}
	}
	if result.Replayed {
		markReplayed(w)
	}
	if result.Status != stripe.Succeeded {
		return t.answer(w, r, http.StatusAccepted, &purchaseAnswer{PaymentIntentID: result.PaymentIntentID, Status: stripe.Pending})
	}
	return t.answer(w, r, http.StatusOK, &purchaseAnswer{
		Success: true, PaymentIntentID: result.PaymentIntentID, Credits: int64(result.Credits),
	})
}

// hashRequest is what an idempotency key stands for. Parts are kept apart by
// their lengths.
func hashRequest(method, path string, body []byte) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d:%s %d:", method, len(path), path, len(body))
	h.Write(body)
	return [sha256.Size]byte(h.Sum(nil))
}

type pageAnswer struct {
	URL string `json:"url"`
}

func (t *TopUp) setUpCard(w http.ResponseWriter, r *http.Request, team string) error {
	email, err := readEmail(r)
	if err != nil {
		return t.refuse(w, r, err)
	}
	url, err := t.app.topups.SetupPage(r.Context(), stripe.SetupRequest{TeamID: team, Email: email})
	if err != nil {
		return t.refuse(w, r, err)
	}
	return t.answer(w, r, http.StatusOK, &pageAnswer{URL: url})
}

type cardAnswer struct {
	Object string `json:"object"`
	Type   string `json:"type"`
	Card   card   `json:"card"`
}

type card struct {
	Brand    string `json:"brand"`
	Last4    string `json:"last4"`
	ExpMonth int    `json:"exp_month"`
	ExpYear  int    `json:"exp_year"`
}

const objectPaymentMethod = "payment_method"

func (t *TopUp) showCard(w http.ResponseWriter, r *http.Request, team string) error {
	c, err := t.app.topups.PaymentMethod(r.Context(), team)
	if _, isNone := errors.AsType[*stripe.NoPaymentMethodError](err); isNone {
		return t.app.errs.write(w, r, refuseNoCardFound())
	}
	if err != nil {
		return t.refuse(w, r, err)
	}
	return t.answer(w, r, http.StatusOK, &cardAnswer{
		Object: objectPaymentMethod, Type: "card",
		Card: card{Brand: c.Brand, Last4: c.Last4, ExpMonth: c.ExpMonth, ExpYear: c.ExpYear},
	})
}

type deletedAnswer struct {
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

func (t *TopUp) removeCard(w http.ResponseWriter, r *http.Request, team string) error {
	if err := t.app.topups.RemovePaymentMethod(r.Context(), team); err != nil {
		return t.refuse(w, r, err)
	}
	return t.answer(w, r, http.StatusOK, &deletedAnswer{Object: objectPaymentMethod, Deleted: true})
}

// answer writes what is no refusal.
func (t *TopUp) answer(w http.ResponseWriter, r *http.Request, status int, v any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // addresses are copied from it
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	h := w.Header()
	allowOrigins(h, true)
	h[requestIDHeader] = []string{requestID(r)}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes()) // a client that left needs no answer
	}
	return nil
}

const headerRatePolicy = "Ratelimit-Policy" // in the form that http.Header has names in

func markReplayed(w http.ResponseWriter) { w.Header().Set("Idempotent-Replayed", "true") }

// idempotencyKeyMax is how long a client's key may be.
const idempotencyKeyMax = 255

// idempotencyKey returns the client's key, empty if there is none. The quotes of
// a structured field (RFC 9651) are taken off, so that both ways to write a key
// mean the same.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header["Idempotency-Key"]
	fault := func(reason string) error {
		return &price.RequestError{Loc: []any{"header", "Idempotency-Key"}, Reason: reason}
	}
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", fault("is there more than once")
	}
	key := values[0]
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	if key == "" || len(key) > idempotencyKeyMax || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", fault("must be 1 to 255 visible ASCII characters")
	}
	return key, nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*TopUp)(nil)
	_ caddyhttp.MiddlewareHandler = (*TopUp)(nil)
)
