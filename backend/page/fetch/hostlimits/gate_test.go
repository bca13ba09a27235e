package hostlimits

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

var discard = slog.New(slog.DiscardHandler)

const host = "example.com:443"

// idleClock jumps to the time at which a waiter would wake.
type idleClock struct{ *clocktest.Clock }

func newClock() *idleClock { return &idleClock{clocktest.New()} }

func (c *idleClock) Wait(ctx context.Context, d time.Duration, _ <-chan struct{}) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.Advance(d)
	return nil
}

// process is a gate with its own connections, as in another process.
func process(t *testing.T, database string, change func(*Config)) *Gate {
	t.Helper()
	pool := pgtest.Open(t, database, nil)
	config := Config{Queries: db.New(pool), Logger: discard}
	if change != nil {
		change(&config)
	}
	g, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func enter(t *testing.T, g *Gate, at string) func(fetch.Outcome) {
	t.Helper()
	leave, err := g.Enter(t.Context(), at)
	if err != nil {
		t.Errorf("entering %s: %v", at, err)
		return func(fetch.Outcome) {}
	}
	return leave
}

var answered = fetch.Outcome{StatusCode: http.StatusOK}

// Three processes with four concurrent requests each: never more than two at the host.
func TestConcurrencyAcrossProcesses(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t, migrate)
	var under, most atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		g := process(t, database, func(c *Config) { c.Interval, c.Burst, c.WaitMax = time.Millisecond, 1000, time.Minute })
		for range 4 {
			wg.Go(func() {
				for range 6 {
					leave := enter(t, g, host)
					n := under.Add(1)
					for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
					}
					enter(t, g, "other.example.com:443")(answered) // takes a while; hosts are independent
					under.Add(-1)
					leave(answered)
				}
			})
		}
	}
	wg.Wait()
	if got := most.Load(); got != 2 {
		t.Errorf("got %d requests under way at once, want 2", got)
	}
}

// Sixty requests of three processes at five a second, with a burst of five, take at least eleven seconds, and not much
// more, since no turn is wasted.
func TestPaceAcrossProcesses(t *testing.T) {
	t.Parallel()
	database, clock := pgtest.New(t, migrate), newClock()
	start := clock.Now()
	var wg sync.WaitGroup
	for range 3 {
		g := process(t, database, func(c *Config) { c.clock, c.Concurrency, c.WaitMax = clock, 100, time.Hour })
		for range 4 {
			wg.Go(func() {
				for range 5 {
					enter(t, g, host)(answered)
				}
			})
		}
	}
	wg.Wait()
	if got := clock.Now().Sub(start); got < 11*time.Second || got > 40*time.Second {
		t.Errorf("60 requests took %s, want 11 s and a little", got)
	}
}

func TestFirstRequestsDoNotWait(t *testing.T) {
	t.Parallel()
	clock := newClock()
	start := clock.Now()
	g := process(t, pgtest.New(t, migrate), func(c *Config) { c.clock = clock })
	for range 5 {
		enter(t, g, host)(answered)
	}
	if got := clock.Now().Sub(start); got != 0 {
		t.Errorf("five requests after a pause: got a wait of %s, want none", got)
	}
	enter(t, g, host)(answered)
	if got := clock.Now().Sub(start); got < 200*time.Millisecond || got > 300*time.Millisecond {
		t.Errorf("the sixth: got a wait of %s, want 200 ms", got)
	}
	enter(t, g, "example.com:80")(answered)
	if got := clock.Now().Sub(start); got > 300*time.Millisecond {
		t.Errorf("another port: got a wait until %s, want none", got)
	}
}

// A killed process gives no turns back. They expire.
func TestTurnsOfAKilledProcessLapse(t *testing.T) {
	t.Parallel()
	database, clock := pgtest.New(t, migrate), newClock()
	change := func(c *Config) { c.clock, c.WaitMax = clock, time.Hour }
	killed, alive := process(t, database, change), process(t, database, change)
	start := clock.Now()
	enter(t, killed, host)
	enter(t, killed, host)
	enter(t, alive, host)(answered)
	if got := clock.Now().Sub(start); got < 75*time.Second || got > 76*time.Second {
		t.Errorf("got a turn after %s, want it when the others lapse: 75 s", got)
	}
	enter(t, alive, host)(answered)
	if got := clock.Now().Sub(start); got > 76*time.Second {
		t.Errorf("got the next turn after %s, want it at once", got)
	}
}

