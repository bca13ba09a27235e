package webhooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const team = "team_a"

// quick has the same number of tries as the real schedule.
func quick() []time.Duration {
	waits := make([]time.Duration, len(webhooks.Retries()))
	for i := range waits {
		waits[i] = time.Millisecond
	}
	return waits
}

// place is a database with a process that delivers.
type place struct {
	*workshop.Outpost

	service *webhooks.Service
}

type options struct {
	url    string // of the database; "": one of the test's own
	fetch  func(*fetch.Config)
	config func(*webhooks.Config)
	queue  func(*jobs.Queue)
	idle   bool // it delivers nothing until it is started
}

func setup(t testing.TB, o options) *place {
	t.Helper()
	p := &place{Outpost: workshop.NewOutpost(t, o.url, 24)}
	pages := workshop.ThisMachine()
	if o.fetch != nil {
		o.fetch(&pages)
	}
	client, err := fetch.New(webhooks.FetchConfig(pages))
	must(t, err)
	t.Cleanup(client.Close)
	config := webhooks.Config{
		Pool: p.Pool, Tasks: p.Tasks, Client: client, MasterSecret: bytes.Repeat([]byte("m"), 32), Schedule: quick(),
		Logger: p.Logger, Now: time.Now,
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
	p.Man([]jobs.Queue{queue}, p.service)
	if !o.idle {
		p.Start()
	}
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// data is the data of the tests' events.
type data struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// tell adds an event with the number n of a team's batch, for an address.
func (p *place) tell(teamID, url string, n int) {
	p.T.Helper()
	e := outbox.Event{
		TeamID: teamID, Type: "batch.completed", Subject: fmt.Sprintf("batch_%d", n), Webhook: url,
		Data: data{n, "<b>é & \u2028</b>"},
	}
	p.Tell(e)
}

// post is a try as the receiver sees it.
type post struct {
	webhooks.Body

	header http.Header
	raw    []byte
	at     time.Time
}

// receiver records requests and answers as its function says; n is the number of earlier requests.
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

// until waits for n posts and returns them.
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

// verify checks posts with the secret, using the library that receivers use.
func (p *place) verify(secret string, posts ...post) {
	p.T.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	must(p.T, err)
	for i := range posts {
		if err := verifier.VerifyIgnoringTimestamp(posts[i].raw, posts[i].header); err != nil {
			p.T.Errorf("post %d: %v", i, err)
		}
	}
}

func (p *place) secret(teamID string) string {
	p.T.Helper()
	secret, err := p.service.Secret(context.Background(), teamID)
	must(p.T, err)
	return secret
}

// ended waits until all deliveries have ended, and their tasks are gone.
func (p *place) ended() {
	p.T.Helper()
	p.Until("all deliveries ended", `select not exists (select from event where dispatched_at is null)
		and not exists (select from webhook_delivery where status = 'pending') and not exists (select from task)`)
	if got := p.Count(`select count(*) from lane where waiting <> 0 or running <> 0`); got != 0 {
		p.T.Errorf("lanes with something left: got %d, want none", got)
	}
	must(p.T, p.Tasks.Recount(context.Background()))
}
