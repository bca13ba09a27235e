//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// shippedLimits are the limits of the shipped Caddyfile, which are off for other edges in tests.
var shippedLimits = []string{
	"TURNPIKE_LIMIT_READS=6000", "TURNPIKE_LIMIT_WRITES=3000", "TURNPIKE_LIMIT_JOBS=300", "TURNPIKE_LIMIT_BILLING=300", "TURNPIKE_IN_FLIGHT=256",
}

// newShares starts an engine with the default limits. env holds the backend's environment variables.
func newShares(t *testing.T, env ...string) *engine {
	t.Helper()
	e := &engine{stack: setup(t).withDatabase(t), site: newSite(t)}
	e.open(t, nil, env, shippedLimits...)
	return e
}

const (
	// hostileInFlight is how many requests a hostile team sends at once: the most that it may have in flight.
	hostileInFlight = 256
	// tarpitFull is how many of them must reach the tarpit: most of the 64 that are admitted.
	tarpitFull = 48
	// attackWait limits how long an attack takes to build up, servedWithin a scrape beside it, even on a busy machine.
	attackWait, servedWithin = 2 * time.Minute, 55 * time.Second
	// largeBody is the largest body that is read for a price, in bytes.
	largeBody = 16 << 20
)

// tarpit is a page that never ends. It counts its requests.
type tarpit struct{ in, most atomic.Int64 }

func (s *site) tarpit() (*tarpit, string) {
	p := new(tarpit)
	s.own["/tarpit"] = func(w http.ResponseWriter, r *http.Request) {
		now := p.in.Add(1)
		defer p.in.Add(-1)
		for most := p.most.Load(); now > most && !p.most.CompareAndSwap(most, now); most = p.most.Load() {
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>wait")
		_ = http.NewResponseController(w).Flush()
		tick := time.NewTicker(5 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
			}
		}
	}
	return p, s.url + "/tarpit"
}

// await waits until that many requests are in the tarpit.
func (p *tarpit) await(t *testing.T, want int64) {
	t.Helper()
	awaits(t, attackWait, func(context.Context) (int64, error) { return p.in.Load(), nil }, func(n int64) bool { return n >= want })
}

// flood has many clients, each of which sends requests one after the other until it is stopped. next sends a request.
type flood struct {
	stop     func()
	statuses sync.Map // int to *atomic.Int64
}

func startFlood(t *testing.T, clients int, next func(ctx context.Context, client int) (answer, error)) *flood {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := new(flood)
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			pause := time.NewTicker(100 * time.Millisecond)
			defer pause.Stop()
			for ctx.Err() == nil {
				got, err := next(ctx, i)
				if err == nil {
					n, _ := f.statuses.LoadOrStore(got.status, new(atomic.Int64))
					n.(*atomic.Int64).Add(1)
				}
				if err != nil || got.status != http.StatusOK {
					select { // a refused client retries after a pause
					case <-pause.C:
					case <-ctx.Done():
					}
				}
			}
		})
	}
	f.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(f.stop)
	return f
}

// counts returns the number of responses by status.
func (f *flood) counts() map[int]int64 {
	counts := map[int]int64{}
	f.statuses.Range(func(status, n any) bool {
		counts[status.(int)] = n.(*atomic.Int64).Load()
		return true
	})
	return counts
}

func (f *flood) String() string { return fmt.Sprint(f.counts()) }

// manyClients returns a client with enough connections for a flood, and enough time for the slowest response.
func manyClients(conns int) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: conns}, Timeout: 3 * time.Minute}
}

// scrapeOf returns the request of a scrape with a key.
func (e *engine) scrapeOf(key []string, body map[string]any) call {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return call{url: e.edge.URL("/v1/scrapes"), body: string(text)}.with(key...)
}

// short describes a refusal in a form that is the same for all of its kind.
func (a answer) short() string {
	var e standard
	if json.Unmarshal(a.body, &e) != nil {
		return fmt.Sprintf("%d %.100q", a.status, a.body)
	}
	return fmt.Sprintf("%d %s: %s", a.status, e.Code, e.Detail)
}

// wantServed checks that a team that is not part of the attack gets its scrapes of ordinary pages.
func (e *engine) wantServed(t *testing.T, key []string, count int, within time.Duration, more map[string]any) {
	t.Helper()
	refused := map[string]int{}
	for i := range count {
		body := map[string]any{"url_to_scrape": fmt.Sprintf("%s/article/%d", e.site.url, i), "formats": []string{"markdown"}}
		maps.Copy(body, more)
		ctx, cancel := context.WithTimeout(t.Context(), within)
		got, err := e.scrapeOf(key, body).tryBy(ctx, engineClient)
		cancel()
		if err != nil {
			refused["no answer within "+within.String()]++
		} else if got.status != http.StatusOK {
			refused[got.short()]++
		}
	}
	for what, n := range refused {
		t.Errorf("scrapes of another team: %d of %d were not served: %s", n, count, what)
	}
}

