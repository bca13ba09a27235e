package price_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/mcp"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func toolBook(t testing.TB, more ...price.Rule) *price.Book {
	t.Helper()
	post := []string{http.MethodPost}
	book, err := price.New(append([]price.Rule{
		{Methods: post, Path: "/mcp", Tool: "scrape", Unit: edgewire.UnitCredit, Price: price.Fixed(1), Operation: "scrape"},
		{Methods: post, Path: "/mcp", Tool: "crawl", Unit: edgewire.UnitCredit, Price: price.Expression("body.params.arguments.max_pages"), Operation: "crawl"},
		price.FreeRule("mcp", "/mcp", http.MethodPost),
	}, more...))
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func TestPriceByTool(t *testing.T) {
	t.Parallel()
	any7, err := price.New([]price.Rule{{Path: "/mcp", Tool: price.AnyTool, Unit: edgewire.UnitCredit, Price: price.Fixed(7)}, price.FreeRule("mcp", "/mcp")})
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	for _, tt := range []struct {
		name, body string
		header     []string
		book       *price.Book
		want       int64
		refused    string // where
	}{
		{name: "fixed", body: call("scrape", `{"url":"x","Name":"a name of the caller's own"}`), want: 1},
		{name: "by an argument", body: call("crawl", `{"max_pages":20}`), want: 20},
		{name: "a list", body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{name: "a list with a name", body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"scrape"}}`},
		{name: "a response", body: `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{name: "an unknown tool", body: call("other", `{}`), refused: "body.params.name"},
		{name: "any tool", body: call("other", `{}`), book: any7, want: 7},
		{name: "no tool", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, refused: "body.params.name"},
		{name: "a batch", body: `[` + call("scrape", `{}`) + `]`, refused: "body"},
		{name: "another case", body: `{"Method":"tools/call","params":{"name":"scrape"}}`, refused: "body.Method"},
		{name: "another case in params", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"scrape"}}`, refused: "body.params.Name"},
		{name: "nothing", body: ``, refused: "body"},
		{name: "no JSON", body: `{`, refused: "body"},
		{name: "the same in the headers", body: call("scrape", `{}`), header: []string{"Mcp-Method", "tools/call", "Mcp-Name", "scrape"}, want: 1},
		{name: "the same, encoded", body: call("scrape", `{}`), header: []string{"Mcp-Name", "=?base64?c2NyYXBl?="}, want: 1},
		{name: "another name", body: call("crawl", `{"max_pages":9}`), header: []string{"Mcp-Name", "scrape"}, refused: "header.Mcp-Name"},
		{name: "another method", body: call("scrape", `{}`), header: []string{"Mcp-Method", "tools/list"}, refused: "header.Mcp-Method"},
		{name: "two names", body: call("scrape", `{}`), header: []string{"Mcp-Name", "scrape", "Mcp-Name", "crawl"}, refused: "header.Mcp-Name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			for i := 0; i < len(tt.header); i += 2 {
				r.Header.Add(tt.header[i], tt.header[i+1])
			}
			book := tt.book
			if book == nil {
				book = toolBook(t)
			}
			got, err := book.Price(t.Context(), r, edgewire.UnitCredit)
			if tt.refused != "" {
				refused, ok := errors.AsType[*price.RequestError](err)
				if !ok || refused.Where() != tt.refused || !errors.Is(err, price.ErrBadRequest) {
					t.Fatalf("got %v, want a refusal of %s", err, tt.refused)
				}
				return
			}
			if err != nil || got.Amount != tt.want || string(got.Body.Text()) != tt.body {
				t.Errorf("got %d for %q, %v, want %d", got.Amount, got.Body.Text(), err, tt.want)
			}
			if len(tt.header) > 0 {
				return
			}
			again, err := book.Quote(t.Context(), &price.Request{Method: r.Method, URL: r.URL, Body: edgewire.NewBody([]byte(tt.body))}, edgewire.UnitCredit)
			if err != nil || again.Amount != tt.want || again.Operation != got.Operation {
				t.Errorf("got %+v, %v of the upstream, want the edge's price", again, err)
			}
		})
	}
}

// FuzzToolOf: a body names at most one tool, the one that encoding/json finds.
func FuzzToolOf(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"scrape"}}`, "scrape")
	f.Add(`{"method":"tools/call","params":{"name":"scrape","name":"crawl"}}`, "")
	f.Add(`[{"method":"tools/call"}]`, "=?base64?c2NyYXBl?=")
	f.Fuzz(func(t *testing.T, text, header string) {
		name, err := price.ToolOf(edgewire.NewBody([]byte(text)), http.Header{"Mcp-Name": {header}})
		if err == nil && name != "" && header != name && !strings.HasPrefix(header, "=?base64?") {
			t.Errorf("%q with the header %q: got %q, want a refusal", text, header, name)
		}
	})
}

type bodyQuoter struct{ body string }

func (q *bodyQuoter) Quote(_ context.Context, req *price.QuoteRequest) (int64, error) {
	q.body = string(req.Body.Text())
	return 6, nil
}

// Neither the quote nor the upstream sees the payment in a message.
func TestToolCallIsWithoutItsPayment(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"version":1,"rules":[{"path":"/mcp","tool":"*","unit":"usdc6","price":"quote"}]}`)
	}))
	t.Cleanup(server.Close)
	remote := price.NewRemote(price.RemoteConfig{URL: server.URL, Client: server.Client()})
	t.Cleanup(remote.Close)
	quoter := new(bodyQuoter)
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"x402/payment":{"a":1}}}}`))
	got, err := remote.Quoting(quoter).Price(t.Context(), r, edgewire.UnitUSDC)
	if err != nil || got.Amount != 6 || got.Operation != "a" || got.Message == nil || string(got.Message.Payment) != `{"a":1}` {
		t.Fatalf("got %+v, %v", got, err)
	}
	sent, err := io.ReadAll(r.Body)
	const want = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{}}}`
	if err != nil || string(sent) != want || string(got.Body.Text()) != want || quoter.body != want || r.ContentLength != int64(len(want)) {
		t.Errorf("got %v, body %s of %d bytes, quoted %s", err, sent, r.ContentLength, quoter.body)
	}
}

// A tool without a price is refused, and the refusal knows the message that it answers.
func TestToolWithoutPrice(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"other"}}`))
	got, err := toolBook(t).Price(t.Context(), r, edgewire.UnitCredit)
	refused, ok := errors.AsType[*mcp.Error](err)
	if !ok || refused.Code != mcp.CodeInvalidParams || string(refused.ID) != `"x"` || got.Message == nil || got.Message.Name != "other" {
		t.Errorf("got %+v, %v", got, err)
	}
}
