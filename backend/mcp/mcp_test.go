package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func TestEveryTool(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	session := p.connect()
	for _, tt := range []struct {
		name, tool string
		arguments  map[string]any
		want       []string // in the text
		cost       int64
		failed     bool
	}{
		{"a page", "scrape", map[string]any{"url": "https://a.example/"}, []string{"Title: A title", "Status: 200", "# Ferries", "[1 credit used. 999 credits left.]"}, 1, false},
		{"a page that cannot be read", "scrape", map[string]any{"url": "https://gone.example/"}, []string{"fetch_failed: The page could not be fetched. [Free. 999 credits left.]"}, 0, true},
		{"no URL", "scrape", map[string]any{}, []string{`"url"`}, 0, true},
		{"an unknown argument", "scrape", map[string]any{"url": "https://a.example/", "uri": "x"}, []string{`"uri"`}, 0, true},
		{"a limit out of range", "scrape", map[string]any{"url": "https://a.example/", "max_chars": 5}, []string{"max_chars"}, 0, true},
		{"a search", "search", map[string]any{"query": "ferries"}, []string{"1. Ferries\nhttps://a.example/\nTimes of ferries", "5 credits used"}, 5, false},
		{"a search with pages", "search", map[string]any{"query": "ferries", "scrape": true, "limit": 3}, []string{"A line of a long page", "7 credits used", `"search_1@`}, 7, false},
		{"a map", "map", map[string]any{"url": "https://a.example/", "limit": 1500}, []string{"1500 URLs", "/site/0\n", `"map_1@`}, 2, false},
		{"an answer", "ask", map[string]any{"task": "How many berths?", "format": map[string]any{"Berths": "", "name": ""}}, []string{`{"berths":"41"}`, "Source: https://a.example/", "has 41 berths", "20 credits used"}, 20, false},
		{"a crawl", "crawl", map[string]any{"url": "https://a.example/", "max_pages": 30}, []string{"completed", "Outcome: succeeded", "- Page 0 https://a.example/0 (page_long)", "30 credits held"}, 0, false},
		{"a crawl again", "job", map[string]any{"id": "crawl_1"}, []string{"completed", "Page 2", "[Free."}, 0, false},
		{"a batch", "job", map[string]any{"id": "batch_1"}, []string{"1 failed", "- one https://b.example/: failed, fetch_failed"}, 0, false},
		{"an answer again", "job", map[string]any{"id": "answer_1"}, []string{`{"berths":"41"}`}, 0, false},
		{"nothing", "job", map[string]any{"id": "page_none"}, []string{"not_found"}, 0, true},
		{"no id", "job", map[string]any{}, []string{"arguments.id"}, 0, true},
		{"id and cursor", "job", map[string]any{"id": "map_1", "cursor": "map_1@3"}, []string{"only one"}, 0, true},
		{"a cursor that is none", "job", map[string]any{"cursor": "map_1@99999999"}, []string{"cursor"}, 0, true},
		{"a monitor", "monitor", map[string]any{"action": "create", "query": "the price", "email": "a@example.com"}, []string{"monitor_1"}, 0, false},
		{"monitors", "monitor", map[string]any{"action": "list"}, []string{"the price"}, 0, false},
		{"changes", "monitor", map[string]any{"action": "changes", "id": "monitor_1"}, []string{"The price fell.", "-9\n+8"}, 0, false},
		{"a pause", "monitor", map[string]any{"action": "pause", "id": "monitor_1"}, []string{"paused"}, 0, false},
		{"a monitor of nothing", "monitor", map[string]any{"action": "create"}, []string{"query"}, 0, true},
	} {
		got, text, cost := p.call(session, tt.tool, tt.arguments)
		if cost != tt.cost || got.IsError != tt.failed {
			t.Errorf("%s: got cost %d, failed %t, want %d, %t:\n%.300s", tt.name, cost, got.IsError, tt.cost, tt.failed, text)
		}
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%.1500s", tt.name, want, text)
			}
		}
		if usage, ok := got.Meta["turnpike/usage"].(map[string]any); tt.arguments["url"] == "https://a.example/" && !tt.failed && (!ok || usage["credits_used"] != float64(tt.cost)) {
			t.Errorf("%s: got usage %v, want %d credits", tt.name, got.Meta, tt.cost)
		}
	}
	if p.adopted != 1 {
		t.Errorf("got %d holds adopted, want that of the crawl", p.adopted)
	}
}

