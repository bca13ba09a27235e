//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

// TestX402Networks shows that an edge with several networks offers all of them, in the order of the Caddyfile, and
// takes payments on each.
func TestX402Networks(t *testing.T) {
	e := newEdge(t, paidSite)
	for version, network := range map[int]x402.Network{1: x402.Base(), 2: x402.BaseSepolia()} {
		key, err := crypto.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		buyer, err := client.New(client.Config{Client: e.client, Key: key, Version: version, Networks: []x402.Network{network}})
		if err != nil {
			t.Fatal(err)
		}
		bought, err := buyer.Do(e.request(http.MethodGet, "/x402/reports/1", ""))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, bought.Response.Body)
		_ = bought.Response.Body.Close()
		if bought.Response.StatusCode != http.StatusOK || bought.Receipt == nil || !bought.Receipt.Success || bought.Network != network.ID() {
			t.Errorf("on %s by version %d: got %d, %+v", network.ID(), version, bought.Response.StatusCode, bought.Receipt)
		}
	}
	var challenge struct {
		Accepts []struct{ Network, PayTo string }
	}
	if err := json.Unmarshal([]byte(e.do("GET", "/x402/reports/1", "").body), &challenge); err != nil {
		t.Fatal(err)
	}
	if len(challenge.Accepts) != 2 || challenge.Accepts[0].Network != "base-sepolia" || challenge.Accepts[1].Network != "base" ||
		challenge.Accepts[1].PayTo != "0x000000000000000000000000000000000000dEaD" {
		t.Errorf("offered: got %+v", challenge.Accepts)
	}
}

// countingStore is a claim store that only counts, or is away.
type countingStore struct {
	claims.Store

	counts claims.Counts
	err    error
}

func (c *countingStore) Counts(context.Context) (claims.Counts, error) { return c.counts, c.err }

func TestAdminPayments(t *testing.T) {
	t.Parallel()
	oldest := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	open := claims.Counts{claims.StateRefundDue: {Claims: 2, Amount: 20_000, Oldest: oldest}, claims.StateUnknown: {Claims: 1, Amount: 5, Oldest: oldest}}
	for name, tt := range map[string]struct {
		app    func(t *testing.T) *App
		status int
		want   string
	}{
		"open": {
			appWith(&countingStore{counts: open}), 200,
			`{"status":"ok","states":{"refund_due":{"claims":2,"usdc":"0.02","oldest":"2026-11-21T18:00:00Z"},` +
				`"unknown":{"claims":1,"usdc":"0.000005","oldest":"2026-11-21T18:00:00Z"}}}`,
		},
		"nothing open": {appWith(&countingStore{}), 200, `{"status":"ok"}`},
		"ledger away":  {appWith(&countingStore{err: errors.New("away")}), 503, `{"status":"ledger_unavailable","detail":"away"}`},
		"no x402":      {func(*testing.T) *App { return &App{} }, 503, `{"status":"not_configured"}`},
		"no app":       {func(*testing.T) *App { return nil }, 503, `{"status":"not_configured"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			admin := Admin{app: tt.app(t)}
			if err := admin.payments(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/turnpike/payments", nil)); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(w.Body.String()); w.Code != tt.status || got != tt.want {
				t.Errorf("got %d %s, want %d %s", w.Code, got, tt.status, tt.want)
			}
			if err := admin.payments(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/turnpike/payments", nil)); err == nil {
				t.Error("POST: got no error, want 405")
			}
		})
	}
}

// appWith is an app whose gate keeps its claims in the store.
func appWith(store claims.Store) func(t *testing.T) *App {
	return func(t *testing.T) *App {
		t.Helper()
		network := x402.Base()
		gate, err := gate.NewGate(gate.Config{
			Store: store, Facilitator: &accepting, Accepts: []gate.Acceptance{{Network: network, PayTo: network.Asset}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return &App{gate: gate}
	}
}
