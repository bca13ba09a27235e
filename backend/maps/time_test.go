package maps_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// slow is a fetcher without a network: each fetch takes 40 seconds, except that the sitemap index is immediate and one sitemap never comes.
type slow struct{}

const slowSite = "https://example.com"

func (*slow) Check(fetch.URL) error { return nil }

func (*slow) Get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	path := strings.TrimPrefix(r.URL.String(), slowSite)
	body := urlset(slowSite + strings.TrimSuffix(path, ".xml"))
	switch path {
	case "/index.xml":
		body = index(slowSite+"/never.xml", slowSite+"/1.xml", slowSite+"/2.xml", slowSite+"/3.xml", slowSite+"/4.xml", slowSite+"/5.xml",
			slowSite+"/6.xml", slowSite+"/7.xml", slowSite+"/8.xml", slowSite+"/9.xml", slowSite+"/10.xml")
	case "/never.xml":
		<-ctx.Done()
		return nil, ctx.Err()
	default:
		select {
		case <-time.After(40 * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &fetch.Response{
		URL: r.URL, StatusCode: http.StatusOK, Header: http.Header{}, MediaType: "text/xml", Charset: "utf-8", Body: []byte(body),
	}, nil
}

// For returns rules that name the index.
func (*slow) For(context.Context, fetch.URL) (*robots.Rules, error) {
	return robots.Parse([]byte("Sitemap: " + slowSite + "/index.xml\n")), nil
}

// A site that exceeds the time limit yields what was found by then, within the contract's two minutes.
func TestTwoMinutes(t *testing.T) {
	t.Parallel()
	blobs, err := blob.Open(t.Context(), "mem://")
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		site := &slow{}
		urls, truncated, err := maps.Collect(t.Context(), maps.Config{
			Queries: db.New(nil), Fetcher: site, Robots: site, Blobs: blobs, Memory: membudget.NewBudget(0), Agent: agent,
			Available: func(context.Context, string) (money.Credits, error) { return 1, nil },
			Logger:    slog.New(slog.DiscardHandler), Now: time.Now,
		}, &maps.Request{URL: slowSite + "/start"})
		if err != nil {
			t.Fatal(err)
		}
		// The start page, itself a sitemap, takes 40 of the 110 seconds. Beside the one that never comes, one more round of three completes.
		want := []string{slowSite + "/1", slowSite + "/2", slowSite + "/3", slowSite + "/start"}
		if took := time.Since(begun); took != maps.TimeLimitDefault || !truncated || !slices.Equal(urls, want) {
			t.Errorf("got %q, truncated %t, after %s, want %q after %s", urls, truncated, took, want, maps.TimeLimitDefault)
		}
	})
}
