package e2e

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// TestSignInsBehindAProxy shows that sign-in attempts are counted by the client address that the edge determines and
// signs, behind any proxy and whatever address the client claims.
func TestSignInsBehindAProxy(t *testing.T) {
	t.Parallel()
	shared := setup(t)
	s := shared.on(t, shared.databaseURL)
	config, err := os.ReadFile("../../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	config = bytes.Replace(config, []byte("\tservers {\n"), []byte("\tservers {\n\t\ttrusted_proxies static 127.0.0.1/32\n\t\ttrusted_proxies_strict\n"), 1)
	settler := s.smallChain(t)
	edge, err := rig.StartEdge(t.Context(), rig.EdgeConfig{
		Binary: s.binary, Dir: t.TempDir(), Caddyfile: config, Upstream: strings.TrimPrefix(shared.backend, "http://"),
		DatabaseURL: s.databaseURL, RPCURL: s.chain.RPCURL(), Settler: settler, PayTo: payTo, IdentitySecret: identitySecret, DecisionTimeout: decisionTimeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = edge.Kill() })
	attempts := 0
	attempt := func(at string, forwarded ...string) int {
		t.Helper()
		attempts++ // a new key each time, because attempts are also counted by key
		form := url.Values{"key": {"tp_not-a-key-" + strconv.Itoa(attempts)}}.Encode()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+"/console/sign-in", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		for _, address := range forwarded {
			req.Header.Add("X-Forwarded-For", address)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	through := edge.URL("")
	limited := 0
	for range 12 {
		if attempt(through, "203.0.113.9") == http.StatusTooManyRequests {
			limited++
		}
	}
	if limited != 2 {
		t.Errorf("got %d of 12 attempts of one client refused, want 2", limited)
	}
	if got := attempt(through, "198.51.100.7"); got == http.StatusTooManyRequests {
		t.Errorf("got %d for another client behind the same proxy, want that it is not counted with the first", got)
	}
	if got := attempt(through, "198.51.100.200, 203.0.113.9"); got != http.StatusTooManyRequests {
		t.Errorf("got %d for a client that says it is another, want 429", got)
	}
	// Without the edge, forwarded addresses are ignored.
	limited = 0
	for i := range 12 {
		if attempt(shared.backend, "192.0.2."+string(rune('1'+i%9))) == http.StatusTooManyRequests {
			limited++
		}
	}
	if limited == 0 {
		t.Error("got no attempt refused at the backend itself, where each says that it comes from another address")
	}
}