// The tools ask the features for what they were asked for.
func TestRequests(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	session := p.connect()
	p.call(session, "scrape", map[string]any{"url": "https://a.example/", "format": "text", "whole_page": true, "links": true, "wait_ms": 10})
	if r, ok := p.last().(*scrapes.Request); !ok || r.Transformer != "" || r.LinksOnPage == nil || r.WaitBeforeScraping != 10 || r.Formats[0] != page.FormatText {
		t.Errorf("got %+v", p.last())
	}
	p.call(session, "crawl", map[string]any{"url": "https://a.example/", "max_depth": 0, "include": []string{"/a/**"}, "search": "ferries"})
	if r, ok := p.last().(*crawls.Request); !ok || string(r.MaxPages) != "20" || string(r.MaxDepth) != "0" || r.IncludeURLs[0] != "/a/**" || r.SearchQuery != "ferries" {
		t.Errorf("got %+v", p.last())
	}
	p.call(session, "ask", map[string]any{"task": "x", "format": map[string]any{"b": "", "a": ""}})
	if r, ok := p.last().(*answers.Request); !ok || !json.Valid(r.Format) {
		t.Errorf("got %+v", p.last())
	}
	p.call(session, "monitor", map[string]any{"action": "create", "query": "the price", "frequency": "every hour", "webhook": "https://h.example/"})
	if r, ok := p.last().(*monitors.Request); !ok || *r.Frequency != "every hour" || r.Webhook.URL != "https://h.example/" {
		t.Errorf("got %+v", p.last())
	}
}

// Reading on from each cursor gives the whole, and is free.
func TestReadingOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.pages["https://long.example/"] = p.pages["long"]
	session := p.connect()
	for _, first := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"scrape", map[string]any{"url": "https://long.example/"}, p.pages["long"]},
		{"scrape", map[string]any{"url": "https://long.example/", "max_chars": 50_000}, p.pages["long"]},
		{"map", map[string]any{"url": "https://a.example/"}, "https://a.example/a/page/of/a/site/1499\n"},
		{"job", map[string]any{"id": "crawl_1", "contents": true}, "--- https://a.example/2\n"},
		{"job", map[string]any{"id": "crawl_1", "max_chars": 500}, "- Page 2 https://a.example/2 (page_long)\n"},
	} {
		got, _, _ := p.call(session, first.tool, first.arguments)
		var whole strings.Builder
		for n := 0; ; n++ {
			content, ok := got.Content[0].(json.Marshaler)
			_ = content
			text := textOf(got)
			text = text[:strings.LastIndex(text, "\n[")]
			if len(text) > 60_000 {
				t.Fatalf("%s: got %d characters at once", first.tool, len(text))
			}
			whole.WriteString(strings.TrimPrefix(text, "Title: A title\n"))
			usage, ok2 := got.Meta["turnpike/usage"].(map[string]any)
			cursor, more := usage["cursor"].(string)
			if !ok || !ok2 || !more {
				break
			}
			if n > 200 {
				t.Fatalf("%s: cursors do not end: %s", first.tool, cursor)
			}
			arguments := map[string]any{"cursor": cursor}
			if first.arguments["max_chars"] != nil {
				arguments["max_chars"] = first.arguments["max_chars"]
			}
			var cost int64
			if got, _, cost = p.call(session, "job", arguments); cost != 0 || got.IsError {
				t.Fatalf("%s: got %s at %d", first.tool, textOf(got), cost)
			}
		}
		if !strings.Contains(strings.ReplaceAll(whole.String(), "\n\n", "\n"), strings.ReplaceAll(first.want, "\n\n", "\n")) {
			t.Errorf("%s %v: got %d characters without %.80q", first.tool, first.arguments, whole.Len(), first.want)
		}
	}
}

// send sends a message as it is.
func (p *place) send(body string, headers ...string) *httptest.ResponseRecorder {
	p.t.Helper()
	id := apitest.Team(p.team, "key_1")
	id.Max = 100
	return p.api.Send(http.MethodPost, "/mcp", body, id, append([]string{"Accept", "application/json, text/event-stream", "Content-Type", "application/json"}, headers...)...)
}

const scrapeCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"scrape","arguments":{"url":"https://a.example/"}}}`

// What the backend does not trust the edge to have refused.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, tt := range []struct {
		name, body string
		headers    []string
		want       string
		status     int
	}{
		{"a batch", "[" + scrapeCall + "]", nil, "validation_error", 400},
		{"another name in the header", scrapeCall, []string{"Mcp-Name", "job"}, "Mcp-Name", 400},
		{"another method in the header", scrapeCall, []string{"Mcp-Method", "tools/list"}, "Mcp-Method", 400},
		{"a stream", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`, nil, "not offered", 400},
		{"no JSON", `{`, nil, "invalid_json", 400},
		{"an unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other"}}`, nil, "validation_error", 400},
		{"a long body", `{"a":"` + strings.Repeat("a", 2<<20) + `"}`, nil, "payload_too_large", 413},
		{"the same in the headers", scrapeCall, []string{"Mcp-Name", "scrape", "Mcp-Method", "tools/call"}, "# Ferries", 200},
	} {
		got := p.send(tt.body, tt.headers...)
		if got.Code != tt.status || !strings.Contains(got.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s, want %d with %q", tt.name, got.Code, got.Body, tt.status, tt.want)
		}
		if cost := got.Header().Get(edgewire.CostHeader); tt.status != 200 && cost != "0" {
			t.Errorf("%s: got cost %q, want none", tt.name, cost)
		}
	}
	if p.count() != 1 {
		t.Errorf("got %v done, want the last alone", p.asked)
	}
	low := apitest.Team(p.team, "key_1")
	if got := p.api.Send(http.MethodPost, "/mcp", scrapeCall, low); got.Code != http.StatusPaymentRequired {
		t.Errorf("got %d %s for nothing, want it refused", got.Code, got.Body)
	}
	if got := p.api.Send(http.MethodPost, "/mcp?dry_run=true", scrapeCall, low); got.Code != http.StatusBadRequest {
		t.Errorf("got %d %s for a dry run, want it refused", got.Code, got.Body)
	}
}

// A message with an Idempotency-Key is answered once; one that failed for now is tried again.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first := p.send(scrapeCall, "Idempotency-Key", "k1")
	again := p.send(scrapeCall, "Idempotency-Key", "k1")
	if again.Body.String() != first.Body.String() || again.Header().Get("Idempotent-Replayed") != "true" || p.count() != 1 {
		t.Errorf("got %s, then %s", first.Body, again.Body)
	}
	gone := strings.ReplaceAll(scrapeCall, "a.example", "gone.example")
	for n := range 2 {
		if got := p.send(gone, "Idempotency-Key", "k2"); !strings.Contains(got.Body.String(), "fetch_failed") || got.Header().Get("Idempotent-Replayed") != "" || p.count() != 2+n {
			t.Errorf("got %s, %d done, want it tried again", got.Body, p.count())
		}
	}
}

// A wallet pays in USDC. Without a key or a payment, everything that is free works.
func TestWithoutKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.payer = edgewire.PayerAnonymous
	session := p.connect()
	if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 7 {
		t.Fatalf("got %v, %v, want 7 tools", tools, err)
	}
	if got, text, cost := p.call(session, "job", map[string]any{"id": "page_long"}); got.IsError || cost != 0 || !strings.Contains(text, "A line") {
		t.Errorf("got %s at %d", text, cost)
	}
	if got, text, _ := p.call(session, "monitor", map[string]any{"action": "list"}); !got.IsError || !strings.Contains(text, "invalid_api_key") {
		t.Errorf("got %s, want a monitor to need a key", text)
	}
	if got := p.api.Send(http.MethodPost, "/mcp", scrapeCall, apitest.Nobody(edgewire.UnitUSDC)); got.Code != http.StatusPaymentRequired || p.count() != 0 {
		t.Errorf("got %d %s, want what has a price to be refused", got.Code, got.Body)
	}
	p.payer = edgewire.PayerWallet
	if got, text, cost := p.call(session, "scrape", map[string]any{"url": "https://a.example/"}); got.IsError || cost != 10_000 || !strings.Contains(text, "Paid 0.01 USD") {
		t.Errorf("got %s at %d, want a page for 0.01", text, cost)
	}
	if got, _, cost := p.call(session, "scrape", map[string]any{"url": "https://gone.example/"}); !got.IsError || cost != 0 {
		t.Errorf("got cost %d of an error, want none", cost)
	}
}

// What a model reads of the tools for each request.
func TestToolList(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	list, err := p.connect().ListTools(t.Context(), nil)
	must(t, err)
	for _, tool := range list.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		must(t, err)
		if len(schema) > 2000 {
			t.Errorf("%s: got a schema of %d bytes, want at most 2000", tool.Name, len(schema))
		}
		if tool.Annotations == nil || tool.Annotations.OpenWorldHint == nil || tool.Description == "" {
			t.Errorf("%s: got %+v, want annotations and a description", tool.Name, tool)
		}
	}
	text, err := json.Marshal(list)
	must(t, err)
	if len(text) > 7500 { // 2,500 tokens; test/interop counts them
		t.Errorf("got a list of %d bytes, want at most 7500", len(text))
	}
}

// Every tool has a price in both currencies, and every other message is free.
func TestEveryToolHasAPrice(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	list, err := p.connect().ListTools(t.Context(), nil)
	must(t, err)
	priceOf := func(message string, unit edgewire.Unit) price.Quote {
		got, err := p.book.Quote(t.Context(), &price.Request{
			Method: http.MethodPost, URL: &url.URL{Path: "/mcp"}, Body: edgewire.NewBody([]byte(message)),
		}, unit)
		if err != nil {
			t.Errorf("%s in %s: %v", message, unit, err)
		}
		return got
	}
	for _, unit := range []edgewire.Unit{edgewire.UnitCredit, edgewire.UnitUSDC} {
		for _, tool := range list.Tools {
			got := priceOf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool.Name+`"}}`, unit)
			if free := tool.Name == "job" || tool.Name == "monitor"; got.Free != free || free == (got.Amount > 0) {
				t.Errorf("%s in %s: got %+v", tool.Name, unit, got)
			}
		}
		for _, method := range []string{"initialize", "ping", "tools/list", "server/discover", "notifications/initialized"} {
			if got := priceOf(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`, unit); !got.Free {
				t.Errorf("%s in %s: got %+v, want it free", method, unit, got)
			}
		}
	}
}

func TestResourceMetadata(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, at := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		w := httptest.NewRecorder()
		p.api.Serve(w, httptest.NewRequest(http.MethodGet, at, nil))
		got := apitest.Decode[map[string]any](t, w)
		if got["resource"] != "https://api.example.com/mcp" || got["authorization_servers"] != nil {
			t.Errorf("%s: got %v", at, got)
		}
	}
}
