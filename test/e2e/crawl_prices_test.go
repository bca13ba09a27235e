package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

var allPrices = flag.Bool("all-prices", false, "pay for every crawl of the table of prices, not only for some")

// crawlOptions are values of scrape_options. A wallet pays the same for all of them.
var crawlOptions = map[string]string{
	"nothing":                    ``,
	"no formats":                 `"formats": []`,
	"markdown":                   `"formats": ["markdown"]`,
	"all text":                   `"formats": ["html", "markdown", "text"]`,
	"a parser":                   `"parser": "@turnpike/article"`,
	"a parser, and no formats":   `"formats": [], "parser": "@turnpike/links"`,
	"a parser, and what it says": `"formats": ["json"], "parser": {"id": "@turnpike/metadata"}`,
}

// crawlPrices maps a number of pages to the announced price in millionths of a USDC.
var crawlPrices = map[int]uint64{1: 10_000, 2: 10_000, 3: 15_000, 20: 100_000, 999: 4_995_000, 100_000: 500_000_000}

// TestCrawlPrices shows that the announced price of a crawl is the amount settled on the chain, the amount of the claim,
// and the cost that the crawl reports, whatever its parameters.
func TestCrawlPrices(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.purse(t, 1)
	each := func(t *testing.T, pages int, units uint64, name, options string) {
		t.Helper()
		t.Run(fmt.Sprintf("%d pages, %s", pages, name), func(t *testing.T) {
			t.Parallel()
			start := s.pages.fresh()
			c := call{url: s.edge + "/x402/v1/crawls", body: fmt.Sprintf(
				`{"start_url": %q, "max_pages": %d, "max_depth": 0, "follow_robots_txt": false, "scrape_options": {%s}}`, start, pages, options)}
			c.announced(t, units)
			dry := call{url: s.edge + "/v1/crawls?dry_run=true", body: c.body, headers: p.bearer()}.do(t)
			dry.wantStatus(t, http.StatusOK)
			var quote struct {
				Credits int
				USD     json.Number
			}
			dry.json(t, &quote)
			if want := money.MicroUSDC(1000 * pages).String(); quote.Credits != pages || quote.USD.String() != want {
				t.Errorf("dry run by a key: got %+v, want %d credits, which are %s USD", quote, pages, want)
			}
			s.pages.wantFetched(t, start, 0)
			if *allPrices || pages == 3 || name == "nothing" {
				s.paysForCrawl(t, c, units)
			}
		})
	}
	t.Run("each", func(t *testing.T) {
		for pages, units := range crawlPrices {
			for name, options := range crawlOptions {
				each(t, pages, units, name, options)
			}
		}
	})
	p.wantUntouched(t)
}

// announced checks the price in the challenge of both protocol versions.
func (c call) announced(t *testing.T, units uint64) {
	t.Helper()
	got := c.do(t)
	got.wantStatus(t, http.StatusPaymentRequired)
	var v1 struct{ Accepts []offerV1 }
	got.json(t, &v1)
	var v2 struct{ Accepts []offerV2 }
	decodeHeader(t, got.header.Get("Payment-Required"), &v2)
	want := strconv.FormatUint(units, 10)
	if len(v1.Accepts) != 1 || len(v2.Accepts) != 1 || v1.Accepts[0].MaxAmountRequired != want || v2.Accepts[0].Amount != want {
		t.Errorf("offers: got %+v and %+v, want %s", v1.Accepts, v2.Accepts, want)
	}
	if !strings.Contains(v1.Accepts[0].Description, "0.005 USD for each page") {
		t.Errorf("description: got %q, want what a page costs", v1.Accepts[0].Description)
	}
}

// crawlCost holds the fields of a crawl that price tests check.
type crawlCost struct {
	ID      string      `json:"id"`
	Status  string      `json:"status"`
	Outcome string      `json:"outcome"`
	Pages   int         `json:"pages_count"`
	Credits *int64      `json:"credits_consumed"`
	USD     json.Number `json:"cost_usd"`
}

