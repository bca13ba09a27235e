package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	const site = "http://example.com/"
	tests := []struct {
		name, body string
		code       problem.Code
		want       string // part of the response
	}{
		{"nothing", "", problem.ValidationError, "body"},
		{"not JSON", "url_to_scrape=x", problem.InvalidJSON, "not JSON"},
		{"a list", "[]", problem.ValidationError, "body"},
		{"null", "null", problem.ValidationError, "body"},
		{"a key twice", `{"url_to_scrape":"http://a.example","url_to_scrape":"http://b.example"}`, problem.InvalidJSON, "appears more than once"},
		{"a key in two cases", `{"url_to_scrape":"http://a.example","URL_to_scrape":"http://b.example"}`, problem.InvalidJSON, "differ only in case"},
		{"a key in another case", `{"URL_TO_SCRAPE":"http://a.example"}`, problem.ValidationError, `"loc":["body","URL_TO_SCRAPE"]`},
		{"trailing data", bodyFor(site) + "{}", problem.InvalidJSON, "not JSON"},
		{"not UTF-8", "{\"url_to_scrape\":\"\xff\"}", problem.InvalidJSON, "UTF-8"},
		{"too large", bodyFor(site, `"country":"`+strings.Repeat("x", api.BodyBytesMax)+`"`), problem.PayloadTooLarge, "1048576"},
		{"no URL", `{}`, problem.ValidationError, `{"loc":["body","url_to_scrape"],"msg":"is required","type":"missing"}`},
		{"an unknown field", bodyFor(site, `"colour":"red"`), problem.ValidationError, `{"loc":["body","colour"],"msg":"is not a field of this request","type":"unknown_field"}`},
		{"a relative URL", bodyFor("/x"), problem.ValidationError, `"loc":["body","url_to_scrape"]`},
		{"another scheme", bodyFor("ftp://example.com/"), problem.ValidationError, "only http and https"},
		{"credentials", bodyFor("http://u:p@example.com/"), problem.ValidationError, "credentials"},
		{"a URL that is a number", `{"url_to_scrape":1}`, problem.ValidationError, "url_to_scrape"},
		{"an unknown format", bodyFor(site, `"formats":["docx"]`), problem.ValidationError, `"loc":["body","formats",0]`},
		{"no formats", bodyFor(site, `"formats":[]`), problem.ValidationError, "formats"},
		{"a format twice", bodyFor(site, `"formats":["html","html"]`), problem.ValidationError, "formats"},
		{"formats as text", bodyFor(site, `"formats":"html"`), problem.ValidationError, "formats"},
		{"a wait below 0", bodyFor(site, `"wait_before_scraping":-1`), problem.ValidationError, "wait_before_scraping"},
		{"a wait too long", bodyFor(site, `"wait_before_scraping":60001`), problem.ValidationError, "wait_before_scraping"},
		{"part of a millisecond", bodyFor(site, `"wait_before_scraping":0.5`), problem.ValidationError, "wait_before_scraping"},
		{"a selector that is none", bodyFor(site, `"remove_css_selectors":["p["]`), problem.ValidationError, "remove_css_selectors"},
		{"a word that is none", bodyFor(site, `"remove_css_selectors":"all"`), problem.ValidationError, "remove_css_selectors"},
		{"selectors as a number", bodyFor(site, `"remove_css_selectors":1`), problem.ValidationError, `must be \"default\", \"none\" or a JSON list in a string, or a list of CSS selectors`},
		{"an unknown transformer", bodyFor(site, `"transformer":"magic"`), problem.ValidationError, "transformer"},
		{"a word for true", bodyFor(site, `"remove_images":"yes"`), problem.ValidationError, "remove_images"},
		{"a class with a space", bodyFor(site, `"remove_class_names":["a b"]`), problem.ValidationError, `["body","remove_class_names",0]`},
		{"an unknown render", bodyFor(site, `"render":"maybe"`), problem.ValidationError, "render"},
		{"an unknown action", bodyFor(site, `"actions":[{"type":"jump"}]`), problem.ValidationError, `["body","actions",0,"type"]`},
		{"an action without its field", bodyFor(site, `"actions":[{"type":"click"}]`), problem.ValidationError, `["body","actions",0,"selector"]`},
		{"an action with another's field", bodyFor(site, `"actions":[{"type":"wait","milliseconds":1,"amount":1}]`), problem.ValidationError, "does not belong to wait"},
		{"an action of no direction", bodyFor(site, `"actions":[{"type":"scroll","direction":"in","amount":1}]`), problem.ValidationError, "direction"},
		{"no such country", bodyFor(site, `"country":"XX"`), problem.ValidationError, "country"},
		{"a parser without an id", bodyFor(site, `"parser":{}`), problem.ValidationError, "parser"},
		{"llm_extract without a task", bodyFor(site, `"llm_extract":{}`), problem.ValidationError, "llm_extract"},
		{"llm_extract with two", bodyFor(site, `"llm_extract":{"schema":{"a":1},"prompt":"x"}`), problem.ValidationError, "llm_extract"},
		{"json of nothing", bodyFor(site, `"formats":["json"]`), problem.ValidationError, "parser or llm_extract"},
		{"an unknown screen", bodyFor(site, `"screen_size":{"screen_type":"tv"}`), problem.ValidationError, "screen_type"},
		{"an unknown field of links", bodyFor(site, `"links_on_page":{"all":true}`), problem.ValidationError, `["body","links_on_page","all"]`},
		{"an empty glob", bodyFor(site, `"links_on_page":{"include_links":[""]}`), problem.ValidationError, `["body","links_on_page","include_links",0]`},
		{"metadata that is nested", bodyFor(site, `"metadata":{"a":[1]}`), problem.InvalidMetadata, `["body","metadata","a"]`},
		{"metadata with brackets", bodyFor(site, `"metadata":{"a[0]":"x"}`), problem.InvalidMetadata, "square brackets"},
		{"metadata that is a list", bodyFor(site, `"metadata":[]`), problem.ValidationError, "metadata"},

		{"a screenshot", bodyFor(site, `"formats":["screenshot"]`), problem.RendererUnavailable, "browser"},
		{"render always", bodyFor(site, `"render":"always"`), problem.RendererUnavailable, "render"},
		{"actions", bodyFor(site, `"actions":[{"type":"scroll","direction":"down","amount":300}]`), problem.RendererUnavailable, "actions"},
		{"a wait", bodyFor(site, `"wait_before_scraping":1`), problem.RendererUnavailable, "wait_before_scraping"},
		{"a screen", bodyFor(site, `"screen_size":{"screen_type":"mobile"}`), problem.RendererUnavailable, "screen_size"},
		{"screenshot options", bodyFor(site, `"screenshot":{"full_page":true}`), problem.RendererUnavailable, "screenshot"},
		{"a parser", bodyFor(site, `"parser":"@turnpike/article","formats":["json"]`), problem.ProviderNotConfigured, "parser"},
		{"a parser as an object", bodyFor(site, `"parser":{"id":"x"}`), problem.ProviderNotConfigured, "parser"},
		{"a model", bodyFor(site, `"llm_extract":{"prompt":"x"}`), problem.ProviderNotConfigured, "language model"},
		{"a country", bodyFor(site, `"country":"de"`), problem.ProviderNotConfigured, "proxy"},
		{"any country", bodyFor(site, `"country":"RANDOM"`), problem.ProviderNotConfigured, "proxy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.do(call{method: http.MethodPost, uri: "/v1/scrapes", body: tt.body, identity: teamPays(s.team, 20)})
			e := wantError(t, w, tt.code)
			if !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %s, want %s in it", w.Body, tt.want)
			}
			if faults, _ := e.Metadata["errors"].([]any); tt.code == problem.ValidationError && len(faults) == 0 {
				t.Errorf("got metadata %v, want errors in it", e.Metadata)
			}
		})
	}
}

