package api_test

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/firecrawl"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/mcp"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// allFeatures are features of which only the routes exist here.
func allFeatures() []api.Feature {
	return []api.Feature{
		new(batches.Service), new(crawls.Service), new(maps.Service), new(searches.Service), new(answers.Service), new(monitors.Service),
		new(schedules.Service), new(webhooks.Service), new(notifications.Service), new(mcp.Service), new(firecrawl.Service),
	}
}

// Edges that price by the book refuse a route without a rule.
func TestEveryRouteHasARule(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: allFeatures()})
	book, err := pricebook.New()
	must(t, err)
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for _, r := range s.api.Routes() {
		if r.Access == principal.Public {
			continue
		}
		target := &url.URL{Path: parameter.ReplaceAllString(r.Path, "x")}
		_, err := book.Quote(t.Context(), &price.Request{Method: r.Method, URL: target, Body: edgewire.NewBody([]byte(`{}`))}, edgewire.UnitCredit)
		if errors.Is(err, price.ErrNoRule) {
			t.Errorf("%s %s has no price: add a rule to the price.go of its feature: %v", r.Method, r.Path, err)
		}
	}
}

// The maximum price of a search is given for any limit. An invalid limit is refused by the operation, not by the price.
func TestSearchesArePricedForAnyLimit(t *testing.T) {
	t.Parallel()
	book, err := pricebook.New()
	must(t, err)
	for limit, want := range map[string]int64{
		`5`: 10, `0`: 6, `-3`: 6, `26`: 30, `9223372036854775807`: 30, `5.5`: 30, `1e30`: 30, `"5"`: 30, `null`: 30, `{}`: 30, `[]`: 30, `true`: 30,
	} {
		body := `{"query":"ferries","scrape_options":{},"limit":` + limit + `}`
		got, err := book.Quote(t.Context(), &price.Request{Method: "POST", URL: &url.URL{Path: "/v1/searches"}, Body: edgewire.NewBody([]byte(body))}, edgewire.UnitCredit)
		if err != nil || got.Amount != want {
			t.Errorf("%s: got %d and %v, want %d", limit, got.Amount, err, want)
		}
	}
}

// Routes priced by quote have a quote rule, and no other rule precedes it.
func TestBatchesCrawlsAndMapsAreQuoted(t *testing.T) {
	t.Parallel()
	book, err := pricebook.New()
	must(t, err)
	var quoted []string
	for _, rule := range book.Document().Rules {
		if rule.Price.IsQuoted() {
			quoted = append(quoted, rule.Path)
			if strings.HasSuffix(rule.Path, "/v1/batches") && rule.BodyBytesMax != batches.BodyBytesMax {
				t.Errorf("%s: got a body of %d bytes at most, want %d", rule.Path, rule.BodyBytesMax, batches.BodyBytesMax)
			}
		}
	}
	if want := []string{
		"/v1/batches", "/v1/batches/*/retry", "/x402/v1/batches", "/v1/crawls", "/x402/v1/crawls", "/v1/maps",
		"/v2/scrape", "/v2/crawl", "/v2/batch/scrape", "/v2/map", "/v2/search", "/v2/extract", "/v2/agent",
	}; !slices.Equal(quoted, want) {
		t.Errorf("got quotes for %v, want %v", quoted, want)
	}
	for path, unit := range map[string]edgewire.Unit{
		"/v1/batches": edgewire.UnitCredit, "/v1/batches/batch_x/retry": edgewire.UnitCredit, "/x402/v1/batches": edgewire.UnitUSDC,
		"/v1/crawls": edgewire.UnitCredit, "/x402/v1/crawls": edgewire.UnitUSDC, "/v1/maps": edgewire.UnitCredit,
		"/v2/scrape": edgewire.UnitCredit, "/v2/batch/scrape": edgewire.UnitCredit,
	} {
		_, err := book.Quote(t.Context(), &price.Request{Method: "POST", URL: &url.URL{Path: path}}, unit)
		if !errors.Is(err, price.ErrUnavailable) {
			t.Errorf("%s: got error %v, want it left to a quote", path, err)
		}
	}
}