// paysForCrawl pays for a crawl from a new wallet, after trying one unit too few and one too many.
func (s *stack) paysForCrawl(t *testing.T, c call, units uint64) {
	t.Helper()
	w := s.emptyWallet(t)
	w.funded = units + 1
	if err := s.chain.Mint(t.Context(), w.address(), w.funded); err != nil {
		t.Fatal(err)
	}
	paying := func(n uint64) call {
		return c.with(w.payment(t, 1).altered(func(a *x402.Authorization) { a.Value = money.MicroUSDC(n) }).headers(t)...)
	}
	for _, wrong := range []uint64{units - 1, units + 1} {
		paying(wrong).do(t).wantStatus(t, http.StatusPaymentRequired)
	}
	w.wantStates(t)
	paid := paying(units).do(t)
	paid.wantStatus(t, http.StatusOK)
	var made crawlCost
	paid.json(t, &made)
	done := made
	eventually(t, "the end of "+made.ID, func() error {
		call{method: http.MethodGet, url: s.edge + "/v1/crawls/" + made.ID}.do(t).json(t, &done)
		if done.Status != "completed" {
			return fmt.Errorf("got %+v", done)
		}
		return nil
	})
	if want := money.MicroUSDC(units).String(); done.Outcome != "succeeded" || done.Pages != 1 || done.USD.String() != want || done.Credits == nil || *done.Credits != 0 {
		t.Errorf("crawl: got %+v, want one page for %s USD and no credits", done, want)
	}
	w.wantSpent(t, units)
	w.wantStates(t, "settled")
	var claimed uint64
	if err := s.pool.QueryRow(t.Context(), `select amount from x402_claim where payer = $1`, w.address().Hex()).Scan(&claimed); err != nil || claimed != units {
		t.Errorf("claim: got %d, %v, want %d", claimed, err, units)
	}
}

