package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestMethodsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, tc := range []struct {
		method, path, allow string
	}{
		{http.MethodGet, "/v1/scrapes", "POST, OPTIONS"},
		{http.MethodHead, "/v1/scrapes", "POST, OPTIONS"},
		{http.MethodPut, "/v1/scrapes", "POST, OPTIONS"},
		{http.MethodDelete, "/v1/scrapes/scrape_x", "GET, HEAD, OPTIONS"},
		{http.MethodPost, "/v1/retrieve", "GET, HEAD, OPTIONS"},
		{http.MethodPost, "/user/credits/info", "GET, HEAD, OPTIONS"},
		{"BREW", "/v1/scrapes", "POST, OPTIONS"},
		{http.MethodGet, "/x402/v1/scrapes", "POST, OPTIONS"},
		{http.MethodHead, "/x402/v1/scrapes", "POST, OPTIONS"},
		{http.MethodDelete, "/x402/v1/scrapes", "POST, OPTIONS"},
		{http.MethodPost, "/pricing", "GET, HEAD"},
		{http.MethodDelete, "/docs", "GET, HEAD"},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			t.Parallel()
			p, w := s.purse(t, 10), s.wallet(t)
			c := call{method: tc.method, url: s.edge + tc.path}.with(p.bearer()...)
			if strings.HasPrefix(tc.path, "/x402") {
				c = call{method: tc.method, url: s.edge + tc.path}.with(w.good(t, 2)...)
			}
			got := c.do(t)
			if allow := got.header.Get("Allow"); allow != tc.allow {
				t.Errorf("Allow: got %q, want %q", allow, tc.allow)
			}
			if tc.method == http.MethodHead {
				got.wantStatus(t, http.StatusMethodNotAllowed)
			} else {
				got.refused(t, http.StatusMethodNotAllowed, "method_not_allowed", strings.TrimSuffix(tc.allow, ", OPTIONS"))
			}
			p.wantUntouched(t)
			w.wantUntouched(t)
		})
	}
}

// TestPreflight shows that the edge itself responds to OPTIONS, which browsers send, without charging or forwarding it.
func TestPreflight(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, path := range []string{"/v1/scrapes", "/x402/v1/scrapes", "/v1/nothing", "/pricing"} {
		got := call{method: http.MethodOptions, url: s.edge + path}.with("Origin", "https://a.example", "Access-Control-Request-Method", "POST").do(t)
		got.wantStatus(t, http.StatusNoContent)
		allowed := strings.ToUpper(got.header.Get("Access-Control-Allow-Headers"))
		for _, name := range []string{"PAYMENT-SIGNATURE", "X-PAYMENT", "CONTENT-TYPE", "ACCESS-CONTROL-EXPOSE-HEADERS", "AUTHORIZATION"} {
			if !strings.Contains(allowed, name) {
				t.Errorf("OPTIONS %s: got headers %q allowed, want %s among them", path, allowed, name)
			}
		}
		if got.header.Get("Payment-Required") != "" || got.header.Get("X-Request-Id") == "" {
			t.Errorf("OPTIONS %s: got %v, want no challenge and a request id", path, got.header)
		}
	}
}

func TestRoutesThatAreNot(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, path := range []string{"/v1/nothing", "/v3/scrapes", "/v1", "/nothing", "/v1/scrapes/", "/user/purchase-top-up"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			p := s.purse(t, 10)
			call{url: s.edge + path, body: "{}"}.with(p.bearer()...).do(t).refused(t, http.StatusNotFound, "not_found")
			call{url: s.edge + path, body: "{}"}.do(t).refused(t, http.StatusUnauthorized, "invalid_api_key")
			p.wantUntouched(t)
		})
	}
	for _, path := range []string{"/x402/v1/nothing", "/x402/v1/retrieve", "/x402/v1/", "/x402/v2/scrapes"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := s.wallet(t)
			got := call{url: s.edge + path, body: "{}"}.with(w.good(t, 2)...).do(t)
			if strings.HasPrefix(path, "/x402/v1/") {
				got.refused(t, http.StatusNotFound, "not_found")
			} else {
				got.refused(t, http.StatusUnauthorized, "invalid_api_key")
			}
			w.wantUntouched(t)
		})
	}
}

