package crawls_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// On every route, another team's crawl looks like one that does not exist. Without a key, both require a key.
func TestCrawlsOfOthers(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	theirs, err := a.create(a.NewTeam(10), &crawls.Order{StartURL: "https://example.com/", MaxPages: 1}, 1)
	workshop.Must(t, err)
	for _, id := range []string{theirs.ID, "crawl_" + strings.Repeat("0", 24), "crawl_x", "x"} {
		at := "/v1/crawls/" + id
		for _, w := range []*httptest.ResponseRecorder{a.free(http.MethodGet, at), a.free(http.MethodGet, at+"/pages"), a.free(http.MethodDelete, at)} {
			apitest.WantRefused(t, w, problem.CrawlNotFound)
		}
		for _, uri := range []string{at, at + "/pages"} {
			apitest.WantRefused(t, a.Send(http.MethodGet, uri, "", apitest.Nobody("")), problem.InvalidAPIKey)
		}
		apitest.WantRefused(t, a.Send(http.MethodDelete, at, "", apitest.Nobody("")), problem.InvalidAPIKey)
	}
}

func TestDryRunsAndQuotes(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.price = 3
	for pages, want := range map[int]struct{ credits, micros int64 }{
		1: {3, 10_000}, 2: {6, 10_000}, 3: {9, 15_000}, 20: {60, 100_000}, 999: {2997, 4_995_000}, 100_000: {300_000, 500_000_000},
	} {
		body := fmt.Sprintf(`{"start_url":"https://example.com/","max_pages":%d}`, pages)
		if got, w := a.Quote("/v1/crawls", body, a.id()); got != want.credits {
			t.Errorf("%d pages: got a quote of %d (%s), want %d credits", pages, got, w.Body, want.credits)
		}
		if got, w := a.Quote("/x402/v1/crawls", body, apitest.Nobody(edgewire.UnitUSDC)); got != want.micros {
			t.Errorf("%d pages: got a quote of %d (%s), want %d millionths", pages, got, w.Body, want.micros)
		}
	}
	body := `{"start_url":"https://example.com/","max_pages":7}`
	for uri, want := range map[string]string{
		"/v1/crawls?dry_run=true":      `{"object":"quote","credits":21,"usd":0.021}`,
		"/x402/v1/crawls?dry_run=true": `{"object":"quote","credits":21,"usd":0.035}`,
	} {
		id := a.id()
		if strings.HasPrefix(uri, "/x402") {
			id = apitest.Payment(id.ID, 0)
		}
		w := a.Send(http.MethodPost, uri, body, id)
		if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusOK || got != want || w.Header().Get(edgewire.CostHeader) != "0" {
			t.Errorf("%s: got %d %s, want %s", uri, w.Code, got, want)
		}
	}
	id := a.id()
	id.Max = 20
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/crawls", body, id), problem.CreditsExhausted)
	if n := a.Count(`select count(*) from crawl`); n != 0 {
		t.Errorf("got %d crawls, want none", n)
	}
}

// A wallet's crawl needs no hold. If it finds no page, the wallet is owed a refund.
func TestCrawlOfAWallet(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = siteOf(map[string][]string{"/": {"/a"}})
	a.work()
	for _, tt := range []struct{ name, path, state, outcome string }{
		{"that gets its pages", "", "settled", "succeeded"},
		{"that gets none", "gone", "refund_due", "failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			claim := apitest.Claim(t, a.Pool, 15_000, "crawl")
			id := apitest.Payment(claim, 15_000)
			body := `{"start_url":"https://example.com/` + tt.path + `","max_pages":3,"webhook_url":"https://example.com/hook"}`
			w := a.Send(http.MethodPost, "/x402/v1/crawls", body, id)
			c := apitest.Decode[crawls.Crawl](t, w)
			if w.Header().Get(edgewire.AdoptedHeader) != "" || w.Header().Get(edgewire.CostHeader) != "15000" || c.WebhookSecret == nil {
				t.Errorf("got headers %v and %s, want what was paid as cost, nothing adopted, and the webhook's secret", w.Header(), w.Body)
			}
			if again := apitest.Decode[crawls.Crawl](t, a.Send(http.MethodPost, "/x402/v1/crawls", body, id)); again.ID != c.ID || again.WebhookSecret != nil {
				t.Errorf("the same claim again: got crawl %s, want %s", again.ID, c.ID)
			}
			apitest.WantRefused(t, a.Send(http.MethodPost, "/x402/v1/crawls", strings.Replace(body, "3", "2", 1), id), problem.InvalidState)
			a.Until("the end", func() bool {
				return a.Count(`select count(*) from crawl where id = $1 and status = 'completed'`, c.ID) == 1
			})
			// Clients without a key can read the crawl by id; they are refused the same routes as others.
			done := apitest.Decode[crawls.Crawl](t, a.Send(http.MethodGet, "/v1/crawls/"+c.ID, "", apitest.Nobody("")))
			if *done.Outcome != tt.outcome || *done.CreditsConsumed != 0 || *done.CostUSD != "0.015" || done.WebhookSecret != nil {
				t.Errorf("got %+v, want %s for 0.015 USD and no credits, without the secret", done, tt.outcome)
			}
			list := apitest.Decode[crawls.PageList](t, a.Send(http.MethodGet, "/v1/crawls/"+c.ID+"/pages", "", apitest.Nobody("")))
			if len(list.Pages) != int(done.PagesCount) {
				t.Errorf("got %+v, want %d pages", list, done.PagesCount)
			}
			apitest.WantRefused(t, a.free(http.MethodGet, "/v1/crawls/"+c.ID), problem.CrawlNotFound)
			apitest.WantRefused(t, a.Send(http.MethodDelete, "/v1/crawls/"+c.ID, "", apitest.Nobody("")), problem.InvalidAPIKey)
			var state string
			workshop.Must(t, a.Pool.QueryRow(t.Context(), `select state from x402_claim where id = $1`, claim).Scan(&state))
			if state != tt.state {
				t.Errorf("claim: got %s, want %s", state, tt.state)
			}
		})
	}
}

