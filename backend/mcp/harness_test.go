package mcp_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	gomaps "maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/mcp"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// features are the features that tools call: each remembers what it was asked for, and does its work once for an identity.
type features struct {
	mu     sync.Mutex
	asked  []any
	pages  map[string]string // content by URL, and by retrieve ID
	made   map[string]bool   // identities
	ended  bool              // the crawl
	listed int32             // pages of the crawl
}

func (f *features) ask(c *principal.Caller, r any) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if again = f.made[c.IdentityID]; !again {
		f.asked = append(f.asked, r)
	}
	f.made[c.IdentityID] = true
	return again
}

func (f *features) last() any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.asked) == 0 {
		return nil
	}
	return f.asked[len(f.asked)-1]
}

func (f *features) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

type scraper struct{ *features }

func (f scraper) Create(_ context.Context, c *principal.Caller, r *scrapes.Request) (*scrapes.Scrape, error) {
	f.ask(c, r)
	content, ok := f.pages[r.URL]
	if !ok {
		return nil, problem.Wrap(problem.FetchFailed, "The page could not be fetched.", context.DeadlineExceeded)
	}
	return &scrapes.Scrape{URL: r.URL, RetrieveID: r.URL, Result: resultOf(content)}, nil
}

func resultOf(content string) scrapes.Result {
	title := "A title"
	return scrapes.Result{Contents: scrapes.Contents{Markdown: &content}, PageMetadata: scrapes.PageMetadata{StatusCode: 200, Title: &title}}
}

func (f scraper) Retrieve(_ context.Context, _ *principal.Caller, id string, _ []page.Format) (*scrapes.Retrieved, error) {
	content, ok := f.pages[id]
	if !ok {
		return nil, problem.New(problem.NotFound, "There is no content with this retrieve_id.")
	}
	return &scrapes.Retrieved{RetrieveID: id, Result: resultOf(content)}, nil
}

type searcher struct{ *features }

func (f searcher) Create(ctx context.Context, c *principal.Caller, r *searches.Request) (*searches.Search, error) {
	f.ask(c, r)
	c.SetCredits(5)
	if r.ScrapeOptions != nil {
		c.SetCredits(7)
	}
	return f.Search(ctx, c, "search_1")
}

func (f searcher) Search(context.Context, *principal.Caller, string) (*searches.Search, error) {
	content := f.pages["long"]
	return &searches.Search{ID: "search_1", Result: searches.Result{Links: []searches.Link{
		{Found: searches.Found{URL: "https://a.example/", Title: "Ferries", Description: "Times of\nferries"}, Markdown: &content},
		{Found: searches.Found{URL: "https://b.example/"}, Error: &searches.LinkError{Code: "fetch_failed", Detail: "It could not be fetched."}},
	}}}, nil
}

type mapper struct{ *features }

func (f mapper) Create(ctx context.Context, c *principal.Caller, r *maps.Request) (*maps.Map, error) {
	f.ask(c, r)
	c.SetCredits(2)
	return f.Map(ctx, c, "map_1", "")
}

func (f mapper) Map(context.Context, *principal.Caller, string, string) (*maps.Map, error) {
	m := &maps.Map{ID: "map_1", URL: "https://a.example/"}
	for i := range 1500 {
		m.URLs = append(m.URLs, "https://a.example/a/page/of/a/site/"+strconv.Itoa(i))
	}
	return m, nil
}

type crawler struct{ *features }

func (f crawler) Start(ctx context.Context, c *principal.Caller, r *crawls.Request) (*crawls.Crawl, error) {
	if again := f.ask(c, r); !again {
		c.Adopt()
	}
	return f.Crawl(ctx, c, "crawl_1")
}

func (f crawler) Crawl(context.Context, *principal.Caller, string) (*crawls.Crawl, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &crawls.Crawl{ID: "crawl_1", Status: crawls.StatusInProgress, StartURL: "https://a.example/", MaxPages: 20, PagesCount: f.listed}
	if f.ended {
		succeeded := "succeeded"
		c.Status, c.Outcome = crawls.StatusCompleted, &succeeded
	}
	f.ended = true // when it is read again
	return c, nil
}

