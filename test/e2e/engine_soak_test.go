//go:build linux

package e2e

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

var (
	soakScrapes = flag.Int("scrapes", 300, "how many plain scrapes the soak makes")
	soakRenders = flag.Int("renders", 20, "how many renders the soak makes")
	soakKills   = flag.Int("kills", 2, "how often a worker is killed in a render")
)

const (
	// soakLanes and renderLanes are how many requests run at once.
	soakLanes   = 4
	renderLanes = 2
	// growthRatioMax limits the memory of a soak's last quarter relative to the second, handlesMax the additional open
	// files. A quarter below quarterMin proves nothing about memory: the first garbage is not collected yet.
	growthRatioMax = 1.1
	handlesMax     = 10
	quarterMin     = 250
)

// sample is what the worker uses at one moment.
type sample struct {
	resident int64
	files    int
}

func (e *engine) sample(t *testing.T) sample {
	t.Helper()
	resident, _ := memory(t, e.worker.PID())
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", e.worker.PID()))
	if err != nil {
		t.Fatal(err)
	}
	return sample{resident: resident, files: len(files)}
}

// medianOf returns the median of one number over a quarter's samples.
func medianOf(quarter []sample, number func(sample) int64) int64 {
	values := make([]int64, len(quarter))
	for i, s := range quarter {
		values[i] = number(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// soak repeats an operation, and compares what the worker uses in the last quarter with the second.
func (e *engine) soak(t *testing.T, what string, times, lanes int, do func(i int) error) {
	t.Helper()
	every := max(1, times/400)
	var next, done atomic.Int64
	var mu sync.Mutex
	var samples []sample
	var working sync.WaitGroup
	begun := time.Now()
	for range lanes {
		working.Go(func() {
			for i := next.Add(1); i <= int64(times) && !t.Failed(); i = next.Add(1) {
				if err := do(int(i)); err != nil {
					t.Errorf("%s %d: %v", what, i, err)
				}
				if done.Add(1)%int64(every) == 0 {
					s := e.sample(t)
					mu.Lock()
					samples = append(samples, s)
					mu.Unlock()
				}
			}
		})
	}
	working.Wait()
	if t.Failed() {
		t.FailNow()
	}
	quarter := len(samples) / 4
	second, last := samples[quarter:2*quarter], samples[3*quarter:]
	resident := func(s sample) int64 { return s.resident }
	files := func(s sample) int64 { return int64(s.files) }
	before, after := medianOf(second, resident), medianOf(last, resident)
	filesBefore, filesAfter := medianOf(second, files), medianOf(last, files)
	took := time.Since(begun)
	t.Logf("%d %s in %s (%.1f a second): memory of the quarters %s MiB, last to second %.3f; files %d and %d",
		times, what, took.Round(time.Second), float64(times)/took.Seconds(), quarters(samples), float64(after)/float64(before), filesBefore, filesAfter)
	if times/4 >= quarterMin && float64(after) > growthRatioMax*float64(before) {
		t.Errorf("%s: memory of the last quarter is %d MiB, and was %d in the second: want at most %.1f times that", what, after/mebibyte, before/mebibyte, growthRatioMax)
	}
	if filesAfter > filesBefore+handlesMax {
		t.Errorf("%s: the worker has %d files open in the last quarter, and had %d in the second", what, filesAfter, filesBefore)
	}
}

func quarters(samples []sample) string {
	var parts []string
	for i := range 4 {
		quarter := samples[i*len(samples)/4 : (i+1)*len(samples)/4]
		parts = append(parts, fmt.Sprint(medianOf(quarter, func(s sample) int64 { return s.resident })/mebibyte))
	}
	return strings.Join(parts, ", ")
}

// TestEngineSoak shows that thousands of scrapes and renders do not grow the worker, and leave no browser behind.
func TestEngineSoak(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	e := newEngine(t, nil, "TURNPIKE_HOST_RATE=off")
	var seen browsersSeen
	scrape := func(more map[string]any) func(int) error {
		return func(i int) error {
			body := map[string]any{"url_to_scrape": fmt.Sprintf("%s/article/%d", e.site.url, i)}
			maps.Copy(body, more)
			got, err := e.scrape(t.Context(), "/v1/scrapes", body)
			switch {
			case err != nil:
				return err
			case got.Status != http.StatusOK || !strings.Contains(got.Result.Markdown, "Tides at"):
				return fmt.Errorf("got %s", got)
			case got.Result.Metadata.Rendered != (more != nil):
				return fmt.Errorf("got rendered %v: %s", got.Result.Metadata.Rendered, got.Result.Metadata.Reason)
			}
			if more != nil {
				seen.look(e.service.PID())
			}
			return nil
		}
	}
	e.soak(t, "scrapes", *soakScrapes, soakLanes, scrape(nil))
	e.soak(t, "renders", *soakRenders, renderLanes, scrape(map[string]any{"render": "always"}))
	if len(seen.profiles) == 0 {
		t.Fatal("no browser was seen: the test would not notice one that is left")
	}
	t.Logf("browsers: %d", len(seen.profiles))
	if *soakRenders >= 4*quarterMin {
		idle(t, e, &seen)
	}
	stop, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.worker.Stop(stop); err != nil {
		t.Errorf("stopping the worker: %v", err)
	}
	if left := seen.left(); len(left) > 0 {
		t.Errorf("processes of browsers are left by a worker that was stopped: %v", left)
	}
	for profile := range seen.profiles {
		if _, err := os.Stat(profile); !os.IsNotExist(err) {
			t.Errorf("a browser's directory is left: %s", profile)
		}
	}
}

// idle waits for the worker to end its idle browsers.
func idle(t *testing.T, e *engine, seen *browsersSeen) {
	t.Helper()
	begun := time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	limit := time.After(2 * time.Minute)
	for len(seen.left()) > 0 {
		select {
		case <-tick.C:
		case <-limit:
			t.Errorf("processes of browsers are left long after the last render: %v", seen.left())
			return
		}
	}
	t.Logf("the last browser was gone after %s: %+v", time.Since(begun).Round(time.Second), e.sample(t))
}

// browsersSeen holds a service's browsers so far, by profile directory.
type browsersSeen struct {
	mu       sync.Mutex
	profiles map[string]int // values are process groups
}

func (b *browsersSeen) look(service int) {
	for _, leader := range rig.Children(service) {
		profile := profileOf(leader)
		if profile == "" {
			continue
		}
		b.mu.Lock()
		if b.profiles == nil {
			b.profiles = map[string]int{}
		}
		b.profiles[profile] = leader
		b.mu.Unlock()
	}
}

// left returns the remaining processes of those browsers: in their groups, or with their directories.
func (b *browsersSeen) left() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left []int
	for profile, leader := range b.profiles {
		for _, pid := range append(groupOf(leader), usersOf(profile)...) {
			if !slices.Contains(left, pid) {
				left = append(left, pid)
			}
		}
	}
	return left
}

// orphanMax is how long a browser may outlive a killed worker.
const orphanMax = 5 * time.Second

// TestEngineKilledInARender shows that a worker's browsers end with it, even if it is killed.
func TestEngineKilledInARender(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	e := newEngine(t, nil, "TURNPIKE_HOST_RATE=off")
	loading := make(chan struct{}, 1)
	e.site.own["/endless"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<p>x</p><img src="/never"><script>setInterval(() => { document.body.append("x") }, 1)</script>`)
	}
	e.site.own["/never"] = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case loading <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}
	for i := range *soakKills {
		if i > 0 {
			e.startWorker(t, nil, "TURNPIKE_HOST_RATE=off")
		}
		e.killInARender(t, loading)
	}
}

func (e *engine) killInARender(t *testing.T, loading <-chan struct{}) {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		got, err := e.scrape(t.Context(), "/v1/scrapes", map[string]any{
			"url_to_scrape": e.site.url + "/endless", "render": "always", "wait_before_scraping": 50_000,
		})
		if err == nil && got.Status == http.StatusOK {
			err = fmt.Errorf("got %s of a worker that was killed", got)
		}
		failed <- err
	}()
	select {
	case <-loading:
	case <-time.After(2 * time.Minute):
		t.Fatal("the page was not rendered")
	}
	var seen browsersSeen
	seen.look(e.service.PID())
	before := seen.left()
	if len(before) == 0 {
		t.Fatal("the worker has no browser")
	}
	if err := e.worker.Kill(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(orphanMax)
	for len(seen.left()) > 0 {
		select {
		case <-tick.C:
		case <-limit:
			left := seen.left()
			t.Errorf("%s after the worker was killed, %d of %d processes of its browser are left: %v", orphanMax, len(left), len(before), left)
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d processes were gone %s after the worker", len(before), time.Since(begun).Round(10*time.Millisecond))
	if err := <-failed; err != nil {
		t.Error(err)
	}
}
