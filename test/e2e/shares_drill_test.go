//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	sharesFor    = flag.Duration("shares-for", 20*time.Second, "how long each window of the drill of shares is")
	sharesRounds = flag.Int("shares-rounds", 0, "how many windows with and without an attack there are; without any there is no drill")
)

const (
	// sharesRatioMax is how many times longer a team's requests may take during an attack, at the 99th percentile.
	sharesRatioMax = 2.0
	// errandEvery is the interval between requests of a kind. It keeps the team within its 300 jobs a minute.
	errandEvery = 450 * time.Millisecond
	// batchPoll is how often it checks whether a batch has ended.
	batchPoll = 20 * time.Millisecond
)

// bystander is a team that is not part of the attack, with the refusals that it gets.
type bystander struct {
	e   *engine
	ctx context.Context
	key []string

	mu      sync.Mutex
	asked   int
	refused map[string]int
}

func (b *bystander) ask(ctx context.Context, c call) (answer, error) {
	got, err := c.with(b.key...).tryBy(ctx, engineClient)
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("%s", got.short())
	}
	return got, err
}

// errands are the requests that it repeats.
func (b *bystander) errands() map[string]func(ctx context.Context, page string) error {
	return map[string]func(ctx context.Context, page string) error{
		"scrape": func(ctx context.Context, page string) error {
			_, err := b.ask(ctx, b.e.scrapeOf(nil, map[string]any{"url_to_scrape": page, "formats": []string{"markdown"}}))
			return err
		},
		"answer": func(ctx context.Context, page string) error {
			_, err := b.ask(ctx, call{url: b.e.edge.URL("/v1/answers"), body: askAbout(page)})
			return err
		},
		"batch": func(ctx context.Context, page string) error {
			poll := time.NewTicker(batchPoll)
			defer poll.Stop()
			got, err := b.ask(ctx, call{url: b.e.edge.URL("/v1/batches"), body: batchOf([]string{page}, nil)})
			for err == nil {
				var made batch
				if err = json.Unmarshal(got.body, &made); err != nil || ended(made) {
					break
				}
				await(ctx, poll.C)
				got, err = b.ask(ctx, call{method: http.MethodGet, url: b.e.edge.URL("/v1/batches/" + made.ID)})
			}
			return err
		},
	}
}

// window repeats every kind of request, each in its own goroutine, and returns how long each took.
func (b *bystander) window(name string) map[string][]time.Duration {
	until := time.Now().Add(*sharesFor)
	took := map[string][]time.Duration{}
	var running sync.WaitGroup
	for kind, do := range b.errands() {
		running.Go(func() {
			tick := time.NewTicker(errandEvery)
			defer tick.Stop()
			for n := 0; n == 0 || time.Now().Before(until); n++ {
				begun := time.Now()
				err := do(b.ctx, fmt.Sprintf("%s/article/%s-%s-%d", b.e.site.url, kind, name, n))
				b.mu.Lock()
				took[kind] = append(took[kind], time.Since(begun))
				if b.asked++; err != nil {
					b.refused[kind+": "+err.Error()]++
				}
				b.mu.Unlock()
				await(b.ctx, tick.C)
			}
		})
	}
	running.Wait()
	return took
}

// samples are durations of requests by kind.
type samples map[string][]time.Duration

func (s samples) add(more map[string][]time.Duration) {
	for kind, took := range more {
		s[kind] = append(s[kind], took...)
	}
}

// at returns a percentile of a kind.
func (s samples) at(kind string, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(s[kind]))
	return sorted[len(sorted)*percent/100]
}

// sharesDrill measures windows of three kinds in turn, because the machine is shared: without attackers, with attackers,
// and beside a process that uses as much processor time as attackers, who would really be on other machines.
type sharesDrill struct {
	*bystander

	parties  parties
	pages    net.Listener // the listener for the attackers' pages
	windows  [windowKinds]samples
	spent    [windowKinds]spending
	duration [windowKinds]time.Duration
}

const (
	inQuiet = iota
	underAttack
	asMuchElsewhere
	windowKinds
)

// measure runs a window of a kind, and returns how many processors the attackers used.
func (d *sharesDrill) measure(t *testing.T, kind, round int) float64 {
	t.Helper()
	before, begun := d.parties.spent(t), time.Now()
	d.windows[kind].add(d.window(fmt.Sprintf("%d-%d", kind, round)))
	spent, took := d.parties.spent(t).since(before), time.Since(begun)
	d.spent[kind].add(spent)
	d.duration[kind] += took
	return spent[attackersName].Seconds() / took.Seconds()
}

const attackersName = "attackers"

