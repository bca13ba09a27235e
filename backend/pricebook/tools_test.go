package pricebook_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func quote(t *testing.T, book *price.Book, path, body string, unit edgewire.Unit) (price.Quote, error) {
	t.Helper()
	return book.Quote(t.Context(), &price.Request{Method: http.MethodPost, URL: &url.URL{Path: path}, Body: edgewire.NewBody([]byte(body))}, unit)
}

// A tool costs what the HTTP request costs whose work it does. Prices that the feature quotes are given here.
func TestToolsCostWhatRequestsCost(t *testing.T) {
	t.Parallel()
	book, err := pricebook.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool, arguments string
		path, body      string
		credits, usdc   int64 // of requests that are quoted
	}{
		{"scrape", `{"url":"https://a.example/"}`, "/v1/scrapes", `{"url_to_scrape":"https://a.example/"}`, 0, 0},
		{"search", `{"query":"x"}`, "/v1/searches", `{"query":"x","limit":8}`, 0, 0},
		{"search", `{"query":"x","scrape":true}`, "/v1/searches", `{"query":"x","limit":8,"scrape_options":{}}`, 0, 0},
		{"search", `{"query":"x","scrape":true,"limit":3}`, "/v1/searches", `{"query":"x","limit":3,"scrape_options":{}}`, 0, 0},
		{"search", `{"query":"x","scrape":true,"limit":99}`, "/v1/searches", `{"query":"x","limit":99,"scrape_options":{}}`, 0, 0},
		{"ask", `{"task":"x","format":{"Name":"","Arguments":""}}`, "/v1/answers", `{"task":"x"}`, 0, 0},
		{"map", `{"url":"x"}`, "/v1/maps", `{"url":"x"}`, 1, 0},
		{"map", `{"url":"x","limit":1001}`, "/v1/maps", `{"url":"x"}`, 2, 0},
		{"map", `{"url":"x","limit":"1001"}`, "/v1/maps", `{"url":"x"}`, 1, 0},
		{"crawl", `{"url":"x"}`, "/v1/crawls", ``, 20, 100_000},
		{"crawl", `{"url":"x","max_pages":1}`, "/v1/crawls", ``, 1, 10_000},
		{"crawl", `{"url":"x","max_pages":10000}`, "/v1/crawls", ``, 10_000, 50_000_000},
	} {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tt.tool, tt.arguments)
		for unit, prefix := range map[edgewire.Unit]string{edgewire.UnitCredit: "", edgewire.UnitUSDC: "/x402"} {
			want, err := quote(t, book, prefix+tt.path, tt.body, unit)
			if errors.Is(err, price.ErrUnavailable) { // quoted
				if want.Amount = tt.credits; unit == edgewire.UnitUSDC {
					want.Amount = tt.usdc
				}
			} else if err != nil {
				t.Fatalf("%s: %v", tt.path, err)
			}
			got, err := quote(t, book, "/mcp", call, unit)
			if err != nil || got.Amount != want.Amount || got.Operation != want.Operation || got.Settle != want.Settle || got.Timeout != want.Timeout {
				t.Errorf("%s %s: got %+v, %v, want what %s costs: %+v", tt.tool, tt.arguments, got, err, tt.path, want)
			}
		}
	}
}
