//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

var everyPlague = flag.Bool("hostile", false, "ask for each hostile page eight times at once, and not only for all of them mixed")

const (
	// atOnce is how many hostile pages are requested at once, and workerBytesMax the worker's memory limit meanwhile.
	atOnce         = 8
	workerBytesMax = 1 << 30
	// browserBytesMax is the memory at which a browser is killed, plus a margin, because it is checked only every second.
	browserBytesMax = 2<<30 + 512<<20
	// answerMax limits a response: a scrape's own limit, plus a margin for a busy machine.
	answerMax = 60*time.Second + 30*time.Second
)

// newTicks returns the ticker of pages that send slowly.
func newTicks() *time.Ticker { return time.NewTicker(500 * time.Millisecond) }

// outbreak collects what happened while hostile pages were requested.
type outbreak struct {
	mu      sync.Mutex
	answers map[string]int // by error code, "200" for pages
	slowest time.Duration
	slow    string
}

func (o *outbreak) note(t *testing.T, p plague, got scraped, err error) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	code := got.Code
	switch {
	case err != nil:
		t.Errorf("%s: %v", p.name, err)
		return
	case got.Status == http.StatusOK:
		code = "200"
	case code == "" || got.Status == http.StatusInternalServerError || got.Detail == "":
		t.Errorf("%s: got %s, want an answer or a clear problem", p.name, got)
	}
	o.answers[code]++
	if testing.Verbose() {
		t.Logf("%s: %s after %s", p.name, code, got.Took.Round(100*time.Millisecond))
	}
	if got.Took > o.slowest {
		o.slowest, o.slow = got.Took, p.name
	}
	if got.Took > answerMax {
		t.Errorf("%s: answered after %s, want it within %s", p.name, got.Took, answerMax)
	}
}

func (o *outbreak) String() string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(o.answers)) {
		parts = append(parts, fmt.Sprintf("%d× %s", o.answers[code], code))
	}
	return fmt.Sprintf("%s; slowest %s (%s)", strings.Join(parts, ", "), o.slowest.Round(100*time.Millisecond), o.slow)
}

// suffer requests hostile pages, atOnce at a time, and checks the worker's memory limit.
func (e *engine) suffer(t *testing.T, name string, plagues []plague, render string) {
	t.Helper()
	queue := make(chan plague)
	o := &outbreak{answers: map[string]int{}}
	watch := e.watchBrowsers()
	resetPeak(t, e.worker.PID())
	var asking sync.WaitGroup
	for range atOnce {
		asking.Go(func() {
			for p := range queue {
				got, err := e.scrape(t.Context(), "/v1/scrapes", p.request(e.site, render))
				o.note(t, p, got, err)
			}
		})
	}
	for _, p := range plagues {
		queue <- p
	}
	close(queue)
	asking.Wait()
	browsers := watch()
	resident, peak := memory(t, e.worker.PID())
	t.Logf("%-34s worker %4d MiB at most, %4d after; browsers %4d MiB at most: %s", name, peak/mebibyte, resident/mebibyte, browsers/mebibyte, o)
	if peak > workerBytesMax {
		t.Errorf("%s: the worker took %d MiB, want at most %d", name, peak/mebibyte, workerBytesMax/mebibyte)
	}
	if browsers > 2*browserBytesMax {
		t.Errorf("%s: the browsers took %d MiB, want at most %d for each of two", name, browsers/mebibyte, browserBytesMax/mebibyte)
	}
}

// request asks for every format of a page. If render is "", only pages with scripts are rendered.
func (p plague) request(s *site, render string) map[string]any {
	formats := []string{"html", "markdown", "text"}
	if render == "" {
		render = "never"
		if p.script != "" {
			render = "always"
			formats = append(formats, "screenshot")
		}
	}
	body := map[string]any{
		"url_to_scrape": s.url + "/" + p.path(), "formats": formats, "render": render,
		"transformer": "postlight", "links_on_page": map[string]any{},
	}
	maps.Copy(body, p.more)
	return body
}

// path returns the page's path on the site.
func (p plague) path() string { return "plague/" + strings.ReplaceAll(p.name, " ", "-") }

// bring adds hostile pages to the site.
func (s *site) bring(plagues []plague) {
	for _, p := range plagues {
		serve := p.serve
		if serve == nil {
			html := "<!doctype html><title>x</title><body><p>before</p><script>" + p.script + "</script><p>after</p>"
			serve = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = fmt.Fprint(w, html)
			}
		}
		s.own["/"+p.path()] = serve
	}
}

// watchBrowsers measures the memory of all browser processes together, until the returned function is called. That
// function returns the maximum.
func (e *engine) watchBrowsers() (most func() int64) {
	stop, done := make(chan struct{}), make(chan int64)
	go func() {
		var peak int64
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			var now int64
			if e.service != nil {
				for _, leader := range rig.Children(e.service.PID()) {
					now += ownBytes(leader)
				}
			}
			peak = max(peak, now)
			select {
			case <-stop:
				done <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-done
	}
}

// ownBytes returns the unshared memory of a process group.
func ownBytes(leader int) int64 {
	var pages int64
	for _, pid := range groupOf(leader) {
		statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
		if err != nil {
			continue
		}
		var size, resident, shared int64
		if _, err := fmt.Sscan(string(statm), &size, &resident, &shared); err == nil {
			pages += resident - shared
		}
	}
	return pages * int64(os.Getpagesize())
}

// TestEngineHostilePages shows that every hostile page gets a response or a clear error within the time limit, and that
// eight at once keep the worker within a gigabyte.
func TestEngineHostilePages(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	e := newEngine(t, nil, "TURNPIKE_HOST_RATE=off")
	plain := plainPlagues(t)
	e.site.bring(plain)
	e.site.bring(scriptPlagues)
	both := slices.Concat(plain, slices.DeleteFunc(slices.Clone(scriptPlagues), func(p plague) bool { return p.lasts && !*everyPlague }))
	// Long-lasting pages go first, so that they overlap.
	slices.SortStableFunc(both, func(a, b plague) int { return boolOrder(b.lasts) - boolOrder(a.lasts) })
	e.suffer(t, "all of them mixed", both, "")
	if *everyPlague {
		for _, p := range both {
			e.suffer(t, p.name, slices.Repeat([]plague{p}, atOnce), "")
		}
		e.suffer(t, "all of them, as auto has it", both, "auto")
	}
	// The service works as before.
	got := e.page(t, e.site.url+"/article/afterwards", rendered)
	if !strings.Contains(got.Result.Markdown, "Tides at") {
		t.Errorf("afterwards: got %s", got)
	}
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}
