package webhooks_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

// deliveries is the number of events in TestCrowd; make deliveries uses ten times as many.
var deliveries = flag.Int("deliveries", 1000, "how many events are delivered to fifty addresses")

const (
	endpoints     = 50
	failingTenths = 3 // of the endpoints fail at first
	hanging       = 5 // of the others hang at first
	teams         = 10
)

type endpointKind int

const (
	kindGood endpointKind = iota
	kindFailing
	kindHanging
)

func kindOf(endpoint int) endpointKind {
	switch failing := endpoints * failingTenths / 10; {
	case endpoint < failing:
		return kindFailing
	case endpoint < failing+hanging:
		return kindHanging
	}
	return kindGood
}

// crowd is fifty endpoints on one server, by path.
type crowd struct {
	*receiver

	t         *testing.T
	secrets   map[string]*standardwebhooks.Webhook // by team
	release   chan struct{}                        // the hanging ones hang until it is closed
	mu        sync.Mutex
	tries     map[string]int // by the event's id
	ids       map[int]string // by the event's number
	taken     map[string]int // 200 responses by event
	hungTaken int
	others    int           // taken events of endpoints that do not hang
	all       int           // expected number of these
	done      chan struct{} // closed when others reaches all
}

func (c *crowd) answer(w http.ResponseWriter, r *http.Request, n int) {
	endpoint, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	p := c.nth(n)
	var d data
	if err := json.Unmarshal(p.Data, &d); err != nil {
		c.t.Errorf("post %d: %v", n, err)
	}
	if err := c.secrets[teamOf(endpoint)].Verify(p.raw, p.header); err != nil {
		c.t.Errorf("post %d: %v", n, err)
	}
	if !c.note(p.ID, d.Number, endpoint) {
		http.Error(w, "not yet", []int{500, 503, 429, 400}[n%4])
		return
	}
	if kindOf(endpoint) == kindHanging {
		select {
		case <-c.release:
		case <-r.Context().Done():
			return
		}
	}
	c.took(p.ID, endpoint)
}

// note reports whether the endpoint accepts the try.
func (c *crowd) note(id string, number, endpoint int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tries[id]++
	if before, ok := c.ids[number]; ok && before != id {
		c.t.Errorf("event %d: got the ids %s and %s, want one", number, before, id)
	}
	c.ids[number] = id
	return kindOf(endpoint) != kindFailing || c.tries[id] > failures(id)
}

func (c *crowd) took(id string, endpoint int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken[id]++
	if kindOf(endpoint) == kindHanging {
		c.hungTaken++
		return
	}
	if c.others++; c.others == c.all {
		close(c.done)
	}
}

// failures is how often an event fails at a failing endpoint: once to three times.
func failures(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return 1 + int(h.Sum32()%3)
}

func teamOf(endpoint int) string { return fmt.Sprintf("team_%d", endpoint%teams) }

// Events go to fifty endpoints, of which fifteen fail at first and five hang. While those hang, all others are
// delivered, and in the end all are.
func TestCrowd(t *testing.T) {
	t.Parallel()
	p := setup(t, options{})
	n := *deliveries
	c := &crowd{
		t: t, secrets: map[string]*standardwebhooks.Webhook{}, release: make(chan struct{}), tries: map[string]int{},
		ids: map[int]string{}, taken: map[string]int{}, done: make(chan struct{}),
	}
	for i := range teams {
		p.Exec(`insert into team (id) values ($1)`, teamOf(i))
		secret, err := standardwebhooks.NewWebhook(p.secret(teamOf(i)))
		must(t, err)
		c.secrets[teamOf(i)] = secret
	}
	for i := range n {
		if kindOf(i%endpoints) != kindHanging {
			c.all++
		}
	}
	c.receiver = newReceiver(t, c.answer)
	began := time.Now()
	p.tellMany(c.URL, n)
	p.Outbox.Wake()
	limit := time.After(10 * time.Minute)
	select {
	case <-c.done:
	case <-limit:
		t.Fatalf("got %d of %d events delivered in ten minutes while %d endpoints hang", c.others, c.all, hanging)
	}
	others := time.Since(began)
	c.mu.Lock()
	if c.hungTaken != 0 {
		t.Errorf("got %d events delivered at endpoints that hang, want none yet", c.hungTaken)
	}
	c.mu.Unlock()
	close(c.release)
	p.ended()
	all := time.Since(began)

	if got := p.Count(`select count(*) from webhook_delivery where status = 'delivered'`); got != n || len(c.taken) != n || len(c.ids) != n {
		t.Errorf("got %d deliveries, %d events and %d ids, want %d of each", got, len(c.taken), len(c.ids), n)
	}
	for id, times := range c.taken {
		if times != 1 {
			t.Errorf("event %s was taken %d times, want once: nothing was lost on the way", id, times)
		}
	}
	tries := p.Count(`select count(*) from webhook_try`)
	if posts := len(c.got()); posts != tries {
		t.Errorf("got %d posts and %d tries in the log, want as many", posts, tries)
	}
	t.Logf("%d events over %d endpoints: %d delivered, one id each; %d tries; %.1f s for the %d at endpoints that do not hang, %.1f s for all",
		n, endpoints, len(c.taken), tries, others.Seconds(), c.all, all.Seconds())
}

// tellMany adds n events, rotating through the endpoints, with many in each transaction.
func (p *place) tellMany(url string, n int) {
	p.T.Helper()
	const atOnce = 500
	for from := 0; from < n; from += atOnce {
		must(p.T, pgx.BeginFunc(context.Background(), p.Pool, func(tx pgx.Tx) error {
			for i := from; i < min(from+atOnce, n); i++ {
				e := outbox.Event{
					TeamID: teamOf(i % endpoints), Type: "batch.completed", Subject: fmt.Sprintf("batch_%d", i),
					Webhook: url + "/" + strconv.Itoa(i%endpoints), Data: data{Number: i},
				}
				if err := outbox.Add(context.Background(), tx, e); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}
