package caddymodule

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/apikey"
	"github.com/turnpike-edge/turnpike/caddymodule/meter"
)

// discard is a ResponseWriter that keeps its header map.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header       { return d.header }
func (*discard) Write(p []byte) (int, error) { return len(p), nil }
func (*discard) WriteHeader(int)             {}

// BenchmarkMetered is the cost of charging on the hot path: key, fixed price, hold, signed identity, end, on the memory
// ledger. It must stay below 10 µs and 9 allocations, of which the memory ledger makes one; 4 to 6 µs were measured, of
// which the signature is about one.
func BenchmarkMetered(b *testing.B) { benchmarkMetered(b, true) }

// BenchmarkMeteredUnsigned is the same without an identity.
func BenchmarkMeteredUnsigned(b *testing.B) { benchmarkMetered(b, false) }

func benchmarkMetered(b *testing.B, signed bool) {
	b.Helper()
	b.Setenv("TURNPIKE_TEST_KEY", testKey)
	b.Setenv("TURNPIKE_TEST_SECRET", testSecret)
	config := `{"ledger": {"type": "memory", "keys": [{"key": "{env.TURNPIKE_TEST_KEY}", "team": "team", "credits": 1125899906842624}]}}`
	if signed {
		config = strings.TrimSuffix(config, "}") + `, "identity_secret": "{env.TURNPIKE_TEST_SECRET}"}`
	}
	ctx, err := caddy.ProvisionContext(&caddy.Config{AppsRaw: caddy.ModuleMap{"turnpike": json.RawMessage(config)}})
	if err != nil {
		b.Fatal(err)
	}
	key := new(apikey.Handler)
	if err := key.Provision(ctx); err != nil {
		b.Fatal(err)
	}
	meter := &meter.Handler{PricesRaw: []json.RawMessage{json.RawMessage(`{"source": "fixed", "methods": ["POST"], "path": "/v1/scrapes", "amount": 1}`)}}
	if err := meter.Provision(ctx); err != nil {
		b.Fatal(err)
	}
	noop := caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusOK)
		return nil
	})
	metered := caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error { return meter.ServeHTTP(w, r, noop) })

	plain := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/scrapes", nil)
	r := caddyhttp.PrepareRequest(plain, caddy.NewReplacer(), nil, nil)
	w := &discard{header: make(http.Header)}
	authorization := []string{"Bearer " + testKey}
	b.ReportAllocs()
	for b.Loop() {
		r.Header["Authorization"] = authorization
		clear(w.header)
		if err := key.ServeHTTP(w, r, metered); err != nil {
			b.Fatal(err)
		}
	}
}
