package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// twin is one way to pay for an operation.
type twin struct {
	name, prefix string
	payer        func(t *testing.T) (headers []string, wantUntouched func(t *testing.T))
}

// twins returns both ways. Each case runs with both, with a payer of its own.
func (s *stack) twins() []twin {
	return []twin{
		{"by key", "", func(t *testing.T) ([]string, func(t *testing.T)) {
			t.Helper()
			p := s.purse(t, 50)
			return p.bearer(), p.wantUntouched
		}},
		{"by wallet", "/x402", func(t *testing.T) ([]string, func(t *testing.T)) {
			t.Helper()
			w := s.wallet(t)
			return w.good(t, 2), w.wantUntouched
		}},
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const large = 1 << 20
	// PAGE in a body stands for the URL of the case's page.
	for _, tc := range []struct {
		name, body string
		headers    []string
		status     int
		code       string
		says       string
		loc        []any // of the first error; nil: not checked
	}{
		{"empty", "", nil, 400, "validation_error", "body", []any{"body"}},
		{"not JSON", "url_to_scrape=PAGE", nil, 400, "invalid_json", "not JSON", nil},
		{"cut off", `{"url_to_scrape": "PAGE"`, nil, 400, "invalid_json", "not JSON", nil},
		{"two values", `{"url_to_scrape": "PAGE"}{}`, nil, 400, "invalid_json", "not JSON", nil},
		{"a key twice", `{"url_to_scrape": "PAGE", "url_to_scrape": "PAGE"}`, nil, 400, "invalid_json", `"url_to_scrape" appears more than once`, nil},
		{"a key in two cases", `{"url_to_scrape": "PAGE", "URL_to_scrape": "PAGE"}`, nil, 400, "invalid_json", "differ only in case", nil},
		{"a key in another case", `{"Url_To_Scrape": "PAGE"}`, nil, 400, "validation_error", "Url_To_Scrape", nil},
		{"a priced key in another case", `{"url_to_scrape": "PAGE", "LLM_extract": {"prompt": "x"}}`, nil, 400, "validation_error", "LLM_extract", []any{"body", "LLM_extract"}},
		{"not UTF-8", "{\"url_to_scrape\": \"PAGE\xff\"}", nil, 400, "invalid_json", "UTF-8", nil},
		{"encoded", `{"url_to_scrape": "PAGE"}`, []string{"Content-Encoding", "gzip"}, 400, "validation_error", "without a content encoding", []any{"header", "Content-Encoding"}},
		{"over 1 MiB", `{"url_to_scrape": "PAGE", "metadata": {"x": "` + strings.Repeat("x", large) + `"}}`, nil, 413, "payload_too_large", "larger than 1048576 bytes", nil},
		{"unknown field", `{"url_to_scrape": "PAGE", "colour": "red"}`, nil, 400, "validation_error", "body.colour: is not a field of this request", []any{"body", "colour"}},
		{"missing field", `{}`, nil, 400, "validation_error", "body.url_to_scrape: is required", []any{"body", "url_to_scrape"}},
		{"a list", `[]`, nil, 400, "validation_error", "body", []any{"body"}},
		{"wrong type of URL", `{"url_to_scrape": 7}`, nil, 400, "validation_error", "body.url_to_scrape: expected string", []any{"body", "url_to_scrape"}},
		{"wrong type of formats", `{"url_to_scrape": "PAGE", "formats": "html"}`, nil, 400, "validation_error", "body.formats: expected array", []any{"body", "formats"}},
		{"wrong format", `{"url_to_scrape": "PAGE", "formats": ["docx"]}`, nil, 400, "validation_error", "body.formats.0", []any{"body", "formats", 0.0}},
		{"wrong number", `{"url_to_scrape": "PAGE", "wait_before_scraping": 60001}`, nil, 400, "validation_error", "60000", []any{"body", "wait_before_scraping"}},
		{"relative URL", `{"url_to_scrape": "/x"}`, nil, 400, "validation_error", "body.url_to_scrape", []any{"body", "url_to_scrape"}},
		{"other scheme", `{"url_to_scrape": "ftp://example.com/"}`, nil, 400, "validation_error", "only http and https", []any{"body", "url_to_scrape"}},
		{"script", `{"url_to_scrape": "javascript:alert(1)"}`, nil, 400, "validation_error", "only http and https", []any{"body", "url_to_scrape"}},
		{"file", `{"url_to_scrape": "file:///etc/passwd"}`, nil, 400, "validation_error", "only http and https", []any{"body", "url_to_scrape"}},
		{"no host", `{"url_to_scrape": "http://"}`, nil, 400, "validation_error", "body.url_to_scrape", []any{"body", "url_to_scrape"}},
		{"credentials", `{"url_to_scrape": "http://user:secret@example.com/"}`, nil, 400, "validation_error", "credentials", []any{"body", "url_to_scrape"}},
		{"bad port", `{"url_to_scrape": "http://example.com:99999/"}`, nil, 400, "validation_error", "body.url_to_scrape", []any{"body", "url_to_scrape"}},
		{"metadata", `{"url_to_scrape": "PAGE", "metadata": {"a[0]": "x"}}`, nil, 400, "invalid_metadata", "square brackets", nil},
		{"no model", `{"url_to_scrape": "PAGE", "llm_extract": {"prompt": "the title"}}`, nil, 501, "provider_not_configured", "llm_extract.schema", nil},
	} {
		for _, twin := range s.twins() {
			t.Run(tc.name+" "+twin.name, func(t *testing.T) {
				t.Parallel()
				page := s.pages.fresh()
				headers, wantUntouched := twin.payer(t)
				c := call{url: s.edge + twin.prefix + "/v1/scrapes", body: strings.ReplaceAll(tc.body, "PAGE", page)}
				got := c.with(headers...).with(tc.headers...).do(t)
				refusal := got.refused(t, tc.status, tc.code, tc.says)
				if tc.code == "validation_error" {
					wantFault(t, refusal, tc.loc)
				}
				got.wantNoReceipt(t)
				if strings.Contains(string(got.body), "secret") {
					t.Errorf("body: got the caller's secret back in %s", got.body)
				}
				wantUntouched(t)
				s.pages.wantFetched(t, page, 0)
			})
		}
	}
}

// TestFormIsNotPriced shows that a body has a price only if it is declared as JSON: an upstream might parse the same
// bytes as a form.
func TestFormIsNotPriced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, page := s.purse(t, 10), s.pages.fresh()
	refusal := s.scrape(page).with(p.bearer()...).with("Content-Type", "application/x-www-form-urlencoded").do(t).
		refused(t, http.StatusBadRequest, "validation_error", "must be application/json")
	wantFault(t, refusal, []any{"header", "Content-Type"})
	p.wantUntouched(t)
	s.pages.wantFetched(t, page, 0)
}

