//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/render"
)

var (
	sharesFor    = flag.Duration("shares-for", 20*time.Second, "how long each window of the drill of shares is")
	sharesRounds = flag.Int("shares-rounds", 0, "how many windows with and without an attack there are; without any there is no drill")
)

const (
	// sharesRatioMax is how much longer what a team asks for may take beside an attack, at the 99th percentile.
	sharesRatioMax = 2.0
	// errandEvery is how far apart a team's errands of a kind begin: it stays within its 300 jobs a minute.
	errandEvery = 450 * time.Millisecond
	// A hostile team sends as much as the limits that are shipped let through: 3,000 writes a minute, and 300 jobs.
	writeEvery, jobEvery = 20 * time.Millisecond, 200 * time.Millisecond
)

// bystander is a team that has no part in an attack, and what it is told.
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

// errands are what it asks for again and again.
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
			got, err := b.ask(ctx, call{url: b.e.edge.URL("/v1/batches"), body: batchOf([]string{page}, nil)})
			for err == nil {
				var made batch
				if err = json.Unmarshal(got.body, &made); err != nil || ended(made) {
					break
				}
				got, err = b.ask(ctx, call{method: http.MethodGet, url: b.e.edge.URL("/v1/batches/" + made.ID)})
			}
			return err
		},
	}
}

// window does every errand over and over, each in a line of its own, and returns how long each took.
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

// samples are how long errands of each kind took.
type samples map[string][]time.Duration

func (s samples) add(more map[string][]time.Duration) {
	for kind, took := range more {
		s[kind] = append(s[kind], took...)
	}
}

// at is a percentile of a kind.
func (s samples) at(kind string, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(s[kind]))
	return sorted[len(sorted)*percent/100]
}

// assault is a hostile team at its limits, and slow clients without a key at theirs.
type assault struct {
	e            *engine
	pit          *tarpit
	once         []call // what the team sends once
	writes, jobs []call // what its clients send, in turns
	client       *http.Client
}

func newAssault(e *engine) *assault {
	a := &assault{e: e, client: manyClients(hostileInFlight)}
	pit, address := e.site.tarpit()
	a.pit = pit
	heavy := "<!doctype html><title>x</title>" + strings.Repeat("<p class=abc>some text <b>here</b> and there</p>", 40_000)
	e.site.own["/heavy"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(heavy))
	}
	post := func(path, body string) call { return call{url: e.edge.URL(path), body: body} }
	crowd := make([]string, 1000)
	for i := range crowd {
		crowd[i] = fmt.Sprintf("%s?%d", address, i)
	}
	large := post("/v1/batches", batchBody(address, largeBody-64<<10))
	a.once = []call{post("/v1/batches", batchOf(crowd, nil)), large}
	a.jobs = []call{post("/v1/answers", askAbout(address)), large}
	a.writes = []call{
		e.scrapeOf(nil, map[string]any{"url_to_scrape": address}), e.scrapeOf(nil, map[string]any{"url_to_scrape": e.site.url + "/heavy"}),
		e.scrapeOf(nil, map[string]any{"url_to_scrape": address}), post("/v1/maps", fmt.Sprintf(`{"url": %q}`, address)),
	}
	if _, err := render.Find(""); err == nil {
		a.writes = append(a.writes, e.scrapeOf(nil, map[string]any{"url_to_scrape": e.site.url + "/article/slow", "wait_before_scraping": 60_000}))
	}
	return a
}

