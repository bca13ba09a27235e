package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func init() {
	caddy.RegisterModule(new(Admin))
}

// Admin adds the endpoint `GET /turnpike/health` to Caddy's admin API: whether
// the ledger can be used (503 if not), and what is in flight.
type Admin struct {
	app *App // nil where the configuration has none
}

// CaddyModule returns the Caddy module information.
func (*Admin) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "admin.api.turnpike",
		New: func() caddy.Module { return new(Admin) },
	}
}

// Provision finds the app of the configuration.
func (a *Admin) Provision(ctx caddy.Context) error {
	mod, err := ctx.AppIfConfigured("turnpike")
	if errors.Is(err, caddy.ErrNotConfigured) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("loading the turnpike app: %w", err)
	}
	a.app, _ = mod.(*App)
	return nil
}

// Routes implements caddy.AdminRouter.
func (a *Admin) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{{Pattern: "/turnpike/health", Handler: caddy.AdminHandlerFunc(a.health)}}
}

type healthReport struct {
	Status string `json:"status"` // ok, no_ledger, ledger_unavailable, not_configured
	Detail string `json:"detail,omitempty"`
	// HoldsInFlight counts requests at the upstream under a hold.
	HoldsInFlight int64 `json:"holds_in_flight"`
	// PaymentsInFlight counts x402 payments that are being worked on.
	PaymentsInFlight int `json:"payments_in_flight"`
}

const pingTimeout = 2 * time.Second

func (a *Admin) health(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed}
	}
	report := healthReport{Status: "ok", HoldsInFlight: holdsInFlight.Load()}
	switch app := a.app; {
	case app == nil:
		report.Status = "not_configured"
	case app.ledger == nil:
		report.Status = "no_ledger"
	default:
		if app.gate != nil {
			report.PaymentsInFlight = app.gate.InFlight()
		}
		ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
		defer cancel()
		if err := app.ledger.Ping(ctx); err != nil {
			report.Status, report.Detail = "ledger_unavailable", err.Error()
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if report.Status != "ok" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	return json.NewEncoder(w).Encode(&report)
}

// Interface guards
var (
	_ caddy.AdminRouter = (*Admin)(nil)
	_ caddy.Provisioner = (*Admin)(nil)
)
