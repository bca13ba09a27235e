package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

// TestStandardEndpointsNeedAKey shows that every endpoint that takes a key asks for it, even if the resource does not
// exist: the edge checks the key before it looks anything up.
func TestStandardEndpointsNeedAKey(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, route := range []string{
		"POST /v1/monitors", "GET /v1/monitors", "GET /v1/monitors/monitor_x", "POST /v1/monitors/monitor_x", "POST /v1/monitors/monitor_x/pause",
		"GET /v1/monitors/monitor_x/planning", "GET /v1/monitors/monitor_x/events", "GET /v1/monitors/monitor_x/stream",
		"POST /v1/monitors/monitor_x/resume", "POST /v1/monitors/monitor_x/run", "DELETE /v1/monitors/monitor_x",
		"GET /v1/monitors/monitor_x/runs", "GET /v1/monitors/monitor_x/runs/run_x", "GET /v1/monitors/monitor_x/events/event_x/diff",
		"POST /v1/answers", "GET /v1/searches/search_x", "POST /v1/searches",
		"POST /v1/files", "POST /v1/files/file_x/complete", "GET /v1/files", "GET /v1/files/file_x",
		"POST /user/purchase-topup", "GET /user/credits/info",
		"POST /v1/batches", "GET /v1/schedules", "GET /v1/schedules/schedule_x",
		"POST /v1/crawls", "POST /v1/maps", "POST /v1/scrapes",
	} {
		method, path, _ := strings.Cut(route, " ")
		t.Run(strings.ReplaceAll(route, "/", "_"), func(t *testing.T) {
			t.Parallel()
			c := call{method: method, url: s.edge + path, body: "{}"}
			c.do(t).refused(t, http.StatusUnauthorized, "invalid_api_key", "An API key is required")
			c.with("Authorization", "Bearer nobody").do(t).refused(t, http.StatusUnauthorized, "invalid_api_key", "not valid")
		})
	}
	// Results of a payment can be read without a key. A key that is sent must be valid all the same.
	for _, path := range []string{
		"/v1/batches/batch_x", "/v1/batches/batch_x/items", "/v1/crawls/crawl_x", "/v1/crawls/crawl_x/pages", "/v1/answers/answer_x",
		"/v1/scrapes/scrape_x", "/v1/retrieve?retrieve_id=x",
	} {
		t.Run("GET"+strings.ReplaceAll(path, "/", "_"), func(t *testing.T) {
			t.Parallel()
			call{method: http.MethodGet, url: s.edge + path}.with("Authorization", "Bearer nobody").do(t).
				refused(t, http.StatusUnauthorized, "invalid_api_key", "not valid")
		})
	}
}

type scrapeObject struct {
	ID              string            `json:"id"`
	Object          string            `json:"object"`
	Created         json.Number       `json:"created"`
	Metadata        map[string]string `json:"metadata"`
	URLToScrape     string            `json:"url_to_scrape"`
	URL             string            `json:"url"`
	RetrieveID      string            `json:"retrieve_id"`
	CreditsConsumed json.Number       `json:"credits_consumed"`
	Result          struct {
		HTML     *string  `json:"html_content"`
		Markdown *string  `json:"markdown_content"`
		Text     *string  `json:"text_content"`
		JSON     *string  `json:"json_content"`
		Links    []string `json:"links_on_page"`
	} `json:"result"`
}

func said(content *string) string {
	if content == nil {
		return ""
	}
	return *content
}