// wantFault checks that metadata.errors follows the contract, with the first error at loc.
func wantFault(t *testing.T, refusal standard, loc []any) {
	t.Helper()
	faults, _ := refusal.Metadata["errors"].([]any)
	if len(faults) == 0 {
		t.Fatalf("metadata: got %v, want errors in it", refusal.Metadata)
	}
	first, _ := faults[0].(map[string]any)
	at, _ := first["loc"].([]any)
	msg, _ := first["msg"].(string)
	kind, _ := first["type"].(string)
	if len(first) != 3 || msg == "" || kind == "" || (loc != nil && !slices.Equal(at, loc)) {
		t.Errorf("first fault: got %v, want {loc, msg, type} at %v", first, loc)
	}
}

func TestTargetsThatFail(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, twin := range s.twins() {
		t.Run(twin.name, func(t *testing.T) {
			t.Parallel()
			page := s.pages.fresh() + "?hang"
			headers, wantUntouched := twin.payer(t)
			c := call{url: s.edge + twin.prefix + "/v1/scrapes", body: fmt.Sprintf(scrapeOutput, page)}
			refusal := c.with(headers...).do(t).refused(t, http.StatusBadGateway, "fetch_failed")
			if reason, _ := refusal.Metadata["reason"].(string); reason == "" {
				t.Errorf("metadata: got %v, want a reason", refusal.Metadata)
			}
			wantUntouched(t)
		})
	}
}