// TestTarpitOfOneTeam shows that a team whose scrapes hang on endless pages does not stop others from scraping.
func TestTarpitOfOneTeam(t *testing.T) {
	t.Parallel()
	e := newShares(t, "TURNPIKE_BROWSER=off")
	pit, address := e.site.tarpit()
	hostile, other := e.purse(t, 10_000), e.purse(t, 100)
	client := manyClients(hostileInFlight)
	scrape := e.scrapeOf(hostile.bearer(), map[string]any{"url_to_scrape": address})
	f := startFlood(t, hostileInFlight, func(ctx context.Context, _ int) (answer, error) { return scrape.tryBy(ctx, client) })
	pit.await(t, tarpitFull)
	e.wantServed(t, other.bearer(), 20, servedWithin, nil)
	t.Logf("at most %d scrapes were in the tarpit; the hostile team was answered %s", pit.most.Load(), f)
}

// TestBrowserWaitsOfOneTeam shows that a team whose pages wait in browsers does not stop others from rendering.
func TestBrowserWaitsOfOneTeam(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	e := newShares(t)
	hostile, other := e.purse(t, 10_000), e.purse(t, 100)
	const waits = 8
	client := manyClients(waits)
	scrape := e.scrapeOf(hostile.bearer(), map[string]any{"url_to_scrape": e.site.url + "/article/slow", "wait_before_scraping": 60_000})
	startFlood(t, waits, func(ctx context.Context, _ int) (answer, error) { return scrape.tryBy(ctx, client) })
	awaits(t, attackWait, func(context.Context) (int, error) { return e.site.asked("/article/slow"), nil }, func(n int) bool { return n >= 2 })
	e.wantServed(t, other.bearer(), 3, servedWithin, map[string]any{"render": "always"})
}

// batchBody returns a batch of about that many bytes: one page under long URLs.
func batchBody(page string, bytes int) string {
	const each = 4000
	items := make([]map[string]string, 0, bytes/each)
	for i := range max(1, (bytes-64)/(each+50)) {
		items = append(items, map[string]string{"url": fmt.Sprintf("%s?%d&%s", page, i, strings.Repeat("x", each-len(page)))})
	}
	text, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

// TestKeylessQuotesBesideBatches shows that quotes for the largest batches without a key do not stop a team's batches.
func TestKeylessQuotesBesideBatches(t *testing.T) {
	t.Parallel()
	e := newShares(t, "TURNPIKE_BROWSER=off")
	other := e.purse(t, 1_000_000)
	const loops, batches = 12, 20
	large := call{url: e.edge.URL("/x402/v1/batches"), body: batchBody(e.site.url+"/article/quoted", largeBody-64<<10)}
	client := manyClients(loops)
	f := startFlood(t, loops, func(ctx context.Context, _ int) (answer, error) { return large.tryBy(ctx, client) })
	awaits(t, attackWait, func(context.Context) (string, error) { return f.String(), nil }, func(answered string) bool { return answered != "map[]" })
	refused := map[string]int{}
	batch := call{url: e.edge.URL("/v1/batches"), body: batchBody(e.site.url+"/article/batched", 2<<20)}.with(other.bearer()...)
	for range batches {
		got, err := batch.tryBy(t.Context(), engineClient)
		switch {
		case err != nil:
			refused[err.Error()]++
		case got.status != http.StatusOK:
			refused[got.short()]++
		default:
			var made struct{ ID string }
			got.json(t, &made)
			call{method: http.MethodDelete, url: e.edge.URL("/v1/batches/" + made.ID)}.with(other.bearer()...).do(t).wantStatus(t, http.StatusOK)
		}
	}
	for what, n := range refused {
		t.Errorf("batches of a paying team: %d of %d were refused: %s", n, batches, what)
	}
	t.Logf("the quotes were answered %s", f)
}

// bufferPatience is a little longer than an edge lets a body wait for buffer space.
const bufferPatience = 12 * time.Second

// slowClients is the number of slow clients, each with its own address.
const slowClients = 100

// slowQuotes opens connections without a key, each from its own address. Each sends all but the end of a large body at
// once, and then a byte from time to time, until it is stopped.
func slowQuotes(t *testing.T, address string) (sent *atomic.Int64, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	body := slowBody()
	sent = new(atomic.Int64)
	for i := range slowClients {
		running.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for ctx.Err() == nil {
				slowRequest{address, "/x402/v1/batches", nil, i}.send(ctx, body, tick.C, sent)
				await(ctx, tick.C)
			}
		})
	}
	return sent, stop
}

// unsent is how much of a slow body is not sent at once.
const unsent = 1024