// start returns when the attack has about all that it can get, with what ends it.
func (a *assault) start(t *testing.T) (stop func() string) {
	t.Helper()
	hostile := a.e.purse(t, engineCredits)
	for _, c := range a.once {
		c.with(hostile.bearer()...).do(t).wantStatus(t, http.StatusOK)
	}
	write, job := time.NewTicker(writeEvery), time.NewTicker(jobEvery)
	f := startFlood(t, hostileInFlight, func(ctx context.Context, client int) (answer, error) {
		calls, pace := a.writes, write.C
		if client%4 == 0 {
			calls, pace = a.jobs, job.C
		}
		if !await(ctx, pace) {
			return answer{}, ctx.Err()
		}
		return calls[client/4%len(calls)].with(hostile.bearer()...).tryBy(ctx, a.client)
	})
	sent, stopSlow := slowQuotes(t, a.e.edge.Address)
	overloaded := func(context.Context) (int64, error) { return f.count(http.StatusServiceUnavailable), nil }
	awaits(t, attackWait, overloaded, func(n int64) bool { return n > 0 })
	awaits(t, attackWait, func(context.Context) (int64, error) { return sent.Load(), nil }, func(n int64) bool { return n > 0 })
	return func() string {
		held := a.pit.in.Load()
		f.stop()
		stopSlow()
		write.Stop()
		job.Stop()
		awaits(t, attackWait, func(ctx context.Context) (int64, error) { return a.left(ctx, hostile) }, func(n int64) bool { return n == 0 })
		return fmt.Sprintf("%s, with %d requests in the tarpit at its end", f, held)
	}
}

// left cancels the batches of a team, those among them that it never heard of, and returns how much of an attack is left.
func (a *assault) left(ctx context.Context, hostile *purse) (int64, error) {
	rows, err := a.e.pool.Query(ctx, `select id from batch where team_id = $1 and completed_at is null`, hostile.team)
	if err != nil {
		return 0, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, id := range ids {
		cancel := call{method: http.MethodDelete, url: a.e.edge.URL("/v1/batches/" + id)}.with(hostile.bearer()...)
		if _, err := cancel.tryBy(ctx, a.client); err != nil {
			return 0, err
		}
	}
	return a.pit.in.Load() + int64(len(ids)), err
}

// A hostile team, and a hundred slow clients without a key, at their limits: another team's scrapes, batches and answers
// take no more than twice as long as without them, none is refused, and neither process takes a gigabyte. Windows with and
// without them are measured in turn, since the machine is not ours alone, and all of a kind are counted together.
//
//nolint:paralleltest // it measures time
func TestSharesDrill(t *testing.T) {
	if *sharesRounds == 0 {
		t.Skip("it measures time: make drill-shares")
	}
	e := newShares(t, "TURNPIKE_JOB_LEASE=4s") // a batch that is cancelled is let go within a quarter of that
	b := &bystander{e: e, ctx: t.Context(), key: e.purse(t, engineCredits).bearer(), refused: map[string]int{}}
	a := newAssault(e)
	b.window("first") // prepares everything that is prepared once
	for _, pid := range []int{e.edge.PID(), e.worker.PID()} {
		resetPeak(t, pid)
	}
	quiet, attacked := samples{}, samples{}
	for round := range *sharesRounds {
		quiet.add(b.window(fmt.Sprint("quiet-", round)))
		stop := a.start(t)
		attacked.add(b.window(fmt.Sprint("attacked-", round)))
		t.Logf("round %d: the hostile team was answered %s", round+1, stop())
	}
	for _, kind := range slices.Sorted(maps.Keys(quiet)) {
		ratio := float64(attacked.at(kind, 99)) / float64(quiet.at(kind, 99))
		t.Logf("%-7s %d quiet, %d under attack: p50 %s and %s, p99 %s and %s: %.2f times", kind, len(quiet[kind]), len(attacked[kind]),
			quiet.at(kind, 50).Round(time.Millisecond), attacked.at(kind, 50).Round(time.Millisecond),
			quiet.at(kind, 99).Round(time.Millisecond), attacked.at(kind, 99).Round(time.Millisecond), ratio)
		if ratio > sharesRatioMax {
			t.Errorf("%s: got a p99 of %.2f times as much under attack, want at most %g", kind, ratio, sharesRatioMax)
		}
	}
	t.Logf("refused: %d of %d", len(b.refused), b.asked)
	for what, n := range b.refused {
		t.Errorf("refused %d times: %s", n, what)
	}
	for name, pid := range map[string]int{"edge": e.edge.PID(), "backend": e.worker.PID()} {
		_, peak := memory(t, pid)
		t.Logf("memory of the %s: %d MiB at most", name, peak/mebibyte)
		if peak > processBytesMax {
			t.Errorf("memory of the %s: got %d MiB, want at most %d", name, peak/mebibyte, processBytesMax/mebibyte)
		}
	}
}