// TestCrawlsWithoutAPrice shows that a crawl with an invalid max_pages or any other fault is refused before it has a
// price: no payment is asked for, none is claimed, and no money moves.
func TestCrawlsWithoutAPrice(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w, p := s.wallet(t), s.purse(t, 100_000)
	start := s.pages.fresh()
	cases := []struct {
		name, fields string // besides or instead of start_url and max_pages
		status       int
		code, says   string
	}{
		{"no pages", `"max_pages": 0`, 400, "validation_error", "body.max_pages: must be a whole number from 1 to 100000"},
		{"fewer than none", `"max_pages": -1`, 400, "validation_error", "body.max_pages"},
		{"half a page more", `"max_pages": 1.5`, 400, "validation_error", "body.max_pages"},
		{"a number with a point", `"max_pages": 3.0`, 400, "validation_error", "body.max_pages"},
		{"an exponent", `"max_pages": 1e3`, 400, "validation_error", "body.max_pages"},
		{"1e300", `"max_pages": 1e300`, 400, "validation_error", "body.max_pages"},
		{"1e400", `"max_pages": 1e400`, 400, "validation_error", "body"},
		{"quotes", `"max_pages": "5"`, 400, "validation_error", "body.max_pages"},
		{"null", `"max_pages": null`, 400, "validation_error", "body.max_pages"},
		{"true", `"max_pages": true`, 400, "validation_error", "body.max_pages"},
		{"a list", `"max_pages": [5]`, 400, "validation_error", "body.max_pages"},
		{"one too many", `"max_pages": 100001`, 400, "validation_error", "body.max_pages"},
		{"2^31", `"max_pages": 2147483648`, 400, "validation_error", "body.max_pages"},
		{"2^63", `"max_pages": 9223372036854775808`, 400, "validation_error", "body.max_pages"},
		{"what wraps around to 1", `"max_pages": 18446744073709551617`, 400, "validation_error", "body.max_pages"},
		{"what costs 2^64", `"max_pages": 3689348814741911`, 400, "validation_error", "body.max_pages"},
		{"not said", `"max_depth": 1`, 400, "validation_error", "body.max_pages: is required"},
		{"said twice", `"max_pages": 1, "max_pages": 100`, 400, "", "max_pages"},
		{"said in two cases", `"max_pages": 1, "Max_Pages": 100`, 400, "", "ax_"},
		{"max_depth of -1", `"max_pages": 3, "max_depth": -1`, 400, "validation_error", "body.max_depth: must be a whole number from 0"},
		{"max_depth of 1e300", `"max_pages": 3, "max_depth": 1e300`, 400, "validation_error", "body.max_depth"},
		{"timeout of -1", `"max_pages": 3, "timeout": -1`, 400, "validation_error", "body.timeout: must be a whole number from 1 to 259200"},
		{"timeout of 0", `"max_pages": 3, "timeout": 0`, 400, "validation_error", "body.timeout"},
		{"timeout of 1e12", `"max_pages": 3, "timeout": 1000000000000`, 400, "validation_error", "body.timeout"},
		{"top_n of 0", `"max_pages": 3, "search_query": "a", "top_n": 0`, 400, "validation_error", "body.top_n: must be a whole number from 1 to 1000"},
		{"top_n of -1", `"max_pages": 3, "search_query": "a", "top_n": -1`, 400, "validation_error", "body.top_n"},
		{"101 globs", `"max_pages": 3, "include_urls": [` + strings.TrimSuffix(strings.Repeat(`"/a",`, 101), ",") + `]`, 400, "validation_error", "body.include_urls"},
		{"no glob", `"max_pages": 3, "exclude_urls": [""]`, 400, "validation_error", "body.exclude_urls.0: must be a glob"},
		{"no URL of the web", `"start_url": "ftp://example.com/", "max_pages": 3`, 400, "validation_error", "body.start_url"},
		{"a private place", `"start_url": "http://10.0.0.1/", "max_pages": 3`, 403, "blocked_address", ""},
		{"a webhook at home", `"max_pages": 3, "webhook_url": "http://127.0.0.1/"`, 400, "validation_error", "body.webhook_url: must be publicly reachable"},
		{"a private webhook", `"max_pages": 3, "webhook": "http://192.168.0.1/"`, 400, "validation_error", "body.webhook: must be publicly reachable"},
		{"a webhook by FTP", `"max_pages": 3, "webhook": "ftp://example.com/"`, 400, "validation_error", "body.webhook"},
		{"a format that is none", `"max_pages": 3, "scrape_options": {"formats": ["docx"]}`, 400, "validation_error", "body.scrape_options.formats.0"},
		{"selectors that are none", `"max_pages": 3, "scrape_options": {"remove_css_selectors": ["a["]}`, 400, "validation_error", "body.scrape_options.remove_css_selectors"},
		{"a parser that is none", `"max_pages": 3, "scrape_options": {"parser": "@turnpike/nothing"}`, 404, "parser_not_found", ""},
		{"metadata that is none", `"max_pages": 3, "metadata": {"a": []}`, 400, "invalid_metadata", "body.metadata.a"},
		{"an unknown field", `"max_pages": 3, "pages": 1`, 400, "validation_error", "body.pages: is not a field"},
	}
	t.Run("each", func(t *testing.T) {
		for _, tc := range cases {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				body := `{` + tc.fields + `}`
				if !strings.Contains(tc.fields, "start_url") {
					body = fmt.Sprintf(`{"start_url": %q, %s}`, start, tc.fields)
				}
				for who, c := range map[string]call{
					"nobody": {url: s.edge + "/x402/v1/crawls", body: body},
					"who pays": {url: s.edge + "/x402/v1/crawls", body: body, headers: w.payment(t, 1).altered(func(a *x402.Authorization) {
						a.Value = 15_000
					}).headers(t)},
					"a team": {url: s.edge + "/v1/crawls", body: body, headers: p.bearer()},
				} {
					got := c.do(t)
					var refusal struct {
						Code, Detail string
						Accepts      any
					}
					got.json(t, &refusal)
					if got.status != tc.status || tc.code != "" && refusal.Code != tc.code || !strings.Contains(refusal.Detail, tc.says) {
						t.Errorf("%s: got %d %.300s, want %d %s that says %q", who, got.status, got.body, tc.status, tc.code, tc.says)
					}
					if refusal.Accepts != nil || got.header.Get("Payment-Required") != "" || strings.Contains(string(got.body), "maxAmountRequired") {
						t.Errorf("%s: got a price: %.300s", who, got.body)
					}
					got.wantNoReceipt(t)
				}
			})
		}
	})
	w.wantSpent(t, 0)
	w.wantStates(t)
	p.wantUntouched(t)
	s.pages.wantFetched(t, start, 0)
}