func TestBodyOfTheLargestSize(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	body := bodyFor(site.URL)
	body += strings.Repeat(" ", api.BodyBytesMax-len(body))
	wantStatus(t, s.scrape(teamPays(s.team, 1), body), http.StatusOK)
}

func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: []api.Feature{faulty{}}})
	keyed := teamPays(s.team, 1)
	tests := []struct {
		name   string
		call   call
		code   problem.Code
		header http.Header
	}{
		{"an unknown path", call{method: "GET", uri: "/v1/nothing"}, problem.NotFound, nil},
		{"a path that is not clean", call{method: "POST", uri: "/v1//scrapes", identity: keyed, body: "{}"}, problem.NotFound, nil},
		{"a trailing slash", call{method: "POST", uri: "/v1/scrapes/", identity: keyed, body: "{}"}, problem.NotFound, nil},
		{"another method", call{method: "GET", uri: "/v1/scrapes", identity: keyed}, problem.MethodNotAllowed, http.Header{"Allow": {"POST"}}},
		{"another method of a read", call{method: "DELETE", uri: "/v1/scrapes/scrape_x", identity: keyed}, problem.MethodNotAllowed, http.Header{"Allow": {"GET, HEAD"}}},
		{"another method of content", call{method: "PUT", uri: "/content/x"}, problem.MethodNotAllowed, http.Header{"Allow": {"GET, HEAD"}}},
		{"unsigned content", call{method: "GET", uri: "/content/scrapes/x/1/page.html"}, problem.AccessDenied, nil},
		{"an encoded body", call{method: "POST", uri: "/v1/scrapes", identity: keyed, body: "{}", header: http.Header{"Content-Encoding": {"gzip"}}}, problem.ValidationError, nil},
		{"no retrieve_id", call{method: "GET", uri: "/v1/retrieve", identity: teamPays(s.team, 0)}, problem.ValidationError, nil},
		{"an unknown format", call{method: "GET", uri: "/v1/retrieve?retrieve_id=x&formats=html,pdf", identity: teamPays(s.team, 0)}, problem.ValidationError, nil},
		{"a panic", call{method: "GET", uri: "/test/panic"}, problem.InternalServerError, nil},
		{"an inner error", call{method: "GET", uri: "/test/error"}, problem.InternalServerError, nil},
		{"a wrapped problem", call{method: "GET", uri: "/test/busy"}, problem.Overloaded, http.Header{"Retry-After": {"2"}}},
		{"no page about an error", call{method: "GET", uri: "/docs/api-reference/errors/none"}, problem.NotFound, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.do(tt.call)
			wantError(t, w, tt.code)
			if strings.Contains(w.Body.String(), "secret inner text") {
				t.Errorf("got %s, want no inner text", w.Body)
			}
			if w.Header().Get("X-Request-Id") == "" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("got headers %v, want a request id and CORS on every answer", w.Header())
			}
			for name := range tt.header {
				if got, want := w.Header().Get(name), tt.header.Get(name); got != want {
					t.Errorf("got %s %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestErrorsAreLoggedWithTheirRequest(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: []api.Feature{faulty{}}})
	for _, uri := range []string{"/test/panic", "/test/error"} {
		s.do(call{method: "GET", uri: uri, header: http.Header{"X-Request-Id": {"mine" + uri[5:]}}})
		log := s.log.String()
		for _, want := range []string{"request_id=mine" + uri[5:], "secret inner text", "error_id=error_", "status=500"} {
			if !strings.Contains(log, want) {
				t.Errorf("got log %s, want %s in it", log, want)
			}
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	for _, tt := range []struct {
		name, sent string
		echoed     bool
	}{
		{"a client's own", "abc-123~!", true},
		{"the longest", strings.Repeat("x", 128), true},
		{"too long", strings.Repeat("x", 129), false},
		{"with a space", "a b", false},
		{"not ASCII", "é", false},
		{"none", "", false},
	} {
		w := s.do(call{method: "GET", uri: "/healthz", header: http.Header{"X-Request-Id": {tt.sent}}})
		got := w.Header().Get("X-Request-Id")
		if tt.echoed && got != tt.sent {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.sent)
		}
		if !tt.echoed && !strings.HasPrefix(got, "req_") {
			t.Errorf("%s: got %q, want one of ours", tt.name, got)
		}
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	w := s.do(call{method: "OPTIONS", uri: "/v1/scrapes", header: http.Header{"Access-Control-Request-Method": {"POST"}}})
	wantStatus(t, w, http.StatusNoContent)
	for _, header := range []string{"PAYMENT-SIGNATURE", "X-PAYMENT", "Content-Type", "Access-Control-Expose-Headers", "Authorization"} {
		if !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), header) {
			t.Errorf("got %v, want %s allowed", w.Header(), header)
		}
	}
	for _, header := range []string{"PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE"} {
		if !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), header) {
			t.Errorf("got %v, want %s exposed", w.Header(), header)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	healthy := errors.New("down")
	s := setup(t, options{ready: []api.Check{{Name: "database", Func: func(context.Context) error { return healthy }}}})
	wantStatus(t, s.do(call{method: "GET", uri: "/healthz"}), http.StatusOK)
	w := s.do(call{method: "GET", uri: "/readyz"})
	wantStatus(t, w, http.StatusServiceUnavailable)
	if got, want := strings.TrimSpace(w.Body.String()), `{"status":"unavailable","checks":[{"name":"database","ok":false}]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	healthy = nil
	wantStatus(t, s.do(call{method: "GET", uri: "/readyz"}), http.StatusOK)
}

func TestPriceBookIsPublished(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	w := s.do(call{method: "GET", uri: price.WellKnownPath})
	wantStatus(t, w, http.StatusOK)
	if _, err := price.Parse(w.Body.Bytes()); err != nil {
		t.Errorf("got a book that does not parse: %v", err)
	}
	// The price book as an edge reads it.
	server := listen(t, s)
	remote := price.NewRemote(price.RemoteConfig{
		URL: server.URL + price.WellKnownPath, Client: server.Client(), Logger: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(remote.Close)
	must(t, remote.Refresh(t.Context()))
	r := httptest.NewRequest(http.MethodPost, "/v1/scrapes", strings.NewReader(bodyFor("http://example.com/")))
	if quote, err := remote.Price(t.Context(), r, edgewire.UnitCredit); err != nil || quote.Amount != 1 {
		t.Errorf("got %+v, %v, want 1 credit", quote, err)
	}
	again := s.do(call{method: "GET", uri: price.WellKnownPath, header: http.Header{"If-None-Match": {w.Header().Get("ETag")}}})
	wantStatus(t, again, http.StatusNotModified)
}

func TestPricing(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	w := s.do(call{method: "GET", uri: "/pricing"})
	wantStatus(t, w, http.StatusOK)
	for _, want := range []string{`{"credits":20000,"price_usd":"19.00"}`, `"path":"/x402/v1/scrapes"`, `"price":10000,"usd":"0.01"`, `"credit_usd":"0.001"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("got %s, want %s in it", w.Body, want)
		}
	}
}

// Browsers get the same prices as a page.
func TestPricingForPeople(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: allFeatures()})
	get := func(accept string) *httptest.ResponseRecorder {
		return s.do(call{method: "GET", uri: "/pricing", header: http.Header{"Accept": {accept}}})
	}
	w := get("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	wantStatus(t, w, http.StatusOK)
	for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8", "Vary": "Accept", "X-Content-Type-Options": "nosniff"} {
		if got := strings.Join(w.Header().Values(name), ", "); !strings.Contains(got, want) {
			t.Errorf("got %s %q, want %q", name, got, want)
		}
	}
	page := w.Body.String()
	for _, want := range []string{
		"0.001 USD", ">80000</td><td data-unit=\"Price\">70.00 USD</td>",
		`POST /v1/answers</code></td><td data-unit="Credits">20</td><td data-unit="USDC">0.05</td>`,
		`GET /v1/read/*</code></td><td data-unit="Credits">1</td><td data-unit="USDC">0.01</td>`,
		`PDF or image<br><code class="type">POST /v1/scrapes</code></td><td data-unit="Credits">1, or 20 with llm_extract</td>`,
		`<td data-unit="USDC">0.005 USD for each page of max_pages`, `>the price of a scrape for each that was fetched</td>`, `<td data-unit="USDC">–</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("got %s, want %s in it", page, want)
		}
	}
	for _, unwanted := range []string{"<script", "orValue", "<no value>", "ZgotmplZ", "/x402/v1", `"></td>`} {
		if strings.Contains(page, unwanted) {
			t.Errorf("got %q in the page", unwanted)
		}
	}
	for _, accept := range []string{"application/json", "*/*", ""} {
		if w := get(accept); w.Header().Get("Content-Type") != "application/json" || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q: got %s %.40s, want JSON", accept, w.Header().Get("Content-Type"), w.Body)
		}
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	for _, uri := range []string{"/docs", "/docs/api-reference/errors/bad_request"} {
		w := s.do(call{method: "GET", uri: uri})
		wantStatus(t, w, http.StatusOK)
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("got policy %q", policy)
		}
		page := w.Body.String()
		for _, want := range []string{"Scrape a page", "validation_error"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: want %q in it", uri, want)
			}
		}
		for _, unwanted := range []string{"<script", "https://cdn", "<no value>", "ZgotmplZ"} {
			if strings.Contains(page, unwanted) {
				t.Errorf("%s: got %q in it", uri, unwanted)
			}
		}
	}
}

