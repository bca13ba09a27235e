package ratelimit_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnpike-edge/turnpike/payments/ratelimit"
)

type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

func setup(t testing.TB, keysMax int) (*ratelimit.Limiter[string], *clock) {
	t.Helper()
	c := new(clock)
	return ratelimit.New[string](ratelimit.Config{KeysMax: keysMax, Now: c.now}), c
}

func rule(t testing.TB, l *ratelimit.Limiter[string], name string, limit ratelimit.Limit, inFlight int64) *ratelimit.Rule {
	t.Helper()
	r, err := l.Rule(name, limit, inFlight)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// take requests a place and releases it at once.
func take(l *ratelimit.Limiter[string], key string, r *ratelimit.Rule) ratelimit.Decision {
	d := l.Take(key, r)
	d.Release()
	return d
}

func wantState(t *testing.T, r *ratelimit.Rule, d ratelimit.Decision, outcome ratelimit.Outcome, state string) {
	t.Helper()
	if got := r.State(&d); d.Outcome != outcome || got != state {
		t.Errorf("got outcome %d, %s, want %d, %s", d.Outcome, got, outcome, state)
	}
}

func TestQuotaRunsOutAndComesBack(t *testing.T) {
	t.Parallel()
	l, c := setup(t, 0)
	r := rule(t, l, "reads", ratelimit.Limit{Events: 3, Window: time.Minute}, 5)
	if got, want := r.Policy(), `"reads";q=3;w=60, "in-flight";q=5;qu="concurrent-requests"`; got != want {
		t.Errorf("policy: got %s, want %s", got, want)
	}
	wantState(t, r, take(l, "a", r), ratelimit.Allowed, `"reads";r=2;t=20, "in-flight";r=4`)
	c.advance(500 * time.Millisecond)
	wantState(t, r, take(l, "a", r), ratelimit.Allowed, `"reads";r=1;t=20, "in-flight";r=4`)
	wantState(t, r, take(l, "a", r), ratelimit.Allowed, `"reads";r=0;t=20, "in-flight";r=4`)
	for range 3 { // a refusal uses nothing up
		d := take(l, "a", r)
		wantState(t, r, d, ratelimit.RateExceeded, `"reads";r=0;t=20, "in-flight";r=5`)
		if got := d.RetryAfter(); got != 20*time.Second {
			t.Errorf("retry after: got %s, want the 19.5 s rounded up", got)
		}
	}
	wantState(t, r, take(l, "b", r), ratelimit.Allowed, `"reads";r=2;t=20, "in-flight";r=4`)
	c.advance(19*time.Second + 500*time.Millisecond - 1)
	wantState(t, r, take(l, "a", r), ratelimit.RateExceeded, `"reads";r=0;t=1, "in-flight";r=5`)
	c.advance(1)
	wantState(t, r, take(l, "a", r), ratelimit.Allowed, `"reads";r=0;t=20, "in-flight";r=4`)
	c.advance(time.Hour)
	wantState(t, r, take(l, "a", r), ratelimit.Allowed, `"reads";r=2;t=20, "in-flight";r=4`)
}

func TestClassesOfOneKeyAreApart(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, 0)
	reads := rule(t, l, "reads", ratelimit.Limit{Events: 1, Window: time.Minute}, 5)
	writes := rule(t, l, "writes", ratelimit.Limit{Events: 1, Window: time.Minute, Burst: 2}, 5)
	if got, want := writes.Policy(), `"writes";q=1;w=60;turnpike-burst=2, "in-flight";q=5;qu="concurrent-requests"`; got != want {
		t.Errorf("policy: got %s, want %s", got, want)
	}
	for i, want := range []ratelimit.Outcome{ratelimit.Allowed, ratelimit.RateExceeded} {
		if got := take(l, "a", reads).Outcome; got != want {
			t.Errorf("read %d: got %d, want %d", i, got, want)
		}
	}
	for i, want := range []ratelimit.Outcome{ratelimit.Allowed, ratelimit.Allowed, ratelimit.RateExceeded} {
		if got := take(l, "a", writes).Outcome; got != want {
			t.Errorf("write %d: got %d, want %d", i, got, want)
		}
	}
}

