package e2e

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// outcomePurse is what each case begins with; a request holds outcomePrice.
const (
	outcomePurse money.Credits = 100
	outcomePrice money.Credits = 10
)

// outcomeEdge is an edge in front of an upstream that tests control.
type outcomeEdge struct {
	*stack

	edge     *rig.Edge
	upstream string
	runs     atomic.Int64
	arrived  chan struct{} // signals from /wait and /begin
	jobs     chan string   // the jobs that /adopt has created
}

// outcomes are the rows of the table in docs/money.md: what a customer with outcomePurse has spent in the end, and the
// requests that lead there.
var outcomes = map[string]struct {
	spent money.Credits
	run   func(t *testing.T, o *outcomeEdge, p *purse)
}{
	"served": {10, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=201").wantUsed(t, 201, "10", "90")
	}},
	"redirected": {10, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=302").wantUsed(t, 302, "10", "90")
	}},
	"upgraded": {10, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		conn, answer := o.upgrade(t, p)
		if !strings.HasPrefix(answer, "HTTP/1.1 101 ") {
			t.Errorf("got %q, want 101", answer)
		}
		p.wantHeld(t, outcomePrice)
		_ = conn.Close()
	}},
	"cost_stated": {3, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=200&cost=3").wantUsed(t, 200, "3", "97")
	}},
	"cost_nothing": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=200&cost=0").wantUsed(t, 200, "0", "100")
	}},
	"cost_over": {20, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=200&cost=11").wantUsed(t, 200, "10", "90")
		p.wantHeld(t, 0)
		o.get(t, p, "/task/status?code=200&cost=much").wantUsed(t, 200, "10", "80")
	}},
	"client_error": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=404").wantUsed(t, 404, "0", "100")
	}},
	"client_error_charged": {10, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/charging/status?code=422").wantUsed(t, 422, "10", "90")
		p.wantHeld(t, 0)
		o.get(t, p, "/charging/status?code=500").wantUsed(t, 500, "0", "90")
	}},
	"server_error": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=500&cost=10").wantUsed(t, 500, "0", "100")
	}},
	"unreachable": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/away/x").refused(t, http.StatusServiceUnavailable, "overloaded", "Nothing was charged")
	}},
	"timeout": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/hurried/hang").refused(t, http.StatusGatewayTimeout, "request_timeout", "Nothing was charged")
	}},
	"nonsense": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/nonsense").refused(t, http.StatusServiceUnavailable, "overloaded", "Nothing was charged")
	}},
	"broken_off": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		res, err := o.send(t.Context(), p, "/task/panic")
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if err == nil {
			t.Error("half an answer came as if it were whole")
		}
	}},
	"left_before": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := o.send(ctx, p, "/task/wait")
			left <- err
		}()
		<-o.arrived
		p.wantHeld(t, outcomePrice)
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want to have left", err)
		}
	}},
	"left_after": {10, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		res, err := o.send(ctx, p, "/task/begin")
		if err != nil {
			t.Fatal(err)
		}
		<-o.arrived
		p.wantHeld(t, outcomePrice)
		res.Body.Close()
	}},
	"undecided": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		// While the account's row is locked, its batch cannot commit.
		tx, err := o.pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), `select from ledger_account where team_id = $1 for update`, p.team); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		a := o.get(t, p, "/task/status?code=200")
		a.refused(t, http.StatusServiceUnavailable, "overloaded", "Nothing was charged")
		if a.header.Get("Retry-After") == "" {
			t.Error("Retry-After: got none")
		}
		t.Logf("refused after %s", time.Since(begun).Round(time.Millisecond))
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}},
	"edge_killed": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		doomed := o.start(t, o.databaseURL)
		failed := make(chan error, 1)
		go func() {
			_, err := p.to(t.Context(), doomed.URL("/task/wait"))
			failed <- err
		}()
		<-o.arrived
		p.wantHeld(t, outcomePrice)
		if err := doomed.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; err == nil {
			t.Error("a killed edge has answered")
		}
		eventually(t, "the sweep of the killed edge's hold", func() error {
			b, err := credits.NewLedger(o.pool).Balance(context.Background(), p.team)
			if err == nil && b.Held != 0 {
				err = fmt.Errorf("%d are held", b.Held)
			}
			return err
		})
	}},
	"adopted": {4, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/adopt").wantStatus(t, http.StatusOK)
		job := <-o.jobs
		p.wantHeld(t, outcomePrice)
		for _, n := range []int{1, 3} {
			if err := credits.NewLedger(o.pool).CaptureHold(t.Context(), job, money.Credits(n), n); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := credits.NewLedger(o.pool).CloseHold(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}},
	"free": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/free/status?code=200").wantUsed(t, 200, "", "")
	}},
	"refused": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.post(t, p, "/priced/status?code=200", `{"n": 101}`).refused(t, http.StatusPaymentRequired, "credits_exhausted", "101", "100")
	}},
	"revoked": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "/task/status?code=500").wantStatus(t, 500) // puts the key into the edge's cache
		if _, err := apikey.NewStore(o.pool, time.Now).Revoke(t.Context(), p.keyID); err != nil {
			t.Fatal(err)
		}
		o.get(t, p, "/task/status?code=200").refused(t, http.StatusUnauthorized, "invalid_api_key", "not valid")
	}},
	"unpriced": {0, func(t *testing.T, o *outcomeEdge, p *purse) {
		t.Helper()
		o.get(t, p, "//task/status?code=200").refused(t, http.StatusNotFound, "not_found", "no price for this method and path")
		o.post(t, p, "/task/status?code=200", `{}`).wantStatus(t, http.StatusMethodNotAllowed)
		o.post(t, p, "/priced/status?code=200", `{}`).refused(t, http.StatusBadRequest, "validation_error", "n")
	}},
}

