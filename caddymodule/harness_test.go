package caddymodule

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	"github.com/turnpike-edge/turnpike/caddymodule/ledger"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// Caddy runs one configuration per process, so tests that load one do not run in parallel. Nothing here sleeps: the
// ledger below signals when a hold has ended.

const (
	testKey     = "tp_rich"
	testPoorKey = "tp_poor"
	testSecret  = "0123456789abcdef0123456789abcdef"
	testTimeout = 20 * time.Second
)

// signalLedger is a memory ledger that signals when holds end. It survives the configurations of one test.
type signalLedger struct {
	memory *ledger.Memory
	meter  *credits.Memory
	// principals has further keys.
	principals map[string]*apikey.Principal

	ended      chan holdEnd
	overloaded atomic.Bool
	captured   atomic.Int64
	ends       atomic.Int64
}

type holdEnd struct {
	id      credits.HoldID
	capture money.Credits
}

func (l *signalLedger) Authorize(ctx context.Context, req credits.Request) (credits.Decision, error) {
	if l.overloaded.Load() {
		return credits.Decision{}, credits.ErrOverloaded
	}
	return l.meter.Authorize(ctx, req)
}

func (l *signalLedger) Capture(hold credits.Hold, amount money.Credits) {
	l.meter.Capture(hold, amount)
	l.captured.Add(int64(amount))
	l.end(holdEnd{hold.ID(), amount})
}

func (l *signalLedger) Void(hold credits.Hold) {
	l.meter.Void(hold)
	l.end(holdEnd{id: hold.ID()})
}

func (l *signalLedger) end(e holdEnd) {
	l.ends.Add(1)
	select {
	case l.ended <- e:
	default: // load tests count instead
	}
}

// Resolve implements apikey.Resolver.
func (l *signalLedger) Resolve(ctx context.Context, key string) (*apikey.Principal, error) {
	if p := l.principals[key]; p != nil {
		return p, nil
	}
	return l.memory.Keys().Resolve(ctx, key)
}

func (l *signalLedger) Flush(ctx context.Context) error { return l.meter.Flush(ctx) }

// signalLedgers holds the ledgers of running tests by name.
var signalLedgers sync.Map

// ledgerSignal is the module that names such a ledger in a configuration.
type ledgerSignal struct {
	Name string `json:"name"`
	*signalLedger
}

func (*ledgerSignal) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "turnpike.ledgers.signal", New: func() caddy.Module { return new(ledgerSignal) }}
}

func (l *ledgerSignal) Provision(caddy.Context) error {
	found, ok := signalLedgers.Load(l.Name)
	if !ok {
		return fmt.Errorf("no ledger %q", l.Name)
	}
	l.signalLedger = found.(*signalLedger)
	return nil
}

func (l *ledgerSignal) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&l.Name) {
		return d.ArgErr()
	}
	return nil
}

func (l *ledgerSignal) Meter() credits.Meter   { return l.signalLedger }
func (l *ledgerSignal) Keys() apikey.Resolver  { return l.signalLedger }
func (l *ledgerSignal) Claims() claims.Store   { return l.memory.Claims() }
func (l *ledgerSignal) Outbox() outbox.Store   { return outbox.NewMemory(time.Now) }
func (l *ledgerSignal) Process() *gate.Process { return l.memory.Process() }
func (*ledgerSignal) Times() (decision, recovery time.Duration) {
	return testTimeout, testTimeout
}
func (*ledgerSignal) Ping(context.Context) error { return nil }
func (l *ledgerSignal) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"name": l.Name})
}

func (l *ledgerSignal) UnmarshalJSON(b []byte) error {
	var v struct{ Name string }
	err := json.Unmarshal(b, &v)
	l.Name = v.Name
	return err
}

func init() { caddy.RegisterModule(new(ledgerSignal)) }

// edge is a running Caddy that charges for requests, and the upstream behind it.
type edge struct {
	t        *testing.T
	ledger   *signalLedger
	upstream *httptest.Server
	calls    atomic.Int64
	last     atomic.Pointer[seen] // the last request at the upstream
	hold     chan struct{}        // what /wait waits for
	arrived  chan struct{}        // /wait signals its start
	address  string
	site     string
	global   string // further global options
	sites    string // further sites
	client   *http.Client
}

