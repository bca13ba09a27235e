package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const replayHeader = "Idempotent-Replayed"

// TestEveryPostIsOnce shows for every POST of the backend that many requests with one Idempotency-Key do the work once at
// one price, and that a repeated request gets the same response for free. The routes come from the route table.
func TestEveryPostIsOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, r := range s.operations(t) {
		if r.Method != http.MethodPost || !r.Replays {
			if r.Method == http.MethodPost {
				t.Errorf("%s takes no Idempotency-Key: say here why", r.Path)
			}
			continue
		}
		if strings.HasPrefix(r.Path, "/v1/monitors") {
			continue // their refusals have their own form and their creation is a 202; the tests of backend/monitors cover them
		}
		route := r.Method + " " + r.Path
		row, ok := postRows[route]
		if !ok {
			t.Errorf("%s has no row in postRows", route)
			continue
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			row.play(t, s)
		})
	}
}

func (row postRow) play(t *testing.T, s *stack) {
	t.Helper()
	const crowd, later = 16, 4
	p := s.purse(t, 100*(crowd+later)) // the most that all may cost, since holds of earlier requests may still exist when the last is sent
	path, body := row.make(t, s, p)
	c := call{url: s.edge + path, body: body}.with(append(p.bearer(), "Idempotency-Key", "once")...)
	first := row.crowd(t, c, crowd)
	first.wantStatus(t, http.StatusOK)

	replay := c.do(t)
	replay.wantStatus(t, http.StatusOK)
	if !bytes.Equal(replay.body, row.public(t, first)) {
		t.Errorf("replay: got %s, want %s", replay.body, first.body)
	}
	replay.wantReplayed(t)

	for _, other := range []call{c.at("?x=1"), c.saying(body + " ")} {
		if body == "" && other.body != "" {
			continue // only one of the two requests would have a body
		}
		other.do(t).refused(t, http.StatusUnprocessableEntity, "idempotency_key_reuse", "same body")
	}
	c.headers[len(c.headers)-1] = "a b"
	c.do(t).refused(t, http.StatusBadRequest, "validation_error", "Idempotency-Key", "visible ASCII")

	var works int
	if err := s.pool.QueryRow(t.Context(), row.works, p.team).Scan(&works); err != nil || works != 1 {
		t.Errorf("got %d works, %v, want 1", works, err)
	}
	p.wantSpent(t, money.Credits(row.cost))
}

func (c call) at(more string) call {
	c.url += more
	return c
}

func (c call) saying(body string) call {
	c.body = body
	return c
}

// crowd sends n requests at once, and returns the only first response.
func (row postRow) crowd(t *testing.T, c call, n int) answer {
	t.Helper()
	answers := make([]answer, n)
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { answers[i], errs[i] = c.try(t.Context()) })
	}
	all.Wait()
	var first []answer
	for i, got := range answers {
		switch {
		case errs[i] != nil:
			t.Fatal(errs[i])
		case got.status == http.StatusConflict:
			got.refused(t, http.StatusConflict, "idempotency_key_in_progress")
			if got.header.Get("Retry-After") == "" {
				t.Errorf("got no Retry-After with %s", got.body)
			}
		case got.header.Get(replayHeader) != "":
			got.wantStatus(t, http.StatusOK)
			got.wantReplayed(t)
		default:
			first = append(first, got)
		}
	}
	if len(first) != 1 {
		t.Fatalf("got %d first answers, want 1: %v", len(first), first)
	}
	return first[0]
}

func (a answer) wantReplayed(t *testing.T) {
	t.Helper()
	if got, used := a.header.Get(replayHeader), a.header.Get("X-Credits-Used"); got != "true" || used != "0" && used != "" {
		t.Errorf("%s: got %s %q and %q credits used, want true and none", a.url, replayHeader, got, used)
	}
}

// public returns the body without its secret, which must be there.
func (row postRow) public(t *testing.T, a answer) []byte {
	t.Helper()
	if row.secret == "" {
		return a.body
	}
	var object map[string]json.RawMessage
	a.json(t, &object)
	secret := object[row.secret]
	if len(secret) < 20 {
		t.Fatalf("got %s, want a secret %s in it", a.body, row.secret)
	}
	return bytes.Replace(a.body, secret, []byte("null"), 1)
}

// TestWalletRepeatsAKey shows that a wallet that repeats a key pays once, with whichever payment.
func TestWalletRepeatsAKey(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w, page := s.wallet(t), s.pages.fresh()
	send := func() answer {
		return s.paidScrape(page).with(append(w.good(t, 2), "Idempotency-Key", `"once"`)...).do(t)
	}
	first := send()
	first.wantStatus(t, http.StatusOK)
	again := send()
	again.wantStatus(t, http.StatusOK)
	again.wantReplayed(t)
	again.wantNoReceipt(t)
	if !bytes.Equal(again.body, first.body) {
		t.Errorf("got %s, want %s", again.body, first.body)
	}
	w.wantSpent(t, scrapeUnits)
	w.wantStates(t, "released", "settled")
	s.pages.wantFetched(t, page, 1)
	// The key belongs to this wallet: another wallet's request is new.
	other := s.wallet(t)
	got := s.paidScrape(page).with(append(other.good(t, 1), "Idempotency-Key", "once")...).do(t)
	got.wantStatus(t, http.StatusOK)
	other.wantSpent(t, scrapeUnits)
	s.pages.wantFetched(t, page, 2)
}

