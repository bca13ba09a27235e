package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/handler"
	"github.com/turnpike-edge/turnpike/caddymodule/ledger"
	"github.com/turnpike-edge/turnpike/caddymodule/limits"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/caddymodule/server"
	"github.com/turnpike-edge/turnpike/caddymodule/topup"
	"github.com/turnpike-edge/turnpike/caddymodule/x402"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

func init() {
	caddy.RegisterModule(new(App))
}

const (
	identityAudienceDefault = edgewire.DefaultAudience
	docsURLDefault          = "/docs"

	bufferBytesDefault = 128 << 20
	// bufferBytesMin has room for two of the largest bodies.
	bufferBytesMin = 2 * price.BodyBytesMaxMax
)

// App holds what the handlers `api_key`, `topup`, `meter` and `x402` share: the ledger, the x402 gate, and the signer
// of the upstream's identity header.
type App struct {
	// The ledger: it keeps keys, credits and x402 claims. Required by every handler.
	LedgerRaw json.RawMessage `json:"ledger,omitempty" caddy:"namespace=turnpike.ledgers inline_key=type"`

	// Payments by x402. Required by the `x402` handler.
	X402 *x402.Config `json:"x402,omitempty"`

	// The module that sells credits. Required by the `topup` handler.
	TopUpRaw json.RawMessage `json:"topup,omitempty" caddy:"namespace=turnpike.topups inline_key=type"`

	// The address of the upstream that publishes its price book, such as `http://127.0.0.1:8701`. `price upstream` uses
	// it if it names no address itself. Default: none.
	Upstream string `json:"upstream,omitempty"`

	// The secret that signs `Turnpike-Identity` for the upstream (HS256, at least 32 bytes). Give it as a placeholder
	// such as `{env.TURNPIKE_IDENTITY_SECRET}`. Default: none; then no identity is sent, which suits an upstream that
	// does not know about this gate.
	IdentitySecret string `json:"identity_secret,omitempty"`

	// The audience of the identity: the upstream's name. Default: `turnpike-upstream`.
	IdentityAudience string `json:"identity_audience,omitempty"`

	// Where the error codes are documented: error objects link to `<docs_url>/api-reference/errors/<slug>`. A path
	// means this service, at the address that the client used or at the `public_url` of `x402`. Default: `/docs`, where
	// the web data service has its pages.
	DocsURL string `json:"docs_url,omitempty"`

	// The path below which error objects of this edge also have `success` (false) and `error` (the detail), as clients of
	// some other services expect. Default: none.
	ErrorTextBelow string `json:"error_text_below,omitempty"`

	// The limit, in bytes, on what this edge keeps in memory at once: bodies of requests that are priced or paid for,
	// and responses that are held until their payment is settled. One team can use at most half of it, and so can all
	// clients without a key together. Default: 128 MiB; at least 32 MiB.
	BufferBytesMax int64 `json:"buffer_bytes_max,omitempty"`

	shares *limits.Shares
	ledger ledger.Ledger
	signer request.Signer
	gate   *gate.Gate // of X402
	topups topup.Seller
	errs   *response.Refuser
	// pendingConns has the connections whose first request has not been read
	pendingConns server.PendingConns
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike",
		New: func() caddy.Module { return new(App) },
	}
}

// Provision sets up the app.
func (a *App) Provision(ctx caddy.Context) error {
	if err := a.provisionErrors(); err != nil {
		return err
	}
	if a.IdentityAudience == "" {
		a.IdentityAudience = identityAudienceDefault
	}
	if err := a.pendingConns.Subscribe(ctx); err != nil {
		return err
	}
	if err := registerMetrics(ctx.GetMetricsRegistry()); err != nil {
		return err
	}
	if err := a.provisionShares(); err != nil {
		return err
	}
	if err := a.provisionSigner(); err != nil {
		return err
	}
	if a.LedgerRaw == nil {
		if a.X402 != nil {
			return errors.New("x402 requires a ledger for its claims: configure `ledger`")
		}
		if a.TopUpRaw != nil {
			return errors.New("topup requires a ledger: configure `ledger`")
		}
		return nil
	}
	mod, err := ctx.LoadModule(a, "LedgerRaw")
	if err != nil {
		return fmt.Errorf("loading ledger: %w", err)
	}
	ledger, ok := mod.(ledger.Ledger)
	if !ok {
		return fmt.Errorf("ledger module %T is not a ledger", mod)
	}
	a.ledger = ledger
	if err := a.provisionTopUps(ctx); err != nil {
		return err
	}
	if a.X402 == nil {
		return nil
	}
	if err := a.X402.Open(ctx, a.ledger); err != nil {
		return fmt.Errorf("x402: %w", err)
	}
	a.gate = a.X402.Gate()
	return nil
}

