package crawls_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// apiTest is the service over HTTP.
type apiTest struct {
	*place
	*apitest.API

	team *workshop.Team
}

func newAPI(t *testing.T, change ...func(*crawls.Config)) *apiTest {
	t.Helper()
	p := newPlace(t, change...)
	return &apiTest{place: p, team: p.NewTeam(1_000_000), API: apitest.New(t, api.Config{
		Wallets:     accounts.New(db.New(p.Pool), apikey.NewIssuer(p.Pool), time.Now),
		Idempotency: idempotency.New(db.New(p.Pool), 0),
		Features:    []api.Feature{p.service},
	})}
}

func (a *apiTest) id() edgewire.Identity { return apitest.Team(a.team.ID, a.team.KeyID) }

// free sends a request that costs nothing.
func (a *apiTest) free(method, uri string) *httptest.ResponseRecorder {
	a.T.Helper()
	return a.Send(method, uri, "", a.id())
}

// pay sends a paid request as the edge does: quote, hold, response, settlement. If the quote is refused, nothing is sent.
func (a *apiTest) pay(body string, headers ...string) *httptest.ResponseRecorder {
	a.T.Helper()
	const uri = "/v1/crawls"
	id := a.id()
	amount, w := a.Quote(uri, body, id)
	if w.Code != http.StatusOK {
		return w
	}
	c, end := a.request(a.team, money.Credits(amount))
	id.ID, id.Max = c.HoldID, amount
	w = a.Send(http.MethodPost, uri, body, id, headers...)
	if w.Header().Get(edgewire.AdoptedHeader) == "true" {
		c.Adopt()
	}
	c.SetCost(0)
	if cost := w.Header().Get(edgewire.CostHeader); cost != "0" {
		a.T.Errorf("POST %s: got cost %q of %d, want 0: it is captured later or never", uri, cost, w.Code)
	}
	end(nil)
	return w
}

func (a *apiTest) crawled(t testing.TB, body string) crawls.Crawl {
	t.Helper()
	return apitest.Decode[crawls.Crawl](t, a.pay(body))
}

func (a *apiTest) list(t testing.TB, id, query string) crawls.PageList {
	t.Helper()
	return apitest.Decode[crawls.PageList](t, a.free(http.MethodGet, "/v1/crawls/"+id+"/pages"+query))
}

func TestCrawlIsShown(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = siteOf(map[string][]string{"/": {"/a", "/b", "/gone"}})
	body := `{"start_url":"https://example.com/","max_pages":5,"max_depth":3,"include_urls":["/**"],"exclude_urls":["/private/**"],` +
		`"include_external":true,"include_subdomain":true,"search_query":"harbour","top_n":7,"webhook_url":"https://example.com/hook","timeout":600,` +
		`"follow_robots_txt":false,"scrape_options":{"formats":["markdown"],"parser":"@a/b"},"metadata":{"k":1},"record":true}`
	w := a.pay(body)
	if w.Header().Get(edgewire.AdoptedHeader) != "true" || w.Header().Get(edgewire.CostHeader) != "0" {
		t.Errorf("got headers %v, want the hold adopted and no cost yet", w.Header())
	}
	var got map[string]any
	workshop.Must(t, json.Unmarshal(w.Body.Bytes(), &got))
	id, _ := got["id"].(string)
	created, _ := got["created"].(float64)
	date := time.Unix(int64(created), 0).UTC().Format(time.RFC3339)
	want := map[string]any{
		"id": id, "crawl_id": id, "object": "crawl", "status": "in_progress", "outcome": nil, "created": created, "start_epoch": created,
		"start_date": date, "created_at": date, "completed_at": nil, "start_url": "https://example.com/",
		"max_pages": 5.0, "max_depth": 3.0, "include_urls": []any{"/**"}, "exclude_urls": []any{"/private/**"}, "include_external": true,
		"include_subdomain": true, "search_query": "harbour", "top_n": 7.0, "timeout": 600.0, "follow_robots_txt": false,
		"scrape_options": map[string]any{"formats": []any{"markdown"}, "parser": "@a/b"}, "record": true, "current_depth": 0.0,
		"actual_max_depth": 0.0, "pages_count": 0.0, "urls_count": 0.0, "completed": 0.0, "failed": 0.0, "metadata": map[string]any{"k": "1"},
		"webhook": "https://example.com/hook", "credits_consumed": nil, "cost_usd": nil,
	}
	wantJSON(t, got, want)
	if !strings.HasPrefix(id, "crawl_") {
		t.Errorf("got id %q", id)
	}
	if read := a.free(http.MethodGet, "/v1/crawls/"+id); read.Body.String() != w.Body.String() {
		t.Errorf("read again: got %s, want %s", read.Body, w.Body)
	}

	a.work()
	a.untilCompleted(id)
	done := apitest.Decode[crawls.Crawl](t, a.free(http.MethodGet, "/v1/crawls/"+id))
	if done.Status != "completed" || *done.Outcome != "succeeded" || done.PagesCount != 3 || done.Completed != 3 || done.Failed != 1 ||
		done.ActualMaxDepth != 1 || *done.CreditsConsumed != 3 || *done.CostUSD != "0.003" || done.CompletedAt == nil {
		t.Errorf("got %+v", done)
	}
	list := a.list(t, id, "")
	if list.ID != id || list.CrawlID != id || list.Object != "crawl" || list.Status != "completed" || *list.SearchQuery != "harbour" ||
		list.PagesCount != 3 || len(list.Pages) != 3 || list.Cursor != nil || len(list.Metadata.ExternalURLs) != 0 ||
		len(list.Metadata.FailedURLs) != 1 || list.Metadata.FailedURLs[0] != (crawls.FailedURL{URL: "https://example.com/gone", Reason: "not_found"}) {
		t.Errorf("got %+v", list)
	}
}

// wantJSON compares two values as JSON.
func wantJSON(t testing.TB, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	workshop.Must(t, err)
	b, err := json.Marshal(want)
	workshop.Must(t, err)
	if string(a) != string(b) {
		t.Errorf("got %s\nwant %s", a, b)
	}
}

// siteOf is a site of pages with links, by path. Unknown paths have no links, and paths with "gone" are not found.
func siteOf(links map[string][]string) func(context.Context, *page.Job) (page.Kept, error) {
	return func(_ context.Context, j *page.Job) (page.Kept, error) {
		u, err := url.Parse(j.URL)
		if err != nil {
			return page.Kept{}, err
		}
		var to []string
		for _, link := range links[u.Path] {
			target, err := u.Parse(link)
			if err != nil {
				return page.Kept{}, err
			}
			to = append(to, target.String())
		}
		k := kept(j, to...)
		k.Title = "Page " + u.Path
		if strings.Contains(u.Path, "gone") {
			k.StatusCode = http.StatusNotFound
		}
		return k, nil
	}
}
