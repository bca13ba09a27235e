package schedules_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
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

// secret is the secret of apitest.
var secret = []byte("an identity secret of 32 bytes..")

// place is the schedules service with a database, and a site of one page that calls can scrape.
type place struct {
	*apitest.API

	t       testing.TB
	pool    *pgxpool.Pool
	service *schedules.Service
	clock   *clocktest.Clock
	team    string
	// handler handles the calls: the API, unless a test sets another.
	handler atomic.Pointer[http.Handler]
	site    *httptest.Server
	hits    atomic.Int64
}

func newPlace(t testing.TB, change ...func(*schedules.Config)) *place {
	t.Helper()
	p := &place{t: t, clock: clocktest.At(time.Now().UTC().Truncate(time.Second))}
	p.pool = pgtest.Open(t, pgtest.New(t, migrate), nil)
	p.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.hits.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<html><title>A page</title><p>Hello, hello, this is a page with a paragraph.</p></html>")
	}))
	t.Cleanup(p.site.Close)
	book, err := pricebook.New()
	must(t, err)
	signer, err := edgewire.NewSigner(secret, "backend", time.Now)
	must(t, err)
	config := schedules.Config{
		Pool: p.pool, Book: book, Signer: signer, API: func() http.Handler { return *p.handler.Load() },
		Logger: slog.New(slog.DiscardHandler), Now: p.clock.Now,
	}
	for _, f := range change {
		f(&config)
	}
	p.service, err = schedules.New(config)
	must(t, err)
	p.API = apitest.New(t, api.Config{
		Wallets:     accounts.New(db.New(p.pool), apikey.NewIssuer(p.pool), time.Now),
		Idempotency: idempotency.New(db.New(p.pool), 0),
		Features:    []api.Feature{p.service, p.scrapes()},
	})
	p.calls(p.API.Handler())
	p.team = p.newTeam(100)
	return p
}

func (p *place) scrapes() *scrapes.Service {
	p.t.Helper()
	blobs, err := blob.Open(p.t.Context(), "mem://")
	must(p.t, err)
	client, err := fetch.New(fetch.Config{
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true, RetriesMax: -1,
	})
	must(p.t, err)
	p.t.Cleanup(client.Close)
	urls, err := blob.NewSigner(blob.SignerConfig{Secret: bytes.Repeat([]byte("s"), 32), BaseURL: "https://api.example.com", Now: p.clock.Now})
	must(p.t, err)
	book, err := pricebook.New()
	must(p.t, err)
	service, err := scrapes.New(scrapes.Config{
		Queries: db.New(p.pool), Fetcher: client, Blobs: blobs, Book: book, Signer: urls, Memory: membudget.NewBudget(0),
		Logger: slog.New(slog.DiscardHandler), Now: p.clock.Now,
	})
	must(p.t, err)
	return service
}

// calls sets the handler of calls.
func (p *place) calls(handler http.Handler) { p.handler.Store(&handler) }

// answers makes all calls get the same response, and counts them.
func (p *place) answers(status int, headers ...string) *atomic.Int64 {
	var n atomic.Int64
	p.calls(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"id":"made_%d","code":"some_code","detail":"some detail"}`, n.Load())
	}))
	return &n
}

func (p *place) newTeam(balance money.Credits) string {
	p.t.Helper()
	ctx := context.Background()
	id := "team_" + uuid.NewString()
	_, err := db.New(p.pool).CreateTeam(ctx, db.CreateTeamParams{ID: id})
	must(p.t, err)
	if balance > 0 {
		_, err = credits.NewLedger(p.pool).Grant(ctx, credits.Grant{TeamID: id, Amount: balance, Source: credits.SourcePromo, Key: id})
		must(p.t, err)
	}
	return id
}

// wantBalance checks a team's balance, and that nothing is held.
func (p *place) wantBalance(team string, want money.Credits) {
	p.t.Helper()
	b, err := credits.NewLedger(p.pool).Balance(context.Background(), team)
	must(p.t, err)
	if b.Balance != want || b.Held != 0 {
		p.t.Errorf("got a balance of %d, %d of it held, want %d, 0", b.Balance, b.Held, want)
	}
}

func (p *place) as(team string) edgewire.Identity { return apitest.Team(team, "key_1") }

// one is the response of routes for one schedule.
type one struct {
	Schedule schedules.Schedule `json:"schedule"`
}

// makes creates a schedule over HTTP.
func (p *place) makes(body string, args ...any) schedules.Schedule {
	p.t.Helper()
	return apitest.Decode[one](p.t, p.Send(http.MethodPost, "/v1/schedules", fmt.Sprintf(body, args...), p.as(p.team))).Schedule
}

func (p *place) reads(id string) schedules.Schedule {
	p.t.Helper()
	return apitest.Decode[one](p.t, p.Send(http.MethodGet, "/v1/schedules/"+id, "", p.as(p.team))).Schedule
}

// hourly creates a schedule of scrapes that is due at each full hour.
func (p *place) hourly() schedules.Schedule {
	p.t.Helper()
	return p.makes(`{"method":"POST","endpoint":"v1/scrapes","payload":{"url_to_scrape":"%s/page"},"cron_expression":"0 * * * *"}`, p.site.URL)
}

// until moves the clock to a time at which a schedule is due.
func (p *place) until(at *time.Time) {
	p.t.Helper()
	if at == nil {
		p.t.Fatal("the schedule is not due any more")
		return
	}
	p.clock.Advance(at.Sub(p.clock.Now()))
}

// claims takes what is due.
func (p *place) claims(claimed, enqueued int) {
	p.t.Helper()
	a, b, err := p.service.Claim(context.Background(), 1000)
	must(p.t, err)
	if a != claimed || b != enqueued {
		p.t.Fatalf("got %d claimed and %d enqueued, want %d and %d", a, b, claimed, enqueued)
	}
}

// works makes the calls that are ready now.
func (p *place) works(want int) {
	p.t.Helper()
	rows, err := p.service.Take(context.Background())
	must(p.t, err)
	if len(rows) != want {
		p.t.Fatalf("got %d runs, want %d", len(rows), want)
	}
	must(p.t, p.service.Make(context.Background(), rows))
}
