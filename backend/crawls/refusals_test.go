package crawls_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

const start = `"start_url":"https://example.com/","max_pages":3`

// some is a JSON list of n equal items.
func some(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

const (
	pagesBounds   = "must be a whole number from 1 to 100000, in digits"
	depthBounds   = "must be a whole number from 0 to 2147483647, in digits"
	topBounds     = "must be a whole number from 1 to 1000, in digits"
	timeoutBounds = "must be a whole number from 1 to 259200, in digits"
	badGlob       = "must be a glob of 1 to 300 bytes with at most 10 stars, such as /blog/**"
	notAbsolute   = "is not absolute: it must start with http:// or https://"
)

// The quote and the operation both refuse each body with the same place and message.
func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	tests := []struct {
		name, body string
		loc, msg   string
	}{
		{"nothing", ``, "body", "is empty: send a JSON object"},
		{"a list", `[]`, "body", ""},
		{"null", `null`, "body", ""},
		{"text", `"https://example.com/"`, "body", ""},
		{"nothing said, for its pages", `{}`, "body.max_pages", "is required"},
		{"nothing said, for its start", `{}`, "body.start_url", "is required"},
		{"a typing error, for its pages", `{"startUrl":"https://example.com/"}`, "body.max_pages", "is required"},
		{"a typing error beside it", `{"startUrl":"https://example.com/"}`, "body.startUrl", "is not a field of this request"},
		{"no start", `{"max_pages":3}`, "body.start_url", "is required"},
		{"an empty start", `{"start_url":"","max_pages":3}`, "body.start_url", "is required"},
		{"null for a start", `{"start_url":null,"max_pages":3}`, "body.start_url", "is required"},
		{"a number for a start", `{"start_url":7,"max_pages":3}`, "body.start_url", "expected string"},
		{"a list for a start", `{"start_url":["https://example.com/"],"max_pages":3}`, "body.start_url", "expected string"},
		{"a start of another scheme", `{"start_url":"ftp://example.com/","max_pages":3}`, "body.start_url", `has the scheme "ftp"; only http and https can be fetched`},
		{"a script for a start", `{"start_url":"javascript:alert(1)","max_pages":3}`, "body.start_url", `has the scheme "javascript"; only http and https can be fetched`},
		{"a relative start", `{"start_url":"/blog","max_pages":3}`, "body.start_url", notAbsolute},
		{"a host for a start", `{"start_url":"example.com","max_pages":3}`, "body.start_url", notAbsolute},
		{"a long start", `{"start_url":"https://example.com/` + strings.Repeat("a", 8192) + `","max_pages":3}`, "body.start_url", "expected length <= 8192"},
		{"NUL in a start", `{"start_url":"https://example.com/\u0000","max_pages":3}`, "body.start_url", "must not contain a NUL character"},
		{"a bad url", `{"url":"ftp://example.com/","max_pages":3}`, "body.url", `has the scheme "ftp"; only http and https can be fetched`},
		{"two starts", `{` + start + `,"url":"https://example.org/"}`, "body.url", "differs from start_url, which is another name for url: give only one"},
		{"no max_pages", `{"start_url":"https://example.com/"}`, "body.max_pages", "is required"},
		{"max_pages of null", `{"start_url":"https://example.com/","max_pages":null}`, "body.max_pages", pagesBounds},
		{"max_pages of 0", `{"start_url":"https://example.com/","max_pages":0}`, "body.max_pages", pagesBounds},
		{"max_pages of -1", `{"start_url":"https://example.com/","max_pages":-1}`, "body.max_pages", pagesBounds},
		{"max_pages of -0", `{"start_url":"https://example.com/","max_pages":-0}`, "body.max_pages", pagesBounds},
		{"max_pages of 1.5", `{"start_url":"https://example.com/","max_pages":1.5}`, "body.max_pages", pagesBounds},
		{"max_pages of 10.0", `{"start_url":"https://example.com/","max_pages":10.0}`, "body.max_pages", pagesBounds},
		{"max_pages of 1e2", `{"start_url":"https://example.com/","max_pages":1e2}`, "body.max_pages", pagesBounds},
		{"max_pages of 1e300", `{"start_url":"https://example.com/","max_pages":1e300}`, "body.max_pages", pagesBounds},
		{"max_pages of 1e400", `{"start_url":"https://example.com/","max_pages":1e400}`, "body.max_pages", pagesBounds},
		{"max_pages of 100001", `{"start_url":"https://example.com/","max_pages":100001}`, "body.max_pages", pagesBounds},
		{"max_pages of 2^31", `{"start_url":"https://example.com/","max_pages":2147483648}`, "body.max_pages", pagesBounds},
		{"max_pages of 2^32+1", `{"start_url":"https://example.com/","max_pages":4294967297}`, "body.max_pages", pagesBounds},
		{"max_pages of 2^63", `{"start_url":"https://example.com/","max_pages":9223372036854775808}`, "body.max_pages", pagesBounds},
		{"max_pages of 2^64+1", `{"start_url":"https://example.com/","max_pages":18446744073709551617}`, "body.max_pages", pagesBounds},
		{"max_pages in quotes", `{"start_url":"https://example.com/","max_pages":"5"}`, "body.max_pages", pagesBounds},
		{"max_pages that is true", `{"start_url":"https://example.com/","max_pages":true}`, "body.max_pages", pagesBounds},
		{"max_pages in a list", `{"start_url":"https://example.com/","max_pages":[3]}`, "body.max_pages", pagesBounds},
		{"max_pages in an object", `{"start_url":"https://example.com/","max_pages":{"n":3}}`, "body.max_pages", pagesBounds},
		{"max_depth of -1", `{` + start + `,"max_depth":-1}`, "body.max_depth", depthBounds},
		{"max_depth of -0", `{` + start + `,"max_depth":-0}`, "body.max_depth", depthBounds},
		{"max_depth of 0.5", `{` + start + `,"max_depth":0.5}`, "body.max_depth", depthBounds},
		{"max_depth of 2^31", `{` + start + `,"max_depth":2147483648}`, "body.max_depth", depthBounds},
		{"max_depth in quotes", `{` + start + `,"max_depth":"1"}`, "body.max_depth", depthBounds},
		{"timeout of 0", `{` + start + `,"timeout":0}`, "body.timeout", timeoutBounds},
		{"timeout of -1", `{` + start + `,"timeout":-1}`, "body.timeout", timeoutBounds},
		{"timeout of 1.5", `{` + start + `,"timeout":1.5}`, "body.timeout", timeoutBounds},
		{"timeout of 1e12", `{` + start + `,"timeout":1e12}`, "body.timeout", timeoutBounds},
		{"timeout of 259201", `{` + start + `,"timeout":259201}`, "body.timeout", timeoutBounds},
		{"top_n of 0", `{` + start + `,"search_query":"a","top_n":0}`, "body.top_n", topBounds},
		{"top_n of -1", `{` + start + `,"search_query":"a","top_n":-1}`, "body.top_n", topBounds},
		{"top_n of 1001", `{` + start + `,"search_query":"a","top_n":1001}`, "body.top_n", topBounds},
		{"top_n in quotes", `{` + start + `,"search_query":"a","top_n":"1"}`, "body.top_n", topBounds},
		{"a long query", `{` + start + `,"search_query":"` + strings.Repeat("a", 501) + `"}`, "body.search_query", "expected length <= 500"},
		{"a list for a query", `{` + start + `,"search_query":["a"]}`, "body.search_query", "expected string"},
		{"101 globs", `{` + start + `,"include_urls":` + some(101, `"/a"`) + `}`, "body.include_urls", "expected array length <= 100"},
		{"101 globs to leave out", `{` + start + `,"exclude_urls":` + some(101, `"/a"`) + `}`, "body.exclude_urls", "expected array length <= 100"},
		{"an empty glob", `{` + start + `,"include_urls":["/a",""]}`, "body.include_urls.1", badGlob},
		{"a glob of many stars", `{` + start + `,"exclude_urls":["/a","/b","` + strings.Repeat("*a", 11) + `"]}`, "body.exclude_urls.2", badGlob},
		{"a long glob", `{` + start + `,"include_urls":["/` + strings.Repeat("a", 300) + `"]}`, "body.include_urls.0", badGlob},
		{"a glob that is none of a list", `{` + start + `,"include_urls":"/a/**"}`, "body.include_urls", "expected array"},
		{"a glob that is a number", `{` + start + `,"include_urls":[7]}`, "body.include_urls.0", "expected string"},
		{"include_external in quotes", `{` + start + `,"include_external":"true"}`, "body.include_external", "expected boolean"},
		{"include_subdomain of 1", `{` + start + `,"include_subdomain":1}`, "body.include_subdomain", "expected boolean"},
		{"follow_robots_txt in quotes", `{` + start + `,"follow_robots_txt":"false"}`, "body.follow_robots_txt", "expected boolean"},
		{"record of 1", `{` + start + `,"record":1}`, "body.record", "expected boolean"},
		{"a list for scrape_options", `{` + start + `,"scrape_options":[]}`, "body.scrape_options", "expected object"},
		{"a format that is none", `{` + start + `,"scrape_options":{"formats":["markdown","docx"]}}`, "body.scrape_options.formats.1", `expected value to be one of "html, markdown, text, json, raw_pdf, screenshot"`},
		{"a format twice", `{` + start + `,"scrape_options":{"formats":["html","html"]}}`, "body.scrape_options.formats", "expected array items to be unique"},
		{"text for formats", `{` + start + `,"scrape_options":{"formats":"html"}}`, "body.scrape_options.formats", "expected array"},
		{
			"a number for a parser", `{` + start + `,"scrape_options":{"parser":7}}`, "body.scrape_options.parser",
			"must be an object with id, or the parser's id, such as @turnpike/article",
		},
		{"an empty parser", `{` + start + `,"scrape_options":{"parser":""}}`, "body.scrape_options.parser", "is empty: expected length >= 1"},
		{"a transformer that is none", `{` + start + `,"scrape_options":{"transformer":"magic"}}`, "body.scrape_options.transformer", `expected value to be one of "none, postlight"`},
		{"options that contradict", `{` + start + `,"scrape_options":{"formats":["screenshot"],"render":"never"}}`, "body.scrape_options.render", "must not be never with screenshot"},
		{"a field of scrapes", `{` + start + `,"scrape_options":{"llm_extract":{"prompt":"x"}}}`, "body.scrape_options.llm_extract", "is not a field of this request"},
		{"formats outside of their place", `{` + start + `,"formats":["html"]}`, "body.formats", "is not a field of this request"},
		{"an unknown field", `{` + start + `,"color":"red"}`, "body.color", "is not a field of this request"},
		{"another case", `{"Start_URL":"https://example.com/","max_pages":3}`, "body.Start_URL", "is not a field of this request"},
		{"a private webhook", `{` + start + `,"webhook":"http://localhost/"}`, "body.webhook", "must be publicly reachable"},
		{"a private webhook_url", `{` + start + `,"webhook_url":"http://localhost/"}`, "body.webhook_url", "must be publicly reachable"},
		{"two webhooks", `{` + start + `,"webhook":"https://a.example/","webhook_url":"https://b.example/"}`, "body.webhook", "differs from webhook_url, which is another name for webhook: give only one"},
		{"a long webhook", `{` + start + `,"webhook":"https://example.com/` + strings.Repeat("a", 2048) + `"}`, "body.webhook", "expected length <= 2048"},
		{"a number for a webhook", `{` + start + `,"webhook":7}`, "body.webhook", "expected string"},
		{"a list for metadata", `{` + start + `,"metadata":[]}`, "body.metadata", "expected object"},
		{"an object in metadata", `{` + start + `,"metadata":{"a":{}}}`, "body.metadata.a", "a value must be a string, a number or a boolean, not an array or object"},
		{"a key with brackets", `{` + start + `,"metadata":{"a[0]":"b"}}`, "body.metadata.a[0]", "a key must not contain square brackets"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id := a.id()
			_, quoted := a.Quote("/v1/crawls", tt.body, id)
			_, wallets := a.Quote("/x402/v1/crawls", tt.body, apitest.Nobody(edgewire.UnitUSDC))
			id.Max = 1_000_000
			for who, w := range map[string]*httptest.ResponseRecorder{
				"the quote": quoted, "a wallet's quote": wallets, "the operation": a.Send(http.MethodPost, "/v1/crawls", tt.body, id),
				"a dry run": a.Send(http.MethodPost, "/v1/crawls?dry_run=true", tt.body, a.id()),
			} {
				wantFault(t, who, w, tt.loc, tt.msg)
			}
		})
	}
	t.Cleanup(func() {
		if n := a.Count(`select count(*) from crawl`); n != 0 {
			t.Errorf("got %d crawls, want none", n)
		}
	})
}

