package crawls_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// wide is a site whose start page links to n pages.
func wide(n int) map[string][]string {
	var to []string
	for i := range n {
		to = append(to, fmt.Sprintf("/p-%c%c", 'a'+i/26, 'a'+i%26))
	}
	return map[string][]string{"/": to}
}

// through follows cursors until there is none or a response is empty. It returns the pages' URLs and the last cursor.
func (a *apiTest) through(t testing.TB, id string, limit int, query string, cursor *int32) (urls []string, left *int32) {
	t.Helper()
	for {
		text := fmt.Sprintf("?limit=%d%s", limit, query)
		if cursor != nil {
			text += fmt.Sprintf("&cursor=%d", *cursor)
		}
		answer := a.list(t, id, text)
		if len(answer.Pages) > limit {
			t.Fatalf("got %d pages, want %d at most", len(answer.Pages), limit)
		}
		for _, p := range answer.Pages {
			urls = append(urls, p.URL)
		}
		cursor = answer.Cursor
		if cursor == nil || len(answer.Pages) == 0 {
			return urls, cursor
		}
	}
}

// Following the cursor yields each page once and in one order, however many pages are added in between.
func TestPagesAreListedAsTheyCome(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = siteOf(wide(120))
	c := a.crawled(t, `{"start_url":"https://example.com/","max_pages":100}`)
	if empty := a.list(t, c.ID, ""); len(empty.Pages) != 0 || empty.Cursor == nil || *empty.Cursor != 0 || empty.Status != "in_progress" {
		t.Errorf("before anything is there: got %+v, want no page, and the cursor for what comes", empty)
	}
	a.work()
	var seen []string
	cursor := new(int32(0))
	a.Until("all pages seen", func() bool {
		var urls []string
		urls, cursor = a.through(t, c.ID, 7, "", cursor)
		seen = append(seen, urls...)
		return cursor == nil
	})
	if len(seen) != 100 || len(slices.Compact(slices.Sorted(slices.Values(seen)))) != 100 || seen[0] != "https://example.com/" {
		t.Errorf("got %d pages from %s on, want 100, each once", len(seen), seen[0])
	}
	if again, _ := a.through(t, c.ID, 100, "", nil); !slices.Equal(again, seen) {
		t.Error("got another order when it was listed again")
	}
	last := a.list(t, c.ID, "?limit=100")
	if last.Cursor != nil || last.PagesCount != 100 || last.SearchQuery != nil || last.Pages[0].Score != nil {
		t.Errorf("got %+v, want all pages, without scores", last)
	}
	for i, p := range last.Pages {
		if p.ID != "page_"+p.RetrieveID || p.Title == nil || *p.StatusCode != 200 || p.IsExternal || p.Depth != int32(min(i, 1)) {
			t.Fatalf("got page %+v", p)
		}
	}
	a.settled()
}

// relevances sets relevances for the pages of a crawl. Every third page has none.
func (a *apiTest) relevances(t testing.TB, id string) {
	t.Helper()
	_, err := a.Pool.Exec(t.Context(), `update crawl_url set relevance = case when seq % 3 = 0 then null else (seq % 5) * 0.1 end where crawl_id = $1 and state = 'done'`, id)
	workshop.Must(t, err)
}

