package facilitator

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestFacilitatorHTTPWarnsAtTheStart shows that problems that would break the first payment are logged at the start,
// without preventing it.
func TestFacilitatorHTTPWarnsAtTheStart(t *testing.T) {
	t.Parallel()
	facilitator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:84532"}]}`)
	}))
	t.Cleanup(facilitator.Close)
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"0x1"}`)
	}))
	t.Cleanup(node.Close)
	for name, tt := range map[string]struct {
		f    HTTP
		want []string
		not  string
	}{
		"without a node": {
			HTTP{URL: facilitator.URL}, []string{"network base-sepolia in x402 version 1", "without verification"}, "in x402 version 2",
		},
		"with a node on another chain": {
			HTTP{URL: facilitator.URL, RPC: strings.TrimSuffix(node.URL, "/"), Confirmations: 2, Timeout: caddy.Duration(time.Second)},
			[]string{"version 1", "the node is on chain 1: want 84532"},
			"without verification",
		},
		"that is away": {
			HTTP{URL: "http://127.0.0.1:1"}, []string{"what it supports"}, "version",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			if err := tt.f.Provision(caddy.Context{}); err != nil {
				t.Fatal(err)
			}
			p, err := tt.f.connect(x402.BaseSepolia(), slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			p.checks.Wait()
			if err := p.Destruct(); err != nil {
				t.Error(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(log.String(), want) {
					t.Errorf("got no warning with %q in\n%s", want, log.String())
				}
			}
			if strings.Contains(log.String(), tt.not) {
				t.Errorf("got a warning with %q in\n%s", tt.not, log.String())
			}
		})
	}
}

func TestFacilitatorHTTPFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		f    HTTP
		want string
	}{
		"confirmations of nobody": {HTTP{URL: "https://x", Confirmations: 2}, "rpc"},
		"confirmations below 0":   {HTTP{URL: "https://x", RPC: "https://y", Confirmations: -1}, "confirmations: got -1"},
		"timeout below 0":         {HTTP{URL: "https://x", Timeout: -1}, "timeout: got -1ns"},
		"a node that is not set":  {HTTP{URL: "https://x", RPC: "{env.TURNPIKE_TEST_NONE}"}, "rpc"},
		"a key as text":           {HTTP{URL: "https://x", RPC: "https://y/v2/key"}, "rpc contains more than a host"},
	} {
		if err := tt.f.Provision(caddy.Context{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}