func (f crawler) Pages(_ context.Context, _ *principal.Caller, _ string, after *int32, limit int32) (*crawls.PageList, error) {
	list, first := &crawls.PageList{}, int32(0)
	if after != nil {
		first = *after
	}
	for n := first; n < min(first+limit, f.listed); n++ {
		title := "Page " + strconv.Itoa(int(n))
		list.Pages = append(list.Pages, crawls.Page{RetrieveID: "long", URL: "https://a.example/" + strconv.Itoa(int(n)), Title: &title})
	}
	if next := first + limit; next < f.listed {
		list.Cursor = &next
	}
	return list, nil
}

type batcher struct{ *features }

func (batcher) Batch(context.Context, *principal.Caller, string) (*batches.Batch, error) {
	failed := "failed"
	return &batches.Batch{ID: "batch_1", Status: batches.StatusCompleted, Outcome: &failed, Counts: batches.Counts{TotalURLs: 1, FailedURLs: 1}}, nil
}

func (batcher) Items(context.Context, *principal.Caller, string, int32, int) ([]batches.Item, *int32, error) {
	return []batches.Item{{CustomID: "one", URL: "https://b.example/", Error: &batches.ItemError{Code: "fetch_failed", Detail: "It is gone."}}}, nil, nil
}

type answerer struct{ *features }

func (f answerer) Create(ctx context.Context, c *principal.Caller, r *answers.Request) (*answers.Answer, error) {
	f.ask(c, r)
	return f.Answer(ctx, c, "answer_1")
}

func (answerer) Answer(context.Context, *principal.Caller, string) (*answers.Answer, error) {
	text := `{"berths":"41"}`
	return &answers.Answer{ID: "answer_1", Result: answers.Result{
		JSON: &text, Sources: []string{"https://a.example/"}, Citations: []answers.Citation{{Field: "/berths", URL: "https://a.example/", Quote: "has 41 berths"}},
	}}, nil
}

type watcher struct{ *features }

func (f watcher) Create(_ context.Context, c *principal.Caller, r *monitors.Request, _ bool) (*monitors.Monitor, error) {
	f.ask(c, r)
	return &monitors.Monitor{ID: "monitor_1", Query: r.Query, Status: monitors.StatusProvisioning}, nil
}

func (watcher) List(context.Context, *principal.Caller, monitors.Selection) (*monitors.List, error) {
	return &monitors.List{Monitors: []*monitors.Monitor{{ID: "monitor_1", Query: "the price", Status: monitors.StatusActive}}}, nil
}

func (watcher) Events(context.Context, *principal.Caller, string, string, int32) (*monitors.EventList, error) {
	changed := &monitors.Event{ID: "event_1", Status: monitors.RunCompleted, Changed: true, Summary: "The price fell."}
	return &monitors.EventList{List: paging.Whole([]*monitors.Event{changed})}, nil
}

func (watcher) EventDiff(context.Context, *principal.Caller, string, string) (*monitors.EventDiff, error) {
	return &monitors.EventDiff{Diff: compare.Diff{Unified: "-9\n+8\n"}}, nil
}

func (watcher) Pause(_ context.Context, _ *principal.Caller, id string) (*monitors.Monitor, error) {
	return &monitors.Monitor{ID: id, Status: monitors.StatusPaused}, nil
}

// place is the server behind a double of the edge: it prices, holds, and captures what the server says.
type place struct {
	t   testing.TB
	url string
	*features
	tools *mcp.Service
	book  *price.Book
	api   *apitest.API
	team  string

	lock     sync.Mutex
	payer    edgewire.PayerKind
	header   http.Header // that the edge adds, as a client might
	balance  int64
	held     int64
	captured []int64
	adopted  int
}

