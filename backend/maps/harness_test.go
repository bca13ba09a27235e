package maps_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const agent = "TurnpikeBot"

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

// site is a web site, by path. Unknown paths are a 404.
type site struct {
	server *httptest.Server
	mu     sync.Mutex
	hits   map[string]int
	paths  map[string]http.HandlerFunc
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{hits: map[string]int{}, paths: map[string]http.HandlerFunc{}}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits[r.URL.RequestURI()]++
		serve := s.paths[r.URL.Path]
		s.mu.Unlock()
		if serve == nil {
			http.NotFound(w, r)
			return
		}
		serve(w, r)
	}))
	t.Cleanup(s.server.Close)
	return s
}

// has sets the content of a path, in which @ is the site's origin.
func (s *site) has(path, mediaType, body string) *site {
	s.paths[path] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "@", s.server.URL))
	}
	return s
}

func (s *site) hasBytes(path, mediaType string, body []byte) {
	s.paths[path] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(body)
	}
}

func (s *site) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[path]
}

func urlset(locs ...string) string { return listing("urlset", "url", locs) }

func index(locs ...string) string { return listing("sitemapindex", "sitemap", locs) }

func listing(root, element string, locs []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?><%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, root)
	for _, loc := range locs {
		fmt.Fprintf(&b, "<%s><loc>%s</loc></%s>", element, loc, element)
	}
	fmt.Fprintf(&b, "</%s>", root)
	return b.String()
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	must(t, err)
	must(t, w.Close())
	return out.Bytes()
}

// place is a service with its database and blobs.
type place struct {
	t         testing.TB
	pool      *pgxpool.Pool
	blobs     *blob.Store
	service   *maps.Service
	clock     *clocktest.Clock
	team      string
	available money.Credits
}

func newPlace(t testing.TB, change ...func(*maps.Config)) *place {
	t.Helper()
	p := &place{t: t, clock: clocktest.At(time.Now()), available: 1000}
	var err error
	p.pool = pgtest.Open(t, pgtest.New(t, migrate), nil)
	p.blobs, err = blob.Open(t.Context(), "mem://")
	must(t, err)
	client, err := fetch.New(fetch.Config{
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true, RetriesMax: -1,
		WireBytesMax: maps.BodyBytesMax, BodyBytesMax: maps.BodyBytesMax,
	})
	must(t, err)
	robots, err := hostlimits.NewRobots(hostlimits.RobotsConfig{Queries: db.New(p.pool), Fetcher: client, Agent: agent, Now: p.clock.Now})
	must(t, err)
	config := maps.Config{
		Queries: db.New(p.pool), Fetcher: client, Robots: robots, Blobs: p.blobs, Memory: membudget.NewBudget(0), Agent: agent,
		Available: func(context.Context, string) (money.Credits, error) { return p.available, nil },
		Logger:    slog.New(slog.DiscardHandler), Now: p.clock.Now,
	}
	for _, f := range change {
		f(&config)
	}
	p.service, err = maps.New(config)
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
	c := &principal.Caller{Kind: edgewire.PayerWallet, TeamID: p.team, IdentityID: id, HoldID: id, Unit: edgewire.UnitUSDC, Covered: 10000}
	c.SetCost(10000)
	return c
}

func (p *place) make(c *principal.Caller, r maps.Request) *maps.Map {
	p.t.Helper()
	ctx, end := context.WithCancel(p.t.Context()) // as with requests
	defer end()
	m, err := p.service.Create(ctx, c, &r)
	must(p.t, err)
	return m
}

func (p *place) refused(c *principal.Caller, r maps.Request, code problem.Code) *problem.Error {
	p.t.Helper()
	m, err := p.service.Create(p.t.Context(), c, &r)
	if err == nil || problem.From(err).Code != code {
		p.t.Fatalf("got %+v and %v, want %s", m, err, code)
	}
	return problem.From(err)
}

func relative(s *site, urls []string) []string {
	out := make([]string, len(urls))
	for i, u := range urls {
		out[i] = strings.TrimPrefix(u, s.server.URL)
	}
	return out
}
