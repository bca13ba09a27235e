package crawls_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
)

// FuzzBody: any body is refused as the client's error, or is a crawl within bounds. An accepted body is never refused
// later, when it has been paid for.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"start_url":"https://example.com/","max_pages":1}`, `{"url":"http://[::1]:80/","max_pages":100000,"timeout":1}`,
		`{"start_url":"https://münchen.example/ä?ö#ü","max_pages":5,"max_depth":0,"search_query":"a","top_n":1000}`,
		`{"start_url":"https://example.com/","max_pages":1e3,"include_urls":["/**","https://*","?"],"exclude_urls":["%zz"]}`,
		`{"start_url":"https://example.com./","max_pages":-0,"scrape_options":{"formats":[],"parser":{"id":"a"}},"metadata":{"a":1}}`,
		`{"start_url":"https://127.0.0.1/","max_pages":18446744073709551617,"webhook":"https://a.example/","webhook_url":"https://b.example/"}`,
	} {
		f.Add([]byte(seed))
	}
	config := crawls.Config{Pool: new(pgxpool.Pool), Pages: &pages{}, Robots: &robots{}, Webhooks: hooks{}, Logger: slog.New(slog.DiscardHandler), Now: time.Now}
	s, err := crawls.New(config)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := s.OrderOf(context.Background(), body)
		if err != nil {
			if kind := problem.From(err).Code.Kind(); kind.Status >= 500 && kind.Status != 501 {
				t.Fatalf("%q: got %v, want a refusal", body, err)
			}
			return
		}
		if o.MaxPages < 1 || o.MaxPages > crawls.PagesMax || o.MaxDepth != nil && *o.MaxDepth < 0 || o.Timeout < 0 || o.Timeout > crawls.TimeoutDefault ||
			o.Spec.TopN < 0 || o.Spec.TopN > 1000 || o.StartURL == "" {
			t.Fatalf("%q: got %+v", body, o)
		}
	})
}
