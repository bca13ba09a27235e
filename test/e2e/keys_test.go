package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/apikey"
)

// scrape is a request that succeeds with a key that has a credit.
func (s *stack) scrape(page string) call {
	return call{url: s.edge + "/v1/scrapes", body: fmt.Sprintf(scrapeOutput, page)}
}

func TestKeyPays(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, page := s.purse(t, 3), s.pages.fresh()
	got := s.scrape(page).with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	var scrape struct {
		CreditsConsumed int `json:"credits_consumed"`
		Result          struct {
			Markdown string `json:"markdown_content"`
		}
	}
	got.json(t, &scrape)
	if scrape.CreditsConsumed != 1 || !strings.Contains(scrape.Result.Markdown, "# Harbour") {
		t.Errorf("answer: got %s, want the page as markdown for 1 credit", got.body)
	}
	for name, want := range map[string]string{"X-Credits-Used": "1", "X-Credits-Remaining": "2", "Turnpike-Cost": ""} {
		if got := got.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	p.wantSpent(t, 1)
	s.pages.wantFetched(t, page, 1)
}

func TestKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const want = "Send Authorization: Bearer <key>"
	last := func(key string, c byte) string { return key[:len(key)-1] + string(c) }
	for _, tc := range []struct {
		name    string
		headers func(p *purse) []string
		says    string
	}{
		{"none", func(*purse) []string { return nil }, "An API key is required"},
		{"of nobody", func(*purse) []string { return []string{"Authorization", "Bearer " + apikey.New()} }, "not valid"},
		{"too short", func(p *purse) []string { return []string{"Authorization", "Bearer " + p.key[:20]} }, "want \"tp_\" followed by 49 characters"},
		{"too long", func(p *purse) []string { return []string{"Authorization", "Bearer " + p.key + "A"} }, "want \"tp_\" followed by 49 characters"},
		{"mistyped", func(p *purse) []string {
			for _, c := range []byte{'A', 'B'} {
				if wrong := last(p.key, c); wrong != p.key {
					return []string{"Authorization", "Bearer " + wrong}
				}
			}
			return nil
		}, "checksum"},
		{"with a foreign letter", func(p *purse) []string { return []string{"Authorization", "Bearer " + last(p.key, '-')} }, "not a letter or digit"},
		{"of another service", func(*purse) []string { return []string{"Authorization", "Bearer sk_live_0123456789"} }, "want \"tp_\""},
		{"empty", func(*purse) []string { return []string{"Authorization", "Bearer "} }, "Bearer"},
		{"scheme alone", func(*purse) []string { return []string{"Authorization", "Bearer"} }, "Bearer"},
		{"header empty", func(*purse) []string { return []string{"Authorization", ""} }, "Bearer"},
		{"without a scheme", func(p *purse) []string { return []string{"Authorization", p.key} }, "scheme Bearer"},
		{"by Basic", func(p *purse) []string { return []string{"Authorization", "Basic " + b64("key:"+p.key)} }, "scheme Bearer"},
		{"by Token", func(p *purse) []string { return []string{"Authorization", "Token " + p.key} }, "scheme Bearer"},
		{"twice", func(p *purse) []string { return append(p.bearer(), p.bearer()...) }, "2 Authorization headers"},
		{"good and bad", func(p *purse) []string { return append(p.bearer(), "Authorization", "Bearer x") }, "2 Authorization headers"},
		{"two in one header", func(p *purse) []string { return []string{"Authorization", "Bearer " + p.key + ", Bearer " + p.key} }, "want \"tp_\""},
		{"in another header", func(p *purse) []string { return []string{"X-Api-Key", p.key} }, "An API key is required"},
		{"beside a payment", func(*purse) []string { return []string{"X-PAYMENT", b64("{}")} }, "An API key is required"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, page := s.purse(t, 10), s.pages.fresh()
			got := s.scrape(page).with(tc.headers(p)...).do(t)
			got.refused(t, http.StatusUnauthorized, "invalid_api_key", tc.says, want)
			if challenge := got.header.Get("WWW-Authenticate"); challenge != "Bearer" {
				t.Errorf("WWW-Authenticate: got %q, want Bearer", challenge)
			}
			if strings.Contains(string(got.body), p.key) {
				t.Errorf("body: got the key back in %s", got.body)
			}
			p.wantUntouched(t)
			s.pages.wantFetched(t, page, 0)
		})
	}
	t.Run("in the query", func(t *testing.T) {
		t.Parallel()
		p, page := s.purse(t, 10), s.pages.fresh()
		c := s.scrape(page)
		c.url += "?api_key=" + p.key + "&key=" + p.key + "&authorization=Bearer%20" + p.key
		c.do(t).refused(t, http.StatusUnauthorized, "invalid_api_key", "An API key is required", want)
		p.wantUntouched(t)
		s.pages.wantFetched(t, page, 0)
	})
}

