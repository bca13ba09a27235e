//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const meteredSite = `
	api_key {
		anonymous /things/* /priced
		public /docs /docs/*
	}
	meter {
		price POST /crawls ` + "`int(body.max_pages)`" + ` {
			operation crawl
		}
		price GET /things/* free
		price GET /priced 5
		price DELETE /status free
		price 10
	}
	reverse_proxy UPSTREAM
`

var bearerHeader = []string{"Authorization", "Bearer " + testKey}

func TestMeterOutcomes(t *testing.T) {
	e := newEdge(t, meteredSite)
	tests := []struct {
		name, method, uri, body string
		status                  int
		want                    money.Credits // captured
		used, remaining         string
	}{
		{"served", "GET", "/x", "", 200, 10, "10", "990"},
		{"redirect", "GET", "/status?code=302", "", 302, 10, "10", "980"},
		{"client error", "GET", "/status?code=404", "", 404, 0, "0", "980"},
		{"server error", "GET", "/status?code=500", "", 500, 0, "0", "980"},
		{"stated cost", "GET", "/x?header:Turnpike-Cost=3", "", 200, 3, "3", "977"},
		{"stated cost of nothing", "GET", "/x?header:Turnpike-Cost=0", "", 200, 0, "0", "977"},
		{"stated cost above the hold", "GET", "/x?header:Turnpike-Cost=11", "", 200, 10, "10", "967"},
		{"stated cost below nothing", "GET", "/x?header:Turnpike-Cost=-1", "", 200, 10, "10", "957"},
		{"stated cost is no number", "GET", "/x?header:Turnpike-Cost=ten", "", 200, 10, "10", "947"},
		{"stated cost of a failure", "GET", "/status?code=500&header:Turnpike-Cost=10", "", 500, 0, "0", "947"},
		{"nothing written", "GET", "/none", "", 200, 10, "10", "937"},
		{"by expression", "POST", "/crawls", `{"max_pages": 37}`, 200, 37, "37", "900"},
		{"head", "HEAD", "/priced", "", 200, 5, "5", "895"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := e.do(tt.method, tt.uri, tt.body, bearerHeader...)
			if a.status != tt.status {
				t.Errorf("got status %d, body %s, want %d", a.status, a.body, tt.status)
			}
			if got := e.ended(); got != tt.want {
				t.Errorf("got %d captured, want %d", got, tt.want)
			}
			if used, left := a.header.Get("X-Credits-Used"), a.header.Get("X-Credits-Remaining"); used != tt.used || left != tt.remaining {
				t.Errorf("got used %q, remaining %q, want %q, %q", used, left, tt.used, tt.remaining)
			}
			for _, internal := range []string{edgewire.CostHeader, edgewire.AdoptedHeader, edgewire.IdentityHeader} {
				if a.header.Get(internal) != "" {
					t.Errorf("the client sees %s", internal)
				}
			}
		})
	}
	e.wantBalance(895)
}

func TestMeterIdentity(t *testing.T) {
	e := newEdge(t, meteredSite)
	a := e.do("POST", "/crawls?a=b%20c", `{"max_pages": 2}`, append(bearerHeader,
		edgewire.IdentityHeader, "forged", edgewire.CostHeader, "0", edgewire.AdoptedHeader, "true",
		"X-Http-Method-Override", "DELETE", "X-Original-Url", "/free")...)
	if a.status != 200 {
		t.Fatalf("got %+v", a)
	}
	e.ended()
	s := e.last.Load()
	if s.identityErr != nil {
		t.Fatal(s.identityErr)
	}
	want := edgewire.Identity{
		ID: s.identity.ID, Method: "POST", URI: "/crawls?a=b%20c", BodySHA256: edgewire.HashBody([]byte(`{"max_pages": 2}`)),
		Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: "team_rich", KeyID: "key_memory1"}, Unit: edgewire.UnitCredit, Max: 2,
	}
	if *s.identity != want || s.identity.ID == "" {
		t.Errorf("got %+v, want %+v", *s.identity, want)
	}
	if s.body != `{"max_pages": 2}` {
		t.Errorf("upstream got body %q", s.body)
	}
	for _, name := range []string{"Authorization", edgewire.CostHeader, edgewire.AdoptedHeader, "X-Http-Method-Override", "X-Original-Url"} {
		if v := s.header.Get(name); v != "" {
			t.Errorf("upstream got %s: %s", name, v)
		}
	}
}

func TestMeterRefusals(t *testing.T) {
	e := newEdge(t, meteredSite)
	tests := []struct {
		name, method, uri, body string
		header                  []string
		status                  int
		code                    string
	}{
		{"no key", "GET", "/x", "", nil, 401, "invalid_api_key"},
		{"wrong key", "GET", "/x", "", []string{"Authorization", "Bearer tp_wrong"}, 401, "invalid_api_key"},
		{"other scheme", "GET", "/x", "", []string{"Authorization", "Basic " + testKey}, 401, "invalid_api_key"},
		{"key without scheme", "GET", "/x", "", []string{"Authorization", testKey}, 401, "invalid_api_key"},
		{"two keys", "GET", "/x", "", append(bearerHeader, bearerHeader...), 401, "invalid_api_key"},
		{"wrong key on a public path", "GET", "/docs", "", []string{"Authorization", "Bearer tp_wrong"}, 401, "invalid_api_key"},
		{"wrong key on an anonymous path", "GET", "/things/1", "", []string{"Authorization", "Bearer tp_wrong"}, 401, "invalid_api_key"},
		{"anonymous write", "POST", "/things/1", "", nil, 401, "invalid_api_key"},
		{"anonymous path with a price", "GET", "/priced", "", nil, 401, "invalid_api_key"},
		{"empty balance", "GET", "/x", "", []string{"Authorization", "Bearer " + testPoorKey}, 402, "credits_exhausted"},
		{"no price", "POST", "//crawls", `{"max_pages": 2}`, bearerHeader, 404, "not_found"},
		{"no body", "POST", "/crawls", "", bearerHeader, 400, "validation_error"},
		{"not JSON", "POST", "/crawls", "max_pages=2", bearerHeader, 400, "invalid_json"},
		{"expression fails", "POST", "/crawls", `{}`, bearerHeader, 400, "validation_error"},
		{"encoded", "POST", "/crawls", `{"max_pages": 2}`, append(bearerHeader, "Content-Encoding", "gzip"), 400, "validation_error"},
		{"too large", "POST", "/crawls", `{"x": "` + strings.Repeat("x", 1<<20) + `"}`, bearerHeader, 413, "payload_too_large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := e.do(tt.method, tt.uri, tt.body, append(tt.header, "X-Request-Id", "mine")...)
			o := a.wantError(t, tt.status, tt.code)
			if got := a.header.Get("X-Request-Id"); got != "mine" {
				t.Errorf("got request id %q", got)
			}
			if tt.status == 402 && (o.Metadata["credits_required"] != 10.0 || o.Metadata["credits_available"] != 3.0) {
				t.Errorf("got metadata %v", o.Metadata)
			}
		})
	}
	if n := e.calls.Load(); n != 0 {
		t.Errorf("%d refused requests reached the upstream", n)
	}
	e.wantBalance(1000)
}

func TestMeterPasses(t *testing.T) {
	e := newEdge(t, meteredSite)
	if a := e.do("GET", "/docs/x", ""); a.status != 200 {
		t.Errorf("public path: got %+v", a)
	}
	if s := e.last.Load(); s.identityErr != nil || s.identity.Payer.Kind != edgewire.PayerAnonymous || s.identity.Client != "127.0.0.1" {
		t.Errorf("public path: got identity %+v, %v, want that it states the client's address and nobody who pays", s.identity, s.identityErr)
	}
	if a := e.do("GET", "/things/1", ""); a.status != 200 {
		t.Errorf("anonymous read: got %+v", a)
	}
	if s := e.last.Load(); s.identityErr != nil || s.identity.Payer.Kind != edgewire.PayerAnonymous || s.identity.Max != 0 {
		t.Errorf("anonymous read: got identity %+v, error %v", s.identity, s.identityErr)
	}
	if a := e.do("GET", "/things/1", "", bearerHeader...); a.status != 200 {
		t.Errorf("read by key: got %+v", a)
	}
	if s := e.last.Load(); s.identityErr != nil || s.identity.Payer.TeamID != "team_rich" {
		t.Errorf("read by key: got identity %+v, error %v", s.identity, s.identityErr)
	}
	calls := e.calls.Load()
	if a := e.do("OPTIONS", "/x", "", "Origin", "https://a.example", "Access-Control-Request-Method", "POST"); a.status != 204 ||
		a.header.Get("Access-Control-Allow-Origin") != "*" || e.calls.Load() != calls {
		t.Errorf("preflight: got %+v", a)
	}
	e.wantBalance(1000)
}

// Pages of other origins are told which headers they may read. To other clients the list would be the larger part of a response.
func TestMeterExposesHeadersToPages(t *testing.T) {
	e := newEdge(t, meteredSite)
	for name, header := range map[string][]string{"page": append([]string{"Origin", "https://a.example"}, bearerHeader...), "client": bearerHeader} {
		a := e.do("GET", "/x", "", header...)
		if a.status != 200 || a.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: got %+v", name, a)
		}
		exposed := a.header.Get("Access-Control-Expose-Headers")
		for _, want := range []string{"X-Credits-Used", "RateLimit, RateLimit-Policy", "X-Request-Id"} {
			if strings.Contains(exposed, want) != (name == "page") {
				t.Errorf("%s: may read %q; want %s for pages alone", name, exposed, want)
			}
		}
	}
}

func TestMeterAdopted(t *testing.T) {
	e := newEdge(t, meteredSite)
	a := e.do("GET", "/x?header:Turnpike-Hold-Adopted=true", "", bearerHeader...)
	if a.status != 200 || a.header.Get("X-Credits-Remaining") != "990" {
		t.Errorf("got %+v", a)
	}
	e.do("GET", "/x", "", bearerHeader...)
	e.ended() // the second one's; requests of one connection run one after the other
	if b := e.ledger.meter.Balance(1); b.Balance != 990 || b.Held != 10 {
		t.Errorf("got %+v, want the first hold left open", b)
	}
}

// A metering id is always created by the edge. Whatever a client sends, each request has its own hold, is charged, and
// reaches the upstream with a new id.
func TestMeterIDIsNeverAClients(t *testing.T) {
	e := newEdge(t, meteredSite)
	e.do("GET", "/x", "", bearerHeader...)
	first := e.endedHold()
	known, signed := first.id.String(), e.last.Load().header.Get(edgewire.IdentityHeader)
	seen := map[credits.HoldID]bool{first.id: true}
	for i, header := range [][]string{
		{"X-Request-Id", known},
		{"Idempotency-Key", known},
		{"Idempotency-Key", `"` + known + `"`},
		{edgewire.IdentityHeader, signed},
		{edgewire.IdentityHeader, known},
		{"turnpike-identity", signed, "Turnpike-Identity", signed},
		{edgewire.CostHeader, "0", edgewire.AdoptedHeader, "true"},
		{"Turnpike-Hold", known, "X-Hold-Id", known, "X-Correlation-Id", known},
		{"Traceparent", "00-" + strings.ReplaceAll(known, "-", "") + "-0000000000000001-01"},
	} {
		e.do("GET", "/x", "", append(header, bearerHeader...)...)
		end := e.endedHold()
		if seen[end.id] || end.capture != 10 {
			t.Errorf("%q: got hold %s captured with %d, want a new one captured with 10", header, end.id, end.capture)
		}
		seen[end.id] = true
		if s := e.last.Load(); s.identityErr != nil || s.identity.ID != end.id.String() {
			t.Errorf("%q: got identity %q, error %v, want the hold's id %s", header, s.identity.ID, s.identityErr, end.id)
		}
		e.wantBalance(money.Credits(1000 - 10*(i+2)))
	}
}

func TestMeterRevokedKey(t *testing.T) {
	e := newEdge(t, meteredSite)
	e.ledger.meter.RevokeKey(1)
	e.do("GET", "/x", "", bearerHeader...).wantError(t, 401, "invalid_api_key")
	if e.calls.Load() != 0 {
		t.Error("the upstream was called")
	}
}

func TestMeterOverloaded(t *testing.T) {
	e := newEdge(t, meteredSite)
	e.ledger.overloaded.Store(true)
	a := e.do("GET", "/x", "", bearerHeader...)
	a.wantError(t, 503, "overloaded")
	if a.header.Get("Retry-After") == "" || e.calls.Load() != 0 {
		t.Errorf("got %+v, %d calls", a, e.calls.Load())
	}
}

func TestMeterUpstreamUnreachable(t *testing.T) {
	e := newEdge(t, meteredSite)
	e.upstream.Close()
	if a := e.do("GET", "/x", "", bearerHeader...); a.status != http.StatusBadGateway {
		t.Errorf("got %+v", a)
	}
	if got := e.ended(); got != 0 {
		t.Errorf("got %d captured", got)
	}
	e.wantBalance(1000)
}

func TestMeterUpstreamDiesInTheMiddle(t *testing.T) {
	e := newEdge(t, meteredSite)
	if a := e.do("GET", "/die", "", bearerHeader...); a.err == nil {
		t.Errorf("got a whole answer: %d bytes", len(a.body))
	}
	if got := e.ended(); got != 0 {
		t.Errorf("got %d captured", got)
	}
	e.wantBalance(1000)
}

// A client that disconnects after the response has begun is charged; before that, nothing is charged.
func TestMeterClientGone(t *testing.T) {
	for uri, want := range map[string]money.Credits{"/wait": 10, "/wait-silent": 0} {
		t.Run(uri, func(t *testing.T) {
			e := newEdge(t, meteredSite)
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan struct{})
			begun := make(chan struct{})
			go func() {
				defer close(done)
				e.open(ctx, uri, begun)
			}()
			<-e.arrived
			if uri == "/wait" {
				<-begun
			}
			leave()
			if got := e.ended(); got != want {
				t.Errorf("got %d captured, want %d", got, want)
			}
			<-done
			e.wantBalance(1000 - want)
		})
	}
}

// A reload drops no request and no charge: each request is answered, even one that clients do not retry, and is charged once.
func TestReloadUnderLoad(t *testing.T) {
	e := newEdge(t, meteredSite)
	e.ledger.meter.Fund(1, 1_000_000)
	stop := make(chan struct{})
	var served, failed atomic.Int64
	var workers sync.WaitGroup
	for n := range 8 {
		method, header := http.MethodGet, bearerHeader
		if n%2 == 0 {
			method = http.MethodPost
		}
		if n%4 == 3 || n%4 == 2 {
			header = append([]string{"Connection", "close"}, header...)
		}
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, err := e.try(t.Context(), method, "/x", "", header...)
				if err != nil || a.status != 200 || a.err != nil {
					failed.Add(1)
					t.Errorf("got %+v, error %v", a, err)
					return
				}
				served.Add(1)
			}
		})
	}
	for i := range 8 {
		before := served.Load()
		e.load(fmt.Sprint("reload ", i))
		for served.Load() < before+20 && failed.Load() == 0 {
			<-e.ledger.ended
		}
	}
	close(stop)
	workers.Wait()
	e.stop()
	for e.ledger.captured.Load() < 10*served.Load() { // a response is sent before its hold ends
		<-e.ledger.ended
	}
	if n := served.Load(); e.ledger.captured.Load() != 10*n || e.calls.Load() != n {
		t.Errorf("served %d, captured %d credits, %d calls", n, e.ledger.captured.Load(), e.calls.Load())
	}
	e.wantBalance(money.Credits(1_001_000 - 10*served.Load()))
}
