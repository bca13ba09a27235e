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

// shippedLimits are the limits of the shipped Caddyfile, which edges of tests otherwise go without.
var shippedLimits = []string{
	"TURNPIKE_LIMIT_READS=6000", "TURNPIKE_LIMIT_WRITES=3000", "TURNPIKE_LIMIT_JOBS=300", "TURNPIKE_LIMIT_BILLING=300", "TURNPIKE_IN_FLIGHT=256",
}

// newShares starts an engine with the limits that are shipped. env is of the backend's environment.
func newShares(t *testing.T, env ...string) *engine {
	t.Helper()
	e := &engine{stack: setup(t).withDatabase(t), site: newSite(t)}
	e.open(t, nil, env, shippedLimits...)
	return e
}

const (
	// hostileInFlight is how many requests a hostile team sends at once: as many as one may have in flight.
	hostileInFlight = 256
	// tarpitFull is how many of them are waited for at the tarpit: most of the 64 that have places.
	tarpitFull = 48
	// attackWait is how long an attack may take to have what it can get, and servedWithin a scrape beside it, however busy the
	// machine is.
	attackWait, servedWithin = 2 * time.Minute, 55 * time.Second
	// largeBody is the largest body that is read for a price, in bytes.
	largeBody = 16 << 20
)

// tarpit is a page that never ends. It counts who is in it.
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

// await waits until so many are in it.
func (p *tarpit) await(t *testing.T, want int64) {
	t.Helper()
	awaits(t, attackWait, func(context.Context) (int64, error) { return p.in.Load(), nil }, func(n int64) bool { return n >= want })
}

// flood has so many clients send requests, one after the other, until it is stopped. next makes each request.
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
					select { // who is refused comes again, but not at once
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

// counts are how many were answered so, by status.
func (f *flood) counts() map[int]int64 {
	counts := map[int]int64{}
	f.statuses.Range(func(status, n any) bool {
		counts[status.(int)] = n.(*atomic.Int64).Load()
		return true
	})
	return counts
}

func (f *flood) String() string { return fmt.Sprint(f.counts()) }

// manyClients has room for as many connections as a flood has, and for answers that take as long as they may.
func manyClients(conns int) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: conns}, Timeout: 3 * time.Minute}
}

// scrapeOf is a scrape's request with a key.
func (e *engine) scrapeOf(key []string, body map[string]any) call {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // of texts and numbers
	}
	return call{url: e.edge.URL("/v1/scrapes"), body: string(text)}.with(key...)
}

// short is a refusal in few words, the same for all of a kind.
func (a answer) short() string {
	var e standard
	if json.Unmarshal(a.body, &e) != nil {
		return fmt.Sprintf("%d %.100q", a.status, a.body)
	}
	return fmt.Sprintf("%d %s: %s", a.status, e.Code, e.Detail)
}

// wantServed wants each of so many scrapes of ordinary pages to be answered, by a team that has no part in what goes on.
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

// A team whose scrapes wait for a page that never ends keeps no other from scraping.
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

// A team whose pages wait in browsers keeps no other from rendering.
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

// batchBody is a batch of about so many bytes, of one page by addresses that are as long as it takes.
func batchBody(page string, bytes int) string {
	const each = 4000
	items := make([]map[string]string, 0, bytes/each)
	for i := range max(1, (bytes-64)/(each+50)) {
		items = append(items, map[string]string{"url": fmt.Sprintf("%s?%d&%s", page, i, strings.Repeat("x", each-len(page)))})
	}
	text, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		panic(err) // of texts
	}
	return string(text)
}

// Who asks without a key what the largest batches cost keeps no team from making a batch.
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

// bufferPatience is as long as an edge has a body wait for room, and a little.
const bufferPatience = 12 * time.Second

// slowClients is how many send slowly, each from an address of its own.
const slowClients = 100

// slowQuotes are connections on which all but the last bytes of a large body are sent at once, without a key and each from
// an address of its own, and then nothing but a byte now and then, until they are stopped.
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

// unsent is how much of a slow body does not come at once.
const unsent = 1024

// slowBody is all but the end of a body that is as large as it may be.
func slowBody() []byte {
	return []byte(`{"items": [{"url": "http://example.com/` + strings.Repeat("x", largeBody))[:largeBody-unsent]
}

// slowRequest is one for a path at an edge, with headers, from the loopback address of a number.
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

// processBytesMax is what edge and backend may take each, whoever is in their way.
const processBytesMax = 1 << 30

// Slow connections without a key take little of an edge's memory, whatever they say is to come.
func TestSlowKeylessBodies(t *testing.T) {
	t.Parallel()
	e := newShares(t, "TURNPIKE_BROWSER=off")
	other := e.purse(t, 100)
	e.wantServed(t, other.bearer(), 1, time.Minute, nil)
	resetPeak(t, e.edge.PID())
	sent, _ := slowQuotes(t, e.edge.Address)
	// Some are let in, and the others wait as long as one may.
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

// What a pool refuses costs nothing: no credits, and no payment, neither for good nor for a while.
func TestRefusalsOfPoolsChargeNothing(t *testing.T) {
	t.Parallel()
	e := newShares(t, "TURNPIKE_BROWSER=off", "TURNPIKE_SCRAPES=2")
	pit, address := e.site.tarpit()
	team, w := e.purse(t, 100_000), e.wallet(t)
	ctx, leave := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer leave()
	// Of the two places the team has one, and neither it nor who has no key may have the other.
	running.Go(func() {
		_, _ = e.scrapeOf(team.bearer(), map[string]any{"url_to_scrape": address}).tryBy(ctx, engineClient)
	})
	pit.await(t, 1)
	// Four bodies of 15 MiB that never end leave it less than 5 MiB of what it may have of the edge's buffers.
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
