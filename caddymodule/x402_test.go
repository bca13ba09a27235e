//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/caddymodule/facilitator"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// acceptingFacilitator stands for a chain on which every payment is good: the tests are about the handler, and the gate
// itself checks signatures.
type acceptingFacilitator struct {
	settled atomic.Int64
	refuses atomic.Bool // to settle
}

func (*acceptingFacilitator) Verify(context.Context, *x402.Payment, *x402.Requirements) (x402.Checked, error) {
	return x402.Checked{}, nil
}

func (f *acceptingFacilitator) Settle(context.Context, *x402.Payment, *x402.Requirements) (x402.Settlement, error) {
	if f.refuses.Load() {
		return x402.Settlement{}, x402.Refuse(x402.CodeInsufficientFunds, "the payer has spent it")
	}
	f.settled.Add(1)
	return x402.Settlement{Transaction: "0x" + strings.Repeat("ab", 32)}, nil
}

func (*acceptingFacilitator) Supported(context.Context) (x402.Supported, error) {
	return x402.Supported{}, nil
}

var accepting acceptingFacilitator

type facilitatorAccepting struct{}

func (*facilitatorAccepting) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "turnpike.facilitators.accepting", New: func() caddy.Module { return new(facilitatorAccepting) }}
}

func (*facilitatorAccepting) Open(facilitator.Use) (x402.Facilitator, error) { return &accepting, nil }

func (*facilitatorAccepting) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	return config.NoBlock(d)
}

func init() { caddy.RegisterModule(new(facilitatorAccepting)) }

const paidSite = `
	handle /x402/* {
		x402 {
			price POST /x402/crawls micro ` + "`math.greatest(10000, 5000 * int(body.max_pages))`" + ` {
				operation crawl
				settle before
			}
			price GET /x402/reports/* 0.01 {
				description "One report"
			}
			price GET /x402/dry 0.01 {
				dry_run
			}
			price GET /x402/free free
			price GET /x402/status 0.01
			price GET /x402/die 0.01
		}
		uri strip_prefix /x402
		reverse_proxy UPSTREAM
	}
	handle {
		api_key {
			optional
		}
		meter {
			price 10
			optional
		}
		x402 {
			price 0.02
		}
		reverse_proxy UPSTREAM
	}
`

func newBuyer(t *testing.T, e *edge, version int) *client.Buyer {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	buyer, err := client.New(client.Config{Client: e.client, Key: key, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	return buyer
}

func (e *edge) request(method, uri, body string) *http.Request {
	e.t.Helper()
	req, err := http.NewRequestWithContext(e.t.Context(), method, "http://"+e.address+uri, strings.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	return req
}

func TestX402Pays(t *testing.T) {
	e := newEdge(t, paidSite)
	tests := []struct {
		name, method, uri, body string
		version                 int
		want                    money.MicroUSDC
	}{
		{"version 1", "GET", "/x402/reports/1", "", 1, 10_000},
		{"version 2", "GET", "/x402/reports/1?a=b", "", 2, 10_000},
		{"by expression, settled before", "POST", "/x402/crawls", `{"max_pages": 5}`, 2, 25_000},
		{"beside keys", "GET", "/anything", "", 2, 20_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			buyer := newBuyer(t, e, tt.version)
			calls, settled := e.calls.Load(), accepting.settled.Load()
			got, err := buyer.Do(e.request(tt.method, tt.uri, tt.body))
			if err != nil {
				t.Fatal(err)
			}
			defer got.Response.Body.Close()
			body, _ := io.ReadAll(got.Response.Body)
			if got.Response.StatusCode != 200 || string(body) != "served" || got.Amount != tt.want || got.Receipt == nil || !got.Receipt.Success {
				t.Errorf("got status %d, body %q, %+v", got.Response.StatusCode, body, got)
			}
			if e.calls.Load() != calls+1 || accepting.settled.Load() != settled+1 {
				t.Errorf("got %d calls and %d settlements, want one of each", e.calls.Load()-calls, accepting.settled.Load()-settled)
			}
			if got.Response.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Error("the answer cannot be read by pages of other origins")
			}
			s := e.last.Load()
			if s.identityErr != nil {
				t.Fatal(s.identityErr)
			}
			want := edgewire.Identity{
				ID: s.identity.ID, Method: tt.method, URI: tt.uri, Unit: edgewire.UnitUSDC, Max: int64(tt.want),
				Payer: edgewire.Payer{Kind: edgewire.PayerWallet, Network: "eip155:84532", Address: buyer.Address().Hex()},
			}
			if tt.body != "" {
				want.BodySHA256 = edgewire.HashBody([]byte(tt.body))
			}
			if *s.identity != want || s.identity.ID == "" {
				t.Errorf("got identity %+v, want %+v", *s.identity, want)
			}
			if s.header.Get("X-Payment")+s.header.Get("Payment-Signature") != "" {
				t.Error("the upstream sees the payment")
			}
		})
	}
	if e.ledger.ends.Load() != 0 {
		t.Error("credits were held for what a wallet paid")
	}
}

func TestX402Passes(t *testing.T) {
	e := newEdge(t, paidSite)
	if a := e.do("GET", "/anything", "", bearerHeader...); a.status != 200 {
		t.Errorf("by key: got %+v", a)
	}
	if got := e.ended(); got != 10 {
		t.Errorf("by key: captured %d", got)
	}
	for _, uri := range []string{"/x402/free", "/x402/dry?dry_run=true"} {
		if a := e.do("GET", uri, "", edgewire.IdentityHeader, "forged"); a.status != 200 {
			t.Errorf("%s: got %+v", uri, a)
		}
		if s := e.last.Load(); s.identityErr != nil || s.identity.Payer.Kind != edgewire.PayerAnonymous || s.identity.Max != 0 {
			t.Errorf("%s: got identity %+v, error %v", uri, s.identity, s.identityErr)
		}
	}
	calls := e.calls.Load()
	a := e.do("OPTIONS", "/x402/reports/1", "", "Origin", "https://a.example", "Access-Control-Request-Method", "GET")
	if a.status != 204 || !strings.Contains(a.header.Get("Access-Control-Allow-Headers"), "X-PAYMENT") {
		t.Errorf("preflight: got %+v", a)
	}
	a = e.do("GET", "/x402/reports/1", "", "Origin", "https://a.example")
	if a.status != 402 || a.header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "PAYMENT-REQUIRED") || a.header.Get("Payment-Required") == "" {
		t.Errorf("challenge: got %+v", a)
	}
	if want := `"resource":"http://` + e.address + `/x402/reports/1"`; !strings.Contains(a.body, want) {
		t.Errorf("challenge: got %s, want it to contain %s", a.body, want)
	}
	e.do("GET", "/anything", "", "Authorization", "Bearer tp_wrong").wantError(t, 401, "invalid_api_key")
	e.do("GET", "/x402/none", "").wantError(t, 404, "not_found")
	e.do("POST", "/x402/crawls", `{}`).wantError(t, 400, "validation_error")
	if e.calls.Load() != calls {
		t.Error("an unpaid request reached the upstream")
	}
}

