package searches_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// apiTest is the service over HTTP.
type apiTest struct {
	*place
	*apitest.API
}

func newAPI(t *testing.T) *apiTest {
	t.Helper()
	p := newPlace(t)
	return &apiTest{place: p, API: apitest.New(t, api.Config{
		Wallets:     accounts.New(db.New(p.pool), apikey.NewIssuer(p.pool), time.Now),
		Idempotency: idempotency.New(db.New(p.pool), 0),
		Features:    []api.Feature{p.service, p.scrapes},
	})}
}

func (a *apiTest) key(covered int64) edgewire.Identity {
	id := apitest.Team(a.team, "key_1")
	id.Max = covered
	return id
}

func (a *apiTest) payment() edgewire.Identity { return apitest.Payment(uuid.NewString(), 30000) }

// The hold covers the cost of all links, and the actual cost is captured. A request that its hold does not cover is
// refused before any provider is asked.
func TestSearchesOverHTTP(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	s := newSite(t)
	a.index.finds(s.has("/a", article), s.has("/b", article), "http://127.0.0.1:1/nobody")
	const body = `{"query":"ferries","limit":4,"scrape_options":{"formats":["markdown"]},"metadata":{"order":"A-17"}}`

	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/searches", body, a.key(8)), problem.CreditsExhausted, "9")
	if len(a.index.queries()) != 0 || a.rows() != 0 {
		t.Error("a search that is not covered was begun")
	}
	w := a.Send(http.MethodPost, "/v1/searches", body, a.key(9), "Idempotency-Key", "k1")
	got := apitest.Decode[searches.Search](t, w)
	if w.Header().Get(edgewire.CostHeader) != "7" || got.CreditsConsumed != 7 || len(got.Result.Links) != 3 || got.Metadata["order"] != "A-17" {
		t.Fatalf("got %s, want three links at 7", w.Body)
	}
	for _, field := range []string{`"markdown_content":"`, `"html_content":null`, `"json_content":"[{`, `"json_hosted_url":"https://api.example.com/content/`, `"size_exceeded":false`} {
		if !strings.Contains(w.Body.String(), field) {
			t.Errorf("%s is not in %s", field, w.Body)
		}
	}
	rows, hits := a.rows(), s.asked()
	again := a.Send(http.MethodPost, "/v1/searches", body, a.key(9), "Idempotency-Key", "k1")
	if again.Body.String() != w.Body.String() || again.Header().Get("Idempotent-Replayed") != "true" || again.Header().Get(edgewire.CostHeader) != "7" {
		t.Errorf("a repetition, the first being unpaid here, got %s", again.Body)
	}
	read := a.Send(http.MethodGet, "/v1/searches/"+got.ID, "", a.key(0))
	if strings.TrimSpace(read.Body.String()) != strings.TrimSpace(w.Body.String()) || read.Header().Get(edgewire.CostHeader) != "0" {
		t.Errorf("got %s for nothing, want %s", read.Body, w.Body)
	}
	if a.rows() != rows || s.asked() != hits || len(a.index.queries()) != 1 {
		t.Error("a repetition or a read has left something")
	}
	unknown := a.Send(http.MethodGet, "/v1/searches/search_"+strings.Repeat("a", 26), "", a.key(0))
	apitest.WantRefused(t, unknown, problem.SearchNotFound)
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/searches/"+got.ID, "", apitest.Team(a.newTeam(), "key_2")), problem.SearchNotFound)
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/searches/"+got.ID, "", apitest.Nobody("")), problem.InvalidAPIKey)

	w = a.Send(http.MethodPost, "/x402/v1/searches", body, a.payment())
	theirs := apitest.Decode[searches.Search](t, w)
	if w.Header().Get(edgewire.CostHeader) != "30000" || theirs.CreditsConsumed != 0 || theirs.Result.Links[0].Markdown == nil {
		t.Errorf("a wallet got %s at %s", w.Body, w.Header().Get(edgewire.CostHeader))
	}
	apitest.WantRefused(t, a.Send(http.MethodGet, "/v1/searches/"+theirs.ID, "", a.key(0)), problem.SearchNotFound)
	nobody := &principal.Caller{Kind: edgewire.PayerAnonymous}
	if again, err := a.service.Search(t.Context(), nobody, theirs.ID); err != nil || len(again.Result.Links) != 3 {
		t.Errorf("got %v, %v by the id of what a wallet paid for, want it", again, err)
	}
	if _, err := a.service.Search(t.Context(), nobody, got.ID); err == nil {
		t.Error("a team's search can be read by its id alone")
	}

	a.index.fails(fmt.Errorf("away"))
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/searches", body, a.key(9)), problem.SearchFailed, "Nothing was charged")
}

