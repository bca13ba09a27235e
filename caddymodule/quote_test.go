//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// quotingUpstream publishes a price book with quoted prices. It quotes two for each item of the body, and refuses an
// item called "bad".
func quotingUpstream(t *testing.T) *httptest.Server {
	t.Helper()
	verifier, err := edgewire.NewVerifier([]byte(testSecret), identityAudienceDefault, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case price.WellKnownPath:
			_, _ = io.WriteString(w, `{"version": 1, "rules": [{"methods": ["POST"], "path": "/batches", "unit": "credit", "price": "quote"}]}`)
		case price.QuotePath:
			body, _ := io.ReadAll(r.Body)
			id, err := verifier.Verify(r, r.URL.RequestURI())
			switch {
			case err != nil || id.CheckBody(body) != nil || id.Max != 0 || id.Payer.TeamID != "team_rich" && id.Payer.TeamID != "team_poor":
				w.WriteHeader(http.StatusUnauthorized)
			case strings.Contains(string(body), "bad"):
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, `{"code":"blocked_address"}`)
			case strings.Contains(string(body), "country"):
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusNotImplemented)
				_, _ = io.WriteString(w, `{"code":"provider_not_configured"}`)
			case r.URL.Query().Get("uri") != "/batches?x=1" || r.URL.Query().Get("method") != http.MethodPost:
				w.WriteHeader(http.StatusInternalServerError)
			default:
				_, _ = fmt.Fprintf(w, `{"amount": %d}`, 2*strings.Count(string(body), "item"))
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestMeterQuote shows that the edge holds what the upstream quotes for this request and team, binds the identity to
// the body, and forwards a refusal; then nothing is held and the upstream does not run.
func TestMeterQuote(t *testing.T) {
	upstream := quotingUpstream(t)
	e := newEdge(t, "api_key\nmeter {\nprice upstream "+upstream.URL+" {\nrefresh 1h\n}\n}\nreverse_proxy UPSTREAM\n")

	a := e.do("POST", "/batches?x=1", `["item", "item", "item"]`, bearerHeader...)
	if a.status != http.StatusOK || a.header.Get("X-Credits-Used") != "6" {
		t.Errorf("got %+v, want 6 credits used", a)
	}
	if got := e.ended(); got != 6 {
		t.Errorf("got %d captured, want 6", got)
	}
	if got := e.last.Load(); got.identityErr != nil || got.identity.Max != 6 || got.identity.BodySHA256 == "" || got.body != `["item", "item", "item"]` {
		t.Errorf("the upstream got %+v, want an identity for 6 credits and this body", got)
	}

	calls := e.calls.Load()
	if a := e.do("POST", "/batches?x=1", `["bad"]`, bearerHeader...); a.status != http.StatusForbidden || a.body != `{"code":"blocked_address"}` || a.header.Get("X-Request-Id") == "" {
		t.Errorf("got %+v, want the upstream's own refusal", a)
	}
	a = e.do("POST", "/batches?x=1", `["country"]`, bearerHeader...)
	if a.status != http.StatusNotImplemented || a.body != `{"code":"provider_not_configured"}` || a.header.Get("Retry-After") != "7" {
		t.Errorf("got %+v, want that the upstream cannot do it, as it says it", a)
	}
	e.do("POST", "/batches", `["item"]`, bearerHeader...).wantError(t, http.StatusServiceUnavailable, "overloaded")
	e.do("POST", "/batches?x=1", `{"a": 1, "a": 2}`, bearerHeader...).wantError(t, http.StatusBadRequest, "invalid_json")
	e.do("POST", "/batches?x=1", `["item", "item"]`, "Authorization", "Bearer "+testPoorKey).wantError(t, http.StatusPaymentRequired, "credits_exhausted")
	if got := e.calls.Load(); got != calls {
		t.Errorf("the upstream was run %d times for refused requests", got-calls)
	}
	e.wantBalance(994)
}
