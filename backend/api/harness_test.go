package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/files"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

func TestMain(m *testing.M) {
	if parsers.IsWorker() {
		os.Exit(parsers.Work())
	}
	pgtest.Main(m, stopBrowser)
}

const (
	publicURL = "https://api.example.com"
	audience  = "backend"
	walletA   = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	network   = "eip155:84532"
)

var identitySecret = []byte("an identity secret of 32 bytes..")

type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// service is the backend with everything real except its targets.
type service struct {
	t       *testing.T
	api     *api.Server
	scrapes *scrapes.Service
	parsers *parsers.Service
	files   *files.Service
	signer  *edgewire.Signer
	queries *db.Queries
	pool    *pgxpool.Pool
	blobs   *blob.Store
	urls    *blob.Signer
	where   string // of the content
	clock   *clocktest.Clock
	log     *logBuffer
	team    string
}

type options struct {
	database string                // address; "": one of the test's own
	pool     func(*pgxpool.Config) // changes how it is opened
	scrapes  func(*scrapes.Config)
	blobs    string // of the content: a directory or a URL; "": in memory
	files    func(*files.Config)
	features []api.Feature
	ready    []api.Check
	api      func(*api.Config)
	guarded  bool // the fetcher refuses loopback, as in production
}

func setup(t *testing.T, o options) *service {
	t.Helper()
	ctx := t.Context()
	s := &service{t: t, clock: clocktest.At(time.Now().Truncate(time.Microsecond)), log: &logBuffer{}}
	if o.database == "" {
		o.database = pgtest.New(t, migrate)
	}
	pool := pgtest.Open(t, o.database, o.pool)
	s.pool, s.queries = pool, db.New(pool)
	s.team = s.newTeam()

	fetchConfig := fetch.Config{}
	if !o.guarded {
		fetchConfig.AllowPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		fetchConfig.AllowAnyPort = true
	}
	fetcher, err := fetch.New(fetchConfig)
	must(t, err)
	t.Cleanup(fetcher.Close)
	s.where = cmp.Or(o.blobs, "mem://")
	s.blobs, err = blob.Open(ctx, s.where)
	must(t, err)
	t.Cleanup(func() { _ = s.blobs.Close() })
	urls, err := blob.NewSigner(blob.SignerConfig{Secret: bytes.Repeat([]byte("s"), 32), BaseURL: publicURL, Now: s.clock.Now})
	must(t, err)
	s.urls = urls
	logger := slog.New(slog.NewTextHandler(s.log, nil))
	pages := membudget.NewBudget(0)
	book, err := pricebook.New()
	must(t, err)
	config := scrapes.Config{Memory: pages, Book: book, Queries: s.queries, Fetcher: fetcher, Blobs: s.blobs, Signer: urls, Logger: logger, Now: s.clock.Now}
	if o.scrapes != nil {
		o.scrapes(&config)
	}
	s.scrapes, err = scrapes.New(config)
	must(t, err)
	s.parsers, err = parsers.New(parsers.Config{Queries: s.queries, Pages: s.scrapes, Memory: pages, Logger: logger, Now: s.clock.Now})
	must(t, err)
	t.Cleanup(s.parsers.Close)
	filesConfig := files.Config{Queries: s.queries, Blobs: s.blobs, Signer: urls, Logger: logger, Now: s.clock.Now}
	if o.files != nil {
		o.files(&filesConfig)
	}
	s.files, err = files.New(filesConfig)
	must(t, err)
	s.signer, err = edgewire.NewSigner(identitySecret, audience, s.clock.Now)
	must(t, err)
	verifier, err := edgewire.NewVerifier(identitySecret, audience, s.clock.Now)
	must(t, err)
	teams := accounts.New(s.queries, apikey.NewIssuer(s.pool), s.clock.Now)
	apiConfig := api.Config{
		PublicURL: publicURL, Verifier: verifier, Wallets: teams, Book: book, Idempotency: idempotency.New(s.queries, 0), Logger: logger, Now: s.clock.Now,
		Features: append([]api.Feature{s.scrapes, s.parsers, s.files, teams}, o.features...), Ready: o.ready,
		Content: func(api *api.Server) http.Handler {
			return s.files.Content(blob.Handler(s.blobs, urls, api.ContentFailed), api.ContentFailed)
		},
	}
	if o.api != nil {
		o.api(&apiConfig)
	}
	s.api, err = api.New(apiConfig)
	must(t, err)
	return s
}

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *service) newTeam() string {
	s.t.Helper()
	id := "team_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	_, err := s.queries.CreateTeam(s.t.Context(), db.CreateTeamParams{ID: id, Name: "test"})
	must(s.t, err)
	return id
}

// call is one request as the edge passes it on.
type call struct {
	method, uri string // the URI as the client sent it
	body        string
	identity    *edgewire.Identity // nil: none; else Method, URI and body digest are filled in where empty
	signer      *edgewire.Signer   // nil: the edge's
	header      http.Header
}