const (
	keepers     = 8  // teams that send requests at once
	keeperWorks = 10 // of each kind, one after the other
	backendDies = 6
)

// TestKeysThroughKills kills the backend again and again, while teams create keys and files with requests that they
// repeat until they succeed. In the end each team has exactly what it asked for.
func TestKeysThroughKills(t *testing.T) {
	t.Parallel()
	s := setup(t).withDatabase(t)
	backend := newMortal(t, s)
	edge, err := s.startEdge(t.Context(), backend.url)
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	var all sync.WaitGroup
	purses := make([]*purse, keepers)
	for i := range purses {
		p := s.purse(t, 0)
		purses[i] = p
		all.Go(func() {
			for n := range keeperWorks {
				for path, body := range map[string]string{
					"/user/keys": `{"name": "key %d"}`, "/v1/files": `{"filename": "%d.json"}`,
				} {
					c := call{url: edge + path, body: fmt.Sprintf(body, n)}.with(append(p.bearer(), "Idempotency-Key", fmt.Sprintf("work-%d", n))...)
					insist(t, c, &sent)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	kills := backend.dieNowAndThen(&sent, ended)
	<-ended
	t.Logf("%d requests for %d works, %d kills", sent.Load(), 2*keepers*keeperWorks, kills)
	if kills == 0 {
		t.Error("the backend was not killed once")
	}
	for _, p := range purses {
		for what, query := range map[string]string{
			"keys":  `select count(*), count(distinct name) from api_key where team_id = $1 and name like 'key %'`,
			"files": `select count(*), count(distinct filename) from file where team_id = $1`,
		} {
			var rows, names int
			if err := s.pool.QueryRow(t.Context(), query, p.team).Scan(&rows, &names); err != nil || rows != keeperWorks || names != keeperWorks {
				t.Errorf("%s of %s: got %d with %d names, %v, want %d", what, p.team, rows, names, err, keeperWorks)
			}
		}
	}
}

// insist sends a request until it gets 200. After a 409 it waits longer: the lock of a request whose backend was killed
// is kept for up to a minute, and the team may send 300 requests in that time.
func insist(t *testing.T, c call, sent *atomic.Int64) {
	t.Helper()
	for {
		pause := 20 * time.Millisecond
		sent.Add(1)
		got, err := c.try(t.Context())
		switch {
		case err == nil && got.status == http.StatusOK:
			return
		case err == nil && got.status < http.StatusInternalServerError && got.status != http.StatusConflict:
			t.Errorf("%s: got %d %s, want 200, 409 or 5xx", c.url, got.status, got.body)
			return
		case err == nil && got.status == http.StatusConflict:
			pause = 500 * time.Millisecond
		}
		select {
		case <-time.After(pause):
		case <-t.Context().Done():
			return
		}
	}
}

// mortal is a backend that is killed and restarted at one address.
type mortal struct {
	t       *testing.T
	s       *stack
	address string
	url     string
	log     string
	process *rig.Process
}

func newMortal(t *testing.T, s *stack) *mortal {
	t.Helper()
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{t: t, s: s, address: address, url: "http://" + address, log: filepath.Join(t.TempDir(), "backend.log")}
	if err := m.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.process.Kill() })
	return m
}

func (m *mortal) start(ctx context.Context) (err error) {
	cmd := exec.Command(m.s.binary, "backend", "--listen", m.address)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "DATABASE_URL=" + m.s.databaseURL, "TURNPIKE_IDENTITY_SECRET=" + identitySecret,
		"TURNPIKE_CONTENT_SECRET=" + contentSecret, "TURNPIKE_BLOB_URL=mem://", "TURNPIKE_BASE_URL=http://edge.example.test",
		"TURNPIKE_DOCS_URL=" + docsURL, "TURNPIKE_BROWSER=off",
	}
	if m.process, err = rig.Start(cmd, m.log); err != nil {
		return err
	}
	if err := awaitStatus(ctx, m.url+"/readyz", http.StatusOK, m.process.Done()); err != nil {
		text, _ := os.ReadFile(m.log)
		return fmt.Errorf("%w; its log:\n%s", err, text)
	}
	return nil
}

// dieNowAndThen kills the backend after every few requests, in whatever state it is, and returns how often.
func (m *mortal) dieNowAndThen(sent *atomic.Int64, ended <-chan struct{}) (kills int) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for next := sent.Load() + rand.Int64N(20); kills < backendDies; {
		select {
		case <-ended:
			return kills
		case <-tick.C:
			if sent.Load() < next {
				continue
			}
		}
		if err := m.revive(m.t.Context()); err != nil {
			m.t.Errorf("killing the backend and starting it again: %v", err)
			return kills
		}
		kills++
		next = sent.Load() + 5 + rand.Int64N(30)
	}
	return kills
}

// revive kills the backend, restarts it, and expires the leases of the killed one.
func (m *mortal) revive(ctx context.Context) error {
	if err := m.process.Kill(); err != nil {
		return err
	}
	var died time.Time
	if err := m.s.pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&died); err != nil {
		return err
	}
	if err := m.start(ctx); err != nil {
		return err
	}
	// Statements sent by the killed backend have ended by now.
	_, err := m.s.pool.Exec(ctx, `update idempotency set locked_until = now() where state = 'running' and created_at <= $1`, died)
	return err
}