// slowBody returns a body of the largest allowed size without its end.
func slowBody() []byte {
	return []byte(`{"items": [{"url": "http://example.com/` + strings.Repeat("x", largeBody))[:largeBody-unsent]
}

// slowRequest is a request to an edge from a numbered loopback address.
type slowRequest struct {
	address, path string
	headers       []string
	from          int
}

// send sends body, and then a byte at each tick.
func (r slowRequest) send(ctx context.Context, body []byte, tick <-chan time.Time, sent *atomic.Int64) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+r.from))}}
	conn, err := dialer.DialContext(ctx, "tcp", r.address)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", r.path, r.address, len(body)+unsent)
	for i := 0; i+1 < len(r.headers); i += 2 {
		_, _ = fmt.Fprintf(conn, "%s: %s\r\n", r.headers[i], r.headers[i+1])
	}
	_, _ = io.WriteString(conn, "\r\n")
	n, err := conn.Write(body)
	sent.Add(int64(n))
	for err == nil && await(ctx, tick) {
		_, err = conn.Write([]byte("x"))
	}
}

// processBytesMax limits the memory of the edge and of the backend, under any attack.
const processBytesMax = 1 << 30

// TestSlowKeylessBodies shows that slow connections without a key use little edge memory, whatever length they announce.
func TestSlowKeylessBodies(t *testing.T) {
	t.Parallel()
	e := newShares(t, "TURNPIKE_BROWSER=off")
	other := e.purse(t, 100)
	e.wantServed(t, other.bearer(), 1, time.Minute, nil)
	resetPeak(t, e.edge.PID())
	sent, _ := slowQuotes(t, e.edge.Address)
	// Some are admitted, and the others wait as long as they may.
	waited := time.NewTicker(bufferPatience)
	defer waited.Stop()
	<-waited.C
	e.wantServed(t, other.bearer(), 20, servedWithin, nil)
	resident, peak := memory(t, e.edge.PID())
	t.Logf("%d MiB were sent; the edge has %d MiB, and had %d at most", sent.Load()/mebibyte, resident/mebibyte, peak/mebibyte)
	if peak > processBytesMax {
		t.Errorf("the edge's memory: got %d MiB, want at most %d", peak/mebibyte, processBytesMax/mebibyte)
	}
}

// TestRefusalsOfPoolsChargeNothing shows that a request refused by a pool costs no credits and no payment, not even for a
// while.
func TestRefusalsOfPoolsChargeNothing(t *testing.T) {
	t.Parallel()
	e := newShares(t, "TURNPIKE_BROWSER=off", "TURNPIKE_SCRAPES=2")
	pit, address := e.site.tarpit()
	team, w := e.purse(t, 100_000), e.wallet(t)
	ctx, leave := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer leave()
	// The team has one of the two places. Neither it nor a client without a key may take the other.
	running.Go(func() {
		_, _ = e.scrapeOf(team.bearer(), map[string]any{"url_to_scrape": address}).tryBy(ctx, engineClient)
	})
	pit.await(t, 1)
	// Four unfinished bodies of 15 MiB leave the team less than 5 MiB of its share of the edge's buffers.
	var sent atomic.Int64
	body := slowBody()[:15<<20]
	for range 4 {
		running.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			slowRequest{e.edge.Address, "/v1/batches", team.bearer(), 0}.send(ctx, body, tick.C, &sent)
		})
	}
	want := int64(4 * len(body))
	awaits(t, attackWait, func(context.Context) (int64, error) { return sent.Load(), nil }, func(n int64) bool { return n == want })
	page := fmt.Sprintf(scrapeOutput, e.site.url+"/article/refused")
	refusals := map[string]call{
		"a scrape by key":       call{url: e.edge.URL("/v1/scrapes"), body: page}.with(team.bearer()...),
		"a scrape by wallet":    call{url: e.edge.URL("/x402/v1/scrapes"), body: page}.with(w.pays(t, scrapeUnits)...),
		"a large body by a key": call{url: e.edge.URL("/v1/batches"), body: batchBody(e.site.url+"/article/refused", 5<<20)}.with(team.bearer()...),
	}
	var asking sync.WaitGroup
	for name, c := range refusals {
		asking.Go(func() {
			if got, err := c.tryBy(t.Context(), engineClient); err != nil || got.status != http.StatusServiceUnavailable {
				t.Errorf("%s: got %s (%v), want 503", name, got.short(), err)
			} else if got.header.Get("Retry-After") == "" {
				t.Errorf("%s: got no Retry-After: %s", name, got.short())
			}
		})
	}
	asking.Wait()
	leave()
	running.Wait()
	team.wantUntouched(t)
	w.wantUntouched(t)
	if n := e.site.asked("/article/refused"); n != 0 {
		t.Errorf("the page was fetched %d times", n)
	}
}
