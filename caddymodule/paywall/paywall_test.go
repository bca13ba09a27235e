package paywall

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

func TestWanted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method string
		header       http.Header
		want         bool
	}{
		{"a browser", "GET", http.Header{"Accept": {browser}}, true},
		{"a browser's question", "HEAD", http.Header{"Accept": {browser}}, true},
		{"a browser over HTTPS", "GET", http.Header{"Accept": {browser}, "Sec-Fetch-Mode": {"navigate"}}, true},
		{"two lines", "GET", http.Header{"Accept": {"application/json;q=0.5", "text/html"}}, true},
		{"odd spelling", "GET", http.Header{"Accept": {" Text/HTML ; Q=0.7 , application/json;q=0.6"}}, true},
		{"no preference", "GET", http.Header{}, false},
		{"a stock client", "GET", http.Header{"Accept": {"*/*"}}, false},
		{"axios", "GET", http.Header{"Accept": {"application/json, text/plain, */*"}}, false},
		{"both alike", "GET", http.Header{"Accept": {"text/html, application/json"}}, false},
		{"JSON by its kind", "GET", http.Header{"Accept": {"text/html;q=0.9, application/*"}}, false},
		{"refused", "GET", http.Header{"Accept": {"text/html;q=0"}}, false},
		{"no weight", "GET", http.Header{"Accept": {"text/html;q=NaN"}}, false},
		{"any text", "GET", http.Header{"Accept": {"text/*"}}, false},
		{"a script of a page", "GET", http.Header{"Accept": {browser}, "Sec-Fetch-Mode": {"cors"}}, false},
		{"a form", "POST", http.Header{"Accept": {browser}}, false},
		{"paid by version 1", "GET", http.Header{"Accept": {browser}, x402.HeaderPaymentV1: {"x"}}, false},
		{"paid by version 2", "GET", http.Header{"Accept": {browser}, x402.HeaderPaymentV2: {""}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Wanted(&http.Request{Method: tt.method, Header: tt.header}); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

func offers(t *testing.T, description string, accepts ...map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"x402Version": 2, "error": "payment_required", "accepts": accepts,
		"resource": map[string]any{"url": "https://api.example.com/reports/1?a=b", "description": description},
	})
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func accept(network, amount, name string) map[string]any {
	return map[string]any{
		"scheme": "exact", "network": network, "amount": amount, "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
		"asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "maxTimeoutSeconds": 90, "extra": map[string]any{"name": name, "version": "2"},
	}
}

// answer writes a 402 with the header through a Writer.
func answer(status int, header string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	w := NewWriter(rec, func() time.Time { return time.Unix(1_790_000_000, 0) })
	if header != "" {
		w.Header().Set(x402.HeaderRequired, header)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "2")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("{}"))
	return rec
}

var (
	element = regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`)
	data    = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
)

func TestPage(t *testing.T) {
	t.Parallel()
	const nasty = `</script><script>alert(1)</script><img src=x onerror="alert(1)"> & "quotes" {{.}} ` + "\u2028"
	header := offers(t, nasty, accept("eip155:8453", "250000", "USD Coin"), accept("eip155:84532", "250000", "USDC"), accept("eip155:5", "1", `<b>`))
	rec := answer(http.StatusPaymentRequired, header)
	body := rec.Body.String()
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Vary": "Accept", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", x402.HeaderRequired: header,
	} {
		if got := rec.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if rec.Code != 402 {
		t.Errorf("got status %d, want 402", rec.Code)
	}
	for _, want := range []string{"This costs 0.25 USDC", "api.example.com", "0.25 USDC on Base", "Base Sepolia", "test money only", "0.000001 &lt;b&gt; on chain 5"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(body, "<img") || strings.Contains(body, "<b>") || strings.Contains(body, "alert(1)</script>") {
		t.Error("what the upstream says of itself is not escaped")
	}
	csp := rec.Header().Get("Content-Security-Policy")
	inline := element.FindAllStringSubmatch(body, -1)
	if len(inline) != 2 {
		t.Fatalf("got %d scripts and styles, want one of each", len(inline))
	}
	for _, m := range inline {
		if want := m[1] + "-src '" + hash(m[2]) + "'"; !strings.Contains(csp, want) {
			t.Errorf("the policy %q does not let its own %s run: want %s", csp, m[1], want)
		}
	}
	if strings.Contains(csp, "unsafe") || !strings.HasPrefix(csp, "default-src 'none'") {
		t.Errorf("policy: got %q, want a strict one", csp)
	}
	plain := answer(http.StatusPaymentRequired, offers(t, "a report", accept("eip155:8453", "250000", "USD Coin"))).Body.String()
	if found := regexp.MustCompile(`(?i)\s(style|on[a-z]+)=|<link|src="`).FindString(plain); found != "" {
		t.Errorf("the page has %q, which its policy forbids", found)
	}
	var page pageData
	if err := json.Unmarshal([]byte(data.FindStringSubmatch(body)[1]), &page); err != nil {
		t.Fatal(err)
	}
	var c challenge
	if err := json.Unmarshal(page.Challenge, &c); err != nil || c.Resource.Description != nasty || page.Now != 1_790_000_000 {
		t.Errorf("the script gets %+v of %d (%v), want what was offered", c, page.Now, err)
	}
}

// Only challenges become pages; other responses stay unchanged.
func TestOtherAnswersStay(t *testing.T) {
	t.Parallel()
	good := offers(t, "", accept("eip155:8453", "1", "USDC"))
	for name, rec := range map[string]*httptest.ResponseRecorder{
		"404":               answer(404, good),
		"402 of credits":    answer(402, ""),
		"nonsense":          answer(402, "%%%"),
		"no JSON":           answer(402, base64.StdEncoding.EncodeToString([]byte("x"))),
		"no offers":         answer(402, offers(t, "")),
		"no address":        answer(402, base64.StdEncoding.EncodeToString([]byte(`{"accepts":[{"amount":"1"}],"resource":{"url":":"}}`))),
		"an amount of none": answer(402, offers(t, "", accept("eip155:8453", "1.5", "USDC"))),
	} {
		if rec.Body.String() != "{}" || rec.Header().Get("Content-Type") != "application/json" || rec.Header().Get("Content-Length") != "2" {
			t.Errorf("%s: got %d %s, want it as it was", name, rec.Code, rec.Body)
		}
	}
}

// No text of a challenge may break the page, whatever is configured.
func FuzzRead(f *testing.F) {
	f.Add(`{"accepts":[{"network":"eip155:8453","amount":"1"}],"resource":{"url":"https://a.example/"}}`)
	f.Add(`{"accepts":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		rec := answer(402, base64.StdEncoding.EncodeToString([]byte(text)))
		if body := rec.Body.String(); body != "{}" && len(element.FindAllString(body, -1)) != 2 {
			t.Errorf("%q makes a page of %s", text, body)
		}
	})
}