// An upstream that fails is not paid, and the payment can be used again.
func TestX402UpstreamFails(t *testing.T) {
	e := newEdge(t, paidSite)
	settled := accepting.settled.Load()
	for _, uri := range []string{"/x402/status?code=500", "/x402/die"} {
		got, err := newBuyer(t, e, 2).Do(e.request("GET", uri, ""))
		if err == nil {
			_, _ = io.Copy(io.Discard, got.Response.Body)
			_ = got.Response.Body.Close()
		}
	}
	e.stop()
	if n := accepting.settled.Load() - settled; n != 0 {
		t.Errorf("%d payments were settled", n)
	}
}

// Copies of one payment cause one upstream call and one settlement, and all get the response.
func TestX402Copies(t *testing.T) {
	e := newEdge(t, paidSite)
	challenge, err := e.client.Do(e.request("GET", "/x402/reports/1", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer challenge.Body.Close()
	signed, err := newBuyer(t, e, 2).Sign(challenge)
	if err != nil {
		t.Fatal(err)
	}
	settled := accepting.settled.Load()
	var copies sync.WaitGroup
	for range 20 {
		copies.Go(func() {
			a, err := e.try(t.Context(), "GET", "/x402/reports/1", "", signed.HeaderName, signed.HeaderValue)
			if err != nil || a.status != 200 || a.body != "served" {
				t.Errorf("got %+v, error %v", a, err)
			}
		})
	}
	copies.Wait()
	if e.calls.Load() != 1 || accepting.settled.Load() != settled+1 {
		t.Errorf("got %d calls and %d settlements, want one of each", e.calls.Load(), accepting.settled.Load()-settled)
	}
}

// TestPathTricks shows that no spelling of a request reaches the upstream unpaid. The tricks aim at the cheap and free
// paths next to the dear one.
func TestPathTricks(t *testing.T) {
	const rules = `
			price POST /reports 5
			price GET /reports 5
			price GET /free/* free
			price GET /x402/free/* free
			price POST /x402/reports 0.01
			price GET /x402/reports 0.01`
	e := newEdge(t, `
	handle /x402/* {
		x402 {`+rules+`
		}
		uri strip_prefix /x402
		reverse_proxy UPSTREAM
	}
	handle {
		api_key {
			anonymous /free/*
			public /docs/*
		}
		meter {`+strings.ReplaceAll(rules, "0.01", "1")+`
		}
		reverse_proxy UPSTREAM
	}`)
	paths := []string{
		"/reports", "//reports", "/reports/", "/reports//", "/./reports", "/reports/.", "/free/../reports", "/docs/../reports",
		"/docs/..;/reports", "/docs/..%2freports", "/docs/%2e%2e/reports", "/docs/%252e%252e/reports", "/docs/..%5creports",
		"/%2e/reports", "/%2freports", "/reports%2f", "/reports%00", "/reports%20", "/reports.", "/reports;x=1", "/REPORTS", "/Reports",
		"/reports%3f", "/%72eports", "/%2572eports", "/free/..;/reports", "/free/%2e%2e%2freports", "/free//../reports", "/docs/x/../../reports",
		"/x402/../reports", "/x402/free/../reports", "/docs", "/docs/", "/free/", "/free", "*", "/zz%zz", `/\reports`, "/docs/\treports",
	}
	overrides := "X-HTTP-Method-Override: GET\r\nX-Original-URL: /free/x\r\nX-Rewrite-URL: /free/x\r\n"
	for _, prefix := range []string{"", "/x402", "http://" + e.address, "http://" + e.address + "/x402"} {
		for _, path := range paths {
			for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "PUT", "get", "CONNECT", "TRACE"} {
				request := method + " " + prefix + path + " HTTP/1.1\r\nHost: " + e.address + "\r\n" + overrides +
					"Content-Length: 0\r\nConnection: close\r\n\r\n"
				a := e.raw(request)
				if n := e.calls.Load(); n != 0 {
					t.Fatalf("%s %s%s reached the upstream as %s (status %d)", method, prefix, path, e.last.Load().uri, a.status)
				}
				if a.status < 300 && method != "OPTIONS" && method != "CONNECT" { // CONNECT names a host that is not a site here
					t.Errorf("%s %s%s: got status %d", method, prefix, path, a.status)
				}
			}
		}
	}
}

const identifiedSite = `
	x402 {
		price /asked 0.01
		require_payment_identifier
	}
	reverse_proxy UPSTREAM
`

// A purchase that is paid twice reaches the upstream once, and is settled once.
func TestX402IdentifiedPurchase(t *testing.T) {
	e := newEdge(t, identifiedSite)
	settled := accepting.settled.Load()
	buyer := newBuyer(t, e, 0)
	id, err := buyer.NewIdentifier()
	if err != nil {
		t.Fatal(err)
	}
	var receipts []string
	for range 2 {
		req := e.request("GET", "/asked", "")
		got, err := buyer.Do(req.WithContext(client.WithIdentifier(req.Context(), id)))
		if err != nil {
			t.Fatal(err)
		}
		got.Response.Body.Close()
		if got.Response.StatusCode != http.StatusOK || got.Identifier != id {
			t.Errorf("got status %d with identifier %q, want 200 with %q", got.Response.StatusCode, got.Identifier, id)
		}
		receipts = append(receipts, got.Response.Header.Get("Payment-Response"))
	}
	if e.calls.Load() != 1 || accepting.settled.Load() != settled+1 || receipts[0] != receipts[1] || receipts[0] == "" {
		t.Errorf("got %d calls, %d settlements and receipts %q, want one of each", e.calls.Load(), accepting.settled.Load()-settled, receipts)
	}
	if _, err := newBuyer(t, e, 1).Do(e.request("GET", "/asked", "")); !errors.Is(err, client.ErrNoOffer) {
		t.Errorf("by version 1, which has no identifiers: got %v, want no offer", err)
	}
}

// A sign-in is read only where a payment is needed, and never reaches the upstream.
func TestX402SignInStaysAtTheEdge(t *testing.T) {
	e := newEdge(t, paidSite)
	for _, tt := range []struct {
		method, uri, body string
		status            int
	}{
		{"GET", "/x402/free", "", http.StatusOK},
		{"GET", "/x402/reports/1", "", http.StatusPaymentRequired},
		{"POST", "/x402/crawls", `{"max_pages": 1}`, http.StatusPaymentRequired},
	} {
		a := e.do(tt.method, tt.uri, tt.body, "Sign-In-With-X", "e30=")
		if a.status != tt.status || tt.status == http.StatusPaymentRequired && !strings.Contains(a.body, "invalid_siwx_payload") {
			t.Errorf("%s %s: got %+v, want %d", tt.method, tt.uri, a, tt.status)
		}
	}
	if s := e.last.Load(); s.header.Get("Sign-In-With-X") != "" || e.calls.Load() != 1 {
		t.Errorf("the upstream was called %d times, with header %v", e.calls.Load(), s.header)
	}
}
