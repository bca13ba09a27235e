package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// finder is a fake SearXNG: it returns the results that a test has set for a query, and counts the requests.
type finder struct {
	url   string
	asked atomic.Int64

	mu    sync.Mutex
	links map[string][]string
}

func (s *stack) startFinder() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the tests' finder: %w", err)
	}
	s.finder = &finder{url: "http://" + l.Addr().String(), links: map[string][]string{}}
	s.serve(l, http.HandlerFunc(s.finder.search))
	return nil
}

func (f *finder) search(w http.ResponseWriter, r *http.Request) {
	f.asked.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	results := []map[string]string{}
	for _, link := range f.links[r.URL.Query().Get("q")] {
		results = append(results, map[string]string{"url": link, "title": "Harbour", "content": "The ferry leaves at nine."})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"results": results})
}

func (f *finder) finds(query string, links ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.links[query] = links
}

// found holds the fields of a search that tests check.
type found struct {
	ID     string `json:"id"`
	Result struct {
		Links []struct {
			URL        string  `json:"url"`
			RetrieveID *string `json:"retrieve_id"`
			Markdown   *string `json:"markdown_content"`
		} `json:"links"`
	} `json:"result"`
}

// left returns the number of rows that work or charges would create.
func (s *stack) left(t *testing.T, team string) (n int) {
	t.Helper()
	err := s.pool.QueryRow(context.Background(), `select (select count(*) from search where team_id = $1) + (select count(*) from content where team_id = $1)
		+ (select count(*) from scrape where team_id = $1)
		+ (select count(*) from hold h join ledger_account a on a.id = h.account_id where a.team_id = $1)
		+ (select count(*) from ledger_used u join ledger_account a on a.id = u.debit_account where a.team_id = $1)
		+ (select count(*) from ledger_transfer l join ledger_account a on a.id in (l.debit_account, l.credit_account) where a.team_id = $1)`, team).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSearches shows that a search is charged once; that a thousand reads of it query nothing, fetch nothing, store
// nothing and cost nothing; and that it does not exist for another team.
func TestSearches(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner, other := s.purse(t, 20), s.purse(t, 20)
	first, second := s.pages.fresh(), s.pages.fresh()
	query := "ferry " + first[strings.LastIndex(first, "/")+1:]
	s.finder.finds(query, first, second, "http://"+pagesHost+":1/nobody")
	body := fmt.Sprintf(`{"query": %q, "limit": 4, "scrape_options": {"formats": ["markdown"]}}`, query)
	got := call{url: s.edge + "/v1/searches", body: body}.with(owner.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	var search found
	got.json(t, &search)
	if l := search.Result.Links; len(l) != 3 || l[0].Markdown == nil || !strings.Contains(*l[0].Markdown, "leaves at nine") || l[2].Markdown != nil {
		t.Fatalf("got %s, want two pages and one that cannot be had", got.body)
	}
	if used := got.header.Get("X-Credits-Used"); used != "7" {
		t.Errorf("got %s credits used, want 7", used)
	}
	owner.wantSpent(t, 7)
	s.pages.wantFetched(t, first, 1)

	rows, canary := s.left(t, owner.team), s.pages.canary.Load()
	path := s.edge + "/v1/searches/" + search.ID
	for range 1000 {
		again := call{method: http.MethodGet, url: path}.with(owner.bearer()...).do(t)
		if again.status != http.StatusOK || string(again.body) != string(got.body) {
			t.Fatalf("got %d %s, want %s", again.status, again.body, got.body)
		}
	}
	owner.wantSpent(t, 7)
	s.pages.wantFetched(t, first, 1)
	s.pages.wantFetched(t, second, 1)
	if n := s.left(t, owner.team); n != rows || s.pages.canary.Load() != canary {
		t.Errorf("a thousand reads left %d rows, and %d requests elsewhere", n-rows, s.pages.canary.Load()-canary)
	}

	call{method: http.MethodGet, url: path}.with(other.bearer()...).do(t).refused(t, http.StatusNotFound, "search_not_found")
	call{method: http.MethodGet, url: path}.do(t).refused(t, http.StatusUnauthorized, "invalid_api_key")
	call{method: http.MethodGet, url: s.edge + "/v1/retrieve?retrieve_id=" + *search.Result.Links[0].RetrieveID}.with(other.bearer()...).
		do(t).refused(t, http.StatusNotFound, "not_found")
	other.wantUntouched(t)
	poor := s.purse(t, 8)
	call{url: s.edge + "/v1/searches", body: body}.with(poor.bearer()...).do(t).refused(t, http.StatusPaymentRequired, "credits_exhausted")
	poor.wantUntouched(t)
}

// TestRead gets a page as markdown with GET, by key and by payment, for several spellings of its URL, and never unpaid.
func TestRead(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.purse(t, 10)
	get := func(path string, headers ...string) answer {
		return call{method: http.MethodGet, url: s.edge + path}.with(headers...).do(t)
	}
	want := func(got answer, consumed string) {
		t.Helper()
		got.wantStatus(t, http.StatusOK)
		if kind := got.header.Get("Content-Type"); kind != "text/markdown; charset=utf-8" || !strings.Contains(string(got.body), "# Harbour") ||
			got.header.Get("X-Target-Status") != "200" || got.header.Get("X-Credits-Consumed") != consumed || got.header.Get("X-Scrape-Id") == "" {
			t.Errorf("got %v %s, want a page as markdown", got.header, got.body)
		}
	}
	pages := []string{s.pages.fresh(), s.pages.fresh(), s.pages.fresh()}
	want(get("/v1/read/"+pages[0], p.bearer()...), "1")
	want(get("/v1/read/"+strings.Replace(pages[1], "://", ":/", 1), p.bearer()...), "1")
	want(get("/v1/read/"+url.PathEscape(pages[2]), p.bearer()...), "1")
	for _, page := range pages {
		s.pages.wantFetched(t, page, 1)
	}
	get("/v1/read/ftp://example.com/", p.bearer()...).refused(t, http.StatusBadRequest, "validation_error")
	p.wantSpent(t, 3)

	w := s.wallet(t)
	paid := s.pages.fresh()
	want(get("/x402/v1/read/"+paid, w.good(t, 2)...), "0")
	s.pages.wantFetched(t, paid, 1)
	w.wantSpent(t, scrapeUnits)

	// No spelling of the path reads a page without paying.
	unpaid := s.pages.fresh()
	for _, prefix := range []string{
		"/x402/v1/read/", "/x402/v1//read/", "/x402/v1/read//", "/X402/v1/read/", "/x402/v1/READ/", "/x402/v1/%72ead/", "/x402%2fv1/read/",
		"/x402/v1/read/../read/", "/x402/x402/v1/read/", "/x402/v1/read;x/", "/x402//v1/read/", "//x402/v1/read/", "/x402/v1/read/./", "/x402/v1/x/../read/",
		"/v1/read/", "/v1//read/", "/v1/read//", "/V1/read/", "/docs/../v1/read/", "/content/..%2fv1/read/", "/v1/retrieve/../read/", "//v1/read/",
	} {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			for _, page := range []string{unpaid, url.PathEscape(unpaid)} {
				if got := raw(t, s.edge, method+" "+prefix+page); got.status < 400 || got.status >= 500 {
					t.Errorf("%s %s%s: got %d %.200s, want it refused", method, prefix, page, got.status, got.body)
				}
			}
		}
	}
	s.pages.wantFetched(t, unpaid, 0)
}
