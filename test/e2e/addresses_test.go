package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestPrivateAddressesAreRefused shows that addresses of this machine and of private networks are refused in every
// spelling. Each URL has the port that the test may fetch elsewhere; a canary listens on it.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const blocked, invalid, unknown = "blocked_address", "validation_error", "fetch_failed"
	statuses := map[string]int{blocked: http.StatusForbidden, invalid: http.StatusBadRequest, unknown: http.StatusBadGateway}
	for _, tc := range []struct {
		host string
		code string
	}{
		{"127.0.0.1", blocked},
		{"127.1.2.3", blocked},
		{"0.0.0.0", blocked},
		{"[::]", blocked},
		{"[::1]", blocked},
		{"[::ffff:127.0.0.1]", blocked},
		{"[::ffff:7f00:1]", blocked},
		{"[64:ff9b::7f00:1]", blocked},
		{"[2002:7f00:1::]", blocked},
		{"[fe80::1]", blocked},
		{"[fd00:ec2::254]", blocked},
		{"localhost", blocked},
		{"LOCALHOST", blocked},
		{"localhost.", blocked + " " + unknown}, // depends on the resolver
		{"127.0.0.1.", blocked},
		{"①②⑦.⓪.⓪.①", blocked},
		{"127。0。0。1", blocked},
		{"2130706433", blocked},
		{"0x7f000001", blocked},
		{"0x7f.0.0.1", blocked},
		{"0177.0.0.1", blocked},
		{"017700000001", blocked},
		{"127.1", blocked},
		{"0", blocked},
		{"169.254.169.254", blocked},
		{"100.100.100.200", blocked},
		{"10.0.0.1", blocked},
		{"172.16.0.1", blocked},
		{"192.168.1.1", blocked},
		{"198.18.0.1", blocked},
		{"192.0.0.8", blocked},
		{"240.0.0.1", blocked},
		{"255.255.255.255", blocked},
		{"224.0.0.1", blocked},
		{"user:pw@127.0.0.1", invalid},
		{"example.com@127.0.0.1", invalid},
		{"127.0.0.1%00", invalid},
		{"nowhere.invalid\\\\@127.0.0.1", unknown},
	} {
		for _, twin := range s.twins()[:1] {
			t.Run(tc.host, func(t *testing.T) {
				t.Parallel()
				headers, wantUntouched := twin.payer(t)
				c := call{url: s.edge + twin.prefix + "/v1/scrapes", body: fmt.Sprintf(`{"url_to_scrape": "http://%s:%s/"}`, tc.host, s.pages.port)}
				got := c.with(headers...).do(t)
				code, other, _ := strings.Cut(tc.code, " ")
				if other != "" && got.status == statuses[other] {
					code = other
				}
				refusal := got.refused(t, statuses[code], code)
				if code != invalid && !strings.Contains(refusal.Detail, "Nothing was charged") {
					t.Errorf("detail: got %q, want it to say that nothing was charged", refusal.Detail)
				}
				if strings.Contains(refusal.Detail, tc.host) {
					t.Errorf("detail: got %q, want the address left out: it may hold a password", refusal.Detail)
				}
				wantUntouched(t)
			})
		}
	}
	t.Run("behind a fragment", func(t *testing.T) {
		t.Parallel()
		headers, wantUntouched := s.twins()[0].payer(t)
		c := call{url: s.edge + "/v1/scrapes", body: `{"url_to_scrape": "http://127.0.0.1:` + s.pages.port + `#@example.com/"}`}
		c.with(headers...).do(t).refused(t, http.StatusForbidden, blocked)
		wantUntouched(t)
	})
	t.Run("another port", func(t *testing.T) {
		t.Parallel()
		headers, wantUntouched := s.twins()[0].payer(t)
		c := call{url: s.edge + "/v1/scrapes", body: `{"url_to_scrape": "http://example.com:22/"}`}
		c.with(headers...).do(t).refused(t, http.StatusForbidden, blocked, "port")
		wantUntouched(t)
	})
	for _, twin := range s.twins() {
		t.Run("where a redirect leads "+twin.name, func(t *testing.T) {
			t.Parallel()
			headers, wantUntouched := twin.payer(t)
			page := s.pages.fresh() + "?to=" + url.QueryEscape("http://127.0.0.1:"+s.pages.port+"/secret")
			c := call{url: s.edge + twin.prefix + "/v1/scrapes", body: fmt.Sprintf(scrapeOutput, page)}
			c.with(headers...).do(t).refused(t, http.StatusForbidden, blocked)
			wantUntouched(t)
			s.pages.wantFetched(t, page, 1)
		})
	}
	t.Cleanup(func() {
		if got := s.pages.canary.Load(); got != 0 {
			t.Errorf("requests that reached this machine's own addresses: got %d, want 0", got)
		}
	})
}
