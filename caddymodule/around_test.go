//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// paymentLike are headers that no upstream may see, on any route.
var paymentLike = []string{
	"X-PAYMENT", "v1-payment", "PAYMENT-SIGNATURE", "v2-payment", "SIGN-IN-WITH-X", "login",
	"X-PAYMENT-RESPONSE", "forged", "PAYMENT-RESPONSE", "forged", "PAYMENT-REQUIRED", "forged", "Turnpike-Cost", "0",
}

func (s *seen) wantNoPayment(t *testing.T) {
	t.Helper()
	for i := 0; i < len(paymentLike); i += 2 {
		if got := s.header.Get(paymentLike[i]); got != "" {
			t.Errorf("the upstream got %s: %s", paymentLike[i], got)
		}
	}
}

// On no route does the upstream see how a client pays, or the client the headers between edge and upstream.
func TestPaymentHeadersStopAtTheEdge(t *testing.T) {
	e := newEdge(t, `
	handle /limited {
		team_limit
		reverse_proxy UPSTREAM
	}
	handle /known {
		turnpike_key
		reverse_proxy UPSTREAM
	}
	handle /keyed {
		api_key
		reverse_proxy UPSTREAM
	}
	handle /wallet/* {
		api_key {
			public /wallet/public
			optional
		}
		team_limit
		x402 {
			price /wallet/free free
			price /wallet/dry 0.01 {
				dry_run
			}
			price 0.01
		}
		reverse_proxy UPSTREAM
	}
	handle {
		api_key {
			anonymous /read
			public /public
			optional
		}
		team_limit
		meter {
			price /read free
			price /metered/free free
			price 1
			optional
		}
		x402 {
			price 0.01
		}
		reverse_proxy UPSTREAM
	}`)
	fromUpstream := []string{edgewire.IdentityHeader, edgewire.CostHeader, x402.HeaderRequired, x402.HeaderReceiptV1, x402.HeaderReceiptV2}
	query := "?header:X-Own=kept"
	for _, name := range fromUpstream {
		query += "&header:" + name + "=1"
	}
	for _, tt := range []struct {
		uri     string
		headers []string
		// bare: the route has no handler that sees responses
		bare bool
	}{
		{uri: "/limited", bare: true},
		{uri: "/known", headers: bearerHeader, bare: true},
		{uri: "/keyed", headers: bearerHeader, bare: true},
		{uri: "/wallet/free"},
		{uri: "/wallet/dry?dry_run=true"},
		{uri: "/wallet/public"},
		{uri: "/read"},
		{uri: "/public"},
		{uri: "/public", headers: bearerHeader},
		{uri: "/metered/free", headers: bearerHeader},
		{uri: "/metered", headers: bearerHeader},
	} {
		t.Run(tt.uri, func(t *testing.T) {
			calls := e.calls.Load()
			uri := tt.uri + query
			if strings.Contains(tt.uri, "?") {
				uri = tt.uri + "&" + query[1:]
			}
			a := e.do("GET", uri, "", slices.Concat(tt.headers, paymentLike)...)
			if a.status != 200 || e.calls.Load() != calls+1 {
				t.Fatalf("got %+v", a)
			}
			e.last.Load().wantNoPayment(t)
			if a.header.Get("X-Own") != "kept" {
				t.Error("the upstream's own header is gone")
			}
			for _, name := range fromUpstream {
				if got := a.header.Get(name); got != "" && !tt.bare {
					t.Errorf("the client got the upstream's %s: %s", name, got)
				}
			}
		})
	}
	for _, uri := range []string{"/wallet/paid", "/paid"} { // a payment that was removed from the request is still found
		for _, version := range []int{1, 2} {
			got, err := newBuyer(t, e, version).Do(e.request("GET", uri+query, ""))
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Response.Body.Close()
			if got.Response.StatusCode != 200 || got.Receipt == nil || got.Response.Header.Get(edgewire.IdentityHeader) != "" {
				t.Errorf("%s: got %d, receipt %v", uri, got.Response.StatusCode, got.Receipt)
			}
			e.last.Load().wantNoPayment(t)
		}
	}
	if a := e.do("GET", "/wallet/paid", "", "X-PAYMENT", "e30="); a.status != 400 {
		t.Errorf("a payment that is none: got %+v", a)
	}
}

func TestCachesKeepNothing(t *testing.T) {
	e := newEdge(t, paidSite)
	if a := e.do("GET", "/x402/reports/1", ""); a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("challenge: got Cache-Control %q", a.header.Get("Cache-Control"))
	}
	for upstream, want := range map[string]string{"": "private", "public, max-age=60": "max-age=60, private", "no-store": "no-store"} {
		uri := "/x402/reports/1"
		if upstream != "" {
			uri += "?header:Cache-Control=" + strings.ReplaceAll(upstream, " ", "%20")
		}
		got, err := newBuyer(t, e, 2).Do(e.request("GET", uri, ""))
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Response.Body.Close()
		if cache := got.Response.Header.Get("Cache-Control"); cache != want {
			t.Errorf("paid answer over %q: got Cache-Control %q, want %q", upstream, cache, want)
		}
	}
}

