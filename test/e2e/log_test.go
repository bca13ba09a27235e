package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// secret is a value that no log may contain.
type secret struct{ what, value string }

// startLoggedEdge runs the shipped Caddyfile with everything that Caddy can log: access logs, and all logs at level
// DEBUG. It returns the edge and a function that reads its log.
func (s *stack) startLoggedEdge(t *testing.T, backend string) (edge string, read func() string) {
	t.Helper()
	shipped, err := os.ReadFile("../../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "edge.log")
	text := strings.Replace(string(shipped), "\t\tformat lazy\n", "\t\tformat lazy\n\t\tlevel DEBUG\n\t\toutput file "+log+"\n", 1)
	const site = "{$TURNPIKE_SITE:localhost} {\n"
	text = strings.Replace(text, site, site+"\tlog\n", 1)
	if strings.Count(text, "\n") != strings.Count(string(shipped), "\n")+3 {
		t.Fatal("the shipped Caddyfile has another form: this test cannot have it log more")
	}
	caddyfile := filepath.Join(t.TempDir(), "Caddyfile")
	if err := os.WriteFile(caddyfile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if edge, err = s.startEdgeBy(ctx, caddyfile, "logged-edge", backend, s.chain, "base-sepolia"); err != nil {
		t.Fatal(err)
	}
	return edge, func() string {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// TestLogsKeepSecrets shows that whatever Caddy logs about a served, refused or failed request, no key, payment, receipt
// or identity is in it.
func TestLogsKeepSecrets(t *testing.T) {
	t.Parallel()
	s := setup(t)
	identities := make(chan string, 64)
	backend := s.standIn(t, func(w http.ResponseWriter, r *http.Request) {
		if identity := r.Header.Get("Turnpike-Identity"); identity != "" {
			identities <- identity
		}
		switch {
		case strings.Contains(r.URL.RawQuery, "echo"): // an upstream that returns the identity it received
			w.Header().Set("Turnpike-Identity", r.Header.Get("Turnpike-Identity"))
		case strings.Contains(r.URL.RawQuery, "fail"):
			hangUp(w, "")
		}
	})
	edge, read := s.startLoggedEdge(t, backend.url)
	var secrets []secret
	keep := func(what, value string) string {
		secrets = append(secrets, secret{what, value})
		return value
	}
	p := s.purse(t, 100)
	keep("a key", p.key)
	sent := 0
	send := func(c call, status int) {
		t.Helper()
		sent++
		if c.body == "" && c.method == "" {
			c.body = `{"url_to_scrape": "https://example.com/"}`
		}
		got := c.with("SIGN-IN-WITH-X", keep("a login", "login"+strings.Repeat("x", 24)), "Stripe-Signature", keep("Stripe's signature", "t=1,v1=0123456789abcdef")).do(t)
		if got.status != status {
			t.Errorf("%s: got %d %s, want %d", c.url, got.status, got.body, status)
		}
		for _, name := range []string{"Payment-Response", "X-Payment-Response"} {
			if receipt := got.header.Get(name); receipt != "" {
				keep("a receipt", receipt)
			}
		}
		if got.header.Get("Turnpike-Identity") != "" {
			t.Errorf("%s: the client got the upstream's identity", c.url)
		}
	}
	for _, version := range []int{1, 2} {
		for query, status := range map[string]int{"?ok": 200, "?echo": 200, "?fail": 503} {
			payment := s.wallet(t).good(t, version)
			keep("a payment", payment[1])
			send(call{url: edge + "/x402/v1/scrapes" + query}.with(payment...), status)
		}
		// Payments on requests that ignore or refuse them.
		payment := s.emptyWallet(t).good(t, version)
		keep("a payment", payment[1])
		send(call{url: edge + "/x402/v1/scrapes?poor"}.with(payment...), 402)
		send(call{method: http.MethodGet, url: edge + "/pricing"}.with(payment...), 200)
		send(call{url: edge + "/v1/scrapes?ok"}.with(payment...).with(p.bearer()...), 200)
		send(call{url: edge + "/v1/scrapes?ok"}.with(payment...), 401)
	}
	for query, status := range map[string]int{"?ok": 200, "?echo": 200, "?fail": 503} {
		send(call{url: edge + "/v1/scrapes" + query}.with(p.bearer()...), status)
	}
	send(call{url: edge + "/v1/scrapes"}.with("Authorization", "Bearer "+keep("a key that is none", p.key+"x")), 401)
	send(call{url: edge + "/v1/scrapes"}.with(p.bearer()...).with("Turnpike-Identity", keep("a forged identity", "forged.identity.of-a-client")), 200)
	close(identities)
	signed := 0
	for identity := range identities {
		keep("an identity", identity)
		signed++
	}
	if signed < 8 {
		t.Errorf("the upstream got %d identities: this test does not see what it should", signed)
	}
	var text string
	eventually(t, "the log", func() error { // access logs are written after the response
		text = read()
		return wantEntries(text, map[string]int{`"http.log.access`: sent, `"upstream roundtrip"`: 8, `"http.log.error`: 2})
	})
	for _, hidden := range secrets {
		if at := strings.Index(text, hidden.value); at >= 0 {
			line := text[strings.LastIndex(text[:at], "\n")+1:]
			line, _, _ = strings.Cut(line, "\n")
			t.Errorf("%s is in the log: %s", hidden.what, line)
		}
	}
	for _, name := range []string{"X-Payment", "Payment-Signature", "Payment-Response", "X-Payment-Response", "Turnpike-Identity", "Sign-In-With-X"} {
		if strings.Contains(text, `"`+name+`":`) {
			t.Errorf("the log has the header %s", name)
		}
	}
}

// wantEntries checks that each kind of line occurs at least that often.
func wantEntries(text string, kinds map[string]int) error {
	for kind, want := range kinds {
		if got := strings.Count(text, kind); got < want {
			return fmt.Errorf("got %d entries with %s, want %d or more", got, kind, want)
		}
	}
	return nil
}