func (s *service) do(c call) *httptest.ResponseRecorder {
	s.t.Helper()
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	r := httptest.NewRequest(c.method, strings.TrimPrefix(c.uri, "/x402"), body)
	maps.Copy(r.Header, c.header)
	if c.identity != nil {
		id := *c.identity
		if id.Method == "" {
			id.Method = c.method
		}
		if id.URI == "" {
			id.URI = c.uri
		}
		if id.BodySHA256 == "" && c.body != "" {
			id.BodySHA256 = edgewire.HashBody([]byte(c.body))
		}
		signer := s.signer
		if c.signer != nil {
			signer = c.signer
		}
		token, err := signer.Sign(&id)
		must(s.t, err)
		r.Header.Set(edgewire.IdentityHeader, token)
	}
	w := httptest.NewRecorder()
	s.passed(c.identity, w, r)
	return w
}

func teamPays(team string, credits int64) *edgewire.Identity {
	return &edgewire.Identity{
		ID: newHoldID(), Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: team, KeyID: "key_1"},
		Unit: edgewire.UnitCredit, Max: credits,
	}
}

func walletPays(address string, units int64) *edgewire.Identity {
	return &edgewire.Identity{
		ID: uuid.NewString(), Payer: edgewire.Payer{Kind: edgewire.PayerWallet, Network: network, Address: address},
		Unit: edgewire.UnitUSDC, Max: units,
	}
}

func nobody() *edgewire.Identity {
	return &edgewire.Identity{Payer: edgewire.Payer{Kind: edgewire.PayerAnonymous}}
}

func (s *service) scrape(id *edgewire.Identity, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	uri := "/v1/scrapes"
	if id.Unit == edgewire.UnitUSDC {
		uri = "/x402" + uri
	}
	return s.do(call{method: http.MethodPost, uri: uri, body: body, identity: id})
}

func (s *service) get(id *edgewire.Identity, uri string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(call{method: http.MethodGet, uri: uri, identity: id})
}

func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil {
		t.Fatalf("decoding %d %s: %v", w.Code, w.Body, err)
	}
	return value
}

// wantError checks that a response has the standard error form.
func wantError(t *testing.T, w *httptest.ResponseRecorder, code problem.Code) problem.Object {
	t.Helper()
	kind := code.Kind()
	if w.Code != kind.Status {
		t.Fatalf("got status %d (%s), want %d", w.Code, w.Body, kind.Status)
	}
	e := decoded[problem.Object](t, w)
	want := problem.Object{
		ID: e.ID, Object: "error", Code: code, Type: publicURL + "/docs/api-reference/errors/" + kind.Slug, Status: kind.Status,
		Title: kind.Title, Detail: e.Detail, Created: e.Created, Metadata: e.Metadata,
	}
	if fmt.Sprint(e) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", e, want)
	}
	if !strings.HasPrefix(e.ID, "error_") || e.Detail == "" || e.Created == 0 || e.Metadata == nil {
		t.Errorf("got an incomplete error %+v", e)
	}
	wantCost(t, w, "0")
	return e
}

func wantCost(t *testing.T, w *httptest.ResponseRecorder, want string) {
	t.Helper()
	if got := w.Header().Get(edgewire.CostHeader); got != want {
		t.Errorf("got cost %q, want %q", got, want)
	}
}

func wantStatus(t *testing.T, w *httptest.ResponseRecorder, want int) {
	t.Helper()
	if w.Code != want {
		t.Fatalf("got status %d (%s), want %d", w.Code, w.Body, want)
	}
}

// target is a website.
type target struct {
	*httptest.Server

	hits atomic.Int64
}

const page = `<!doctype html><html lang="en"><head><title>A page</title><meta name="description" content="About it">
<link rel="canonical" href="/canonical"></head><body><nav><a href="/nav">Menu</a></nav>
<h1>Hello</h1><p class="ad">Buy</p><p>World <a href="/blog/one?x=1">first post</a> <a href="https://other.example/z">elsewhere</a></p>
<img src="/i.png" alt="pic"></body></html>`

func newTarget(t *testing.T, handler http.HandlerFunc) *target {
	t.Helper()
	s := &target{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, page)
}

func bodyFor(url string, more ...string) string {
	return `{"url_to_scrape":"` + url + `"` + strings.Join(append([]string{""}, more...), ",") + `}`
}

// refusing is the address of a host that refuses connections.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	return "http://" + address + "/"
}

// faulty is a feature whose operations fail.
type faulty struct{}

func (faulty) Register(api huma.API) {
	register := func(path string, handler func(context.Context, *struct{}) (*struct{ Body string }, error)) {
		huma.Register(api, huma.Operation{
			OperationID: "fault" + path, Method: http.MethodGet, Path: "/test" + path, Metadata: principal.Public.Metadata(),
		}, handler)
	}
	register("/panic", func(context.Context, *struct{}) (*struct{ Body string }, error) { panic("the secret inner text") })
	register("/error", func(context.Context, *struct{}) (*struct{ Body string }, error) {
		return nil, fmt.Errorf("the secret inner text")
	})
	register("/busy", func(context.Context, *struct{}) (*struct{ Body string }, error) {
		e := problem.New(problem.Overloaded, "busy")
		e.RetryAfter = 1500 * time.Millisecond
		return nil, fmt.Errorf("wrapped: %w", e)
	})
}
