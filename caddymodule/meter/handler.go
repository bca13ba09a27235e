package meter

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/limits"
	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/caddymodule/prices"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func init() {
	caddy.RegisterModule(new(Handler))
}

// Handler charges prepaid credits for requests. It comes after `api_key`. It holds what a request may cost before the
// upstream sees it (402 `credits_exhausted` if the team has too few), and ends the hold by the outcome:
//
// Outcome | The hold is
// --------|------------
// status below 400 | captured: what the upstream's `Turnpike-Cost` says (at most what is held), or all of it
// status 400 to 499 | voided; captured with `charge_client_errors`
// status 500 and up, upstream unreachable, answer broken off | voided
// `Turnpike-Hold-Adopted: true` | left to the upstream
// the client has left | by the status, if the upstream had answered; voided otherwise
//
// A call of an MCP server's tool ends by its result: one that says that the call has failed is voided.
//
// The client gets `X-Credits-Used` and `X-Credits-Remaining`. A request that matches no price is refused with 404; one
// that cannot be priced, with 400.
type Handler struct {
	// What requests cost, in credits: `fixed` and `expression` prices, of which the first match applies, or one
	// `upstream`. Required.
	PricesRaw []json.RawMessage `json:"prices,omitempty" caddy:"namespace=turnpike.prices inline_key=source"`

	// Let requests without a key pass unmetered, for an `x402` handler that follows to charge. Default: false.
	Optional bool `json:"optional,omitempty"`

	// Charge for responses with status 400 to 499. Default: false.
	ChargeClientErrors bool `json:"charge_client_errors,omitempty"`

	app    app
	shares *limits.Shares
	signer request.Signer
	meter  credits.Meter
	pricer price.Pricer
	logger *zap.Logger
}

// app is what the handler needs of the app.
type app interface {
	handler.App
	Shares() *limits.Shares
	Signer() request.Signer
	Meter() credits.Meter
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.meter",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision sets up the handler.
func (m *Handler) Provision(ctx caddy.Context) error {
	var err error
	if m.app, err = handler.AppOf[app](ctx); err != nil {
		return err
	}
	m.shares, m.signer, m.meter = m.app.Shares(), m.app.Signer(), m.app.Meter()
	m.logger = ctx.Logger()
	m.pricer, err = prices.Load(ctx, m, "PricesRaw", edgewire.UnitCredit)
	return err
}

func (m *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	request.Clean(r)
	if r.Method == http.MethodOptions {
		return response.Preflight(w, r)
	}
	found := request.AccessOf(r)
	switch {
	case found == nil, found.Principal == nil && !found.Anonymous && !found.Public:
		if m.Optional {
			return next.ServeHTTP(w, r)
		}
		metrics.Decisions.KeyMissing.Inc()
		return m.app.Refuse(w, r, response.RefuseNoKey())
	case found.Public:
		if err := m.signer.IdentifyClient(r); err != nil {
			return err
		}
		return next.ServeHTTP(response.NewWriter(w, r), r)
	}
	defer m.shares.Share(r)()
	quote, err := request.PriceSent(m.pricer, r, edgewire.UnitCredit)
	if err != nil {
		return m.refusePrice(w, r, &quote, err)
	}
	if quote.Free || found.Principal == nil {
		return m.serveFree(w, r, next, found, &quote)
	}
	return m.serveHeld(w, r, next, found, &quote)
}

func (m *Handler) refusePrice(w http.ResponseWriter, r *http.Request, quote *price.Quote, err error) error {
	no := response.RefusePrice(err)
	if no.Status >= http.StatusInternalServerError && !errors.Is(err, price.ErrOverloaded) {
		m.logger.Error("pricing a request", zap.Error(err))
	}
	metrics.Decisions.Unpriced.Inc()
	return m.refuse(w, r, quote, no, err)
}

// refuse responds with a refusal. err is why the request has no price, or nil.
func (m *Handler) refuse(w http.ResponseWriter, r *http.Request, quote *price.Quote, no *response.Refusal, err error) error {
	if response.Answered(w, r, no, quote, err) {
		return nil
	}
	return m.app.Refuse(w, r, no)
}

// serveFree passes a request on without a charge. One without a key passes only if its price is free: the list of
// anonymous paths never gives away what has a price.
func (m *Handler) serveFree(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, found *request.Access, quote *price.Quote) error {
	payer := request.AnonymousPayer
	if found.Principal != nil {
		payer = request.TeamPayer(found.Principal)
	} else if !quote.Free {
		metrics.Decisions.KeyMissing.Inc()
		return m.app.Refuse(w, r, response.RefuseNoKey())
	}
	if err := m.signer.Identify(r, credits.NewID().String(), payer, quote); err != nil {
		return err
	}
	metrics.Decisions.Free.Inc()
	found.Held = true
	return next.ServeHTTP(response.NewWriter(w, r), r)
}

func (m *Handler) serveHeld(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, found *request.Access, quote *price.Quote) error {
	identity := request.NewIdentity(r, request.TeamPayer(found.Principal)) // made before it waits, while what it is made of is in the CPU's caches
	decision, err := m.meter.Authorize(r.Context(), credits.Request{
		Account: found.Principal.Account, Key: found.Principal.Key,
		Amount: money.Credits(quote.Amount), Operation: quote.Operation, Waited: found.Principal.Waited,
	})
	if err != nil {
		return m.refuseOutage(w, r, quote, err)
	}
	switch decision.Outcome {
	case credits.Accepted:
	case credits.Refused:
		metrics.Decisions.Refused.Inc()
		return m.refuse(w, r, quote, response.RefuseCredits(quote.Amount, int64(decision.Available)), nil)
	case credits.KeyInvalid:
		metrics.Decisions.KeyInvalid.Inc()
		return m.app.Refuse(w, r, response.RefuseInvalidKey(apikey.ErrInvalid))
	}
	metrics.Decisions.Accepted.Inc()
	run := &heldRun{meter: m, hold: decision.Hold, available: decision.Available}
	if err := m.signer.SignPaid(r, &identity, run.hold.ID().String(), quote); err != nil {
		run.void()
		return err
	}
	found.Held = true
	if quote.Message != nil {
		return run.serveCall(w, r, next, quote.Message)
	}
	return run.serve(w, r, next)
}

// refuseOutage responds when there is no decision. If the hold is committed nevertheless, the meter voids it.
func (m *Handler) refuseOutage(w http.ResponseWriter, r *http.Request, quote *price.Quote, err error) error {
	metrics.Decisions.Overloaded.Inc()
	if r.Context().Err() != nil {
		return caddyhttp.Error(statusClientGone, err)
	}
	if !errors.Is(err, credits.ErrOverloaded) {
		m.logger.Error("authorising credits", zap.Error(err))
	}
	return m.refuse(w, r, quote, response.RefuseOverloaded("Credits cannot be checked at the moment. Nothing was charged."), nil)
}

// statusClientGone is the status that Caddy logs for a client that left.
const statusClientGone = 499

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