// TestWalletScrapeFields shows what the fields of a scrape do when a wallet pays.
func TestWalletScrapeFields(t *testing.T) {
	t.Parallel()
	s := setup(t)
	wants := func(name string, got string, wanted, unwanted []string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			for _, text := range wanted {
				if !strings.Contains(got, text) {
					t.Errorf("%s: got %q, want %q in it", name, got, text)
				}
			}
			for _, text := range unwanted {
				if strings.Contains(got, text) {
					t.Errorf("%s: got %q, want no %q in it", name, got, text)
				}
			}
		}
	}
	for _, tc := range []struct {
		name, option string
		check        func(t *testing.T, got *scrapeObject, page string)
		// browser: scripts create the page, so it is rendered.
		browser bool
	}{
		{"url_to_scrape alone", ``, func(t *testing.T, got *scrapeObject, page string) {
			t.Helper()
			if got.URLToScrape != page || got.URL != page {
				t.Errorf("URLs: got %q and %q, want %q", got.URLToScrape, got.URL, page)
			}
			wants("html_content", said(got.Result.HTML), []string{"<h1>Harbour</h1>", "Mind the step", "ferry.png"}, []string{"Menu", "Imprint"})(t)
			wants("markdown_content", said(got.Result.Markdown), []string{"# Harbour", "Buy ropes"}, []string{"Menu", "Imprint", "<h1>"})(t)
			if got.Result.Text != nil {
				t.Errorf("text_content: got %q, want null, since it was not asked for", *got.Result.Text)
			}
		}, false},
		{"formats", `"formats": ["text"]`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("text_content", said(got.Result.Text), []string{"Harbour", "Mind the step"}, []string{"#", "<"})(t)
			if got.Result.HTML != nil || got.Result.Markdown != nil {
				t.Errorf("content: got %+v, want text alone", got.Result)
			}
		}, false},
		{"remove_css_selectors", `"remove_css_selectors": ["#notice"]`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("markdown_content", said(got.Result.Markdown), []string{"Buy ropes", "Menu"}, []string{"Mind the step"})(t)
		}, false},
		{"remove_class_names", `"remove_class_names": ["advert"]`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("markdown_content", said(got.Result.Markdown), []string{"Mind the step"}, []string{"Buy ropes"})(t)
		}, false},
		{"remove_images", `"remove_images": true`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("html_content", said(got.Result.HTML), []string{"Mind the step"}, []string{"ferry.png"})(t)
		}, false},
		{"transformer", `"remove_css_selectors": "none", "transformer": "postlight"`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("markdown_content", said(got.Result.Markdown), []string{"leaves at nine"}, []string{"Menu", "Imprint"})(t)
		}, false},
		{"links_on_page", `"links_on_page": {"absolute_links": false, "exclude_links": ["/fares"]}`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			if fmt.Sprint(got.Result.Links) != "[/timetable]" {
				t.Errorf("links_on_page: got %q, want /timetable alone", got.Result.Links)
			}
		}, false},
		{"country", `"country": "no"`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("markdown_content", said(got.Result.Markdown), []string{"leaves at nine"}, nil)(t)
			if s.pages.connections() == 0 {
				t.Error("connections through the country's proxy: got none, want one")
			}
		}, false},
		{"wait_before_scraping", `"formats": ["text"], "wait_before_scraping": 3000`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("text_content", said(got.Result.Text), []string{"Tickets for the ferry", "Sold out"}, []string{"has left"})(t)
		}, true},
		{"actions", `"formats": ["text"], "actions": [{"type": "fill_input", "selector": "#to", "value": "Oslo"}, {"type": "click", "selector": "button"}]`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("text_content", said(got.Result.Text), []string{"A ticket to Oslo"}, []string{"has left"})(t)
		}, true},
		{"screen_size", `"formats": ["text"], "screen_size": {"screen_type": "mobile"}`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("text_content", said(got.Result.Text), []string{"Window of 414 by 896"}, nil)(t)
		}, true},
		{"parser", `"parser": "@turnpike/metadata"`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			wants("json_content", said(got.Result.JSON), []string{`"Harbour"`}, []string{"leaves at nine"})(t)
		}, false},
		{"llm_extract", `"llm_extract": {"schema": {"type": "object", "properties": {"title": {"type": "string"}, "captain": {"type": "string"}}}}`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			if want := `{"title":"Harbour","captain":null}`; said(got.Result.JSON) != want {
				t.Errorf("json_content: got %s, want %s", said(got.Result.JSON), want)
			}
		}, false},
		{"metadata", `"metadata": {"trip": "north", "day": 7}`, func(t *testing.T, got *scrapeObject, _ string) {
			t.Helper()
			if got.Metadata["trip"] != "north" || got.Metadata["day"] != "7" || len(got.Metadata) != 2 {
				t.Errorf("metadata: got %v, want what was sent, as strings", got.Metadata)
			}
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, page := s.wallet(t), s.pages.fresh()
			if tc.browser {
				chromiumBinary(t)
				page += "?app"
			}
			body := fmt.Sprintf(`{"url_to_scrape": %q`, page)
			if tc.option != "" {
				body += ", " + tc.option
			}
			answer := call{url: s.edge + "/x402/v1/scrapes", body: body + "}"}.with(w.good(t, 1)...).do(t)
			answer.wantStatus(t, http.StatusOK)
			var got scrapeObject
			answer.json(t, &got)
			tc.check(t, &got, page)
			w.wantSpent(t, scrapeUnits)
		})
	}
}

