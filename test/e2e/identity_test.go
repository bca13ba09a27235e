package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// forged returns a signed identity, which only the edge should make.
func forged(t *testing.T, secret, audience string, age time.Duration, change func(id *edgewire.Identity)) string {
	t.Helper()
	signer, err := edgewire.NewSigner([]byte(secret), audience, func() time.Time { return time.Now().Add(-age) })
	if err != nil {
		t.Fatal(err)
	}
	id := &edgewire.Identity{
		ID: uuid.NewString(), Method: http.MethodPost, URI: "/v1/scrapes",
		Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: "team_forged", KeyID: "key_forged"}, Unit: edgewire.UnitCredit, Max: 100,
	}
	if change != nil {
		change(id)
	}
	signed, err := signer.Sign(id)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func good(t *testing.T, change func(id *edgewire.Identity)) string {
	t.Helper()
	return forged(t, identitySecret, edgewire.DefaultAudience, 0, change)
}

// TestIdentitySentToTheEdge shows that the edge removes a client's identity header, even with a valid signature.
func TestIdentitySentToTheEdge(t *testing.T) {
	t.Parallel()
	s := setup(t)
	t.Run("instead of a key", func(t *testing.T) {
		t.Parallel()
		page := s.pages.fresh()
		s.scrape(page).with(edgewire.IdentityHeader, good(t, nil)).do(t).
			refused(t, http.StatusUnauthorized, "invalid_api_key", "An API key is required")
		s.pages.wantFetched(t, page, 0)
	})
	t.Run("instead of a payment", func(t *testing.T) {
		t.Parallel()
		page := s.pages.fresh()
		id := good(t, func(id *edgewire.Identity) { id.URI, id.Unit, id.Max = "/x402/v1/scrapes", edgewire.UnitUSDC, 10_000 })
		s.paidScrape(page).with(edgewire.IdentityHeader, id).do(t).
			challenged(t, s, http.StatusPaymentRequired, "payment_required")
		s.pages.wantFetched(t, page, 0)
	})
	t.Run("to read what is a team's", func(t *testing.T) {
		t.Parallel()
		id := good(t, func(id *edgewire.Identity) { id.Method, id.URI = http.MethodGet, "/user/credits/info" })
		call{method: http.MethodGet, url: s.edge + "/user/credits/info"}.with(edgewire.IdentityHeader, id).do(t).
			refused(t, http.StatusUnauthorized, "invalid_api_key")
	})
	t.Run("beside a key, with costs and an adoption", func(t *testing.T) {
		t.Parallel()
		p, page := s.purse(t, 10), s.pages.fresh()
		got := s.scrape(page).with(p.bearer()...).with(edgewire.IdentityHeader, good(t, nil),
			edgewire.CostHeader, "0", edgewire.AdoptedHeader, "true", "X-Http-Method-Override", "GET").do(t)
		got.wantStatus(t, http.StatusOK)
		if used := got.header.Get("X-Credits-Used"); used != "1" {
			t.Errorf("X-Credits-Used: got %q, want 1 from the team of the key", used)
		}
		p.wantSpent(t, 1)
	})
	t.Run("for the price book", func(t *testing.T) {
		t.Parallel()
		call{method: http.MethodGet, url: s.edge + "/.well-known/turnpike-prices"}.do(t).
			refused(t, http.StatusNotFound, "not_found", "nothing at this path")
	})
}

// TestIdentitySentToTheBackend shows that a request around the edge needs the edge's fresh signature for exactly this
// request.
func TestIdentitySentToTheBackend(t *testing.T) {
	t.Parallel()
	s := setup(t)
	body := func(page string) string { return fmt.Sprintf(scrapeOutput, page) }
	for _, tc := range []struct {
		name    string
		headers func(t *testing.T, page string) []string
	}{
		{"none", func(*testing.T, string) []string { return nil }},
		{"a key alone", func(t *testing.T, _ string) []string { t.Helper(); return s.purse(t, 10).bearer() }},
		{"not a token", func(*testing.T, string) []string { return []string{edgewire.IdentityHeader, "team_1"} }},
		{"unsigned", func(t *testing.T, _ string) []string {
			t.Helper()
			parts := strings.Split(good(t, nil), ".")
			return []string{edgewire.IdentityHeader, "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + parts[1] + "."}
		}},
		{"with another secret", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, forged(t, strings.Repeat("x", 32), edgewire.DefaultAudience, 0, nil)}
		}},
		{"expired", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, forged(t, identitySecret, edgewire.DefaultAudience, 5*time.Minute, nil)}
		}},
		{"of the future", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, forged(t, identitySecret, edgewire.DefaultAudience, -5*time.Minute, nil)}
		}},
		{"for another upstream", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, forged(t, identitySecret, "another-upstream", 0, nil)}
		}},
		{"for another method", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, good(t, func(id *edgewire.Identity) { id.Method = http.MethodGet })}
		}},
		{"for another path", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, good(t, func(id *edgewire.Identity) { id.URI = "/v1/maps" })}
		}},
		{"for another body", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, good(t, func(id *edgewire.Identity) { id.BodySHA256 = edgewire.HashBody([]byte("{}")) })}
		}},
		{"in USDC for the path of credits", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, good(t, func(id *edgewire.Identity) { id.Unit = edgewire.UnitUSDC })}
		}},
		{"of nobody", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, good(t, func(id *edgewire.Identity) {
				id.Payer, id.Max = edgewire.Payer{Kind: edgewire.PayerAnonymous}, 0
			})}
		}},
		{"twice", func(t *testing.T, _ string) []string {
			t.Helper()
			return []string{edgewire.IdentityHeader, good(t, nil), edgewire.IdentityHeader, good(t, nil)}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			page := s.pages.fresh()
			c := call{url: s.backend + "/v1/scrapes", body: body(page)}.with(tc.headers(t, page)...)
			got := c.do(t)
			if cost := got.header.Get(edgewire.CostHeader); cost != "0" {
				t.Errorf("%s: got %q, want 0", edgewire.CostHeader, cost)
			}
			got.header.Del(edgewire.CostHeader) // there is no edge here to remove it
			got.refused(t, http.StatusUnauthorized, "invalid_api_key", "Authorization: Bearer <key>")
			s.pages.wantFetched(t, page, 0)
		})
	}
	t.Run("that covers less than the cost", func(t *testing.T) {
		t.Parallel()
		page := s.pages.fresh()
		id := good(t, func(id *edgewire.Identity) { id.Max = 0 })
		got := call{url: s.backend + "/v1/scrapes", body: body(page)}.with(edgewire.IdentityHeader, id).do(t)
		got.header.Del(edgewire.CostHeader)
		got.refused(t, http.StatusPaymentRequired, "credits_exhausted")
		s.pages.wantFetched(t, page, 0)
	})
}
