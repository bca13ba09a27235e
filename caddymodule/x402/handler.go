package x402

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/limits"
	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/caddymodule/paywall"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/caddymodule/upstream"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func init() {
	caddy.RegisterModule(new(Handler))
}

// Handler charges USDC for each request, by the x402 protocol: versions 1 and 2, scheme `exact`. A request without payment
// gets a 402 challenge. A request with a valid payment is served, and its response carries the receipt.
//
// A request for which `meter` holds credits passes, so one route can take both kinds of payment. The handler answers
// `OPTIONS` itself (CORS preflight), and prices `HEAD` like `GET`. A person who opens a priced address in a browser
// gets a page that says what it costs and pays with the browser's wallet.
type Handler struct {
	// What requests cost, in millionths of a USDC: `fixed` and `expression` prices, of which the first match applies,
	// or one `upstream`. Required.
	PricesRaw []json.RawMessage `json:"prices,omitempty" caddy:"namespace=turnpike.prices inline_key=source"`

	// The media type of the paid resource, as challenges state it. Default: `application/json`.
	MimeType string `json:"mime_type,omitempty"`

	// Whether a person who opens a priced address in a browser gets the same JSON as programs, instead of a page that
	// pays with the browser's wallet. Default: false.
	NoBrowserPage bool `json:"no_browser_page,omitempty"`

	// Where the upstream describes its API. Challenges and `x402_discovery` then describe requests and responses too.
	// Default: none.
	OpenAPI *upstream.OpenAPI `json:"openapi,omitempty"`

	// Refuse payments without an identifier of the purchase (extension `payment-identifier`). This refuses version 1
	// too, which has no identifiers. Default: false.
	RequirePaymentIdentifier bool `json:"require_payment_identifier,omitempty"`

	app      app
	config   *Config
	shares   *limits.Shares
	signer   request.Signer
	pricer   price.Pricer
	logger   *zap.Logger
	catalogs catalogs
}

// app is what the handlers need of the app.
type app interface {
	handler.App
	// Begin counts a request on the ledger and the gate, until end is called.
	Begin() (end func())
	Payments() *Config
	Shares() *limits.Shares
	Signer() request.Signer
	UpstreamAddress() string
}