type seen struct {
	method, uri, body string
	host              string
	header            http.Header
	identity          *edgewire.Identity
	identityErr       error
}

// newEdge starts an edge with the site block site, in which UPSTREAM stands for the upstream's address.
func newEdge(t *testing.T, site string) *edge {
	t.Helper()
	return newEdgeWith(t, site, "")
}

// newEdgeWith is newEdge with further global options.
func newEdgeWith(t *testing.T, site, global string) *edge {
	t.Helper()
	return newEdgeAmong(t, site, global, "")
}

// newEdgeAmong is newEdgeWith with further sites.
func newEdgeAmong(t *testing.T, site, global, sites string) *edge {
	t.Helper()
	t.Setenv("TURNPIKE_TEST_RICH", testKey)
	t.Setenv("TURNPIKE_TEST_POOR", testPoorKey)
	memory := &ledger.Memory{KeyList: []ledger.MemoryKey{
		{Key: "{env.TURNPIKE_TEST_RICH}", Team: "team_rich", Credits: 1000}, {Key: "{env.TURNPIKE_TEST_POOR}", Team: "team_poor", Credits: 3},
	}}
	if err := memory.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Cleanup() })
	e := &edge{
		t: t, site: site, global: global, sites: sites,
		ledger: &signalLedger{
			memory: memory, meter: memory.Meter().(*credits.Memory), principals: map[string]*apikey.Principal{}, ended: make(chan holdEnd, 64),
		},
		hold: make(chan struct{}), arrived: make(chan struct{}, 64),
		client: &http.Client{
			Timeout:       testTimeout,
			Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	t.Setenv("TURNPIKE_TEST_SECRET", testSecret)
	signalLedgers.Store(t.Name(), e.ledger)
	e.upstream = httptest.NewServer(http.HandlerFunc(e.serveUpstream))
	e.address = freeAddress(t)
	e.load("")
	t.Cleanup(func() {
		e.client.CloseIdleConnections()
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
		e.upstream.Close()
		signalLedgers.Delete(t.Name())
	})
	return e
}

// freeAddress returns an address whose port no other test's connection gets before it is listened on.
func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := rig.StableAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func (e *edge) load(comment string) {
	e.t.Helper()
	if err := e.tryLoad(comment); err != nil {
		e.t.Fatal(err)
	}
}

// tryLoad loads the configuration; another comment makes it a different one.
func (e *edge) tryLoad(comment string) error {
	config := fmt.Sprintf(`{
		admin off
		persist_config off
		auto_https off
		grace_period 10s
		log {
			level ERROR
		}
		%s
		turnpike {
			ledger signal %q
			upstream %s
			identity_secret {env.TURNPIKE_TEST_SECRET}
			topup canned
			%s
		}
	}
	http://%s {
		vars comment %q
		%s
	}
	%s`, e.global, e.t.Name(), e.upstream.Listener.Addr(), testX402, e.address, comment, e.site, e.sites)
	config = strings.ReplaceAll(config, "UPSTREAM", e.upstream.Listener.Addr().String())
	raw, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(config), nil)
	if err != nil {
		return err
	}
	return caddy.Load(raw, true)
}

// serveUpstream does what the path says.
func (e *edge) serveUpstream(w http.ResponseWriter, r *http.Request) {
	e.calls.Add(1)
	body, _ := io.ReadAll(r.Body)
	s := &seen{method: r.Method, uri: r.URL.RequestURI(), host: r.Host, body: string(body), header: r.Header.Clone()}
	verifier, err := edgewire.NewVerifier([]byte(testSecret), identityAudienceDefault, time.Now)
	if err != nil {
		panic(err)
	}
	s.identity, s.identityErr = verifier.Verify(r, s.uri, "/x402"+s.uri)
	if s.identityErr == nil {
		s.identityErr = s.identity.CheckBody(body)
	}
	e.last.Store(s)
	h := w.Header()
	for name, values := range r.URL.Query() {
		if name, ok := strings.CutPrefix(name, "header:"); ok {
			h[name] = values
		}
	}
	switch r.URL.Path {
	case "/die":
		h.Set("Content-Length", "1000000")
		_, _ = w.Write([]byte(strings.Repeat("x", 100_000)))
		panic(http.ErrAbortHandler)
	case "/wait":
		_, _ = w.Write([]byte("begun"))
		_ = http.NewResponseController(w).Flush()
		e.arrived <- struct{}{}
		select {
		case <-e.hold:
		case <-r.Context().Done():
		}
	case "/wait-silent":
		e.arrived <- struct{}{}
		select {
		case <-e.hold:
		case <-r.Context().Done():
		}
	case "/status":
		var status int
		_, _ = fmt.Sscan(r.URL.Query().Get("code"), &status)
		w.WriteHeader(status)
	case "/none": // writes nothing
	default:
		_, _ = w.Write([]byte("served"))
	}
}