// When a crawl with a query has ended, its pages are listed by relevance. An earlier cursor keeps its order.
func TestPagesAreSortedByRelevance(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = siteOf(wide(40))
	c := a.crawled(t, `{"start_url":"https://example.com/","max_pages":31,"search_query":"harbour"}`)
	before := a.list(t, c.ID, "")
	apitest.WantRefused(t, a.free(http.MethodGet, "/v1/crawls/"+c.ID+"/pages?cursor=3"), problem.ValidationError, "query.cursor: is not a cursor of this crawl")
	a.work()
	a.untilCompleted(c.ID)
	a.relevances(t, c.ID)
	var byPlace, byRelevance []string
	for order, into := range map[string]*[]string{"seq": &byPlace, "coalesce(-relevance, 2), seq": &byRelevance} {
		rows, err := a.Pool.Query(t.Context(), `select url from crawl_url where crawl_id = $1 and state = 'done' order by `+order, c.ID)
		workshop.Must(t, err)
		for rows.Next() {
			var url string
			workshop.Must(t, rows.Scan(&url))
			*into = append(*into, url)
		}
		workshop.Must(t, rows.Err())
	}
	for _, limit := range []int{1, 2, 7, 30, 31, 100} {
		if got, left := a.through(t, c.ID, limit, "", nil); !slices.Equal(got, byRelevance) || left != nil {
			t.Errorf("limit %d: got %d pages %v, want them by relevance", limit, len(got), got)
		}
	}
	if got, left := a.through(t, c.ID, 4, "", before.Cursor); !slices.Equal(got, byPlace) || left != nil {
		t.Errorf("with the cursor of before: got %v, want them as they came", got)
	}
	first := a.list(t, c.ID, "?limit=1")
	if *first.Cursor%2 != 1 || first.Pages[0].Score == nil {
		t.Errorf("got %+v, want a score and a cursor by relevance", first)
	}
	for _, foreign := range []int{65, 1001, 2147483647} {
		apitest.WantRefused(t, a.free(http.MethodGet, fmt.Sprintf("/v1/crawls/%s/pages?cursor=%d", c.ID, foreign)), problem.ValidationError, "query.cursor: is not a cursor of this crawl")
	}
}

// The list's query finds pages with its words. Pages with the words in the title come first.
func TestPagesAreSearched(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	site := siteOf(map[string][]string{"/": {"/harbour-wall", "/wall", "/ropes", "/harbour/ropes", "/wall-of-harbour"}})
	a.pages.keep = func(ctx context.Context, j *page.Job) (page.Kept, error) {
		k, err := site(ctx, j)
		if k.Title = "Plain"; j.URL == "https://example.com/ropes" {
			k.Title = "The Harbour & its ropes"
		}
		return k, err
	}
	c := a.crawled(t, `{"start_url":"https://example.com/","max_pages":10,"search_query":"other"}`)
	a.work()
	a.untilCompleted(c.ID)
	for query, want := range map[string][]string{
		"harbour":         {"/ropes", "/harbour-wall", "/harbour/ropes", "/wall-of-harbour"},
		"HARBOUR wall":    {"/harbour-wall", "/wall-of-harbour"},
		`"harbour wall"`:  {"/harbour-wall"},
		"ropes -plain":    {"/ropes"},
		"ropes or nobody": {"/ropes", "/harbour/ropes"},
		"nobody":          {},
		"!&|":             {},
	} {
		var first []string
		for _, limit := range []int{100, 1, 3} {
			got, left := a.through(t, c.ID, limit, "&search_query="+url.QueryEscape(query), nil)
			paths := []string{}
			for _, u := range got {
				paths = append(paths, strings.TrimPrefix(u, "https://example.com"))
			}
			if left != nil || len(want) > 0 && slices.Contains(want, "/ropes") && paths[0] != "/ropes" || first != nil && !slices.Equal(paths, first) {
				t.Errorf("%s by %d: got %v, want those with it in the title first, and the order %v", query, limit, paths, first)
			}
			first = slices.Clone(paths)
			if slices.Sort(paths); !slices.Equal(paths, slices.Sorted(slices.Values(want))) {
				t.Errorf("%s by %d: got %v, want %v", query, limit, paths, want)
			}
		}
	}
	list := a.list(t, c.ID, "?search_query=harbour&limit=1")
	if *list.SearchQuery != "harbour" || list.PagesCount != 6 || list.Pages[0].Score == nil || *list.Pages[0].Score <= 0 || *list.Cursor%2 != 1 {
		t.Errorf("got %+v, want the query of the request, and a score", list)
	}
	apitest.WantRefused(t, a.free(http.MethodGet, fmt.Sprintf("/v1/crawls/%s/pages?search_query=ropes&cursor=%d", c.ID, 2*7+1)), problem.ValidationError,
		"query.cursor: is not a cursor of this crawl and search_query")
}