// A browser may send the headers of the stock clients from a page of another origin, and may read the response headers
// that they need.
func TestBrowserClientsOfOtherOrigins(t *testing.T) {
	e := newEdge(t, paidSite)
	settled := accepting.settled.Load()
	const origin = "https://shop.example"
	for _, asked := range []string{"x-payment,access-control-expose-headers", "payment-signature,content-type,access-control-expose-headers", "sign-in-with-x"} {
		for _, uri := range []string{"/x402/reports/1", "/x402/none", "/anything"} {
			a := e.do("OPTIONS", uri, "", "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", asked)
			allowed := strings.Split(strings.ToLower(strings.ReplaceAll(a.header.Get("Access-Control-Allow-Headers"), " ", "")), ",")
			for name := range strings.SplitSeq(asked, ",") {
				if !slices.Contains(allowed, name) {
					t.Errorf("OPTIONS %s: %s is not allowed: %v", uri, name, allowed)
				}
			}
			if a.status != 204 || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Payment-Required") != "" ||
				!strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "GET") {
				t.Errorf("OPTIONS %s: got %+v", uri, a)
			}
		}
	}
	// A preflight with a payment or a key costs nothing either.
	e.do("OPTIONS", "/anything", "", bearerHeader...)
	if n := e.calls.Load(); n != 0 {
		t.Errorf("%d questions reached the upstream", n)
	}
	wantReadable := func(what string, h http.Header) {
		exposed := strings.ToUpper(h.Get("Access-Control-Expose-Headers"))
		for _, name := range []string{"PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE"} {
			if !strings.Contains(exposed, name) || h.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: a page cannot read %s: %v", what, name, h)
			}
		}
	}
	challenge := e.do("GET", "/x402/reports/1", "", "Origin", origin)
	wantReadable("challenge", challenge.header)
	for _, version := range []int{1, 2} {
		req := e.request("GET", "/x402/reports/1", "")
		req.Header.Set("Origin", origin)
		got, err := newBuyer(t, e, version).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Response.Body.Close()
		wantReadable("paid answer", got.Response.Header)
	}
	if n := accepting.settled.Load() - settled; n != 2 {
		t.Errorf("%d payments were settled, want 2", n)
	}
	if n := e.ledger.ends.Load(); n != 0 {
		t.Errorf("%d requests were charged in credits, want none", n)
	}
}

func (a answer) resource(t *testing.T) string {
	t.Helper()
	var challenge struct {
		Resource struct{ URL string }
	}
	text, err := base64.StdEncoding.DecodeString(a.header.Get("Payment-Required"))
	if err == nil {
		err = json.Unmarshal(text, &challenge)
	}
	if err != nil || a.status != 402 {
		t.Fatalf("got %+v: %v", a, err)
	}
	if !strings.Contains(a.body, `"resource":"`+challenge.Resource.URL+`"`) {
		t.Errorf("the versions name different resources: %s and %s", challenge.Resource.URL, a.body)
	}
	return challenge.Resource.URL
}