// Wallets have the same fields as teams, with the same meaning.
func TestWalletHasTheSameFields(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	body := `{"start_url":"https://example.com/","max_pages":3,"include_urls":["/a/**"],"exclude_urls":["/a/b"],"max_depth":2,"include_external":true,` +
		`"include_subdomain":true,"search_query":"harbour","top_n":4,"webhook_url":"https://example.com/hook","timeout":60,"follow_robots_txt":false,` +
		`"scrape_options":{"formats":["text"],"parser":"@a/b"},"metadata":{"k":"v"},"record":true}`
	var of [2]map[string]any
	for i, w := range []*httptest.ResponseRecorder{
		a.pay(body), a.Send(http.MethodPost, "/x402/v1/crawls", body, apitest.Payment(apitest.Claim(t, a.Pool, 15_000, "crawl"), 15_000)),
	} {
		of[i] = apitest.Decode[map[string]any](t, w)
		for _, own := range []string{"id", "crawl_id", "created", "start_epoch", "created_at", "start_date", "webhook_secret"} {
			delete(of[i], own)
		}
	}
	wantJSON(t, of[1], of[0])
	for field, want := range map[string]any{"max_depth": 2.0, "top_n": 4.0, "timeout": 60.0, "search_query": "harbour", "include_external": true} {
		if of[1][field] != want {
			t.Errorf("%s: got %v, want %v", field, of[1][field], want)
		}
	}
}

// One Idempotency-Key makes one crawl, however often it is sent and whatever each request holds.
func TestKeyIsOneCrawl(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = siteOf(map[string][]string{"/": {"/a"}})
	a.work()
	body := `{"start_url":"https://example.com/","max_pages":5}`
	answers := make([]*httptest.ResponseRecorder, 8)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = a.pay(body, "Idempotency-Key", "one") })
	}
	group.Wait()
	ids := map[string]bool{}
	answers = slices.Concat(answers, []*httptest.ResponseRecorder{a.pay(body, "Idempotency-Key", "one")})
	for _, w := range answers {
		if w.Code == http.StatusConflict {
			apitest.WantRefused(t, w, problem.IdempotencyKeyInProgress)
			continue
		}
		ids[apitest.Decode[crawls.Crawl](t, w).ID] = true
	}
	if len(ids) != 1 {
		t.Errorf("got crawls %v, want one", ids)
	}
	apitest.WantRefused(t, a.pay(body+" ", "Idempotency-Key", "one"), problem.IdempotencyKeyReuse)
	for id := range ids {
		a.untilCompleted(id)
	}
	if n := a.Count(`select count(*) from crawl`); n != 1 {
		t.Errorf("got %d crawls, want one", n)
	}
	a.settled()
	a.WantBalance(a.team, 999_998, 0)
}

// The final event has the fields of the contract.
func TestEndIsAnnounced(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = siteOf(map[string][]string{"/": {"/a", "/gone"}})
	a.work()
	c := a.crawled(t, `{"start_url":"https://example.com/","max_pages":5,"max_depth":4,"webhook":"https://example.com/hook","metadata":{"k":"v"}}`)
	a.untilCompleted(c.ID)
	var kind, webhook string
	var data map[string]any
	workshop.Must(t, a.Pool.QueryRow(t.Context(), `select type, webhook, data from event where subject = $1`, c.ID).Scan(&kind, &webhook, &data))
	if kind != "crawl.completed" || webhook != "https://example.com/hook" {
		t.Errorf("got %s to %s", kind, webhook)
	}
	if completed, _ := data["completed_at"].(string); completed < c.StartDate {
		t.Errorf("got completed_at %q, want a time after %s", completed, c.StartDate)
	}
	delete(data, "completed_at")
	wantJSON(t, data, map[string]any{
		"id": c.ID, "object": "crawl", "status": "completed", "outcome": "succeeded", "start_url": "https://example.com/", "urls_count": 2, "pages_count": 2, "max_pages": 5,
		"max_depth": 4, "actual_max_depth": 1, "start_epoch": c.Created, "created": c.Created, "start_date": c.StartDate, "created_at": c.StartDate, "metadata": map[string]any{"k": "v"},
	})
}
