//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/openapi"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

// shopDescription describes the upstream of describedSite.
const shopDescription = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {
	"/crawls": {"post": {"summary": "Crawl a site", "requestBody": {"required": true, "content": {"application/json": {"schema": {
		"type": "object", "required": ["url", "max_pages"], "properties": {
			"url": {"type": "string", "format": "uri"}, "max_pages": {"type": "integer", "minimum": 1, "example": 4}}}}}},
		"responses": {"202": {"description": "begun", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}}},
	"/reports/latest": {"get": {"responses": {"200": {"description": "good", "content": {"text/csv": {"schema": {"type": "string"}}}}}}},
	"/reports/{id}": {
		"parameters": [{"in": "path", "name": "id", "schema": {"type": "string", "example": "r7"}}],
		"get": {"parameters": [{"in": "query", "name": "deep", "schema": {"type": "boolean"}}], "responses": {"200": {"description": "good"}}},
		"delete": {"responses": {"204": {"description": "gone"}}}},
	"/free": {"get": {}}, "/unsold": {"get": {}}
	}, "components": {"schemas": {"Node": {"type": "object", "required": ["id"], "properties": {
		"id": {"type": "string"}, "next": {"$ref": "#/components/schemas/Node"}}}}}}`

const describedSite = `
	handle /.well-known/x402 {
		x402_discovery {
			name "The shop"
			description "Sells by the piece"
			contact shop@example.com
			ownership_proofs 0x01 0x02
		}
	}
	handle /x402/* {
		x402 {
			price POST /x402/crawls micro ` + "`math.greatest(10000, 5000 * int(body.max_pages))`" + ` {
				operation crawl
				settle before
				timeout 20s
			}
			price GET /x402/free free
			price GET /x402/reports/* 0.01 {
				operation report
				description "One report"
			}
			price PUT /x402/*/notes 0.03
			openapi OPENAPI
		}
		uri strip_prefix /x402
		reverse_proxy UPSTREAM
	}
	handle_path /files/* {
		x402 {
			price 0.02
		}
		reverse_proxy UPSTREAM
	}
	@odd {
		method GET
		path /odd /Odder*
		not path /odder/never
	}
	handle @odd {
		x402 {
			price POST 0.05
			price GET 0.04
			price GET /elsewhere 0.04
		}
		reverse_proxy UPSTREAM
	}
	handle {
		respond 404
	}
`

// describedAt serves a description as a test's upstream does.
func describedAt(t *testing.T, status int, description string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(description))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func newDescribed(t *testing.T, description string) *edge {
	t.Helper()
	return newEdge(t, strings.ReplaceAll(describedSite, "OPENAPI", describedAt(t, http.StatusOK, description)))
}

func (e *edge) discover(query string, header ...string) (gate.DiscoveryDocument, answer) {
	e.t.Helper()
	a := e.do("GET", "/.well-known/x402"+query, "", header...)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" {
		e.t.Fatalf("got status %d, %v, %s", a.status, a.header, a.body)
	}
	var doc gate.DiscoveryDocument
	if err := json.Unmarshal([]byte(a.body), &doc); err != nil {
		e.t.Fatal(err)
	}
	return doc, a
}

var updated = regexp.MustCompile(`"lastUpdated": ?"[^"]*"`)

func TestDiscoveryGolden(t *testing.T) {
	e := newDescribed(t, shopDescription)
	for name, query := range map[string]string{"discovery.json": "", "discovery_v1.json": "?x402Version=1&limit=2&offset=1"} {
		_, a := e.discover(query)
		var whole any
		if err := json.Unmarshal([]byte(a.body), &whole); err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(whole, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got := updated.ReplaceAllString(strings.ReplaceAll(string(text), e.address, "shop.example"), `"lastUpdated": "2026-01-01T00:00:00Z"`) + "\n"
		path := filepath.Join("testdata", name)
		if flag.Lookup("update").Value.String() == "true" {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// paths returns the items' methods and paths.
func paths(doc *gate.DiscoveryDocument, address string) []string {
	var all []string
	for _, item := range doc.Items {
		all = append(all, strings.Join(item.Metadata.Methods, ",")+" "+strings.TrimPrefix(item.Resource, "http://"+address))
	}
	return all
}

const anyMethods = "GET,HEAD,POST,PUT,PATCH,DELETE"

func TestDiscoveryLists(t *testing.T) {
	e := newDescribed(t, shopDescription)
	doc, a := e.discover("")
	want := []string{
		"POST /x402/crawls", "GET /x402/reports/latest", "GET /x402/reports/{id}", "PUT /x402/{segment2}/notes",
		anyMethods + " /files/{+path}",
		"GET /odd", "GET /odder", "GET /odder/{+path}",
	}
	slices.Sort(want)
	got := paths(&doc, e.address)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if strings.Contains(strings.Join(doc.Resources, " "), "{") || len(doc.Resources) != 4 {
		t.Errorf("got resources %q: want those that can be asked for as they are", doc.Resources)
	}
	if a.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.header.Get("Cache-Control"), "max-age") {
		t.Errorf("got header %v", a.header)
	}
}

// The list is correct: each resource answers 402 with the price, terms and description that are listed.
func TestDiscoveryHolds(t *testing.T) {
	e := newDescribed(t, shopDescription)
	doc, _ := e.discover("")
	v1, _ := e.discover("?x402Version=1")
	for i, item := range doc.Items {
		t.Run(item.Metadata.Methods[0]+" "+strings.TrimPrefix(item.Resource, "http://"+e.address), func(t *testing.T) {
			uri := strings.TrimPrefix(item.Resource, "http://"+e.address)
			uri = regexp.MustCompile(`\{\+?\w+\}`).ReplaceAllString(uri, "some")
			var described struct {
				Info struct {
					Input struct {
						Method string
						Body   json.RawMessage
					}
				}
			}
			if err := json.Unmarshal(item.Extensions["bazaar"], &described); err != nil {
				t.Fatal(err)
			}
			method := described.Info.Input.Method
			if !slices.Contains(item.Metadata.Methods, method) {
				t.Errorf("got bazaar method %q, want one of %q", method, item.Metadata.Methods)
			}
			a := e.do(method, uri, string(described.Info.Input.Body), "Content-Type", "application/json")
			if a.status != http.StatusPaymentRequired {
				t.Fatalf("%s %s: got status %d, %s", method, uri, a.status, a.body)
			}
			challenge := readChallenge(t, a)
			if len(item.Accepts) != 2 || !reflect.DeepEqual(challenge.Accepts, item.Accepts) {
				t.Errorf("version 2: listed %v\nchallenged %v", item.Accepts, challenge.Accepts)
			}
			// The header omits the response's description when there is no room for it.
			listedInput, input := exampleOf(t, item.Extensions["bazaar"]), exampleOf(t, challenge.Extensions["bazaar"])
			if input == nil || !reflect.DeepEqual(input, listedInput) {
				t.Errorf("bazaar: listed %v\nchallenged %v", listedInput, input)
			}
			var body struct{ Accepts []map[string]any }
			if err := json.Unmarshal([]byte(a.body), &body); err != nil {
				t.Fatal(err)
			}
			listed := v1.Items[i].Accepts
			if len(listed) != len(body.Accepts) {
				t.Fatalf("version 1: listed %v\nchallenged %v", listed, body.Accepts)
			}
			for j, terms := range body.Accepts {
				want, _ := listed[j].(map[string]any)
				if want["outputSchema"] == nil {
					t.Error("version 1: nothing describes the request")
				}
				terms["resource"] = want["resource"] // of the requested resource if the path has variables
				if !reflect.DeepEqual(want, terms) {
					t.Errorf("version 1: listed %v\nchallenged %v", want, terms)
				}
			}
		})
	}
}

// exampleOf returns the example request in bazaar data.
func exampleOf(t *testing.T, bazaar json.RawMessage) (input any) {
	t.Helper()
	if all, ok := normal(t, bazaar).(map[string]any); ok {
		if info, ok := all["info"].(map[string]any); ok {
			input = info["input"]
		}
	}
	return input
}

type readable struct {
	Accepts    []any
	Extensions map[string]json.RawMessage
}

func readChallenge(t *testing.T, a answer) (c readable) {
	t.Helper()
	header := a.header.Get("Payment-Required")
	if len(header) > x402.ChallengeBytesMax {
		t.Errorf("the challenge has %d bytes, want at most %d", len(header), x402.ChallengeBytesMax)
	}
	raw, err := base64.StdEncoding.DecodeString(header)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func normal(t *testing.T, raw json.RawMessage) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Every resource that has a price is listed, whatever the upstream publishes.
func TestDiscoveryDescriptions(t *testing.T) {
	const routes = "|POST /x402/crawls|GET /x402/reports/{+path}|PUT /x402/{segment2}/notes|"
	cyclic := strings.ReplaceAll(shopDescription, `"responses": {"200": {"description": "good"}}`, `"requestBody": {"$ref": "#/paths/~1reports~1%7Bid%7D/get/requestBody"}`)
	long := strings.Replace(shopDescription, `"title": "Shop"`, `"title": "`+strings.Repeat("x", 5<<20)+`"`, 1)
	if len(long) <= openapi.BytesMax {
		t.Fatal("not as long as it should be")
	}
	for _, tt := range []struct {
		name, description string
		status            int
		described         bool
	}{
		{"good", shopDescription, 200, true},
		{"cyclic", cyclic, 200, true},
		{"none", "not found", 404, false},
		{"broken", shopDescription[:len(shopDescription)/2], 200, false},
		{"of 5 MiB", long, 200, false},
		{"YAML", "# JSON after a comment is YAML\n" + shopDescription, 200, true},
		{"neither JSON nor YAML", "openapi: [", 200, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEdge(t, strings.ReplaceAll(describedSite, "OPENAPI", describedAt(t, tt.status, tt.description)))
			doc, _ := e.discover("")
			got := strings.Join(paths(&doc, e.address), "|")
			if tt.described != strings.Contains(got, "GET /x402/reports/latest|") || tt.described == strings.Contains(got, routes) {
				t.Errorf("got %q", got)
			}
			a := e.do("POST", "/x402/crawls", `{"max_pages": 2}`, "Content-Type", "application/json")
			if a.status != http.StatusPaymentRequired {
				t.Fatalf("got status %d", a.status)
			}
			bazaar := string(readChallenge(t, a).Extensions["bazaar"])
			if !strings.Contains(bazaar, `"method":"POST"`) || tt.described != strings.Contains(bazaar, "max_pages") {
				t.Errorf("got bazaar %s", bazaar)
			}
		})
	}
}

// An upstream that cannot be reached causes a delay only the first time.
func TestDiscoveryUpstreamAway(t *testing.T) {
	e := newEdge(t, strings.ReplaceAll(describedSite, "OPENAPI", freeAddress(t)))
	if doc, _ := e.discover(""); len(doc.Items) < 4 {
		t.Errorf("got %v", doc.Items)
	}
}

func TestDiscoveryOfUpstreamBook(t *testing.T) {
	var book string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/turnpike-prices":
			_, _ = w.Write([]byte(book))
		case "/openapi.json":
			_, _ = w.Write([]byte(shopDescription))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(upstream.Close)
	book = `{"version": 1, "rules": [
		{"methods": ["POST"], "path": "/x402/crawls", "unit": "credit", "price": 5},
		{"methods": ["POST"], "path": "/x402/crawls", "unit": "usdc6", "price": "quote", "operation": "crawl"},
		{"path": "/x402/reports/*", "unit": "usdc6", "price": 700}]}`
	e := newEdge(t, strings.ReplaceAll(`
		x402_discovery /.well-known/x402
		handle /x402/* {
			x402 {
				price upstream BOOK
				openapi BOOK {
					refresh 1h
				}
			}
			uri strip_prefix /x402
			reverse_proxy BOOK
		}`, "BOOK", strings.TrimPrefix(upstream.URL, "http://")))
	e.do("GET", "/x402/reports/7", "") // the first request waits for the book
	doc, _ := e.discover("")
	want := []string{"POST /x402/crawls", "GET /x402/reports/latest", "DELETE /x402/reports/{id}", "GET /x402/reports/{id}"}
	if got := paths(&doc, e.address); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	crawl := doc.Items[0]
	if p := crawl.Metadata.Price; p.Mode != gate.PriceDynamic || p.Amount != "" || p.ExampleAmount != "" || len(crawl.Accepts) != 0 {
		t.Errorf("a quoted price is listed as %+v, %v", p, crawl.Accepts)
	}
	if p := doc.Items[1].Metadata.Price; p.Mode != gate.PriceFixed || p.Amount != "0.0007" {
		t.Errorf("got %+v", p)
	}
}

// A document describes the host that was asked, under the address that clients use.
func TestDiscoveryHosts(t *testing.T) {
	// A server without our handlers uses Caddy's own sockets, whose queue a reload resets.
	e := newEdgeWith(t, `x402 /other {
			price 0.01
		}
		respond 200`, `servers {
			trusted_proxies static 127.0.0.0/8
		}`)
	_, port, err := net.SplitHostPort(e.address)
	if err != nil {
		t.Fatal(err)
	}
	e.site = `
		x402_discovery /.well-known/x402
		x402 /other {
			price 0.01
		}
		respond 200
	}
	http://one.example:` + port + `, http://two.example:` + port + ` {
		handle /.well-known/x402 {
			x402_discovery
		}
		@one host one.example
		handle @one {
			x402 {
				price /one 0.01
			}
			respond 200
		}
		@two not host one.example
		handle @two {
			x402 {
				price /two 0.01
			}
			respond 200
		}`
	e.load("hosts")
	for _, tt := range []struct{ host, forwarded, want string }{
		{"one.example", "one.example", "https://one.example/one"},
		{"two.example:" + port, "api.example.com", "https://api.example.com/two"},
		{e.address, "", "https://" + e.address + "/other"},
	} {
		req := e.request("GET", "/.well-known/x402", "")
		req.Host = tt.host
		req.Header.Set("X-Forwarded-Proto", "https")
		req.Header.Set("X-Forwarded-Host", tt.forwarded)
		res, err := e.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var doc gate.DiscoveryDocument
		if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Resources) != 1 || doc.Resources[0] != tt.want || len(doc.Items) != 1 || doc.Items[0].Resource != tt.want {
			t.Errorf("%s: got %q, %d items, want %s alone", tt.host, doc.Resources, len(doc.Items), tt.want)
		}
	}
}

func TestDiscoveryRequests(t *testing.T) {
	e := newDescribed(t, shopDescription)
	whole, first := e.discover("")
	if whole.Pagination != (gate.DiscoverySection{Limit: len(whole.Items), Total: len(whole.Items)}) {
		t.Errorf("got %+v", whole.Pagination)
	}
	if again := e.do("GET", "/.well-known/x402", "", "If-None-Match", first.header.Get("ETag")); again.status != http.StatusNotModified {
		t.Errorf("the same document again: got status %d, want 304", again.status)
	}
	if head := e.do("HEAD", "/.well-known/x402", ""); head.status != 200 || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(first.body)) {
		t.Errorf("HEAD: got %d, %v", head.status, head.header)
	}
	if options := e.do("OPTIONS", "/.well-known/x402", ""); options.status != http.StatusNoContent || options.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("OPTIONS: got %d, %v", options.status, options.header)
	}
	refused := e.do("POST", "/.well-known/x402", "{}")
	refused.wantError(t, http.StatusMethodNotAllowed, "method_not_allowed")
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=a", "?offset=-1", "?x402Version=3"} {
		e.do("GET", "/.well-known/x402"+query, "").wantError(t, http.StatusBadRequest, "validation_error")
	}
	var paged []gate.DiscoveryItem
	for offset := 0; offset < whole.Pagination.Total+2; offset += 2 {
		page, _ := e.discover(fmt.Sprintf("?type=http&limit=2&offset=%d", offset))
		if page.Pagination != (gate.DiscoverySection{Limit: 2, Offset: offset, Total: whole.Pagination.Total}) {
			t.Errorf("got %+v", page.Pagination)
		}
		paged = append(paged, page.Items...)
	}
	if !reflect.DeepEqual(paged, whole.Items) {
		t.Errorf("pages have %d items, the whole %d", len(paged), len(whole.Items))
	}
}

// The document needs no earlier request, and follows a reload.
func TestDiscoveryReload(t *testing.T) {
	e := newDescribed(t, shopDescription)
	before, _ := e.discover("")
	e.site = strings.Replace(e.site, `price GET /x402/reports/* 0.01`, `price GET /x402/reports/* 0.05`, 1)
	e.load("again")
	after, _ := e.discover("")
	prices := func(doc *gate.DiscoveryDocument) (all []string) {
		for _, item := range doc.Items {
			if item.Metadata.Operation == "report" {
				all = append(all, item.Metadata.Price.Amount)
			}
		}
		return all
	}
	if got, want := prices(&before), []string{"0.01", "0.01"}; !slices.Equal(got, want) {
		t.Errorf("before: got %q, want %q", got, want)
	}
	if got, want := prices(&after), []string{"0.05", "0.05"}; !slices.Equal(got, want) {
		t.Errorf("after: got %q, want %q", got, want)
	}
}