// External pages and failed URLs are listed beside the pages.
func TestWhatIsToldBesidePages(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = siteOf(map[string][]string{"/": {"/a", "/gone/1", "/private/x", "https://other.example/b", "/gone/2"}})
	c := a.crawled(t, `{"start_url":"https://example.com/","max_pages":10,"include_external":true}`)
	a.work()
	a.untilCompleted(c.ID)
	list := a.list(t, c.ID, "")
	slices.SortFunc(list.Metadata.FailedURLs, func(x, y crawls.FailedURL) int { return slices.Compare([]byte(x.URL), []byte(y.URL)) })
	wantJSON(t, list.Metadata, crawls.PagesMetadata{ExternalURLs: []string{"https://other.example/b"}, FailedURLs: []crawls.FailedURL{
		{URL: "https://example.com/gone/1", Reason: "not_found"},
		{URL: "https://example.com/gone/2", Reason: "not_found"},
		{URL: "https://example.com/private/x", Reason: "robots_disallowed"},
	}})
	var external int
	for _, p := range list.Pages {
		if p.IsExternal {
			external++
		}
	}
	if external != 1 || list.PagesCount != 3 {
		t.Errorf("got %+v, want three pages, one of them of another site", list)
	}
}

func TestCrawlsAreListed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	var made []string
	for range 5 {
		made = append(made, a.crawled(t, `{`+start+`}`).ID)
	}
	theirs, err := a.create(a.NewTeam(10), &crawls.Order{StartURL: "https://example.com/", MaxPages: 1}, 1)
	workshop.Must(t, err)
	apitest.Decode[crawls.Crawl](t, a.free(http.MethodDelete, "/v1/crawls/"+made[1]))
	slices.Reverse(made)
	type answer struct {
		Object string
		Data   []crawls.Crawl
		Cursor *string
	}
	read := func(query string) (ids []string) {
		t.Helper()
		for next := ""; ; {
			list := apitest.Decode[answer](t, a.free(http.MethodGet, "/v1/crawls?limit=2"+query+next))
			if list.Object != "list" || len(list.Data) > 2 {
				t.Fatalf("got %+v", list)
			}
			for _, c := range list.Data {
				ids = append(ids, c.ID)
			}
			if list.Cursor == nil {
				return ids
			}
			next = "&cursor=" + *list.Cursor
		}
	}
	if got := read(""); !slices.Equal(got, made) || slices.Contains(got, theirs.ID) {
		t.Errorf("got %v, want %v", got, made)
	}
	if got, want := read("&status=completed"), made[3:4]; !slices.Equal(got, want) {
		t.Errorf("completed: got %v, want %v", got, want)
	}
	if got := read("&status=in_progress"); len(got) != 4 {
		t.Errorf("in progress: got %v, want four", got)
	}
}

// Pages done before a cancellation stay, and the rest of the hold is released. A second cancellation changes nothing.
func TestCrawlIsCanceledOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	release := make(chan struct{})
	site := siteOf(wide(5))
	a.pages.keep = func(ctx context.Context, j *page.Job) (page.Kept, error) {
		if j.URL != "https://example.com/" {
			select {
			case <-release:
			case <-ctx.Done():
				return page.Kept{}, ctx.Err()
			}
		}
		return site(ctx, j)
	}
	c := a.crawled(t, `{"start_url":"https://example.com/","max_pages":6,"webhook":"https://example.com/hook"}`)
	a.work()
	at := "/v1/crawls/" + c.ID
	a.Until("the first page", func() bool { return apitest.Decode[crawls.Crawl](t, a.free(http.MethodGet, at)).PagesCount == 1 })
	first := a.free(http.MethodDelete, at)
	over := apitest.Decode[crawls.Crawl](t, first)
	if over.Status != "completed" || *over.Outcome != "canceled" || over.PagesCount != 1 || *over.CreditsConsumed != 1 || *over.CostUSD != "0.001" {
		t.Errorf("got %+v, want it canceled with the one page", over)
	}
	close(release)
	if again := a.free(http.MethodDelete, at); again.Code != http.StatusOK || again.Body.String() != first.Body.String() {
		t.Errorf("again: got %d %s, want %s", again.Code, again.Body, first.Body)
	}
	if n := a.Count(`select count(*) from event where subject = $1 and type = 'crawl.completed'`, c.ID); n != 1 {
		t.Errorf("got %d events, want one", n)
	}
	if list := a.list(t, c.ID, ""); len(list.Pages) != 1 || list.Cursor != nil {
		t.Errorf("got %+v, want the one page, and no more to come", list)
	}
	a.Until("the rest is given back", func() bool { return a.Count(`select count(*) from task`) == 0 })
	a.Flush()
	a.WantBalance(a.team, 999_999, 0)
}
