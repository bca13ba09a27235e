package price

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

func mustParse(t testing.TB, doc string) *Book {
	t.Helper()
	book, err := Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return book
}

const crawlDocument = `{"version": 1, "rules": [
	{"methods": ["POST"], "path": "/v1/crawls", "unit": "credit", "price": "int(body.max_pages)", "operation": "crawl",
	 "settle": "before", "timeout_seconds": 30, "dry_run": true},
	{"methods": ["POST"], "path": "/v1/crawls", "unit": "usdc6", "price": "math.greatest(10000, 5000 * int(body.max_pages))"},
	{"methods": ["POST"], "path": "/v1/maps", "unit": "credit", "price": "has(body.pages) ? body.pages : 1", "body_bytes_max": 100},
	{"methods": ["GET"], "path": "/v1/find", "unit": "credit", "price": "query.deep == 'yes' ? 5 : 1"},
	{"methods": ["POST"], "path": "/v1/batches", "unit": "credit", "price": "size(body.urls)"},
	{"methods": ["POST"], "path": "/v1/optional", "unit": "credit", "price": "body.?n.orValue(10)"},
	{"methods": ["GET"], "path": "/v1/*", "price": "free"}
]}`

func TestBookPrice(t *testing.T) {
	t.Parallel()
	const credit, usdc = edgewire.UnitCredit, edgewire.UnitUSDC
	tests := []struct {
		name           string
		unit           edgewire.Unit
		method, target string
		body           string
		header         [2]string
		want           int64
		err            error
	}{
		{name: "expression", unit: credit, method: "POST", target: "/v1/crawls", body: `{"max_pages": 25}`, want: 25},
		{name: "exact large integer", unit: credit, method: "POST", target: "/v1/crawls", body: `{"max_pages": 9007199254740993}`, want: 9007199254740993},
		{name: "least price", unit: usdc, method: "POST", target: "/v1/crawls", body: `{"max_pages": 1}`, want: 10000},
		{name: "per page", unit: usdc, method: "POST", target: "/v1/crawls", body: `{"max_pages": 10}`, want: 50000},
		{name: "overflow", unit: usdc, method: "POST", target: "/v1/crawls", body: `{"max_pages": 9223372036854775807}`, err: ErrBadRequest},
		{name: "negative", unit: credit, method: "POST", target: "/v1/crawls", body: `{"max_pages": -1}`, err: ErrBadRequest},
		{name: "missing field", unit: credit, method: "POST", target: "/v1/crawls", body: `{}`, err: ErrBadRequest},
		{name: "null field", unit: credit, method: "POST", target: "/v1/crawls", body: `{"max_pages": null}`, err: ErrBadRequest},
		{name: "wrong type", unit: credit, method: "POST", target: "/v1/crawls", body: `{"max_pages": [1]}`, err: ErrBadRequest},
		{name: "not an integer", unit: credit, method: "POST", target: "/v1/maps", body: `{"pages": 1.5}`, err: ErrBadRequest},
		{name: "other case", unit: credit, method: "POST", target: "/v1/maps", body: `{"Pages": 100}`, err: ErrBadRequest},
		{name: "other case, Kelvin sign apart", unit: credit, method: "POST", target: "/v1/maps", body: `{"pageſ": 100}`, err: ErrBadRequest},
		{name: "duplicate keys", unit: credit, method: "POST", target: "/v1/maps", body: `{"pages": 1, "pages": 100}`, err: ErrBadRequest},
		{name: "not an object", unit: credit, method: "POST", target: "/v1/maps", body: `[]`, err: ErrBadRequest},
		{name: "not JSON", unit: credit, method: "POST", target: "/v1/maps", body: `pages=1`, err: ErrBadRequest},
		{name: "two values", unit: credit, method: "POST", target: "/v1/maps", body: `{} {}`, err: ErrBadRequest},
		{name: "empty body", unit: credit, method: "POST", target: "/v1/maps", err: ErrBadRequest},
		{name: "encoded body", unit: credit, method: "POST", target: "/v1/maps", body: `{}`, header: [2]string{"Content-Encoding", "gzip"}, err: ErrBadRequest},
		{
			name: "form", unit: credit, method: "POST", target: "/v1/maps", body: `{}`,
			header: [2]string{"Content-Type", "application/x-www-form-urlencoded"}, err: ErrBadRequest,
		},
		{
			name: "charset", unit: credit, method: "POST", target: "/v1/maps", body: `{}`,
			header: [2]string{"Content-Type", "application/json; charset=utf-16"}, err: ErrBadRequest,
		},
		{
			name: "JSON type", unit: credit, method: "POST", target: "/v1/maps", body: `{}`,
			header: [2]string{"Content-Type", "application/json; charset=UTF-8"}, want: 1,
		},
		{name: "too large", unit: credit, method: "POST", target: "/v1/maps", body: `{"x": "` + strings.Repeat("x", 100) + `"}`, err: ErrBodyTooLarge},
		{name: "query", unit: credit, method: "GET", target: "/v1/find?deep=yes", want: 5},
		{name: "query missing", unit: credit, method: "GET", target: "/v1/find", err: ErrBadRequest},
		{name: "query twice", unit: credit, method: "GET", target: "/v1/find?deep=no&deep=yes", want: 1},
		{name: "query malformed", unit: credit, method: "GET", target: "/v1/find?deep=no;deep=yes", err: ErrBadRequest},
		{name: "head is get", unit: credit, method: "HEAD", target: "/v1/find?deep=yes", want: 5},
		{name: "size", unit: credit, method: "POST", target: "/v1/batches", body: `{"urls": ["a", "b"]}`, want: 2},
		{name: "optional given", unit: credit, method: "POST", target: "/v1/optional", body: `{"n": 3}`, want: 3},
		{name: "optional left out", unit: credit, method: "POST", target: "/v1/optional", body: `{}`, want: 10},
		{name: "dry run", unit: credit, method: "POST", target: "/v1/crawls?dry_run=true", body: `{"max_pages": 25}`, want: 0},
		{name: "dry run, other value", unit: credit, method: "POST", target: "/v1/crawls?dry_run=True", body: `{"max_pages": 25}`, want: 25},
		{name: "dry run twice", unit: credit, method: "POST", target: "/v1/crawls?dry_run=true&dry_run=false", body: `{"max_pages": 25}`, want: 25},
		{name: "dry run not offered", unit: credit, method: "POST", target: "/v1/batches?dry_run=true", body: `{"urls": ["a"]}`, want: 1},
		{name: "no rule", unit: credit, method: "PUT", target: "/v1/crawls", err: ErrNoRule},
		{name: "no rule in this unit", unit: usdc, method: "POST", target: "/v1/maps", err: ErrNoRule},
		{name: "free in any unit", unit: usdc, method: "GET", target: "/v1/scrapes/1", want: 0},
	}
	book := mustParse(t, crawlDocument)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), tt.method, tt.target, strings.NewReader(tt.body))
			if tt.header[0] != "" {
				r.Header.Set(tt.header[0], tt.header[1])
			}
			q, err := book.Price(t.Context(), r, tt.unit)
			if !errors.Is(err, tt.err) {
				t.Fatalf("got error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			if q.Amount != tt.want {
				t.Errorf("got amount %d, want %d", q.Amount, tt.want)
			}
			if q.Unit != tt.unit {
				t.Errorf("got unit %q, want %q", q.Unit, tt.unit)
			}
			if sent, _ := io.ReadAll(r.Body); string(sent) != tt.body {
				t.Errorf("body after pricing: got %q, want %q", sent, tt.body)
			}
			if q.Body == nil {
				return
			}
			if string(q.Body.Text()) != tt.body {
				t.Errorf("body in the quote: got %q, want %q", q.Body.Text(), tt.body)
			}
			if q.Body.Decoded() > len(tt.body) {
				t.Errorf("%d bytes were decoded of a body of %d, want each once", q.Body.Decoded(), len(tt.body))
			}
		})
	}
}