// appOf returns the app of a configuration, and its payments. An app without payments is an error.
func appOf(ctx caddy.Context) (app, *Config, error) {
	a, err := handler.AppOf[app](ctx)
	if err != nil {
		return nil, nil, err
	}
	if a.Payments() == nil {
		return nil, nil, errors.New("no x402 payments: configure `x402` in the global option `turnpike`")
	}
	return a, a.Payments(), nil
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.x402",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision sets up the handler.
func (x *Handler) Provision(ctx caddy.Context) error {
	var err error
	if x.app, x.config, err = appOf(ctx); err != nil {
		return err
	}
	x.shares, x.signer = x.app.Shares(), x.app.Signer()
	if x.RequirePaymentIdentifier && x.config.NoPaymentIdentifier {
		return errors.New("require_payment_identifier: identifiers are turned off by `payment_identifier off` in the global option `turnpike`")
	}
	if x.MimeType == "" {
		x.MimeType = "application/json"
	}
	x.logger = ctx.Logger()
	if x.OpenAPI != nil {
		if err := x.OpenAPI.Open(x.app.UpstreamAddress()); err != nil {
			return err
		}
	}
	x.pricer, err = prices.Load(ctx, x, "PricesRaw", edgewire.UnitUSDC)
	return err
}

func (x *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	defer x.app.Begin()()
	found := request.AccessOf(r)
	if found != nil && found.Held { // by a meter, which has cleaned the request and set its identity
		return next.ServeHTTP(w, r)
	}
	request.Clean(r)
	if r.Method == http.MethodOptions {
		return response.Preflight(w, r)
	}
	if found != nil && found.Public {
		return next.ServeHTTP(response.NewWriter(w, r), r)
	}
	defer x.shares.Share(r)()
	quote, err := request.PriceSent(x.pricer, r, edgewire.UnitUSDC)
	if err != nil {
		no := response.RefusePrice(err)
		if no.Status >= http.StatusInternalServerError && !errors.Is(err, price.ErrOverloaded) {
			x.logger.Error("pricing a request", zap.Error(err))
		}
		metrics.Payments.Unpriced.Inc()
		return x.refuse(w, r, &quote, no, err)
	}
	writer := response.NewWriter(w, r)
	if quote.Free || quote.Amount == 0 {
		metrics.Payments.Free.Inc()
		if err := x.signer.Identify(r, credits.NewID().String(), request.AnonymousPayer, &quote); err != nil {
			return err
		}
		return next.ServeHTTP(writer, r)
	}
	return x.servePaid(writer, r, next, &quote)
}

func (x *Handler) servePaid(w *response.Writer, r *http.Request, next caddyhttp.Handler, quote *price.Quote) error {
	request.TakePayment(r)
	room := x.shares.Room(r.Context())
	defer room.Release()
	w.Hold(room)
	offer := x402.Offer{
		Amount: money.MicroUSDC(quote.Amount), Resource: x.config.resource(r),
		Description: quote.Description, MimeType: x.MimeType, Operation: quote.Operation,
		Settle: quote.Settle, UpstreamTimeout: quote.Timeout,
		IdentifierRequired: x.RequirePaymentIdentifier,
	}
	x.describe(r, quote, &offer)
	body, err := boundBody(r, quote)
	if err != nil {
		metrics.Payments.Unpriced.Inc()
		return x.app.Refuse(w, r, response.RefusePrice(err))
	}
	if len(body) > 0 && quote.Body == nil {
		quote.Body = edgewire.NewBody(body) // so that the identity is bound to it too
	}
	run := func(w http.ResponseWriter, r *http.Request, claim x402.Claim) error {
		request.DropPayment(r.Header) // the gate passes on a copy of the header
		payer := edgewire.Payer{Kind: edgewire.PayerWallet, Network: claim.Network, Address: claim.Payer}
		if err := x.signer.Identify(r, claim.ID.String(), payer, quote); err != nil {
			return err
		}
		return next.ServeHTTP(w, r)
	}
	if quote.Message != nil {
		return x.serveCall(w, r, offer, quote, room, run)
	}
	var answer http.ResponseWriter = w
	if !x.NoBrowserPage && paywall.Wanted(r) {
		answer = paywall.NewWriter(w, time.Now)
	}
	err = x.config.gate.Serve(answer, r, offer, body, run)
	x.count(err, w.Status)
	if errors.Is(err, x402.ErrUnavailable) && w.Status == 0 {
		return x.app.Refuse(w, r, refuseUnavailable())
	}
	return err
}

func refuseUnavailable() *response.Refusal {
	return response.RefuseOverloaded("Payments cannot be processed at the moment. Nothing was charged.")
}

// count counts a request that the gate has handled. status is what the gate has written, 0 if nothing.
func (x *Handler) count(err error, status int) {
	switch {
	case errors.Is(err, x402.ErrUnavailable) && status == 0:
		metrics.Payments.Unavailable.Inc()
		x.logger.Error("taking payment", zap.Error(err))
	case err != nil:
		metrics.Payments.Failed.Inc()
	case status == http.StatusPaymentRequired:
		metrics.Payments.Unpaid.Inc()
	default:
		metrics.Payments.Passed.Inc()
	}
}

// refuse responds with a refusal. err is why the request has no price, or nil.
func (x *Handler) refuse(w http.ResponseWriter, r *http.Request, quote *price.Quote, no *response.Refusal, err error) error {
	if response.Answered(w, r, no, quote, err) {
		return nil
	}
	return x.app.Refuse(w, r, no)
}

// Cleanup releases the upstream's description.
func (x *Handler) Cleanup() error {
	if x.OpenAPI == nil {
		return nil
	}
	return x.OpenAPI.Close()
}

// boundBody returns the body that a payment is bound to. If pricing has not read it, it is read only for a request with
// a payment or a sign-in: a client that asks for the price need not send it all.
func boundBody(r *http.Request, quote *price.Quote) ([]byte, error) {
	if quote.Body != nil || !request.CarriesPayment(r.Header) {
		return quote.Body.Text(), nil
	}
	body, err := price.ReadBody(r, quote.BodyBytesMax)
	if err != nil {
		return nil, fmt.Errorf("reading the request's body: %w", err)
	}
	return body, nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.CleanerUpper          = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