// wantFault wants status 400 with a fault at a place. An empty msg is for messages that are not ours.
func wantFault(t testing.TB, who string, w *httptest.ResponseRecorder, loc, msg string) {
	t.Helper()
	var e struct {
		Code     problem.Code
		Metadata struct{ Errors []problem.Fault }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != http.StatusBadRequest || (e.Code != problem.ValidationError && e.Code != problem.InvalidMetadata) {
		t.Fatalf("%s: got %d %.300s, want a validation error", who, w.Code, w.Body)
	}
	var found []string
	for _, f := range e.Metadata.Errors {
		parts := make([]string, len(f.Loc))
		for i, part := range f.Loc {
			parts[i] = fmt.Sprint(part)
		}
		at := strings.Join(parts, ".")
		if found = append(found, at+": "+f.Msg); at == loc && (msg == "" || f.Msg == msg) {
			return
		}
	}
	t.Errorf("%s: got %q, want %s: %s", who, found, loc, msg)
}

// All faults of a body are named at once.
func TestFaultsAreNamedTogether(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	w := a.pay(`{"max_pages":0,"max_depth":-1,"timeout":0,"top_n":0,"include_urls":[""],"exclude_urls":["",""]}`)
	for _, loc := range []string{"body.max_pages", "body.max_depth", "body.timeout", "body.top_n", "body.start_url", "body.include_urls.0", "body.exclude_urls.0", "body.exclude_urls.1"} {
		wantFault(t, "together", w, loc, "")
	}
}

// Fields that are absent or null have their defaults, and the maximum of everything is accepted.
func TestBodiesThatAreTaken(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	plain := a.crawled(t, `{`+start+`}`)
	if plain.MaxDepth != nil || plain.Timeout != 259200 || !plain.FollowRobotsTxt || plain.IncludeExternal || plain.IncludeSubdomain ||
		plain.SearchQuery != nil || plain.TopN != nil || plain.Webhook != nil || plain.Record || plain.MaxPages != 3 {
		t.Errorf("got %+v", plain)
	}
	wantJSON(t, []any{plain.IncludeURLs, plain.ExcludeURLs, plain.ScrapeOptions, plain.Metadata}, []any{[]string{"/**"}, []string{}, map[string]any{}, map[string]any{}})
	for name, body := range map[string]string{
		"nulls": `{` + start + `,"url":null,"max_depth":null,"timeout":null,"top_n":null,"search_query":null,"include_urls":null,"exclude_urls":null,` +
			`"include_external":null,"include_subdomain":null,"follow_robots_txt":null,"scrape_options":null,"metadata":null,"webhook":null,"webhook_url":null,"record":null}`,
		"the other names":      `{"url":"https://example.com/","max_pages":3}`,
		"both names, the same": `{` + start + `,"url":"https://example.com/","webhook":"https://example.com/h","webhook_url":"https://example.com/h"}`,
		"the largest": `{"start_url":"https://example.com/","max_pages":100000,"max_depth":2147483647,"timeout":259200,"search_query":"` + strings.Repeat("é", 500) +
			`","top_n":1000,"include_urls":` + some(100, `"/`+strings.Repeat("a", 299)+`"`) + `,"exclude_urls":` + some(100, `"**"`) + `}`,
		"the smallest":    `{"start_url":"https://example.com","max_pages":1,"max_depth":0,"timeout":1,"search_query":"a","top_n":1,"include_urls":[],"exclude_urls":[],"metadata":{}}`,
		"NUL in a query":  `{` + start + `,"search_query":"a\u0000b"}`,
		"no formats":      `{` + start + `,"scrape_options":{"formats":[]}}`,
		"a parser object": `{` + start + `,"scrape_options":{"parser":{"id":"@a/b"}}}`,
		"every option":    `{` + start + `,"scrape_options":{"formats":["html","markdown","text","json","raw_pdf","screenshot"],"parser":"@a/b","remove_css_selectors":"none","remove_class_names":["x"],"remove_images":true,"transformer":"postlight","render":"auto"}}`,
	} {
		made := a.crawled(t, body)
		again := apitest.Decode[crawls.Crawl](t, a.free(http.MethodGet, "/v1/crawls/"+made.ID))
		wantJSON(t, again, made)
		if name == "no formats" {
			wantJSON(t, made.ScrapeOptions, map[string]any{"formats": []string{}})
		}
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	c := a.crawled(t, `{`+start+`}`)
	type query struct {
		text, fault string // "": none
	}
	number := func(name string, least, most int64) string {
		return fmt.Sprintf("query.%s: must be a whole number from %d to %d, in digits", name, least, most)
	}
	cursors, limits := number("cursor", 0, 2147483647), number("limit", 1, 100)
	for uri, queries := range map[string][]query{
		"/v1/crawls/" + c.ID + "/pages": {
			{"", ""},
			{"?cursor=0", ""},
			{"?cursor=00", ""},
			{"?cursor=1000", ""},
			{"?cursor=2147483646", ""},
			{"?limit=1", ""},
			{"?limit=100", ""},
			{"?color=red", ""},
			{"?search_query=harbour+wall", ""},
			{"?search_query=%22the%20%7C%20%26%21", ""},
			{"?cursor=-1", cursors},
			{"?cursor=1.5", cursors},
			{"?cursor=1e3", cursors},
			{"?cursor=2147483648", cursors},
			{"?cursor=9999999999999999999", cursors},
			{"?cursor=", cursors},
			{"?cursor=%2B1", cursors},
			{"?cursor=0x10", cursors},
			{"?cursor=abc", cursors},
			{"?cursor=null", cursors},
			{"?cursor=1&cursor=1", "query.cursor: must be given only once"},
			{"?cursor=1", "query.cursor: is not a cursor of this crawl and search_query"}, // there is no query to sort by
			{"?cursor=7", "query.cursor: is not a cursor of this crawl and search_query"},
			{"?cursor=2&search_query=a", "query.cursor: is not a cursor of this crawl and search_query"},
			{"?cursor=3&search_query=a", "query.cursor: is not a cursor of this crawl and search_query"},
			{"?limit=0", limits},
			{"?limit=-1", limits},
			{"?limit=101", limits},
			{"?limit=1e1", limits},
			{"?limit=", limits},
			{"?limit=5&limit=5", "query.limit: must be given only once"},
			{"?search_query=", "query.search_query: must not be empty: omit it to get all"},
			{"?search_query=%20", "query.search_query: must not be empty: omit it to get all"},
			{"?search_query=a&search_query=b", "query.search_query: must be given only once"},
			{"?search_query=%00", "query.search_query: must be valid UTF-8"},
			{"?search_query=%FF", "query.search_query: must be valid UTF-8"},
			{"?search_query=" + strings.Repeat("a", 501), "query.search_query: must have at most 500 bytes"},
		},
		"/v1/crawls": {
			{"", ""},
			{"?limit=100", ""},
			{"?status=in_progress", ""},
			{"?status=completed", ""},
			{"?limit=0", limits},
			{"?limit=101", limits},
			{"?limit=1&limit=1", "query.limit: must be given only once"},
			{"?cursor=", "query.cursor: must not be empty: omit it for the first page"},
			{"?cursor=7", "query.cursor: must be a cursor returned by this list"},
			{"?cursor=MS5iYXRjaF94", "query.cursor: must be a cursor returned by this list"},
			{"?status=failed", "query.status: must be one of"},
			{"?status=", "query.status: must be one of"},
		},
	} {
		for _, q := range queries {
			w := a.free(http.MethodGet, uri+q.text)
			if q.fault == "" {
				apitest.Decode[map[string]any](t, w)
				continue
			}
			apitest.WantRefused(t, w, problem.ValidationError, q.fault)
		}
	}
}