// The resource of a challenge is the address that the client used, even behind a proxy that terminates TLS. Other
// clients cannot change it.
func TestResourceBehindAProxy(t *testing.T) {
	const uri = "/x402/reports/1"
	forwarded := func(proto, host string) []string {
		return []string{"Host", "inside.example", "X-Forwarded-Proto", proto, "X-Forwarded-Host", host, "X-Forwarded-For", "203.0.113.9"}
	}
	trusting := newEdgeWith(t, paidSite, `servers {
			trusted_proxies static 127.0.0.1/32
		}`)
	for _, tt := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"TLS ended before", forwarded("https", "api.example.com"), "https://api.example.com" + uri},
		{"another port", forwarded("https", "api.example.com:8443"), "https://api.example.com:8443" + uri},
		{"a chain of proxies", forwarded("https, http", "api.example.com, inside"), "https://api.example.com" + uri},
		{"scheme alone", []string{"X-Forwarded-Proto", "HTTPS"}, "https://" + trusting.address + uri},
		{"no scheme of ours", forwarded("javascript", "api.example.com"), "http://api.example.com" + uri},
		{"no host", forwarded("https", "a.example/evil?x"), "https://" + trusting.address + uri},
		{"a user before the host", forwarded("https", "evil@api.example.com"), "https://" + trusting.address + uri},
		{"nothing said", nil, "http://" + trusting.address + uri},
	} {
		t.Run(tt.name, func(t *testing.T) {
			headers := tt.headers
			if len(headers) > 0 && headers[0] == "Host" {
				headers = headers[2:]
			}
			if got := trusting.do("GET", uri, "", headers...).resource(t); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestResourceBehindNoProxy(t *testing.T) {
	const uri = "/x402/reports/1"
	e := newEdge(t, paidSite)
	a := e.do("GET", uri, "", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "evil.example")
	if got, want := a.resource(t), "http://"+e.address+uri; got != want {
		t.Errorf("got %s, want %s: anybody may send such headers", got, want)
	}
}

// A payment header over its cap is refused in the protocol's form. A header over the server's limit never reaches a handler.
func TestHeadersOverTheirLimits(t *testing.T) {
	e := newEdgeWith(t, paidSite, `servers {
			max_header_size 16KiB
		}`)
	for _, name := range []string{"X-PAYMENT", "PAYMENT-SIGNATURE"} {
		a := e.do("GET", "/x402/reports/1", "", name, strings.Repeat("A", x402.HeaderBytesMax+1))
		if a.status != 431 || !strings.Contains(a.body, `"error":"invalid_payload"`) || a.header.Get("Payment-Required") == "" ||
			a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s over its cap: got %+v", name, a)
		}
		a = e.do("GET", "/x402/reports/1", "", name, strings.Repeat("A", x402.HeaderBytesMax))
		if a.status != 400 {
			t.Errorf("%s at its cap, and no payment: got %+v", name, a)
		}
	}
	a := e.do("GET", "/x402/reports/1", "", "X-Anything", strings.Repeat("x", 32<<10))
	if a.status != 431 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
		t.Errorf("a header of 32 KiB: got %+v", a)
	}
	if n := e.calls.Load(); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// A site with no_browser_page sends no page to browsers.
func TestNoBrowserPage(t *testing.T) {
	e := newEdge(t, `
	x402 {
		price /reports/* 0.01
		no_browser_page
	}
	reverse_proxy UPSTREAM
`)
	a := e.do("GET", "/reports/1", "", "Accept", "text/html")
	if a.status != 402 || a.header.Get("Content-Type") != "application/json" || a.header.Get("Payment-Required") == "" {
		t.Errorf("got %+v, want the challenge in JSON", a)
	}
}

// A browser gets a page, and a program gets the same response as ever.
func TestPageForBrowsers(t *testing.T) {
	e := newEdge(t, paidSite)
	const uri = "/x402/reports/1"
	browser := []string{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
	page := e.do("GET", uri, "", browser...)
	if page.status != 402 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.body, "This costs 0.01 USDC") ||
		!strings.Contains(page.body, "One report") || page.header.Get("Cache-Control") != "no-store" || page.header.Get("Content-Security-Policy") == "" {
		t.Errorf("page: got %+v", page)
	}
	head := e.do("HEAD", uri, "", browser...)
	if head.status != 402 || head.header.Get("Content-Length") != page.header.Get("Content-Length") || head.body != "" {
		t.Errorf("HEAD: got %+v, want the page's header", head)
	}
	program := e.do("GET", uri, "", "Accept", "*/*")
	if program.header.Get("Content-Type") != "application/json" || program.header.Get("Content-Security-Policy") != "" {
		t.Errorf("program: got %+v", program)
	}
	if got, want := termsOf(t, page), termsOf(t, program); got != want {
		t.Errorf("the page's header: got %s, want %s as for programs", got, want)
	}
	for _, payment := range [][]string{{"X-PAYMENT", "e30="}, {"PAYMENT-SIGNATURE", "e30="}} {
		if a := e.do("GET", uri, "", slices.Concat(browser, payment)...); a.status != 400 || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("a bad %s: got %+v", payment[0], a)
		}
	}
	a := e.do("POST", "/x402/crawls", `{"max_pages": 1}`, browser...)
	if a.status != 402 || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("POST: got %+v", a)
	}
	signed, err := newBuyer(t, e, 2).Do(func() *http.Request {
		req := e.request("GET", uri, "")
		req.Header.Set("Accept", browser[1])
		return req
	}())
	if err != nil {
		t.Fatal(err)
	}
	_ = signed.Response.Body.Close()
	if signed.Response.StatusCode != 200 {
		t.Errorf("a buyer that prefers HTML: got %d, want its answer", signed.Response.StatusCode)
	}
}

// termsOf is what a challenge's header asks for, without the extensions, which have a new nonce each time.
func termsOf(t *testing.T, a answer) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(a.header.Get("Payment-Required"))
	if err != nil {
		t.Fatal(err)
	}
	var challenge map[string]json.RawMessage
	if err := json.Unmarshal(raw, &challenge); err != nil {
		t.Fatal(err)
	}
	delete(challenge, "extensions")
	terms, err := json.Marshal(challenge)
	if err != nil || challenge["accepts"] == nil {
		t.Fatalf("challenge %s: %v", raw, err)
	}
	return string(terms)
}
