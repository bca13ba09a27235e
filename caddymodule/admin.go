package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

func init() {
	caddy.RegisterModule(new(Admin))
}

// Admin adds two endpoints to Caddy's admin API. `GET /turnpike/health` reports whether the ledger is usable (503 if
// not), and what is in flight. `GET /turnpike/payments` reports how many x402 payments are not finished, over all edges
// of the ledger, and what is owed to payers.
type Admin struct {
	app *App // nil if the configuration has none
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
	return []caddy.AdminRoute{
		{Pattern: "/turnpike/health", Handler: caddy.AdminHandlerFunc(a.health)},
		{Pattern: "/turnpike/payments", Handler: caddy.AdminHandlerFunc(a.payments)},
	}
}

type healthReport struct {
	Status string `json:"status"` // ok, no_ledger, ledger_unavailable, not_configured
	Detail string `json:"detail,omitempty"`
	// HoldsInFlight counts requests at the upstream under a hold.
	HoldsInFlight int64 `json:"holds_in_flight"`
	// PaymentsInFlight counts x402 payments in progress.
	PaymentsInFlight int `json:"payments_in_flight"`
}

const (
	pingTimeout  = 2 * time.Second
	countTimeout = 5 * time.Second
)

// readOnly refuses all methods but GET and HEAD.
func readOnly(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	w.Header().Set("Allow", "GET, HEAD")
	return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed}
}

func (a *Admin) health(w http.ResponseWriter, r *http.Request) error {
	if err := readOnly(w, r); err != nil {
		return err
	}
	report := healthReport{Status: "ok", HoldsInFlight: metrics.HoldsInFlight.Load()}
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
	return writeReport(w, report.Status == "ok", &report)
}

func writeReport(w http.ResponseWriter, ok bool, report any) error {
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	return json.NewEncoder(w).Encode(report)
}

type paymentsReport struct {
	Status string `json:"status"` // ok, not_configured, ledger_unavailable
	Detail string `json:"detail,omitempty"`
	// States has the payments that are not finished, and refund_due. A missing state has none.
	States map[claims.State]stateReport `json:"states,omitempty"`
}

type stateReport struct {
	Claims int `json:"claims"`
	// USDC is their total value, as a decimal number.
	USDC   string    `json:"usdc"`
	Oldest time.Time `json:"oldest"`
}

func (a *Admin) payments(w http.ResponseWriter, r *http.Request) error {
	if err := readOnly(w, r); err != nil {
		return err
	}
	report := paymentsReport{Status: "ok"}
	if a.app == nil || a.app.gate == nil {
		report.Status = "not_configured"
		return writeReport(w, false, &report)
	}
	ctx, cancel := context.WithTimeout(r.Context(), countTimeout)
	defer cancel()
	counts, err := a.app.gate.Counts(ctx)
	if err != nil {
		report.Status, report.Detail = "ledger_unavailable", err.Error()
		return writeReport(w, false, &report)
	}
	report.States = make(map[claims.State]stateReport, len(counts))
	for state, n := range counts {
		report.States[state] = stateReport{Claims: n.Claims, USDC: n.Amount.String(), Oldest: n.Oldest.UTC()}
	}
	return writeReport(w, true, &report)
}

// Interface guards
var (
	_ caddy.AdminRouter = (*Admin)(nil)
	_ caddy.Provisioner = (*Admin)(nil)
)