// TestPaidScrapeIsReadable shows that the result of a payment can be read without a payment and without a key.
func TestPaidScrapeIsReadable(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.wallet(t)
	made := s.paidScrape(s.pages.fresh()).with(w.good(t, 2)...).do(t)
	made.wantStatus(t, http.StatusOK)
	var scrape scrapeObject
	made.json(t, &scrape)
	if !strings.HasPrefix(scrape.ID, "scrape_") || len(scrape.ID) < len("scrape_")+24 || scrape.Object != "scrape" {
		t.Errorf("scrape: got id %q of object %q, want scrape_… of scrape", scrape.ID, scrape.Object)
	}
	if created, err := scrape.Created.Int64(); err != nil || time.Since(time.Unix(created, 0)).Abs() > 5*time.Minute {
		t.Errorf("created: got %s, want now in Unix seconds", scrape.Created)
	}
	for _, path := range []string{"/v1/scrapes/" + scrape.ID, "/v1/retrieve?formats=markdown&retrieve_id=" + scrape.RetrieveID} {
		got := call{method: http.MethodGet, url: s.edge + path}.do(t)
		got.wantStatus(t, http.StatusOK)
		if !strings.Contains(string(got.body), "# Harbour") || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %s as %s, want the page's markdown in JSON", path, got.body, got.header.Get("Content-Type"))
		}
	}
	w.wantSpent(t, scrapeUnits)
}

// TestScrapeByKeyIsReadable reads a scrape with the key that made it.
func TestScrapeByKeyIsReadable(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.purse(t, 5)
	made := s.scrape(s.pages.fresh()).with(p.bearer()...).do(t)
	made.wantStatus(t, http.StatusOK)
	var scrape, read scrapeObject
	made.json(t, &scrape)
	got := call{method: http.MethodGet, url: s.edge + "/v1/scrapes/" + scrape.ID}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	got.json(t, &read)
	if read.ID != scrape.ID || read.URL != scrape.URL || said(read.Result.Markdown) != said(scrape.Result.Markdown) {
		t.Errorf("read again: got %+v, want %+v", read, scrape)
	}
	p.wantSpent(t, 1)
}

// TestNetworkBase shows that the shipped Caddyfile charges on Base in Base's USDC by default.
func TestNetworkBase(t *testing.T) {
	t.Parallel()
	s := setup(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	base, err := chain.Start(ctx, chain.Config{ChainID: chain.BaseMainnet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = base.Close() })
	edge, err := s.startEdgeOn(ctx, "base-edge", s.backend, base, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []int{1, 2} {
		buyer, err := x402client.New(x402client.Config{Client: client, Key: base.Wallet(), Version: version, Networks: []x402.Network{x402.Base()}})
		if err != nil {
			t.Fatal(err)
		}
		before, err := base.Balance(ctx, payTo)
		if err != nil {
			t.Fatal(err)
		}
		body := strings.NewReader(fmt.Sprintf(scrapeOutput, s.pages.fresh()))
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, edge+"/x402/v1/scrapes", body)
		if err != nil {
			t.Fatal(err)
		}
		bought, err := buyer.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, bought.Response.Body)
		bought.Response.Body.Close()
		after, err := base.Balance(ctx, payTo)
		if err != nil {
			t.Fatal(err)
		}
		if bought.Response.StatusCode != http.StatusOK || bought.Network != "eip155:8453" || after-before != scrapeUnits {
			t.Errorf("by version %d: got %d on %s for %d units, want 200 on eip155:8453 for %d",
				version, bought.Response.StatusCode, bought.Network, after-before, scrapeUnits)
		}
	}
}
