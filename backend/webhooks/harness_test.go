package webhooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/backend/outbox"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const team = "team_a"

func migrate(ctx context.Context, url string) error {
	if _, err := jobs.Migrate(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `insert into team (id) values ('team_a'), ('team_b')`)
	return err
}

// quick has the same number of tries as the real schedule.
func quick() []time.Duration {
	waits := make([]time.Duration, len(webhooks.Schedule()))
	for i := range waits {
		waits[i] = time.Millisecond
	}
	return waits
}

// place is a database with a process that delivers.
type place struct {
	t       testing.TB
	url     string
	pool    *pgxpool.Pool
	service *webhooks.Service
	tasks   *tasks
	outbox  *outbox.Dispatcher
}

// tasks are the jobs that are made after the service.
type tasks struct{ *jobs.Jobs }

type options struct {
	url    string // of the database; "": one of the test's own
	fetch  func(*fetch.Config)
	config func(*webhooks.Config)
	queue  func(*jobs.Queue)
	idle   bool // it delivers nothing until it is started
}

func setup(t testing.TB, o options) *place {
	t.Helper()
	p := &place{t: t, url: o.url, tasks: &tasks{}}
	if p.url == "" {
		p.url = pgtest.New(t, migrate)
	}
	p.pool = p.open(24)
	pages := fetch.Config{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true}
	if o.fetch != nil {
		o.fetch(&pages)
	}
	client, err := fetch.New(webhooks.FetchConfig(pages))
	must(t, err)
	t.Cleanup(client.Close)
	logger := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	config := webhooks.Config{
		Pool: p.pool, Tasks: p.tasks, Client: client, MasterSecret: bytes.Repeat([]byte("m"), 32), Schedule: quick(),
		Logger: logger, Now: time.Now,
	}
	if o.config != nil {
		o.config(&config)
	}
	p.service, err = webhooks.New(config)
	must(t, err)
	queue := p.service.Queue()
	if o.queue != nil {
		o.queue(&queue)
	}
	p.tasks.Jobs, err = jobs.New(jobs.Config{
		Pool: p.open(9), Queues: []jobs.Queue{queue}, Grace: 10 * time.Second, Logger: logger, Now: time.Now,
	})
	must(t, err)
	p.outbox, err = outbox.NewDispatcher(outbox.Config{
		Pool: p.pool, Listeners: []outbox.Listener{p.service}, Tick: 50 * time.Millisecond, Logger: logger,
	})
	must(t, err)
	if !o.idle {
		p.start()
	}
	return p
}

func (p *place) open(conns int32) *pgxpool.Pool {
	p.t.Helper()
	pool, err := db.Open(context.Background(), p.url, func(c *pgxpool.Config) { c.MaxConns = conns })
	must(p.t, err)
	p.t.Cleanup(pool.Close)
	return pool
}

// start delivers until the test ends.
func (p *place) start() {
	p.t.Helper()
	must(p.t, p.tasks.Start(context.Background()))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.outbox.Run(ctx)
	}()
	p.t.Cleanup(func() {
		cancel()
		<-done
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := p.tasks.Stop(ctx); err != nil {
			p.t.Errorf("stopping: %v", err)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// data is what the tests' events tell.
type data struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// tell adds an event of a team's batch, with the number n, for an address.
func (p *place) tell(teamID, url string, n int) {
	p.t.Helper()
	e := outbox.Event{
		TeamID: teamID, Type: "batch.completed", Subject: fmt.Sprintf("batch_%d", n), Webhook: url,
		Data: data{n, "<b>é & \u2028</b>"},
	}
	must(p.t, pgx.BeginFunc(context.Background(), p.pool, func(tx pgx.Tx) error { return outbox.Add(context.Background(), tx, e) }))
	p.outbox.Wake()
}

// post is a try as a receiver sees it.
type post struct {
	webhooks.Body

	header http.Header
	raw    []byte
	at     time.Time
}

// receiver keeps what comes and answers as its function says, n being how many came before.
type receiver struct {
	*httptest.Server

	mu    sync.Mutex
	posts []post
	news  chan struct{}
}

func newReceiver(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *receiver {
	t.Helper()
	r := newUnstarted(t, answer)
	r.Start()
	return r
}

func newUnstarted(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *receiver {
	t.Helper()
	r := &receiver{news: make(chan struct{}, 1)}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		n := r.keep(t, request)
		answer(w, request, n)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) keep(t testing.TB, request *http.Request) int {
	t.Helper()
	p := post{header: request.Header.Clone(), at: time.Now()}
	var err error
	if p.raw, err = io.ReadAll(request.Body); err != nil {
		t.Errorf("reading a webhook: %v", err)
	}
	if err := json.Unmarshal(p.raw, &p.Body); err != nil {
		t.Errorf("a webhook's body: got %s, %v, want JSON", p.raw, err)
	}
	if got := request.Method + " " + request.Header.Get("Content-Type"); got != "POST application/json" {
		t.Errorf("got %s, want POST application/json", got)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts = append(r.posts, p)
	select {
	case r.news <- struct{}{}:
	default:
	}
	return len(r.posts) - 1
}

func (r *receiver) nth(n int) post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.posts[n]
}

func (r *receiver) got() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]post(nil), r.posts...)
}

// until waits until n posts came, and returns them.
func (r *receiver) until(t testing.TB, n int) []post {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		if posts := r.got(); len(posts) >= n {
			return posts
		}
		select {
		case <-r.news:
		case <-deadline:
			t.Fatalf("got %d posts in a minute, want %d", len(r.got()), n)
		}
	}
}

// verify holds posts against the secret, by the library that receivers use.
func (p *place) verify(secret string, posts ...post) {
	p.t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	must(p.t, err)
	for i := range posts {
		if err := verifier.VerifyIgnoringTimestamp(posts[i].raw, posts[i].header); err != nil {
			p.t.Errorf("post %d: %v", i, err)
		}
	}
}

func (p *place) secret(teamID string) string {
	p.t.Helper()
	secret, err := p.service.Secret(context.Background(), teamID)
	must(p.t, err)
	return secret
}

func (p *place) count(query string, args ...any) int {
	p.t.Helper()
	var n int
	must(p.t, p.pool.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

func (p *place) exec(statement string, args ...any) {
	p.t.Helper()
	_, err := p.pool.Exec(context.Background(), statement, args...)
	must(p.t, err)
}

// until waits until the database says what a query asks for.
func (p *place) until(what, query string, args ...any) {
	p.t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(2 * time.Minute)
	for {
		var so bool
		must(p.t, p.pool.QueryRow(context.Background(), query, args...).Scan(&so))
		if so {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			p.t.Fatalf("%s: not within two minutes", what)
		}
	}
}

// ended waits until all deliveries have, and nothing is left of their tasks.
func (p *place) ended() {
	p.t.Helper()
	p.until("all deliveries ended", `select not exists (select from event where dispatched_at is null)
		and not exists (select from webhook_delivery where status = 'pending') and not exists (select from task)`)
	if got := p.count(`select count(*) from lane where waiting <> 0 or running <> 0`); got != 0 {
		p.t.Errorf("lanes with something left: got %d, want none", got)
	}
	must(p.t, p.tasks.Recount(context.Background()))
}
