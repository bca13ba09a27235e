//go:build interop

package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// purchases are requests with a fixed price.
var purchases = []struct{ method, path, body, settle string }{
	{http.MethodGet, "/paid/report?of=today", "", "after"},
	{http.MethodPost, "/paid/before/reports", `{"url":"https://example.com/","formats":["markdown"]}`, "before"},
}

// testClients shows that each client pays the price once, settled after or before the upstream is called.
func (c *cell) testClients(t *testing.T) {
	for _, client := range clients {
		for _, buy := range purchases {
			t.Run(client.program+" settle "+buy.settle, func(t *testing.T) {
				got := c.buy(t, order{
					client: client, what: buy.method + " at our edge", settle: buy.settle, url: c.edge.URL(buy.path), method: buy.method, body: buy.body,
					price: priceUnits, upstream: c.up, callsOfTheUpstream: 1,
				})
				checkAnswer(t, got, buy.method, buy.path, buy.body)
			})
		}
	}
}

// checkAnswer checks that the trivial upstream got the request as the client made it.
func checkAnswer(t *testing.T, got *purchase, method, path, body string) {
	t.Helper()
	var said struct{ Method, Path, Body string }
	if err := json.Unmarshal([]byte(got.Body), &said); err != nil {
		t.Fatalf("body %q: %v", got.Body, err)
	}
	path, _, _ = strings.Cut(path, "?")
	if said.Method != method || said.Path != path || said.Body != body {
		t.Errorf("the upstream saw %+v, want %s %s %s", said, method, path, body)
	}
}

// testScrape tests the whole product: the shipped Caddyfile, the web data service behind it, and a page on this machine.
func (c *cell) testScrape(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Tolls</title><h1>Tolls</h1><p>Paid at the <a href="/gate">gate</a>.</p>`)
	}))
	t.Cleanup(page.Close)
	_, port, err := net.SplitHostPort(page.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile(filepath.Join("..", "..", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	backend, err := rig.StartBackend(ctx, rig.BackendConfig{
		Binary: c.binary, Dir: t.TempDir(), DatabaseURL: c.databaseURL, IdentitySecret: identitySecret, Port: port,
	})
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, "the backend", backend.Process, backend.Log)
	edge := c.place.edge(t, accountEdge, backend.Address, "", shipped)
	body := fmt.Sprintf(`{"url_to_scrape":%q,"formats":["markdown"]}`, page.URL)
	for _, client := range clients {
		t.Run(client.program, func(t *testing.T) {
			got := c.buy(t, order{
				client: client, what: "a scrape, by the shipped Caddyfile", settle: "after", url: edge.URL("/x402/v1/scrapes"),
				method: http.MethodPost, body: body, price: priceUnits,
			})
			if !strings.Contains(got.Body, "# Tolls") || !strings.Contains(got.Body, "/gate)") {
				t.Errorf("got %s, want the page as markdown", got.Body)
			}
		})
	}
}