func (a *App) provisionErrors() error {
	if a.DocsURL == "" {
		a.DocsURL = docsURLDefault
	}
	if u, err := url.Parse(a.DocsURL); err != nil || !request.IsPath(a.DocsURL) && (u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("docs_url: %q: want an http or https URL, or a path on this service", a.DocsURL)
	}
	a.errs = response.NewRefuser(a.DocsURL, time.Now)
	if a.ErrorTextBelow != "" && !request.IsPath(a.ErrorTextBelow) {
		return fmt.Errorf("error_text_below: %q: want a path, such as /v2/", a.ErrorTextBelow)
	}
	a.errs.TextBelow = a.ErrorTextBelow
	a.errs.Origin = a.origin
	return nil
}

// origin returns the scheme and host of this service as the client sees it.
func (a *App) origin(r *http.Request) string {
	if a.X402 != nil {
		return a.X402.Origin(r)
	}
	return request.OriginOf(r)
}

func (a *App) provisionShares() (err error) {
	if a.BufferBytesMax == 0 {
		a.BufferBytesMax = bufferBytesDefault
	}
	if a.BufferBytesMax < bufferBytesMin {
		return fmt.Errorf("buffer_max: got %d bytes, want %d or more", a.BufferBytesMax, bufferBytesMin)
	}
	a.shares, err = limits.OpenShares(a.BufferBytesMax)
	return err
}

func (a *App) provisionTopUps(ctx caddy.Context) error {
	if a.TopUpRaw == nil {
		return nil
	}
	mod, err := ctx.LoadModule(a, "TopUpRaw")
	if err != nil {
		return fmt.Errorf("loading topup: %w", err)
	}
	source, ok := mod.(topup.Source)
	if !ok {
		return fmt.Errorf("topup module %T does not sell credits", mod)
	}
	if a.topups, err = source.Open(topup.Env{Logger: ctx.Logger(), Ledger: a.ledger, DocsURL: a.DocsURL}); err != nil {
		return fmt.Errorf("topup: %w", err)
	}
	return nil
}

func (a *App) provisionSigner() error {
	if a.IdentitySecret == "" {
		return nil
	}
	secret, err := config.ResolveSecret("identity_secret", a.IdentitySecret)
	if err != nil {
		return err
	}
	a.signer.Signer, err = edgewire.NewSigner([]byte(secret), a.IdentityAudience, time.Now)
	if err != nil {
		return fmt.Errorf("identity_secret: %w", err)
	}
	return nil
}

// PendingConns returns the connections whose first request has not been read.
func (a *App) PendingConns() *server.PendingConns { return &a.pendingConns }

// Start implements caddy.App. Provision has started everything already.
func (*App) Start() error { return nil }

// Stop implements caddy.App. Shared parts end with their last user.
func (*App) Stop() error { return nil }

// Cleanup releases the shared parts. Caddy also calls it when Provision failed half-way. When the process exits, it
// waits for everything that reloads have left behind.
func (a *App) Cleanup() error {
	if caddy.Exiting() {
		defer reload.StillInUse.Wait()
	}
	var err error
	if a.shares != nil {
		err = a.shares.Release()
	}
	if a.X402 == nil {
		return err
	}
	return errors.Join(err, a.X402.Close())
}

// Begin counts a request on the ledger and the gate, until end is called.
func (a *App) Begin() (end func()) {
	endLedger := reload.BeginOn(a.ledger)
	if a.X402 == nil {
		return endLedger
	}
	endGate := a.X402.Begin()
	return func() {
		endGate()
		endLedger()
	}
}

// Use implements handler.App.
func (a *App) Use(ctx caddy.Context) error {
	if a.ledger == nil {
		return errors.New("no ledger: configure one in the global option `turnpike`, such as `ledger postgres {env.DATABASE_URL}`")
	}
	a.pendingConns.Watch(ctx)
	return nil
}

// Payments returns the x402 payments, nil if none are configured.
func (a *App) Payments() *x402.Config { return a.X402 }

// TopUps returns the seller of credits, nil if none is configured.
func (a *App) TopUps() topup.Seller { return a.topups }

// UpstreamAddress returns Upstream.
func (a *App) UpstreamAddress() string { return a.Upstream }

// Shares returns what teams and addresses share of the edge's buffers.
func (a *App) Shares() *limits.Shares { return a.shares }

// Signer returns what signs the identities of requests.
func (a *App) Signer() request.Signer { return a.signer }

// Meter returns the meter that holds and takes credits.
func (a *App) Meter() credits.Meter { return a.ledger.Meter() }

// Keys returns the ledger's resolver from keys to principals.
func (a *App) Keys() apikey.Resolver { return a.ledger.Keys() }

// Refuse implements handler.App.
func (a *App) Refuse(w http.ResponseWriter, r *http.Request, no *response.Refusal) error {
	return a.errs.Write(w, r, no)
}

// Interface guards
var (
	_ caddy.App          = (*App)(nil)
	_ caddy.Provisioner  = (*App)(nil)
	_ caddy.CleanerUpper = (*App)(nil)
	_ handler.App        = (*App)(nil)
)