// round runs a window of each kind.
func (d *sharesDrill) round(t *testing.T, round int) {
	t.Helper()
	d.measure(t, inQuiet, round)
	hostile := d.e.purse(t, engineCredits)
	a := startAttackers(t, d.pages, orders{Edge: d.e.edge.URL(""), Key: hostile.key, Browser: hasBrowser()})
	a.awaitAll(t)
	d.parties[attackersName] = a.PID()
	rate := d.measure(t, underAttack, round)
	p, err := a.progress(t.Context())
	if err != nil {
		t.Error(err)
	}
	t.Logf("round %d: the hostile team was answered %v, and has %d requests in the tarpit; slow clients sent %d MiB",
		round, p.Answered, p.Held, p.SlowBytes/mebibyte)
	_ = a.Kill()
	awaits(t, attackWait, func(ctx context.Context) (int, error) { return d.e.leave(ctx, hostile) }, func(n int) bool { return n == 0 })
	a = startAttackers(t, d.pages, orders{Spend: rate})
	d.parties[attackersName] = a.PID()
	d.measure(t, asMuchElsewhere, round)
	_ = a.Kill()
	delete(d.parties, attackersName)
}

// leave cancels a team's batches, including those whose response it never got, and returns how many there were.
func (e *engine) leave(ctx context.Context, hostile *purse) (int, error) {
	rows, err := e.pool.Query(ctx, `select id from batch where team_id = $1 and completed_at is null`, hostile.team)
	if err != nil {
		return 0, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, id := range ids {
		cancel := call{method: http.MethodDelete, url: e.edge.URL("/v1/batches/" + id)}.with(hostile.bearer()...)
		if _, err := cancel.tryBy(ctx, engineClient); err != nil {
			return 0, err
		}
	}
	return len(ids), err
}

// TestSharesDrill runs a hostile team and a hundred slow clients without a key at their limits. Another team's requests
// may take at most twice as long as without them, none may be refused, and neither process may use a gigabyte.
//
//nolint:paralleltest // it measures time
func TestSharesDrill(t *testing.T) {
	if *sharesRounds == 0 {
		t.Skip("it measures time: make drill-shares")
	}
	d := newSharesDrill(t)
	d.window("first") // makes the one-time allocations
	for _, pid := range []int{d.e.edge.PID(), d.e.worker.PID()} {
		resetPeak(t, pid)
	}
	for round := range *sharesRounds {
		d.round(t, round)
	}
	d.report(t)
	t.Logf("refused: %d of %d", len(d.refused), d.asked)
	for what, n := range d.refused {
		t.Errorf("refused %d times: %s", n, what)
	}
	for name, pid := range map[string]int{"edge": d.e.edge.PID(), "backend": d.e.worker.PID()} {
		_, peak := memory(t, pid)
		t.Logf("memory of the %s: %d MiB at most", name, peak/mebibyte)
		if peak > processBytesMax {
			t.Errorf("memory of the %s: got %d MiB, want at most %d", name, peak/mebibyte, processBytesMax/mebibyte)
		}
	}
}

func newSharesDrill(t *testing.T) *sharesDrill {
	t.Helper()
	pages, err := net.Listen("tcp", siteHost+":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pages.Close() })
	_, port, _ := net.SplitHostPort(pages.Addr().String())
	e := &engine{stack: setup(t).withDatabase(t), site: newSite(t), ports: []string{port}, alone: true}
	e.open(t, nil, []string{"TURNPIKE_JOB_LEASE=4s"}, shippedLimits...) // a canceled batch is released within a quarter of that
	d := &sharesDrill{pages: pages, bystander: &bystander{e: e, ctx: t.Context(), key: e.purse(t, engineCredits).bearer(), refused: map[string]int{}}}
	d.parties = parties{"bystander": os.Getpid(), "edge": e.edge.PID(), "backend": e.worker.PID(), "postgres": postmaster(t, e.pool)}
	if e.service != nil {
		d.parties["browsers"] = e.service.PID()
	}
	for kind := range windowKinds {
		d.windows[kind], d.spent[kind] = samples{}, spending{}
	}
	return d
}

// report logs the measurements, and fails if they exceed the limits.
func (d *sharesDrill) report(t *testing.T) {
	t.Helper()
	for kind, name := range []string{"quiet", "attacked", "as much elsewhere"} {
		t.Logf("processors in use, %s: %s", name, d.spent[kind].per(d.duration[kind]))
		for _, errand := range slices.Sorted(maps.Keys(d.windows[kind])) {
			at := func(percent int) time.Duration { return d.windows[kind].at(errand, percent).Round(time.Millisecond) }
			t.Logf("%-17s %-6s %d times: p50 %s, p90 %s, p99 %s", name, errand, len(d.windows[kind][errand]), at(50), at(90), at(99))
		}
	}
	for _, errand := range slices.Sorted(maps.Keys(d.windows[inQuiet])) {
		took := float64(d.windows[underAttack].at(errand, 99))
		ratio := took / float64(d.windows[inQuiet].at(errand, 99))
		t.Logf("%-6s p99 under attack: %.2f times that of quiet, %.2f times that beside as much elsewhere", errand,
			ratio, took/float64(d.windows[asMuchElsewhere].at(errand, 99)))
		if ratio > sharesRatioMax {
			t.Errorf("%s: got a p99 of %.2f times as much under attack, want at most %g", errand, ratio, sharesRatioMax)
		}
	}
}