// TestPathTricks sends spellings of a priced path that some servers treat as that path. Whoever is served must have paid:
// 404 and 401 are fine, 200 without a payment is not.
func TestPathTricks(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, prefix := range []string{"", "/x402"} {
		for _, path := range []string{
			"/v1//scrapes", "//v1/scrapes", "/v1/./scrapes", "/v1/x/../scrapes", "/v1/%2e/scrapes", "/v1/x/%2e%2e/scrapes",
			"/v1/scrapes/", "/v1/scrapes;x", "/v1;x/scrapes", "/V1/scrapes", "/v1/Scrapes", "/v1%2fscrapes", "/v1/scrapes%2f",
			"/v1/scrape%73", "/v1/scrapes%00", "/v1/scrapes%20", "/v1/scrapes/.", `/v1\scrapes`, "/v1/scrapes%3fx", "/v1/scrapes%23x",
			"/%2e/v1/scrapes", "/public/../v1/scrapes", "/docs/../v1/scrapes", "/docs/..%2fv1/scrapes", "/docs//../v1/scrapes",
			"/content/../v1/scrapes", "/x402/../v1/scrapes", "/../v1/scrapes", "/x402/v1/scrapes",
		} {
			t.Run(prefix+path, func(t *testing.T) {
				t.Parallel()
				page := s.pages.fresh()
				body := fmt.Sprintf(scrapeOutput, page)
				for _, target := range []string{prefix + path, s.edge + prefix + path} { // also the absolute form
					got := rawBody(t, s.edge, "POST "+target, body)
					switch got.status {
					case http.StatusBadRequest, http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusNotFound, http.StatusMethodNotAllowed:
					default:
						t.Errorf("POST %s: got %d %.200s, want it refused", target, got.status, got.body)
					}
				}
				s.pages.wantFetched(t, page, 0)
			})
		}
	}
	t.Run("no path at all", func(t *testing.T) {
		t.Parallel()
		for _, line := range []string{"POST %zz", "POST *", "POST /v1/%zz/scrapes", "POST /x402/v1/%zz"} {
			if got := raw(t, s.edge, line); got.status < 400 || got.status >= 500 {
				t.Errorf("%s: got %d %s, want it refused", line, got.status, got.body)
			}
		}
	})
}

func rawBody(t *testing.T, base, line, body string) answer {
	t.Helper()
	return raw(t, base, line, "Content-Type", "application/json", "Content-Length", fmt.Sprint(len(body))+"\r\n\r\n"+body)
}

// TestForeignIDsAreUnknown shows that another team's resource looks as if it did not exist.
func TestForeignIDsAreUnknown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner, other := s.purse(t, 10), s.purse(t, 10)
	var scrape struct {
		ID         string `json:"id"`
		RetrieveID string `json:"retrieve_id"`
	}
	s.scrape(s.pages.fresh()).with(owner.bearer()...).do(t).json(t, &scrape)
	for _, tc := range []struct{ name, path, unknown, code string }{
		{"a scrape", "/v1/scrapes/" + scrape.ID, "/v1/scrapes/scrape_" + strings.Repeat("0", 24), "scrape_not_found"},
		{"its content", "/v1/retrieve?retrieve_id=" + scrape.RetrieveID, "/v1/retrieve?retrieve_id=" + strings.Repeat("0", len(scrape.RetrieveID)), "not_found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			get := func(path string, headers ...string) answer {
				return call{method: http.MethodGet, url: s.edge + path, headers: headers}.do(t)
			}
			get(tc.path, owner.bearer()...).wantStatus(t, http.StatusOK)
			foreign := get(tc.path, other.bearer()...).refused(t, http.StatusNotFound, tc.code)
			unknown := get(tc.unknown, other.bearer()...).refused(t, http.StatusNotFound, tc.code)
			if foreign.Detail != unknown.Detail || len(foreign.Metadata) != len(unknown.Metadata) {
				t.Errorf("foreign: got %+v, want it as unknown: %+v", foreign, unknown)
			}
			// Without a key there is no difference either.
			keyless := get(tc.path).refused(t, http.StatusUnauthorized, "invalid_api_key")
			nothing := get(tc.unknown).refused(t, http.StatusUnauthorized, "invalid_api_key")
			if keyless.Detail != nothing.Detail {
				t.Errorf("without a key: got %q and %q, want them the same", keyless.Detail, nothing.Detail)
			}
			get(tc.path, "Authorization", "Bearer "+owner.key+"x").refused(t, http.StatusUnauthorized, "invalid_api_key")
		})
	}
	other.wantUntouched(t)
}
