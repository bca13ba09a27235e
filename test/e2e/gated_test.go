package e2e

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

// gatedPage is the page whose first Caddyfile gates a third-party API.
const gatedPage = "../../docs/x402.md"

// gated is an edge that runs the documented Caddyfile, on a chain with Base's id.
type gated struct {
	url      string
	chain    *chain.Chain
	upstream *httptest.Server
	calls    atomic.Int64
}

// documentedCaddyfile returns the page's first Caddyfile, unchanged.
func documentedCaddyfile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(gatedPage)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```caddyfile\n")
	block, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatalf("%s shows no Caddyfile", gatedPage)
	}
	return block
}

// startGated runs the documented Caddyfile in front of an upstream that knows nothing about charges.
func startGated(t *testing.T, serve http.HandlerFunc) *gated {
	t.Helper()
	s := setup(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	g := new(gated)
	var err error
	if g.chain, err = chain.Start(ctx, chain.Config{ChainID: chain.BaseMainnet}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.chain.Close() })
	g.upstream = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.calls.Add(1)
		serve(w, r)
	}))
	t.Cleanup(g.upstream.Close)
	home, err := os.MkdirTemp(s.dir, "gated-")
	if err != nil {
		t.Fatal(err)
	}
	caddyfile := filepath.Join(home, "Caddyfile")
	if err := os.WriteFile(caddyfile, []byte(documentedCaddyfile(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	g.url = "http://" + address
	env := []string{
		"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home, "CADDY_ADMIN=unix/" + filepath.Join(home, "a.sock"),
		"DOMAIN=" + g.url, "API=" + g.upstream.URL, "DATABASE_URL=" + s.databaseURL, "PAY_TO=" + payTo.Hex(),
		"BASE_RPC_URL=" + g.chain.RPCURL(), "SETTLER_KEY=" + hex.EncodeToString(crypto.FromECDSA(g.chain.Settler())),
	}
	// A path without a price gets 404, which is enough to see that the edge is up.
	if err := s.runUntil(ctx, "gated", g.url+"/", http.StatusNotFound, env, "run", "--config", caddyfile, "--adapter", "caddyfile"); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestDocumentedGate shows that the documented ten lines do what the page promises.
func TestDocumentedGate(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(documentedCaddyfile(t)) {
		if strings.Trim(line, "{}\t\n ") != "" && !strings.HasPrefix(line, "{$DOMAIN}") {
			lines++
		}
	}
	if lines > 10 {
		t.Errorf("the Caddyfile has %d lines beside the site's name, want ten at most", lines)
	}
	g := startGated(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Payment")+r.Header.Get("Payment-Signature")+r.Header.Get("Turnpike-Identity") != "" {
			t.Errorf("the upstream got %v", r.Header)
		}
		_, _ = io.WriteString(w, "report "+r.URL.Path)
	})
	call{method: http.MethodGet, url: g.url + "/reports/1"}.do(t).wantStatus(t, http.StatusPaymentRequired)
	call{method: http.MethodGet, url: g.url + "/other"}.do(t).wantStatus(t, http.StatusNotFound)
	if n := g.calls.Load(); n != 0 {
		t.Fatalf("%d unpaid requests reached the upstream", n)
	}
	for i, version := range []int{1, 2} {
		buyer, err := x402client.New(x402client.Config{
			Client: client, Key: g.chain.Wallet(), Version: version, Networks: []x402.Network{x402.Base()}, SpendMax: 250_000,
		})
		if err != nil {
			t.Fatal(err)
		}
		before, err := g.chain.Balance(t.Context(), payTo)
		if err != nil {
			t.Fatal(err)
		}
		path := fmt.Sprintf("/reports/%d", version)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		bought, err := buyer.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, path, bought.Response)
		after, err := g.chain.Balance(t.Context(), payTo)
		if err != nil {
			t.Fatal(err)
		}
		if got.status != http.StatusOK || string(got.body) != "report "+path || after-before != 250_000 || bought.Receipt == nil || !bought.Receipt.Success {
			t.Errorf("by version %d: got %d %s for %d units with receipt %+v, want the report for 250000", version, got.status, got.body, after-before, bought.Receipt)
		}
		if n := g.calls.Load(); n != int64(i)+1 {
			t.Errorf("the upstream was called %d times for %d payments", n, i+1)
		}
	}
}