func TestBackOff(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t, migrate)
	const tooMany, unavailable = http.StatusTooManyRequests, http.StatusServiceUnavailable
	for _, tt := range []struct {
		name    string
		answers []fetch.Outcome
		want    time.Duration
	}{
		{"an answer", []fetch.Outcome{answered}, 0},
		{"not found", []fetch.Outcome{{StatusCode: http.StatusNotFound}}, 0},
		{"a failure of its own", []fetch.Outcome{{StatusCode: http.StatusInternalServerError}}, 0},
		{"no answer", []fetch.Outcome{{}}, 0},
		{"too many requests", []fetch.Outcome{{StatusCode: tooMany}}, 2 * time.Second},
		{"unavailable", []fetch.Outcome{{StatusCode: unavailable}}, 2 * time.Second},
		{"twice", []fetch.Outcome{{StatusCode: tooMany}, {StatusCode: unavailable}}, 6 * time.Second},
		{"an answer in between", []fetch.Outcome{{StatusCode: tooMany}, answered, {StatusCode: tooMany}}, 4 * time.Second},
		{"no answer in between", []fetch.Outcome{{StatusCode: tooMany}, {}, {StatusCode: tooMany}}, 6 * time.Second},
		{"for as long as it says", []fetch.Outcome{{StatusCode: tooMany, RetryAfter: 7 * time.Second}}, 7 * time.Second},
		{"for no longer than an hour", []fetch.Outcome{{StatusCode: unavailable, RetryAfter: 24 * time.Hour}}, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock, at := newClock(), strings.ReplaceAll(tt.name, " ", "-")+".example:443"
			change := func(c *Config) { c.clock, c.WaitMax = clock, 24*time.Hour }
			first, second := process(t, database, change), process(t, database, change)
			start := clock.Now()
			for _, answer := range tt.answers {
				enter(t, first, at)(answer)
			}
			enter(t, second, at)(answered)
			got := clock.Now().Sub(start)
			if got < tt.want || got > tt.want+100*time.Millisecond {
				t.Errorf("got the next turn after %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBackOffHasAnEnd(t *testing.T) {
	t.Parallel()
	clock := newClock()
	g := process(t, pgtest.New(t, migrate), func(c *Config) { c.clock, c.WaitMax = clock, 24*time.Hour })
	last := clock.Now()
	for range 40 {
		leave := enter(t, g, host)
		last = clock.Now()
		leave(fetch.Outcome{StatusCode: http.StatusTooManyRequests})
	}
	enter(t, g, host)
	if got := clock.Now().Sub(last); got < 5*time.Minute || got > 5*time.Minute+time.Second {
		t.Errorf("after forty refusals: got %s, want 5 minutes", got)
	}
}

// A request that would wait beyond its time limit fails at once, with the time to come again.
func TestBusy(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t, migrate)
	g := process(t, database, nil)
	enter(t, g, host)(fetch.Outcome{StatusCode: http.StatusTooManyRequests, RetryAfter: 10 * time.Minute})
	_, err := g.Enter(t.Context(), host)
	busy, ok := errors.AsType[*fetch.BusyError](err)
	if !ok || busy.RetryAfter < 9*time.Minute || busy.RetryAfter > 10*time.Minute {
		t.Errorf("got %v, want to be told to come again in 10 minutes", err)
	}

	// All turns are taken, and the deadline comes before one is given back.
	full := process(t, database, nil)
	enter(t, full, "full.example.com:80")
	enter(t, full, "full.example.com:80")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := full.Enter(ctx, "full.example.com:80"); !isBusy(err) {
		t.Errorf("got %v, want it busy", err)
	}
	// One request waits for a turn, the next one behind it.
	waiting, stop := context.WithCancel(t.Context())
	done := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := full.Enter(waiting, "full.example.com:80")
			done <- err
		}()
	}
	stop()
	for range 2 {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the caller's own giving up", err)
		}
	}
	if len(full.lines) != 0 {
		t.Errorf("got %d hosts that somebody waits for, want none", len(full.lines))
	}
}

func isBusy(err error) bool {
	_, ok := errors.AsType[*fetch.BusyError](err)
	return ok
}

// Giving a turn back wakes a waiter in the same process, long before its next poll.
func TestGivingBackWakes(t *testing.T) {
	t.Parallel()
	g := process(t, pgtest.New(t, migrate), func(c *Config) { c.Interval = time.Millisecond })
	first := enter(t, g, host)
	enter(t, g, host)
	entered := make(chan struct{})
	go func() {
		enter(t, g, host)
		close(entered)
	}()
	first(answered)
	<-entered
}

func TestExempt(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t, migrate)
	g := process(t, database, func(c *Config) {
		c.Exempt = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		c.WaitMax = time.Millisecond
	})
	for _, free := range []string{"127.0.0.1:8080", "[::1]:80", "localhost:3000", "page.localhost:80", "localhost.:80"} {
		for range 20 {
			enter(t, g, free)
		}
	}
	for _, at := range []string{"10.0.0.1:80", "localhost.example.com:80", "example.com:80"} {
		enter(t, g, at)
		enter(t, g, at)
		if _, err := g.Enter(t.Context(), at); !isBusy(err) {
			t.Errorf("%s: got %v, want it busy", at, err)
		}
	}
}