func TestQuoteTerms(t *testing.T) {
	t.Parallel()
	book := mustParse(t, crawlDocument)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/crawls", strings.NewReader(`{"max_pages": 2}`))
	q, err := book.Price(t.Context(), r, edgewire.UnitCredit)
	if err != nil {
		t.Fatal(err)
	}
	if q.Free || q.Operation != "crawl" || q.Description != "crawl" || q.Settle != SettleBefore || q.Timeout != 30*time.Second {
		t.Errorf("got %+v", q)
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/x", nil)
	if q, err = book.Price(t.Context(), r, edgewire.UnitUSDC); err != nil {
		t.Fatal(err)
	}
	if !q.Free || q.Settle != SettleAfter || q.Timeout != TimeoutDefault || q.Body != nil {
		t.Errorf("got %+v", q)
	}
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	rule := func(fields string) string { return `{"version": 1, "rules": [{` + fields + `}]}` }
	tests := []struct {
		name, doc string
		want      []string // parts of the error text
	}{
		{"not JSON", `{`, []string{"price book"}},
		{"version", `{"version": 2, "rules": []}`, []string{"version is 2"}},
		{"unknown field", rule(`"path": "/a", "unit": "credit", "price": 1, "discount": 2`), []string{"discount"}},
		{
			"several faults", rule(`"path": "a", "methods": ["get"], "unit": "dollar", "price": -1,` +
				`"settle": "later", "timeout_seconds": -1, "body_bytes_max": 99999999`),
			[]string{"rule 1", `path "a"`, `method "get"`, "unit", "price: got -1", "settle", "timeout_seconds", "body_bytes_max"},
		},
		{"no price", rule(`"path": "/a", "unit": "credit"`), []string{"price: missing"}},
		{"no unit", rule(`"path": "/a", "price": 1`), []string{"unit"}},
		{"fraction", rule(`"path": "/a", "unit": "usdc6", "price": 0.25`), []string{"0.25", "integer"}},
		{"syntax", rule(`"path": "/a", "unit": "credit", "price": "1 +"`), []string{"expression `1 +`"}},
		{"unknown name", rule(`"path": "/a", "unit": "credit", "price": "header.x"`), []string{"undeclared reference"}},
		{"double", rule(`"path": "/a", "unit": "credit", "price": "1.5"`), []string{"returns double, want an int"}},
		{"head", rule(`"path": "/a", "methods": ["HEAD"], "unit": "credit", "price": 1`), []string{`method "HEAD"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(tt.doc))
			if err == nil {
				t.Fatal("got no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got error %q, want it to contain %q", err, want)
				}
			}
		})
	}
}

func TestDocumentRoundTrip(t *testing.T) {
	t.Parallel()
	first, err := json.Marshal(mustParse(t, crawlDocument).Document())
	if err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(mustParse(t, string(first)).Document())
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(second) {
		t.Errorf("got %s, want %s", second, first)
	}
}

// A body that would make an expression loop for long is refused.
func TestExpressionTimeIsBounded(t *testing.T) {
	t.Parallel()
	book, err := New([]Rule{{
		Path: "/a", Unit: edgewire.UnitCredit, BodyBytesMax: BodyBytesMaxMax,
		Price: Expression(`size(body.a.filter(x, body.a.exists(y, y == x + 1)))`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"a": [` + strings.Repeat("1,", 20000) + `1]}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/a", strings.NewReader(body))
	if _, err := book.Price(t.Context(), r, edgewire.UnitCredit); !errors.Is(err, ErrBadRequest) {
		t.Errorf("got %v, want ErrBadRequest", err)
	}
}

func FuzzPriceBody(f *testing.F) {
	for _, seed := range []string{
		`{"max_pages": 1}`, `{"max_pages": 1e3}`, `{"max_pages": -0}`, `{"MAX_PAGES": 1}`,
		`[]`, `null`, `{"max_pages": "7"}`, `{"max_pages":18446744073709551616}`,
	} {
		f.Add([]byte(seed))
	}
	book := mustParse(f, crawlDocument)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/v1/crawls", "/v1/maps", "/v1/batches", "/v1/optional"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(string(body)))
			q, err := book.Price(t.Context(), r, edgewire.UnitCredit)
			switch {
			case err != nil && !errors.Is(err, ErrBadRequest) && !errors.Is(err, ErrBodyTooLarge):
				t.Errorf("%s: got error %v", path, err)
			case err == nil && q.Amount < 0:
				t.Errorf("%s: got amount %d", path, q.Amount)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(crawlDocument))
	f.Add([]byte(`{"version":1,"rules":[{"path":"/*","price":"free"}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		book, err := Parse(doc)
		if err != nil {
			return
		}
		out, err := json.Marshal(book.Document())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(out); err != nil {
			t.Errorf("document is not read again: %v", err)
		}
	})
}

// BenchmarkPriceFixed: under 1 µs and at most one allocation.
func BenchmarkPriceFixed(b *testing.B) {
	book := mustParse(b, `{"version": 1, "rules": [
		{"methods": ["POST"], "path": "/v1/crawls", "unit": "credit", "price": 10},
		{"methods": ["POST"], "path": "/v1/maps", "unit": "credit", "price": 1},
		{"methods": ["POST"], "path": "/v1/scrapes", "unit": "credit", "price": 1, "dry_run": true}]}`)
	r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/scrapes", nil)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if q, err := book.Price(ctx, r, edgewire.UnitCredit); err != nil || q.Amount != 1 {
			b.Fatal(q, err)
		}
	}
}

func BenchmarkPriceExpression(b *testing.B) {
	book := mustParse(b, crawlDocument)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		r := &http.Request{
			Method: http.MethodPost, URL: crawlURL, ContentLength: 17,
			Body: io.NopCloser(strings.NewReader(`{"max_pages": 25}`)),
		}
		if q, err := book.Price(ctx, r, edgewire.UnitCredit); err != nil || q.Amount != 25 {
			b.Fatal(q, err)
		}
	}
}

var crawlURL = httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/v1/crawls", nil).URL

func TestMethodThatIsNotForSale(t *testing.T) {
	t.Parallel()
	book, err := New([]Rule{
		{Methods: []string{"POST"}, Path: "/a", Unit: edgewire.UnitCredit, Price: Fixed(1)},
		{Methods: []string{"GET"}, Path: "/a", Price: Free()},
		{Methods: []string{"GET", "DELETE"}, Path: "/a", Price: Free()},
		{Methods: []string{"PUT"}, Path: "/a", Unit: edgewire.UnitUSDC, Price: Fixed(1)},
		{Methods: []string{"POST"}, Path: "/b/*", Unit: edgewire.UnitCredit, Price: Fixed(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, method, target string
		want                 []string // nil: the path has no price of its own
	}{
		{"methods of all rules, HEAD beside GET", "PATCH", "/a", []string{"POST", "GET", "HEAD", "DELETE"}},
		{"of another unit", "PUT", "/a", []string{"POST", "GET", "HEAD", "DELETE"}},
		{"below a pattern", "GET", "/b/c", []string{"POST"}},
		{"another path", "GET", "/c", nil},
		{"nearly the path", "PATCH", "/a/", nil},
		{"another case", "PATCH", "/A", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := book.Price(t.Context(), httptest.NewRequest(tc.method, tc.target, nil), edgewire.UnitCredit)
			if !errors.Is(err, ErrNoRule) {
				t.Fatalf("error: got %v, want ErrNoRule", err)
			}
			var got []string
			if method, ok := errors.AsType[*MethodError](err); ok {
				got = method.Allowed
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("allowed: got %q, want %q", got, tc.want)
			}
		})
	}
}
