package topup

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

	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

func init() {
	caddy.RegisterModule(new(Handler))
}

// Handler sells credits. A team saves a card on a page of the payment provider, and then buys packs with one request
// each. It serves these paths, and responds with 404 on any other:
//
// Request | What it does
// --------|-------------
// `POST /user/purchase-topup` | charges the saved card for a pack and credits it
// `POST /user/payment-method` | makes a page on which a card can be saved
// `GET /user/payment-method` | shows the saved card
// `DELETE /user/payment-method` | forgets the saved card
// `POST /webhooks/stripe` | takes the payment provider's events
//
// All but the last need an `api_key` before this handler, and a key with the scope `billing`. The last needs no key,
// because events are signed. A request whose headers cannot be an event's is refused before its body is read. At most
// 64 bodies are read at once, each for at most 5 s. Put `team_limit` before it to limit the rate by address.
type Handler struct {
	app    app
	logger *zap.Logger
	events eventReads
}

// app is what the handler needs of the app.
type app interface {
	handler.App
	TopUps() Seller
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.topup",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision sets up the handler.
func (t *Handler) Provision(ctx caddy.Context) error {
	var err error
	if t.app, err = handler.AppOf[app](ctx); err != nil {
		return err
	}
	if t.app.TopUps() == nil {
		return errors.New("no top-ups: configure `topup` in the global option `turnpike`, such as `topup none`")
	}
	t.logger = ctx.Logger()
	return nil
}

const (
	// PathPurchase is where packs are bought.
	PathPurchase = "/user/purchase-topup"
	// PathPaymentMethod is where the saved card is set up, shown and removed.
	PathPaymentMethod = "/user/payment-method"
	// PathWebhook is where the payment provider sends its events.
	PathWebhook = "/webhooks/stripe"

	// bodyBytesMax is far more than any body here needs.
	bodyBytesMax = 16 << 10
)

// route handles one method of one path for a team.
type route func(w http.ResponseWriter, r *http.Request, team string) error

func (t *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	// A purchase waits for a bank, and an event for the payment provider. A reload must not close what they use.
	defer reload.BeginOn(t.app.TopUps())()
	request.Clean(r)
	if r.Method == http.MethodOptions {
		return response.Preflight(w, r)
	}
	method, u := request.Sent(r)
	var routes map[string]route
	switch u.EscapedPath() {
	case PathPurchase:
		routes = map[string]route{http.MethodPost: t.purchase}
	case PathPaymentMethod:
		routes = map[string]route{
			http.MethodGet: t.showCard, http.MethodHead: t.showCard,
			http.MethodPost: t.setUpCard, http.MethodDelete: t.removeCard,
		}
	case PathWebhook:
		if method != http.MethodPost {
			return t.refuse(w, r, &price.MethodError{Allowed: []string{http.MethodPost}})
		}
		return t.webhook(w, r)
	default:
		return t.refuse(w, r, price.ErrNoRule)
	}
	found := request.AccessOf(r)
	if found == nil || found.Principal == nil {
		metrics.Decisions.KeyMissing.Inc()
		return t.app.Refuse(w, r, response.RefuseNoKey())
	}
	if !mayBuy(found.Principal) {
		return t.app.Refuse(w, r, response.RefuseScope(apikey.ScopeBilling))
	}
	route := routes[method]
	if route == nil {
		return t.refuse(w, r, &price.MethodError{Allowed: allowed(routes)})
	}
	return route(w, r, found.Principal.TeamID)
}

// mayBuy reports whether the key may spend money and change the card, which need a scope of their own.
func mayBuy(p *apikey.Principal) bool { return p.Scopes.Has(apikey.ScopeBilling) }

// allowed lists the methods of a path in the usual order.
func allowed(routes map[string]route) []string {
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}
	return slices.DeleteFunc(methods, func(m string) bool { return routes[m] == nil })
}

// purchaseAnswer has the fields of the service contract. Status is set while the outcome is unknown.
type purchaseAnswer struct {
	Success         bool          `json:"success"`
	PaymentIntentID string        `json:"payment_intent_id,omitempty"`
	Credits         int64         `json:"credits"`
	Status          stripe.Status `json:"status,omitempty"`
}

func (t *Handler) purchase(w http.ResponseWriter, r *http.Request, team string) error {
	body, credits, err := readPurchase(r)
	if err != nil {
		return t.refuse(w, r, err)
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return t.refuse(w, r, err)
	}
	topups := t.app.TopUps()
	result, err := topups.Purchase(r.Context(), stripe.PurchaseRequest{
		TeamID: team, Credits: credits, IdempotencyKey: key, RequestHash: hashRequest(http.MethodPost, PathPurchase, body),
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

// hashRequest returns the hash of the request that an idempotency key stands for. Lengths separate the parts.
func hashRequest(method, path string, body []byte) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d:%s %d:", method, len(path), path, len(body))
	h.Write(body)
	return [sha256.Size]byte(h.Sum(nil))
}

type pageAnswer struct {
	URL string `json:"url"`
}

func (t *Handler) setUpCard(w http.ResponseWriter, r *http.Request, team string) error {
	email, err := readEmail(r)
	if err != nil {
		return t.refuse(w, r, err)
	}
	url, err := t.app.TopUps().SetupPage(r.Context(), stripe.SetupRequest{TeamID: team, Email: email})
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

func (t *Handler) showCard(w http.ResponseWriter, r *http.Request, team string) error {
	c, err := t.app.TopUps().PaymentMethod(r.Context(), team)
	if _, isNone := errors.AsType[*stripe.NoPaymentMethodError](err); isNone {
		return t.app.Refuse(w, r, refuseNoCardFound())
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

func (t *Handler) removeCard(w http.ResponseWriter, r *http.Request, team string) error {
	if err := t.app.TopUps().RemovePaymentMethod(r.Context(), team); err != nil {
		return t.refuse(w, r, err)
	}
	return t.answer(w, r, http.StatusOK, &deletedAnswer{Object: objectPaymentMethod, Deleted: true})
}

// answer writes a response that is no error.
func (t *Handler) answer(w http.ResponseWriter, r *http.Request, status int, v any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // people copy addresses from it
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the response: %w", err)
	}
	h := w.Header()
	response.AllowOrigins(h, true)
	h[request.IDHeader] = []string{request.ID(r)}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes()) // an error means that the client has left
	}
	return nil
}

const headerRatePolicy = "Ratelimit-Policy" // the canonical form of http.Header

func markReplayed(w http.ResponseWriter) { w.Header().Set("Idempotent-Replayed", "true") }

// idempotencyKeyMax is the longest key of a client, in bytes.
const idempotencyKeyMax = 255

// idempotencyKey returns the client's key, or "" without one. It removes the quotes of a structured field (RFC 9651),
// so that a key means the same with and without them.
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
		return "", fault("appears more than once")
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
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