// A request with less patience waits less than the maximum.
func TestPatience(t *testing.T) {
	t.Parallel()
	g := process(t, pgtest.New(t, migrate), func(c *Config) { c.WaitMax, c.Concurrency = time.Hour, 1 })
	leave := enter(t, g, host)
	_, err := g.Enter(fetch.WithPatience(t.Context(), time.Millisecond), host)
	if busy, ok := errors.AsType[*fetch.BusyError](err); !ok || busy.RetryAfter <= 0 {
		t.Errorf("got %v, want it busy, and when it is not", err)
	}
	leave(answered)
	enter(t, g, host)(answered)
}

// Each refused request gets a later time than the one before. Until the first of these times, the database is not asked.
func TestTurnsAreToldOneAfterTheOther(t *testing.T) {
	t.Parallel()
	clock := clocktest.New()
	g := process(t, pgtest.New(t, migrate), func(c *Config) { c.clock, c.Burst = &idleClock{clock}, 1 })
	impatient := fetch.WithPatience(t.Context(), time.Millisecond)
	again := func() time.Duration {
		t.Helper()
		_, err := g.Enter(impatient, host)
		busy, ok := errors.AsType[*fetch.BusyError](err)
		if !ok {
			t.Fatalf("got %v, want it busy", err)
		}
		return busy.RetryAfter
	}
	enter(t, g, host)(answered)
	for _, want := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 600 * time.Millisecond} {
		if got := again(); got != want {
			t.Errorf("got to come back in %s, want %s", got, want)
		}
	}
	clock.Advance(200 * time.Millisecond)
	if _, err := g.Enter(impatient, host); err != nil {
		t.Errorf("when the time is over: got %v, want a turn", err)
	}
	if got := again(); got != 600*time.Millisecond {
		t.Errorf("got to come back in %s, want it after those who were told before: in 600ms", got)
	}
	enter(t, g, "sulky.example.com:80")(fetch.Outcome{StatusCode: http.StatusTooManyRequests, RetryAfter: time.Hour})
	for range 2 {
		_, err := g.Enter(t.Context(), "sulky.example.com:80")
		if busy, ok := errors.AsType[*fetch.BusyError](err); !ok || busy.RetryAfter < time.Hour || busy.RetryAfter > time.Hour+time.Second {
			t.Errorf("got %v, want to be told to come back in an hour", err)
		}
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	g := process(t, pgtest.New(t, migrate), func(c *Config) {
		c.Interval, c.Exempt = 500*time.Millisecond, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	for at, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:8080": true, "[::1]": true, "[::1]:8080": true, "localhost": true,
		"example.com": false, "example.com:80": false, "10.0.0.1": false,
	} {
		if interval, exempt := g.Pace(at); interval != 500*time.Millisecond || exempt != want {
			t.Errorf("%s: got %s, exempt %t, want 500ms, %t", at, interval, exempt, want)
		}
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	clock := newClock()
	g := process(t, pgtest.New(t, migrate), func(c *Config) { c.clock, c.RetryAfterMax = clock, 3*time.Hour })
	enter(t, g, "a.example.com:80")(answered)
	enter(t, g, "b.example.com:80")(fetch.Outcome{StatusCode: http.StatusTooManyRequests, RetryAfter: 3 * time.Hour})
	clock.Advance(2 * time.Hour)
	for _, want := range []int64{1, 0} {
		if got, err := g.Purge(t.Context()); err != nil || got != want {
			t.Errorf("got %d, %v, want %d", got, err, want)
		}
	}
	if _, err := g.Enter(t.Context(), "b.example.com:80"); !isBusy(err) {
		t.Errorf("got %v, want the host that asked to be left alone remembered", err)
	}
}

func TestCallerIsGone(t *testing.T) {
	t.Parallel()
	g := process(t, pgtest.New(t, migrate), nil)
	leave := enter(t, g, host)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Enter(ctx, host); err == nil {
		t.Error("got a turn, want an error")
	}
	leave(answered) // the request's context no longer counts
	enter(t, g, host)
	enter(t, g, host)
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Concurrency: -1, Interval: time.Microsecond, Lease: -1})
	for _, want := range []string{"Queries", "Logger", "Concurrency", "Interval", "Lease"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
}

// BenchmarkEnter is the cost of politeness for a fetch: two statements.
func BenchmarkEnter(b *testing.B) {
	pool := pgtest.Open(b, pgtest.New(b, migrate), nil)
	g, err := New(Config{Queries: db.New(pool), Logger: discard, Interval: time.Millisecond, Burst: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		leave, err := g.Enter(b.Context(), host)
		if err != nil {
			b.Fatal(err)
		}
		leave(answered)
	}
}
