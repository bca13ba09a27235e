package notifications_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	team      = "team_a"
	monitor   = "monitor_0q2k5t8c4n6d0f2h7w3v1m9x"
	publicURL = "https://api.example.com"
	ann       = "ann@example.com"
)

// channels are the channels of every monitor of team_a.
type channels struct {
	mu   sync.Mutex
	list []outbox.Channel
}

func (c *channels) Channels(_ context.Context, _ pgx.Tx, teamID, _, _ string) ([]outbox.Channel, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if teamID != team {
		return nil, nil
	}
	return c.list, nil
}

// place is a database with a process that sends notifications.
type place struct {
	*workshop.Outpost

	service  *notifications.Service
	webhooks *webhooks.Service
	channels *channels
}

type options struct {
	url      string // of the database; "": one of the test's own
	channels []outbox.Channel
	mailer   notifications.Mailer
	slack    *receiver
	config   func(*notifications.Config)
	queue    func(*jobs.Queue)
	idle     bool // sends nothing until it is started
	strange  bool // no address has confirmed
}

// quick allows three tries, at least a second apart, since postponed tasks become due that late.
func quick() []time.Duration { return []time.Duration{time.Millisecond, time.Millisecond} }

func setup(t testing.TB, o options) *place {
	t.Helper()
	p := &place{Outpost: workshop.NewOutpost(t, o.url, 16), channels: &channels{list: o.channels}}
	pages := workshop.ThisMachine()
	config := notifications.Config{
		Pool: p.Pool, Tasks: p.Tasks, Audiences: outbox.Audiences{"monitor": p.channels}, Mailer: o.mailer, PublicURL: publicURL,
		MasterSecret: bytes.Repeat([]byte("m"), 32), Schedule: quick(), Gather: time.Nanosecond, Spacing: time.Nanosecond,
		Logger: p.Logger, Now: time.Now,
	}
	if o.slack != nil {
		pages.RootCAs = o.slack.roots()
		config.Targets.SlackHosts = []string{o.slack.Listener.Addr().String()}
	}
	if o.mailer == nil {
		config.Mailer = notifications.LogMailer{Logger: p.Logger}
	}
	client, err := fetch.New(webhooks.FetchConfig(pages))
	must(t, err)
	t.Cleanup(client.Close)
	config.Client = client
	p.webhooks, err = webhooks.New(webhooks.Config{
		Pool: p.Pool, Tasks: p.Tasks, Client: client, MasterSecret: config.MasterSecret, Schedule: quick(), Logger: p.Logger, Now: time.Now,
		Audiences: outbox.Audiences{"monitor": p.channels, "notification": p.channels},
	})
	must(t, err)
	if o.config != nil {
		o.config(&config)
	}
	p.service, err = notifications.New(config)
	must(t, err)
	queue := p.service.Queue()
	if o.queue != nil {
		o.queue(&queue)
	}
	p.Man([]jobs.Queue{queue, p.webhooks.Queue()}, p.webhooks, p.service)
	for _, c := range o.channels {
		if c.Type == outbox.ChannelEmail && !o.strange {
			p.confirm(c.Target)
		}
	}
	if !o.idle {
		p.Start()
	}
	return p
}

// confirm confirms an address for team_a, as its link would.
func (p *place) confirm(target string) {
	p.T.Helper()
	now := time.Now().Truncate(time.Microsecond)
	_, err := db.New(p.Pool).AskConsent(p.T.Context(), db.AskConsentParams{
		TeamID: team, Address: strings.ToLower(target), Now: now, Since: now, AsksMax: 1000,
	})
	must(p.T, err)
	p.follow(http.MethodPost, p.confirmation(target), "action=confirm", http.StatusOK)
}

// confirmation is the confirmation link of an address of team_a that was asked.
func (p *place) confirmation(target string) string {
	p.T.Helper()
	var askedAt time.Time
	must(p.T, p.Pool.QueryRow(p.T.Context(), `select asked_at from mail_consent where team_id = $1 and address = lower($2)`, team, target).Scan(&askedAt))
	return p.service.Confirmation(team, target, askedAt)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// change is the data of a monitor's event.
func change(n int) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("event_of_run_%d", n), "object": "monitor.event", "changed": true,
		"summary": fmt.Sprintf("Price <b>fell</b> & more: 19.99 to %d.49", n), "monitor_id": monitor, "query": "price of the \"Blue\" <kettle>",
		"metadata": map[string]string{"order": "7"},
		"diff": map[string]any{
			"summary": "Price fell", "unified": "--- before\n+++ after\n-19.99\n+18.49\n",
			"changes": []map[string]any{{
				"page": "https://shop.example.com/kettle?a=1&b=2", "kind": "changed", "path": []string{"Kettles", "Price"},
				"before": "€19.99 <s>", "after": fmt.Sprintf("€%d.49 & <!channel>", n),
			}},
		},
	}
}