const startBalance = 1000

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{t: t, payer: edgewire.PayerTeam, balance: startBalance, header: http.Header{}, features: &features{
		made: map[string]bool{}, listed: 3, pages: map[string]string{"https://a.example/": "# Ferries\n\nThey sail.", "long": strings.Repeat("A line of a long page.\n", 5000)},
	}}
	var err error
	p.tools, err = mcp.New(mcp.Config{
		PublicURL: "https://api.example.com", DocsURL: "https://api.example.com/docs", Logger: slog.New(slog.DiscardHandler),
		Scrapes: scraper{p.features}, Searches: searcher{p.features}, Maps: mapper{p.features}, Crawls: crawler{p.features},
		Batches: batcher{p.features}, Answers: answerer{p.features}, Monitors: watcher{p.features},
		Available: func(context.Context, string) (money.Credits, error) { return money.Credits(p.balance - p.held), nil },
	})
	must(t, err)
	p.book, err = pricebook.New()
	must(t, err)
	pool := pgtest.Open(t, pgtest.New(t, func(ctx context.Context, url string) error { _, err := db.Migrate(ctx, url); return err }), nil)
	p.team = "team_mcp"
	_, err = db.New(pool).CreateTeam(t.Context(), db.CreateTeamParams{ID: p.team, Name: "test"})
	must(t, err)
	p.api = apitest.New(t, api.Config{
		Wallets: accounts.New(db.New(pool), apikey.NewIssuer(pool), time.Now), Idempotency: idempotency.New(db.New(pool), 0), Features: []api.Feature{p.tools},
	})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL + "/mcp"
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ServeHTTP is the edge.
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	id := apitest.Team(p.team, "key_1")
	switch p.payer {
	case edgewire.PayerTeam:
	case edgewire.PayerWallet:
		id = apitest.Payment(id.ID, 0)
	case edgewire.PayerAnonymous:
		id = apitest.Nobody(edgewire.UnitUSDC)
	}
	quote, err := p.book.Price(r.Context(), r, id.Unit)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if id.Max = quote.Amount; p.payer == edgewire.PayerAnonymous {
		id.Max = 0
	}
	sent := p.api.Request(http.MethodPost, "/mcp", string(body), id)
	for _, header := range []http.Header{r.Header, p.header} {
		gomaps.Copy(sent.Header, header)
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.held = quote.Amount
	got := httptest.NewRecorder()
	p.api.Serve(got, sent.WithContext(r.Context()))
	p.held = 0
	cost, err := strconv.ParseInt(got.Header().Get(edgewire.CostHeader), 10, 64)
	if err != nil && got.Code < 300 {
		p.t.Errorf("got cost %q of %s", got.Header().Get(edgewire.CostHeader), body)
	}
	if got.Header().Get(edgewire.AdoptedHeader) != "" {
		p.adopted++
	}
	p.captured = append(p.captured, cost)
	p.balance -= cost
	gomaps.Copy(w.Header(), got.Header())
	w.WriteHeader(got.Code)
	_, _ = w.Write(got.Body.Bytes())
}

// connect returns a client of the protocol's SDK.
func (p *place) connect() *sdk.ClientSession {
	p.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(p.t.Context(), &sdk.StreamableClientTransport{Endpoint: p.url, MaxRetries: -1}, nil)
	must(p.t, err)
	p.t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool, and returns its texts and what the edge captured.
func (p *place) call(session *sdk.ClientSession, tool string, arguments map[string]any) (*sdk.CallToolResult, string, int64) {
	p.t.Helper()
	before := len(p.captured)
	got, err := session.CallTool(p.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		p.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if len(p.captured) != before+1 {
		p.t.Fatalf("got %d requests, want one", len(p.captured)-before)
	}
	return got, textOf(got), p.captured[before]
}

func textOf(r *sdk.CallToolResult) string {
	var texts []string
	for _, content := range r.Content {
		if text, ok := content.(*sdk.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
