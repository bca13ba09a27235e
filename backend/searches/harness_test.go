package searches_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// site is a web site, by path. Unknown paths are a 404; a body of hangs blocks until the test ends.
type site struct {
	server *httptest.Server
	mu     sync.Mutex
	paths  map[string]string
	hits   int
	over   chan struct{}
}

const hangs = "hangs"

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{paths: map[string]string{}, over: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits++
		text, ok := s.paths[r.URL.Path]
		s.mu.Unlock()
		switch {
		case !ok:
			http.NotFound(w, r)
		case text == hangs:
			<-s.over
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, text)
		}
	}))
	t.Cleanup(func() {
		close(s.over)
		s.server.Close()
	})
	return s
}

func (s *site) has(path, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[path] = text
	return s.server.URL + path
}

func (s *site) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits
}

// index is a searcher with a fixed list of results.
type index struct {
	mu      sync.Mutex
	results []websearch.Result
	err     error
	asked   []websearch.Query
	gate    chan struct{} // if not nil, searches wait for it
}

func (x *index) Search(ctx context.Context, q websearch.Query) ([]websearch.Result, error) {
	x.mu.Lock()
	x.asked = append(x.asked, q)
	results, err, gate := x.results, x.err, x.gate
	x.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return results, err
}

func (x *index) finds(urls ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err, x.results = nil, nil
	for _, u := range urls {
		x.results = append(x.results, websearch.Result{URL: u, Title: "Title of " + u, Snippet: "About " + u, Provider: "index"})
	}
}

func (x *index) fails(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err = err
}

func (x *index) queries() []websearch.Query {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asked
}

// place is a service with its database, blobs and scrapes.
type place struct {
	t       testing.TB
	pool    *pgxpool.Pool
	blobs   *blob.Store
	urls    *blob.Signer
	scrapes *scrapes.Service
	service *searches.Service
	index   *index
	clock   *clocktest.Clock
	team    string
}

func newPlace(t testing.TB, change ...func(*searches.Config)) *place {
	t.Helper()
	p := &place{t: t, clock: clocktest.At(time.Now()), index: &index{}}
	var err error
	p.pool = pgtest.Open(t, pgtest.New(t, migrate), nil)
	p.blobs, err = blob.Open(t.Context(), "mem://")
	must(t, err)
	client, err := fetch.New(fetch.Config{
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true, RetriesMax: -1,
	})
	must(t, err)
	t.Cleanup(client.Close)
	p.urls, err = blob.NewSigner(blob.SignerConfig{Secret: bytes.Repeat([]byte("s"), 32), BaseURL: "https://api.example.com", Now: p.clock.Now})
	must(t, err)
	book, err := pricebook.New()
	must(t, err)
	logger := slog.New(slog.DiscardHandler)
	p.scrapes, err = scrapes.New(scrapes.Config{
		Queries: db.New(p.pool), Fetcher: client, Blobs: p.blobs, Book: book, Signer: p.urls, Memory: membudget.NewBudget(0),
		Logger: logger, Now: p.clock.Now,
	})
	must(t, err)
	config := searches.Config{
		Queries: db.New(p.pool), Searcher: p.index, Pages: p.scrapes.Engine(), Contents: p.scrapes, Blobs: p.blobs, Signer: p.urls, Book: book,
		Logger: logger, Now: p.clock.Now,
	}
	for _, f := range change {
		f(&config)
	}
	p.service, err = searches.New(config)
	must(t, err)
	p.team = p.newTeam()
	return p
}

func (p *place) newTeam() string {
	p.t.Helper()
	id := "team_" + uuid.NewString()
	_, err := db.New(p.pool).CreateTeam(context.Background(), db.CreateTeamParams{ID: id})
	must(p.t, err)
	return id
}

// subscriber is a principal with a hold of an amount.
func (p *place) subscriber(amount money.Credits) *principal.Caller {
	id := uuid.NewString()
	c := &principal.Caller{
		Kind: edgewire.PayerTeam, TeamID: p.team, IdentityID: id, HoldID: id, Unit: edgewire.UnitCredit, Credits: amount, Covered: int64(amount),
	}
	c.SetCost(int64(amount))
	return c
}

func (p *place) wallet() *principal.Caller {
	id := uuid.NewString()
	c := &principal.Caller{Kind: edgewire.PayerWallet, TeamID: p.team, IdentityID: id, HoldID: id, Unit: edgewire.UnitUSDC, Covered: 30000}
	c.SetCost(30000)
	return c
}

func (p *place) search(c *principal.Caller, r searches.Request) *searches.Search {
	p.t.Helper()
	s, err := p.service.Create(p.t.Context(), c, &r)
	must(p.t, err)
	return s
}

func (p *place) refused(c *principal.Caller, r searches.Request, code problem.Code) *problem.Error {
	p.t.Helper()
	s, err := p.service.Create(p.t.Context(), c, &r)
	if err == nil || problem.From(err).Code != code {
		p.t.Fatalf("got %+v and %v, want %s", s, err, code)
	}
	return problem.From(err)
}

// count returns the number that a query returns.
func (p *place) count(query string, args ...any) (n int) {
	p.t.Helper()
	must(p.t, p.pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

// rows counts the rows of everything that costs, and of everything that a search or scrape stores.
func (p *place) rows() int {
	return p.count(`select (select count(*) from ledger_transfer) + (select count(*) from ledger_usage) + (select count(*) from hold)
		+ (select count(*) from search) + (select count(*) from content) + (select count(*) from scrape)`)
}

// all scrapes every link.
func all(timeout int, formats ...string) *searches.ScrapeOptions {
	return &searches.ScrapeOptions{Formats: formats, Timeout: &timeout}
}
