package gate

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// TestBuyerPaysGate tests the whole path: buyer, gate, chain.
func TestBuyerPaysGate(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	for _, version := range []int{0, 1, 2} {
		b := newBooth(t, func(cfg *Config) {
			cfg.Facilitator, cfg.Now = c.facilitator, time.Now
			cfg.Accepts = []Acceptance{{Network: x402.BaseSepolia(), PayTo: c.Req.PayTo}}
		})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if err := b.gate.Serve(w, r, b.offer, body, b.next); err != nil {
				t.Errorf("serve: %v", err)
			}
		}))
		t.Cleanup(server.Close)
		buyer, err := client.New(client.Config{Client: server.Client(), Key: c.Chain.Wallet(), Version: version})
		if err != nil {
			t.Fatal(err)
		}
		before := c.Balance(c.Req.PayTo)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/reports", io.NopCloser(bytes.NewBufferString("body")))
		if err != nil {
			t.Fatal(err)
		}
		got, err := buyer.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(got.Response.Body)
		got.Response.Body.Close()
		wantVersion := max(version, 1)
		if version == 0 {
			wantVersion = 2
		}
		if got.Response.StatusCode != http.StatusOK || string(text) != "report" || got.Receipt == nil || !got.Receipt.Success ||
			got.Amount != 10_000 || got.Version != wantVersion || got.Network != "eip155:84532" {
			t.Errorf("version %d: got %+v, %d, %s", version, got, got.Response.StatusCode, text)
		}
		if moved := c.Balance(c.Req.PayTo) - before; moved != 10_000 {
			t.Errorf("moved: got %d, want 10000", moved)
		}
	}
}

func TestBuyerRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*client.Config)
		amount money.MicroUSDC
		ok     bool
	}{
		"v1 within its limit":  {func(c *client.Config) { c.Version = 1 }, client.SpendMaxV1, true},
		"v1 over its limit":    {func(c *client.Config) { c.Version = 1 }, client.SpendMaxV1 + 1, false},
		"v2 within its limit":  {func(c *client.Config) { c.Version = 2 }, client.SpendMaxV2, true},
		"v2 over its limit":    {func(c *client.Config) { c.Version = 2 }, client.SpendMaxV2 + 1, false},
		"over a limit given":   {func(c *client.Config) { c.SpendMax = 5 }, 6, false},
		"no network in common": {func(c *client.Config) { c.Networks = []x402.Network{} }, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.offer.Amount = tt.amount
			cfg := client.Config{Client: &http.Client{Timeout: 10 * time.Second}, Key: b.key, Now: b.clock.Now}
			tt.change(&cfg)
			buyer, err := client.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			signed, err := buyer.Sign(b.serve(b.request()).Result())
			if (err == nil) != tt.ok || (err != nil && !errors.Is(err, client.ErrNoOffer)) {
				t.Fatalf("got %v, want ok %v", err, tt.ok)
			}
			if tt.ok {
				b.wantPaid(b.serve(b.request(signed.HeaderName, signed.HeaderValue)))
			}
		})
	}
	if _, err := client.New(client.Config{Version: 3}); err == nil {
		t.Error("empty configuration: got no error")
	}
}