type answer struct {
	status int
	header http.Header
	body   string
	err    error // of the body
}

// do sends a request; header is pairs of name and value.
func (e *edge) do(method, uri, body string, header ...string) answer {
	e.t.Helper()
	a, err := e.try(e.t.Context(), method, uri, body, header...)
	if err != nil {
		e.t.Fatal(err)
	}
	return a
}

func (e *edge) try(ctx context.Context, method, uri, body string, header ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+e.address+uri, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := e.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, header: res.Header, body: string(got), err: err}, nil
}

// raw sends a request line and header unchanged.
func (e *edge) raw(request string) answer {
	e.t.Helper()
	conn, err := net.DialTimeout("tcp", e.address, testTimeout)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(testTimeout))
	if _, err := io.WriteString(conn, request); err != nil {
		e.t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, header: res.Header, body: string(body), err: err}
}

// ended waits for the end of one hold and returns what it captured.
func (e *edge) ended() money.Credits {
	e.t.Helper()
	return e.endedHold().capture
}

func (e *edge) endedHold() holdEnd {
	e.t.Helper()
	select {
	case end := <-e.ledger.ended:
		return end
	case <-time.After(testTimeout):
		e.t.Fatal("no hold ended")
		return holdEnd{}
	}
}

// wantBalance compares the first team's balance with want, and wants nothing held.
func (e *edge) wantBalance(want money.Credits) {
	e.t.Helper()
	if b := e.ledger.meter.Balance(1); b.Balance != want || b.Held != 0 {
		e.t.Errorf("got balance %d, held %d, want %d and 0", b.Balance, b.Held, want)
	}
}

func (a answer) wantError(t *testing.T, status int, code string) response.ErrorObject {
	t.Helper()
	var o response.ErrorObject
	if err := json.Unmarshal([]byte(a.body), &o); err != nil {
		t.Fatalf("status %d, body %q: %v", a.status, a.body, err)
	}
	if a.status != status || o.Status != status || o.Code != code {
		t.Errorf("got status %d, error %+v, want %d %s", a.status, o, status, code)
	}
	if o.Object != "error" || !strings.HasPrefix(o.ID, "error_") || o.Title == "" || o.Detail == "" || o.Created == 0 || o.Metadata == nil ||
		!strings.Contains(o.Type, "://") || !strings.Contains(o.Type, docsURLDefault+"/api-reference/errors/") {
		t.Errorf("error object is not whole: %s", a.body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if a.header.Get("X-Request-Id") == "" {
		t.Error("no X-Request-Id")
	}
	return o
}

// stop ends the edge and waits for its requests.
func (e *edge) stop() {
	e.t.Helper()
	if err := caddy.Stop(); err != nil {
		e.t.Fatal(err)
	}
}

// testX402 is part of every test configuration.
const testX402 = `x402 {
				pay_to 0x209693Bc6afc0C5328bA36FaF03C514EF312287C
				network base-sepolia
				facilitator accepting
				network base {
					pay_to 0x000000000000000000000000000000000000dEaD
					facilitator accepting
				}
			}`

// open sends a GET with the key, closes begun at the first byte of the response, and reads to the end.
func (e *edge) open(ctx context.Context, uri string, begun chan<- struct{}) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.address+uri, http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+testKey)
	res, err := e.client.Do(req)
	if err != nil {
		return
	}
	defer func() { _ = res.Body.Close() }()
	var first [1]byte
	if _, err := io.ReadFull(res.Body, first[:]); err == nil {
		close(begun)
	}
	_, _ = io.Copy(io.Discard, res.Body)
}