// tell adds an event of a monitor of team_a: changed, completed or failed.
func (p *place) tell(event string, n int, subject ...string) { p.tellAs(team, event, n, subject...) }

func (p *place) tellAs(teamID, event string, n int, subject ...string) {
	p.T.Helper()
	e := outbox.Event{TeamID: teamID, Type: "monitor." + event, Subject: monitor, Data: change(n)}
	if len(subject) > 0 {
		e.Subject = subject[0]
	}
	p.Tell(e)
}

// post is an HTTP request that was received.
type post struct {
	header http.Header
	raw    []byte
}

// receiver records HTTPS requests and answers as its function says; n is the number of earlier requests.
type receiver struct {
	*httptest.Server

	mu    sync.Mutex
	posts []post
	news  chan struct{}
}

func newReceiver(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *receiver {
	t.Helper()
	r := &receiver{news: make(chan struct{}, 1)}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var body bytes.Buffer
		if _, err := body.ReadFrom(request.Body); err != nil {
			t.Errorf("reading a post: %v", err)
		}
		r.mu.Lock()
		n := len(r.posts)
		r.posts = append(r.posts, post{request.Header.Clone(), body.Bytes()})
		r.mu.Unlock()
		signal(r.news)
		answer(w, request, n)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) got() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]post(nil), r.posts...)
}

// until waits for n posts and returns them.
func (r *receiver) until(t testing.TB, n int) []post {
	t.Helper()
	return await(t, r.news, r.got, n)
}

func signal(news chan struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}

// await waits until there are n items.
func await[T any](t testing.TB, news <-chan struct{}, got func() []T, n int) []T {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		if things := got(); len(things) >= n {
			return things
		}
		select {
		case <-news:
		case <-deadline:
			t.Fatalf("got %d in a minute, want %d", len(got()), n)
		}
	}
}

// ended waits until all messages and webhooks have ended, and their tasks are gone.
func (p *place) ended() {
	p.T.Helper()
	p.Until("all ended", `select not exists (select from event where dispatched_at is null)
		and not exists (select from notification_message where status = 'pending')
		and not exists (select from webhook_delivery where status = 'pending') and not exists (select from task)`)
}

func subscriber(teamID string) *principal.Caller {
	return &principal.Caller{Kind: edgewire.PayerTeam, TeamID: teamID}
}

// call sends a request of a team and decodes the response.
func (p *place) call(teamID, path string, wantStatus int, out any) {
	p.T.Helper()
	mux := http.NewServeMux()
	p.service.Register(humago.New(mux, huma.DefaultConfig("test", "1")))
	request := httptest.NewRequestWithContext(p.T.Context(), http.MethodGet, path, http.NoBody)
	request = request.WithContext(principal.With(request.Context(), subscriber(teamID)))
	response := httptest.NewRecorder()
	mux.ServeHTTP(response, request)
	if response.Code != wantStatus {
		p.T.Fatalf("%s: got %d %s, want %d", path, response.Code, response.Body, wantStatus)
	}
	if out != nil {
		must(p.T, json.NewDecoder(response.Body).Decode(out))
	}
}

type page struct {
	Object string                    `json:"object"`
	Data   []*notifications.Delivery `json:"data"`
	Cursor string                    `json:"cursor"`
}

func (p *place) list(query ...string) []*notifications.Delivery {
	p.T.Helper()
	var got page
	p.call(team, "/v1/notifications/deliveries?limit=100&"+strings.Join(query, "&"), http.StatusOK, &got)
	return got.Data
}

// only returns the only delivery.
func (p *place) only() *notifications.Delivery {
	p.T.Helper()
	got := p.list()
	if len(got) != 1 {
		p.T.Fatalf("got %d deliveries, want one", len(got))
	}
	return got[0]
}

func status(code int) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(code) }
}

func otherSecret(c *notifications.Config) { c.MasterSecret = bytes.Repeat([]byte("n"), 32) }