// The maximum price of a search is known in advance. A dry run does nothing.
func TestDryRuns(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for body, credits := range map[string]string{
		`{"query":"x"}`:                                           "5",
		`{"query":"x","limit":25}`:                                "5",
		`{"query":"x","scrape_options":{}}`:                       "17",
		`{"query":"x","limit":1,"scrape_options":{}}`:             "6",
		`{"query":"x","limit":25,"scrape_options":{}}`:            "30",
		`{"query":"x","limit":3,"scrape_options":null}`:           "5",
		`{"query":"x","scrape_options":{"formats":["text"]}}`:     "17",
		`{"query":"x","limit":2,"scrape_options":{"timeout":60}}`: "7",
	} {
		w := a.Send(http.MethodPost, "/v1/searches?dry_run=true", body, a.key(0))
		if got := strings.TrimSpace(w.Body.String()); !strings.HasPrefix(got, `{"object":"quote","credits":`+credits+`,`) || w.Header().Get(edgewire.CostHeader) != "0" {
			t.Errorf("%s: got %d %s, want %s", body, w.Code, got, credits)
		}
		w = a.Send(http.MethodPost, "/x402/v1/searches?dry_run=true", body, a.payment())
		if got, want := strings.TrimSpace(w.Body.String()), `{"object":"quote","credits":`+credits+`,"usd":0.03}`; got != want {
			t.Errorf("%s: got %d %s, want %s", body, w.Code, got, want)
		}
	}
	if a.rows() != 0 || len(a.index.queries()) != 0 {
		t.Error("a dry run did something")
	}
}

// The error names what is wrong with a request, and nothing starts.
func TestRefusals(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for body, part := range map[string]string{
		`{}`:                   "query",
		`{"query":""}`:         "query",
		`{"query":"  "}`:       "query",
		`{"query":"a\u0000b"}`: "query",
		`{"query":7}`:          "query",
		`{"query":"` + strings.Repeat("é", 401) + `"}`:                                            "query",
		`{"query":"x","limit":0}`:                                                                 "limit",
		`{"query":"x","limit":26}`:                                                                "limit",
		`{"query":"x","limit":1.5}`:                                                               "limit",
		`{"query":"x","limit":"3"}`:                                                               "limit",
		`{"query":"x","pages":3}`:                                                                 "pages",
		`{"query":"x","include_domains":["https://example.com/"]}`:                                "include_domains.0",
		`{"query":"x","include_domains":["a.example","b.example:80"]}`:                            "include_domains.1",
		`{"query":"x","include_domains":["*.example.com"]}`:                                       "include_domains.0",
		`{"query":"x","exclude_domains":["example.com/a"]}`:                                       "exclude_domains.0",
		`{"query":"x","exclude_domains":[""]}`:                                                    "exclude_domains.0",
		`{"query":"x","exclude_domains":"example.com"}`:                                           "exclude_domains",
		`{"query":"x","exclude_domains":[` + strings.Repeat(`"a.example",`, 50) + `"b.example"]}`: "exclude_domains",
		`{"query":"x","scrape_options":{"formats":["json"]}}`:                                     "formats",
		`{"query":"x","scrape_options":{"formats":["screenshot"]}}`:                               "formats",
		`{"query":"x","scrape_options":{"formats":[]}}`:                                           "formats",
		`{"query":"x","scrape_options":{"formats":["html","html"]}}`:                              "formats",
		`{"query":"x","scrape_options":{"timeout":0}}`:                                            "timeout",
		`{"query":"x","scrape_options":{"timeout":61}}`:                                           "timeout",
		`{"query":"x","scrape_options":{"remove_css_selectors":["a["]}}`:                          "scrape_options.remove_css_selectors",
		`{"query":"x","scrape_options":{"remove_css_selectors":"some"}}`:                          "scrape_options.remove_css_selectors",
		`{"query":"x","scrape_options":{"render":"always"}}`:                                      "render",
		`{"query":"x","scrape_options":true}`:                                                     "scrape_options",
	} {
		w := a.Send(http.MethodPost, "/v1/searches", body, a.key(30))
		if part == "scrape_options" || strings.Contains(body, `"limit":1.5`) || strings.Contains(body, `"limit":"3"`) {
			apitest.WantRefused(t, w, problem.ValidationError) // by its quote or by its schema
			continue
		}
		apitest.WantRefused(t, w, problem.ValidationError, part)
	}
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/searches", `{"query":"x","metadata":{"a":[1]}}`, a.key(30)), problem.InvalidMetadata)
	if a.rows() != 0 || len(a.index.queries()) != 0 {
		t.Error("a request that is refused did something")
	}
}

// An accepted host appears in URLs exactly as it was read, and as nothing but the host.
func FuzzBareHost(f *testing.F) {
	for _, seed := range []string{"example.com", "EXAMPLE.com.", "bücher.example", "a..b", "127.0.0.1", "0x7f.1", "[::1]", "a:80", "u@h", "x y", "%65xample.com", "*.x", "\x00", "-", "xn--"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		host, err := searches.BareHost(name)
		if err != nil {
			return
		}
		u, err := fetch.ParseURL("https://" + host + "/p")
		if err != nil || u.Hostname() != host || u.Host() != host || u.PathAndQuery() != "/p" {
			t.Errorf("%q became %q, which is %v (%v)", name, host, u, err)
		}
		if again, err := searches.BareHost(host); err != nil || again != host {
			t.Errorf("%q became %q, and that %q (%v)", name, host, again, err)
		}
	})
}