func TestInFlightIsCappedOverAllClasses(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, 0)
	reads := rule(t, l, "reads", ratelimit.Limit{Events: 100, Window: time.Minute}, 2)
	writes := rule(t, l, "writes", ratelimit.Limit{Events: 100, Window: time.Minute}, 2)
	first, second := l.Take("a", reads), l.Take("a", writes)
	refused := l.Take("a", reads)
	wantState(t, reads, refused, ratelimit.Busy, `"reads";r=99;t=1, "in-flight";r=0`)
	if got := refused.RetryAfter(); got != time.Second {
		t.Errorf("retry after: got %s, want 1s", got)
	}
	refused.Release() // was never in flight
	if got := l.Take("a", reads).Outcome; got != ratelimit.Busy {
		t.Errorf("after the release of a refused request: got %d, want busy", got)
	}
	if got := l.Take("b", reads).Outcome; got != ratelimit.Allowed {
		t.Errorf("another key: got %d, want allowed", got)
	}
	first.Release()
	third := l.Take("a", writes)
	wantState(t, writes, third, ratelimit.Allowed, `"writes";r=98;t=1, "in-flight";r=0`)
	second.Release()
	third.Release()
}

// A reloaded configuration has rules with the same names, and continues their counts.
func TestChangedLimitGoesOnWhereTheLastWas(t *testing.T) {
	t.Parallel()
	l, c := setup(t, 0)
	wide := ratelimit.Limit{Events: 600, Window: time.Minute}
	before := rule(t, l, "reads", wide, 9)
	for range 600 {
		take(l, "a", before)
	}
	if got := take(l, "a", rule(t, l, "reads", wide, 9)).Outcome; got != ratelimit.RateExceeded {
		t.Errorf("same limit: got %d, want refused as before", got)
	}
	narrow := rule(t, l, "reads", ratelimit.Limit{Events: 1, Window: time.Second}, 9)
	wantState(t, narrow, take(l, "a", narrow), ratelimit.RateExceeded, `"reads";r=0;t=1, "in-flight";r=9`)
	c.advance(time.Minute)
	wantState(t, narrow, take(l, "a", narrow), ratelimit.Allowed, `"reads";r=0;t=1, "in-flight";r=8`)
}

func TestRulesThatCannotBe(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, 0)
	ok := ratelimit.Limit{Events: 1, Window: time.Second}
	for _, tc := range []struct {
		name     string
		class    string
		limit    ratelimit.Limit
		inFlight int64
		says     string
	}{
		{"no name", "", ok, 1, "is not a valid name"},
		{"capital", "Reads", ok, 1, "is not a valid name"},
		{"quote", `a"`, ok, 1, "is not a valid name"},
		{"reserved", "in-flight", ok, 1, "limit on requests in flight"},
		{"no events", "a", ratelimit.Limit{Window: time.Second}, 1, "events: got 0"},
		{"no window", "a", ratelimit.Limit{Events: 1}, 1, "window: got 0s"},
		{"broken seconds", "a", ratelimit.Limit{Events: 1, Window: 1500 * time.Millisecond}, 1, "whole seconds"},
		{"negative burst", "a", ratelimit.Limit{Events: 1, Window: time.Second, Burst: -1}, 1, "burst: got -1"},
		{"too fast", "a", ratelimit.Limit{Events: 2e9, Window: time.Second}, 1, "per nanosecond"},
		{"too deep", "a", ratelimit.Limit{Events: 1, Window: time.Hour, Burst: 1e9}, 1, "to refill"},
		{"none in flight", "a", ok, 0, "in flight: got 0"},
		{"too many in flight", "a", ok, 1 << 40, "in flight: got"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if _, err := l.Rule(tc.class, tc.limit, tc.inFlight); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want an error that says %q", err, tc.says)
			}
		})
	}
}