func TestKeyThatIsRevoked(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, page := s.purse(t, 10), s.pages.fresh()
	// The edge has the key in its cache.
	first := s.scrape(s.pages.fresh()).with(p.bearer()...).do(t)
	first.wantStatus(t, http.StatusOK)
	p.wantSpent(t, 1)
	revoke(t, s, p)
	s.scrape(page).with(p.bearer()...).do(t).refused(t, http.StatusUnauthorized, "invalid_api_key", "not been revoked", "Send Authorization: Bearer <key>")
	// A free request does not pass the meter, and sees the revocation within the cache's second.
	read := call{method: http.MethodGet, url: s.edge + "/user/credits/info"}.with(p.bearer()...)
	eventually(t, "a free read with the revoked key", func() error {
		if got := read.do(t); got.status != http.StatusUnauthorized {
			return fmt.Errorf("got %d %s, want 401", got.status, got.body)
		}
		return nil
	})
	read.do(t).refused(t, http.StatusUnauthorized, "invalid_api_key", "not been revoked")
	p.wantSpent(t, 1)
	s.pages.wantFetched(t, page, 0)
	// The same holds for a key that the edge has never seen.
	unseen := s.purse(t, 10)
	revoke(t, s, unseen)
	s.scrape(page).with(unseen.bearer()...).do(t).refused(t, http.StatusUnauthorized, "invalid_api_key", "not been revoked")
	unseen.wantUntouched(t)
	s.pages.wantFetched(t, page, 0)
}

func TestKeyThatHasExpired(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, page := s.purse(t, 10), s.pages.fresh()
	lately := time.Now().Add(-time.Second)
	key, err := apikey.NewStore(s.pool, time.Now).Create(t.Context(), apikey.NewKey{TeamID: p.team, ExpiresAt: &lately})
	if err != nil {
		t.Fatal(err)
	}
	s.scrape(page).with("Authorization", "Bearer "+key.Key).do(t).
		refused(t, http.StatusUnauthorized, "invalid_api_key", "expired on "+lately.UTC().Format(time.RFC3339), "Send Authorization: Bearer <key>")
	p.wantUntouched(t)
	s.pages.wantFetched(t, page, 0)
}

func revoke(t *testing.T, s *stack, p *purse) {
	t.Helper()
	if _, err := apikey.NewStore(s.pool, time.Now).Revoke(t.Context(), p.keyID); err != nil {
		t.Fatal(err)
	}
}

func TestCreditsThatDoNotSuffice(t *testing.T) {
	t.Parallel()
	s := setup(t)
	page := s.pages.fresh()
	for _, tc := range []struct {
		name                string
		has, needs          int64
		body                string
		requiredInMetadata  float64
		availableInMetadata float64
	}{
		{"none at all", 0, 1, fmt.Sprintf(scrapeOutput, page), 1, 0},
		{"some, for what costs more", 19, 20, fmt.Sprintf(`{"url_to_scrape": %q, "llm_extract": {"prompt": "x"}}`, page), 20, 19},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := s.purse(t, 0)
			if tc.has > 0 {
				p = s.purse(t, 19)
			}
			got := call{url: s.edge + "/v1/scrapes", body: tc.body}.with(p.bearer()...).do(t).
				refused(t, http.StatusPaymentRequired, "credits_exhausted",
					fmt.Sprintf("%d credit", tc.needs), fmt.Sprintf("%d are available", tc.has))
			if got.Metadata["credits_required"] != tc.requiredInMetadata || got.Metadata["credits_available"] != tc.availableInMetadata {
				t.Errorf("metadata: got %v, want credits_required %v and credits_available %v", got.Metadata, tc.requiredInMetadata, tc.availableInMetadata)
			}
			p.wantUntouched(t)
			s.pages.wantFetched(t, page, 0)
		})
	}
}