// TestOutcomes runs every row of the docs' table. It checks what the client gets, that the upstream does not run more
// often than stated, and that in the end nothing is held and the customer has paid exactly the stated amount.
func TestOutcomes(t *testing.T) { //nolint:paralleltest // a case blocks the edge's metering
	s := setup(t)
	o := s.outcomeEdge(t)
	documented := documentedOutcomes(t)
	for id := range outcomes {
		if !documented[id] {
			t.Errorf("outcome %s is tested and not in the docs' table", id)
		}
	}
	for id := range documented {
		c, ok := outcomes[id]
		if !ok {
			t.Errorf("outcome %s of the docs' table has no test", id)
			continue
		}
		t.Run(id, func(t *testing.T) {
			p := o.purse(t, outcomePurse)
			before := o.runs.Load()
			c.run(t, o, p)
			p.wantSpent(t, c.spent)
			switch id {
			case "unreachable", "undecided", "refused", "unpriced":
				if n := o.runs.Load() - before; n != 0 {
					t.Errorf("the upstream was run %d times", n)
				}
			}
		})
	}
}

// documentedOutcomes reads the first column of the docs' table.
func documentedOutcomes(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/money.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| outcome | what happened |")
	if !found {
		t.Fatal("docs/money.md has no table of outcomes")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(table, -1) {
		ids[m[1]] = true
	}
	if rows := strings.Count(table, "\n") - 1; rows != len(ids) {
		t.Errorf("docs/money.md: %d rows, and %d different outcomes", rows, len(ids))
	}
	return ids
}

const outcomeLostAfter = 2 * time.Second

// outcomeEdge starts an edge with its own database: it takes edges for dead after two silent seconds, which other edges
// on the same database may well be.
func (s *stack) outcomeEdge(t *testing.T) *outcomeEdge {
	t.Helper()
	s = s.withDatabase(t)
	o := &outcomeEdge{stack: s, arrived: make(chan struct{}, 16), jobs: make(chan string, 1)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	upstream := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(o.serve)}
	go func() { _ = upstream.Serve(l) }()
	t.Cleanup(func() { _ = upstream.Close() })
	o.upstream = l.Addr().String()
	o.edge = o.start(t, s.databaseURL)
	return o
}

// start runs an edge on a database.
func (o *outcomeEdge) start(t *testing.T, databaseURL string) *rig.Edge {
	t.Helper()
	config, err := os.ReadFile("testdata/outcomes.Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	var settler *ecdsa.PrivateKey
	if settler, err = crypto.GenerateKey(); err != nil {
		t.Fatal(err)
	}
	edge, err := rig.StartEdge(t.Context(), rig.EdgeConfig{
		Binary: o.binary, Dir: t.TempDir(), Caddyfile: config, Upstream: o.upstream, DatabaseURL: databaseURL,
		RPCURL: o.chain.RPCURL(), Settler: settler, PayTo: payTo, IdentitySecret: identitySecret, LostAfter: outcomeLostAfter,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = edge.Kill() })
	return edge
}

// serve does what the last part of the path says.
func (o *outcomeEdge) serve(w http.ResponseWriter, r *http.Request) {
	o.runs.Add(1)
	q := r.URL.Query()
	if q.Has("cost") {
		w.Header().Set(edgewire.CostHeader, q.Get("cost"))
	}
	switch path.Base(r.URL.Path) {
	case "status":
		code, _ := strconv.Atoi(q.Get("code"))
		w.WriteHeader(code)
	case "hang":
		<-r.Context().Done()
	case "wait":
		o.arrived <- struct{}{}
		<-r.Context().Done()
	case "begin":
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		o.arrived <- struct{}{}
		<-r.Context().Done()
	case "nonsense":
		hangUp(w, "nonsense\r\n\r\n")
	case "panic":
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "adopt":
		if err := o.adopt(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set(edgewire.AdoptedHeader, "true")
	case "upgrade":
		hangUpAfter(w, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	}
}

// adopt moves the request's hold to a job, as a backend does for a crawl.
func (o *outcomeEdge) adopt(r *http.Request) error {
	verifier, err := edgewire.NewVerifier([]byte(identitySecret), edgewire.DefaultAudience, time.Now)
	if err != nil {
		return err
	}
	id, err := verifier.Verify(r, r.URL.RequestURI())
	if err != nil {
		return err
	}
	hold, err := credits.ParseHoldID(id.ID)
	if err != nil {
		return err
	}
	job := token.New("crawl")
	if err := credits.Adopt(r.Context(), o.pool, hold, job, time.Now().Add(time.Hour)); err != nil {
		return err
	}
	o.jobs <- job
	return nil
}

// hangUpAfter responds, and keeps the connection until the client closes it.
func hangUpAfter(w http.ResponseWriter, answer string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, answer)
	_, _ = io.Copy(io.Discard, conn)
}

func (o *outcomeEdge) get(t *testing.T, p *purse, uri string) answer {
	t.Helper()
	return call{method: http.MethodGet, url: o.edge.URL(uri)}.with(p.bearer()...).do(t)
}

func (o *outcomeEdge) post(t *testing.T, p *purse, uri, body string) answer {
	t.Helper()
	return call{url: o.edge.URL(uri), body: body}.with(p.bearer()...).do(t)
}

func (o *outcomeEdge) send(ctx context.Context, p *purse, uri string) (*http.Response, error) {
	return p.to(ctx, o.edge.URL(uri))
}

// to sends a GET that may fail.
func (p *purse) to(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.key)
	return client.Do(req)
}

// upgrade asks for another protocol, and returns the connection and the status line.
func (o *outcomeEdge) upgrade(t *testing.T, p *purse) (net.Conn, string) {
	t.Helper()
	conn, err := net.Dial("tcp", o.edge.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, err = fmt.Fprintf(conn, "GET /task/upgrade HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n", o.edge.Address, p.key)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return conn, line
}

// wantUsed checks the status and the credit headers.
func (a answer) wantUsed(t *testing.T, status int, used, remaining string) {
	t.Helper()
	a.wantStatus(t, status)
	if got := a.header.Get("X-Credits-Used"); got != used {
		t.Errorf("X-Credits-Used: got %q, want %q", got, used)
	}
	if got := a.header.Get("X-Credits-Remaining"); got != remaining {
		t.Errorf("X-Credits-Remaining: got %q, want %q", got, remaining)
	}
}

// wantHeld waits until that much is held.
func (p *purse) wantHeld(t *testing.T, want money.Credits) {
	t.Helper()
	eventually(t, "held credits of "+p.team, func() error {
		b, err := credits.NewLedger(p.s.pool).Balance(context.Background(), p.team)
		if err == nil && b.Held != want {
			err = fmt.Errorf("%d are held, want %d", b.Held, want)
		}
		return err
	})
}
