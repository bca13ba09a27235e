//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// ordersEnv holds the orders of the attackers, which run in their own process, so that their use of the machine can be
// measured and does not delay the bystander's clock.
const ordersEnv = "TURNPIKE_TEST_ATTACK"

// orders are the attackers' instructions. Without an edge they only use Spend seconds of processor time per second.
type orders struct {
	Edge, Key string
	Browser   bool
	Spend     float64
}

const (
	// A hostile team sends as much as the default limits allow: 3,000 writes and 300 jobs a minute.
	writeEvery, jobEvery = 20 * time.Millisecond, 200 * time.Millisecond
	// spendEvery is the interval at which processor time is used.
	spendEvery = 5 * time.Millisecond
	// attackersSite is the file descriptor of the listener for the attackers' pages.
	attackersSite = 3
)

// attacking is a running attackers' process.
type attacking struct {
	*rig.Process

	site string
}

// startAttackers starts it. l is the listener for its pages.
func startAttackers(t *testing.T, l net.Listener, o orders) *attacking {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	site, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAttackers$", "-test.timeout=30m")
	cmd.Env = append(os.Environ(), ordersEnv+"="+string(text))
	cmd.ExtraFiles = []*os.File{site}
	process, err := rig.Start(cmd, filepath.Join(t.TempDir(), "attackers.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Kill() })
	return &attacking{process, "http://" + l.Addr().String()}
}

// progress is the state of an attack.
type progress struct {
	// Answered counts the responses by status.
	Answered map[int]int64
	// SlowBytes were sent by slow clients. Held is how many requests are in the tarpit.
	SlowBytes, Held int64
}

func (a *attacking) progress(ctx context.Context) (p progress, err error) {
	got, err := call{method: http.MethodGet, url: a.site + "/progress"}.tryBy(ctx, engineClient)
	if err == nil {
		err = json.Unmarshal(got.body, &p)
	}
	return p, err
}

// awaitAll waits until the attack has almost all that it can get.
func (a *attacking) awaitAll(t *testing.T) {
	t.Helper()
	awaits(t, attackWait, a.progress, func(p progress) bool { return p.SlowBytes > 0 && p.Answered[http.StatusServiceUnavailable] > 0 })
}

// TestAttackers is not a test: it is the attackers' process.
//
//nolint:paralleltest // it is the only one in its process
func TestAttackers(t *testing.T) {
	var o orders
	if text := os.Getenv(ordersEnv); text == "" {
		t.Skip("it is run by make drill-shares")
	} else if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	l, err := net.FileListener(os.NewFile(attackersSite, "site"))
	if err != nil {
		t.Fatal(err)
	}
	if o.Edge == "" {
		spend(t.Context(), o.Spend)
		return
	}
	a := &assault{orders: o, site: siteAt(l), client: manyClients(hostileInFlight)}
	a.run(t, l)
}

// spend uses that many seconds of processor time per second, on two threads.
func spend(ctx context.Context, rate float64) {
	const threads = 2
	for range threads {
		go func() {
			runtime.LockOSThread()
			tick := time.NewTicker(spendEvery)
			defer tick.Stop()
			begun := time.Now()
			for await(ctx, tick.C) {
				for used := (unix.Rusage{}); ; {
					_ = unix.Getrusage(unix.RUSAGE_THREAD, &used)
					if spent := used.Utime.Nano() + used.Stime.Nano(); float64(spent) >= rate/threads*float64(time.Since(begun)) {
						break
					}
				}
			}
		}()
	}
	<-ctx.Done()
}

// assault is a hostile team at its limits, with slow clients without a key at theirs.
type assault struct {
	orders

	site   *site
	client *http.Client
}

// run goes on until the process is killed.
func (a *assault) run(t *testing.T, l net.Listener) {
	t.Helper()
	pit, tarpit := a.site.tarpit()
	heavy := "<!doctype html><title>x</title>" + strings.Repeat("<p class=abc>some text <b>here</b> and there</p>", 40_000)
	a.site.own["/heavy"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(heavy))
	}
	begun := make(chan struct{})
	var f *flood
	var slow *atomic.Int64
	a.site.own["/progress"] = func(w http.ResponseWriter, _ *http.Request) {
		<-begun
		_ = json.NewEncoder(w).Encode(progress{f.counts(), slow.Load(), pit.in.Load()})
	}
	a.site.serve(t, l)
	writes, jobs := a.calls(tarpit)
	write, job := time.NewTicker(writeEvery), time.NewTicker(jobEvery)
	f = startFlood(t, hostileInFlight, func(ctx context.Context, client int) (answer, error) {
		calls, pace := writes, write.C
		if client%4 == 0 {
			calls, pace = jobs, job.C
		}
		if !await(ctx, pace) {
			return answer{}, ctx.Err()
		}
		return calls[client/4%len(calls)].with("Authorization", "Bearer "+a.Key).tryBy(ctx, a.client)
	})
	slow, _ = slowQuotes(t, strings.TrimPrefix(a.Edge, "http://"))
	close(begun)
	<-t.Context().Done()
}

// calls returns the requests that the team's clients send in turn.
func (a *assault) calls(tarpit string) (writes, jobs []call) {
	post := func(path, body string) call { return call{url: a.Edge + path, body: body} }
	scrape := func(page, more string) call {
		return post("/v1/scrapes", fmt.Sprintf(`{"url_to_scrape": %q%s}`, page, more))
	}
	jobs = []call{post("/v1/answers", askAbout(tarpit)), post("/v1/batches", batchBody(tarpit, largeBody-64<<10))}
	writes = []call{scrape(tarpit, ""), scrape(a.site.url+"/heavy", ""), scrape(tarpit, ""), post("/v1/maps", fmt.Sprintf(`{"url": %q}`, tarpit))}
	if a.Browser {
		writes = append(writes, scrape(a.site.url+"/article/slow", `, "wait_before_scraping": 60000`))
	}
	return writes, jobs
}

// hasBrowser reports whether pages can be rendered.
func hasBrowser() bool {
	_, err := chromium.Find("")
	return err == nil && rig.Sandbox() == nil
}