// Fields that features check themselves are still documented: their type, their bounds, and that they are required.
func TestDocsOfWhatFeaturesCheck(t *testing.T) {
	t.Parallel()
	page := setup(t, options{features: allFeatures()}).do(call{method: "GET", uri: "/docs"}).Body.String()
	for _, want := range []string{
		`<code>max_pages</code> <span class="need">required</span></td><td class="type">integer, 1 to 100000</td>`,
		`<code>max_depth</code></td><td class="type">integer, 0 to 2147483647</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("want %q in it", want)
		}
	}
	if strings.Contains(page, `class="type">,`) {
		t.Error("got a field without a type")
	}
}

// All references resolve, every operation says who may call it, and everything in the service contract is there.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	w := s.do(call{method: "GET", uri: "/openapi.json"})
	wantStatus(t, w, http.StatusOK)
	var doc map[string]any
	must(t, json.Unmarshal(w.Body.Bytes(), &doc))
	if doc["openapi"] != "3.1.0" {
		t.Errorf("got version %v, want 3.1.0", doc["openapi"])
	}
	paths := doc["paths"].(map[string]any)
	for path, method := range map[string]string{
		"/v1/scrapes": "post", "/x402/v1/scrapes": "post", "/v1/scrapes/{scrape_id}": "get", "/v1/retrieve": "get",
		"/pricing": "get", "/user/credits/info": "get",
	} {
		item, _ := paths[path].(map[string]any)
		op, _ := item[method].(map[string]any)
		if op == nil || op["security"] == nil || op["operationId"] == nil || op["summary"] == nil {
			t.Errorf("got %v for %s %s, want it documented with its security", op, method, path)
		}
	}
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	walk(doc, func(object map[string]any) {
		ref, ok := object["$ref"].(string)
		if !ok {
			return
		}
		kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
		if components, _ := doc["components"].(map[string]any)[kind].(map[string]any); components[name] == nil {
			t.Errorf("got a reference to %s, which is not there", ref)
		}
	})
	request := schemas["ScrapeRequest"].(map[string]any)
	fields := request["properties"].(map[string]any)
	for _, field := range []string{
		"url_to_scrape", "formats", "wait_before_scraping", "remove_css_selectors", "actions", "country", "transformer",
		"remove_images", "remove_class_names", "parser", "llm_extract", "links_on_page", "screen_size", "screenshot", "render", "metadata",
	} {
		if fields[field] == nil {
			t.Errorf("field %s is not documented", field)
		}
	}
	if request["additionalProperties"] != false {
		t.Error("unknown fields are not refused")
	}
}

// Fields that end in _at have a date and a time. Only what pages say about themselves may be a date alone.
func TestTimesAreDates(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: allFeatures()})
	var doc map[string]any
	must(t, json.Unmarshal(s.api.OpenAPI(), &doc))
	said, times := 0, 0
	walk(doc, func(object map[string]any) {
		properties, _ := object["properties"].(map[string]any)
		for name, value := range properties {
			property, ok := value.(map[string]any)
			if !ok || !strings.HasSuffix(name, "_at") {
				continue
			}
			text, _ := json.Marshal(property["type"])
			if name == "published_at" && property["format"] == nil && bytes.Contains(text, []byte(`"string"`)) {
				said++
				continue
			}
			times++
			if property["format"] != "date-time" || !bytes.Contains(text, []byte(`"string"`)) {
				t.Errorf("%s is %s of format %v, want a date and time", name, text, property["format"])
			}
		}
	})
	if times < 25 || said != 1 {
		t.Errorf("got %d times and %d of pages, want those of all features", times, said)
	}
}

var update = flag.Bool("update", false, "write the golden files")

// The document is a golden file, so that changes of the API show in review.
func TestOpenAPIGolden(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: allFeatures(), api: func(c *api.Config) { c.PublicURL = "https://api.turnpike.test" }})
	var pretty bytes.Buffer
	must(t, json.Indent(&pretty, s.api.OpenAPI(), "", "  "))
	pretty.WriteByte('\n')
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		must(t, os.WriteFile(golden, pretty.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("the OpenAPI document differs from %s: read the change, then run the test with -update", golden)
	}
}

func walk(value any, visit func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(v)
		for _, element := range v {
			walk(element, visit)
		}
	case []any:
		for _, element := range v {
			walk(element, visit)
		}
	}
}

// listen serves s as a process does.
func listen(t *testing.T, s *service) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(s.api)
	server.Config = s.api.HTTPServer("")
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func TestHeaderThatIsTooLarge(t *testing.T) {
	t.Parallel()
	server := listen(t, setup(t, options{}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/healthz", nil)
	must(t, err)
	r.Header.Set("X-Large", strings.Repeat("x", 64<<10))
	response, err := server.Client().Do(r)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got %d, want 431", response.StatusCode)
	}
}

const shortTimeout = 50 * time.Millisecond

// A body that stalls is given up.
func TestBodyThatStalls(t *testing.T) {
	t.Parallel()
	s := setup(t, options{api: func(c *api.Config) { c.BodyTimeout = shortTimeout }})
	server := listen(t, s)
	stalled, end := io.Pipe()
	t.Cleanup(func() { must(t, end.Close()) })
	id := teamPays(s.team, 1)
	id.Method, id.URI = http.MethodPost, "/v1/scrapes"
	token, err := s.signer.Sign(id)
	must(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/scrapes", stalled)
	must(t, err)
	r.Header.Set(edgewire.IdentityHeader, token)
	response, err := server.Client().Do(r)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d, want 400", response.StatusCode)
	}
}

// A scrape may take longer than the timeout of its body.
func TestBodyTimeoutEndsWithTheBody(t *testing.T) {
	t.Parallel()
	s := setup(t, options{api: func(c *api.Config) { c.BodyTimeout = shortTimeout }})
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		// Waiting past the deadline shows that nothing happens at it.
		slow, cancel := context.WithTimeout(r.Context(), 3*shortTimeout)
		defer cancel()
		<-slow.Done()
		servePage(w, r)
	})
	server := listen(t, s)
	body := bodyFor(site.URL)
	id := teamPays(s.team, 1)
	id.Method, id.URI = http.MethodPost, "/v1/scrapes"
	token, err := s.signer.Sign(id)
	must(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/scrapes", strings.NewReader(body))
	must(t, err)
	r.Header.Set(edgewire.IdentityHeader, token)
	response, err := server.Client().Do(r)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusOK {
		t.Errorf("got %d, want 200", response.StatusCode)
	}
}