// The decisions equal those of a token bucket.
func TestEqualsATokenBucket(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := ratelimit.Limit{
			Events: rapid.Int64Range(1, 1000).Draw(t, "events"),
			Window: time.Duration(rapid.Int64Range(1, 120).Draw(t, "seconds")) * time.Second,
			Burst:  rapid.Int64Range(1, 50).Draw(t, "burst"),
		}
		c := new(clock)
		l := ratelimit.New[string](ratelimit.Config{Now: c.now})
		r, err := l.Rule("a", limit, 1)
		if err != nil {
			t.Fatal(err)
		}
		interval := (int64(limit.Window) + limit.Events - 1) / limit.Events
		full := limit.Burst * interval
		level, last := full, int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			c.advance(time.Duration(rapid.Int64Range(0, 3*interval).Draw(t, "pause")))
			now := c.at.Load()
			level, last = min(full, level+now-last), now
			want := ratelimit.RateExceeded
			if level >= interval {
				level -= interval
				want = ratelimit.Allowed
			}
			d := take(l, "k", r)
			if d.Outcome != want || d.Remaining != level/interval {
				t.Fatalf("got outcome %d with %d left, want %d with %d", d.Outcome, d.Remaining, want, level/interval)
			}
			if d.Outcome == ratelimit.RateExceeded && int64(d.Next) != interval-level {
				t.Fatalf("got %s to wait, want %s", d.Next, time.Duration(interval-level))
			}
		}
	})
}

func TestConcurrentRequestsNeverExceedALimit(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, 0)
	r := rule(t, l, "reads", ratelimit.Limit{Events: 1000, Window: time.Hour}, 3)
	var allowed, inFlight, most atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5000 {
				d := l.Take("a", r)
				if d.Outcome != ratelimit.Allowed {
					continue
				}
				allowed.Add(1)
				n := inFlight.Add(1)
				for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
				}
				inFlight.Add(-1)
				d.Release()
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 1000 || most.Load() > 3 {
		t.Errorf("got %d allowed and %d at once, want 1000 and at most 3", allowed.Load(), most.Load())
	}
}

func TestIdleKeysAreForgotten(t *testing.T) {
	t.Parallel()
	l, c := setup(t, 1<<20)
	r := rule(t, l, "reads", ratelimit.Limit{Events: 60, Window: time.Minute}, 9)
	held := l.Take("held", r)
	most := 0
	for i := range 200_000 {
		take(l, fmt.Sprint(i), r) // its quota is full again after a second
		if c.advance(100 * time.Microsecond); i%1000 == 0 {
			most = max(most, l.Len())
		}
	}
	if most > 4*10_000 {
		t.Errorf("got %d keys remembered, want about twice the 10,000 of the last second", most)
	}
	c.advance(2 * time.Minute)
	for i := range 10_000 { // so that each shard gets a new key
		take(l, fmt.Sprint("late", i), r)
	}
	if got := l.Len(); got > 10_001 {
		t.Errorf("after a pause: got %d keys remembered, want the last 10,000", got)
	}
	if d := l.Take("held", r); d.Free != 7 {
		t.Errorf("a key with a request in flight: got room for %d more after a second one, want 7", d.Free)
	}
	held.Release()
}

func TestKeysAreBounded(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, 6400)
	reads := rule(t, l, "reads", ratelimit.Limit{Events: 100, Window: time.Minute}, 9)
	var busiest ratelimit.Decision
	for range 100 {
		busiest = take(l, "busy", reads)
	}
	if busiest.Remaining != 0 {
		t.Fatalf("got %d left, want none", busiest.Remaining)
	}
	for i := range 50_000 {
		take(l, fmt.Sprint(i), reads)
	}
	if got := l.Len(); got > 6400 {
		t.Errorf("got %d keys remembered, want at most 6400", got)
	}
	if got := take(l, "busy", reads).Outcome; got != ratelimit.RateExceeded {
		t.Errorf("the key that owes most: got %d, want it remembered", got)
	}
}

// BenchmarkTake is the hot path: it must not allocate.
func BenchmarkTake(b *testing.B) {
	for _, keys := range []int{1, 100_000} {
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			l := ratelimit.New[string](ratelimit.Config{Now: time.Now})
			r := rule(b, l, "reads", ratelimit.Limit{Events: 1e9, Window: time.Second}, 1000)
			names := make([]string, keys)
			for i := range names {
				names[i] = fmt.Sprintf("team_%026d", i)
				_ = l.Take(names[i], r) // in flight, so that it is not forgotten
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					d := l.Take(names[i%keys], r)
					d.Release()
				}
			})
		})
	}
}
