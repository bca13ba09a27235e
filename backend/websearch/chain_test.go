package websearch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// clock is a clock that the test advances.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(today.UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

// fake is a provider that answers as a test says.
type fake struct {
	name   string
	asked  atomic.Int64
	answer func(ctx context.Context, q Query) ([]Result, error)
}

func (f *fake) Name() string { return f.name }

func (f *fake) Search(ctx context.Context, q Query) ([]Result, error) {
	f.asked.Add(1)
	return f.answer(ctx, q)
}

func (f *fake) wantAsked(t *testing.T, want int64) {
	t.Helper()
	if got := f.asked.Load(); got != want {
		t.Errorf("%s was asked %d times, want %d", f.name, got, want)
	}
}

// finds is a provider that finds these pages, or nothing.
func finds(name string, urls ...string) *fake {
	return &fake{name: name, answer: func(context.Context, Query) ([]Result, error) {
		var found []Result
		for _, u := range urls {
			found = append(found, Result{URL: u, Title: "of " + name})
		}
		return found, nil
	}}
}

// fails is a provider that always returns err.
func fails(name string, err error) *fake {
	return &fake{name: name, answer: func(context.Context, Query) ([]Result, error) { return nil, err }}
}

func because(reason Reason) *Error { return &Error{Reason: reason, Message: "it is so"} }

func chain(t *testing.T, o Options, providers ...Provider) *Chain {
	t.Helper()
	c, err := NewChain(providers, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestChainAsksInOrder(t *testing.T) {
	t.Parallel()
	const page = "https://a.example/"
	for _, tc := range []struct {
		name      string
		providers []*fake
		asked     []int64
		want      string // the provider that found; "" none
		reason    Reason // of the error; "" none
	}{
		{"the first finds", []*fake{finds("a", page), finds("b", page)}, []int64{1, 0}, "a", ""},
		{"the first finds nothing", []*fake{finds("a"), finds("b", page)}, []int64{1, 1}, "b", ""},
		{"the first fails", []*fake{fails("a", because(ReasonRefused)), finds("b", page)}, []int64{1, 1}, "b", ""},
		{"the first finds what cannot be fetched", []*fake{finds("a", "ftp://a.example/"), finds("b", page)}, []int64{1, 1}, "b", ""},
		{"all find nothing", []*fake{finds("a"), finds("b")}, []int64{1, 1}, "", ""},
		{"one fails and one finds nothing", []*fake{fails("a", because(ReasonQuota)), finds("b")}, []int64{1, 1}, "", ""},
		{"one finds nothing and one fails", []*fake{finds("a"), fails("b", because(ReasonQuota))}, []int64{1, 1}, "", ""},
		{"all fail", []*fake{fails("a", because(ReasonQuota)), fails("b", because(ReasonTimeout))}, []int64{1, 1}, "", ReasonUnavailable},
		{"all fail alike", []*fake{fails("a", because(ReasonQuota)), fails("b", because(ReasonQuota))}, []int64{1, 1}, "", ReasonQuota},
		{"the only one fails", []*fake{fails("a", because(ReasonDisabled))}, []int64{1}, "", ReasonDisabled},
		{"an error of another kind", []*fake{fails("a", errors.New("the disk is\nfull"))}, []int64{1}, "", ReasonUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var providers []Provider
			for _, p := range tc.providers {
				providers = append(providers, p)
			}
			got, err := chain(t, options(), providers...).Search(t.Context(), query())
			for i, p := range tc.providers {
				p.wantAsked(t, tc.asked[i])
			}
			switch {
			case tc.reason != "":
				failure := wantReason(t, err, tc.reason)
				var failures Failures
				if failure.Provider != "" || !errors.As(err, &failures) || len(failures) != len(tc.providers) {
					t.Fatalf("got %+v, want it to wrap the failures of all", failure)
				}
				for i, p := range tc.providers {
					if failures[i].Provider != p.name || !strings.Contains(err.Error(), "with "+p.name+": "+string(failures[i].Reason)) {
						t.Errorf("got %q, want it to say what is wrong with %s", err, p.name)
					}
				}
			case err != nil:
				t.Errorf("got %v, want no error", err)
			case tc.want == "" && got != nil, tc.want != "" && (len(got) != 1 || got[0].Provider != tc.want):
				t.Errorf("got %+v, want it from %q", got, tc.want)
			}
		})
	}
}

func TestChainHoldsQueriesAndResultsToTheirForm(t *testing.T) {
	t.Parallel()
	var asked Query
	provider := &fake{name: "a", answer: func(_ context.Context, q Query) ([]Result, error) {
		asked = q
		return []Result{{URL: "https://a.example/#x"}, {URL: "https://a.example/"}, {URL: "https://b.example/"}, {URL: "https://c.example/"}}, nil
	}}
	c := chain(t, options(), provider)
	got, err := c.Search(t.Context(), Query{TeamID: "team_1", Text: " river\n\t tolls\x00 ", Limit: 2, Exclude: []string{"b.example"}})
	want := []Result{{URL: "https://a.example/", Provider: "a"}, {URL: "https://c.example/", Provider: "a"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if asked.Text != "river tolls" || asked.TeamID != "team_1" {
		t.Errorf("got the query %+v, want river tolls of team_1", asked)
	}
	for limit, want := range map[int]int{-1: 1, 0: 1, 25: 25, 1000: 25} {
		if _, err := c.Search(t.Context(), Query{Text: "x", Limit: limit}); err != nil || asked.Limit != want {
			t.Errorf("limit %d: got %d, %v, want %d", limit, asked.Limit, err, want)
		}
	}
	before := provider.asked.Load()
	_, err = c.Search(t.Context(), Query{Text: " \u200b\n", Limit: 1})
	wantReason(t, err, ReasonBadQuery)
	provider.wantAsked(t, before)
}

// waits is a provider that never answers.
func waits(name string) *fake {
	return &fake{name: name, answer: func(ctx context.Context, _ Query) ([]Result, error) {
		<-ctx.Done()
		return nil, fmt.Errorf("reading: %w", ctx.Err())
	}}
}

func TestChainBoundsTheTimeOfEach(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		got, err := chain(t, Options{}, waits("a"), waits("b"), finds("c", "https://c.example/")).Search(t.Context(), query())
		if err != nil || len(got) != 1 {
			t.Errorf("got %v, %v, want what c finds", got, err)
		}
		if took := time.Since(begun); took != 10*time.Second {
			t.Errorf("took %s, want twice 5 s", took)
		}
	})
}

func TestChainEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := waits("a"), finds("b", "https://b.example/")
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c := chain(t, Options{}, a, b)
		_, err := c.Search(ctx, query())
		wantReason(t, err, ReasonTimeout)
		b.wantAsked(t, 0)

		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if _, err = c.Search(gone, query()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the cancellation", err)
		}
		b.wantAsked(t, 0)

		// Neither proves that a has failed: a is still asked, for its full time.
		for range 2 * failuresMost {
			short, cancel := context.WithTimeout(t.Context(), time.Second)
			_, _ = c.Search(short, query())
			cancel()
		}
		a.wantAsked(t, 2+2*failuresMost)
	})
}

// health is a provider that can be broken and mended.
type health struct {
	fake

	err atomic.Pointer[error]
}

func newHealth(name string) *health {
	h := &health{fake: fake{name: name}}
	h.answer = func(context.Context, Query) ([]Result, error) {
		if err := h.err.Load(); err != nil {
			return nil, *err
		}
		return []Result{{URL: "https://" + name + ".example/"}}, nil
	}
	return h
}

func (h *health) breaks(err error) { h.err.Store(&err) }
func (h *health) mends()           { h.err.Store(nil) }

type circuitTest struct {
	t     *testing.T
	clock *clock
	a     *health
	chain *Chain
	log   bytes.Buffer
}

func newCircuitTest(t *testing.T) *circuitTest {
	t.Helper()
	c := &circuitTest{t: t, clock: newClock(), a: newHealth("a")}
	c.chain = chain(t, Options{Now: c.clock.now, Log: slog.New(slog.NewTextHandler(&c.log, nil))}, c.a, finds("b", "https://b.example/"))
	return c
}

// search reports whether a was asked and which provider found.
func (c *circuitTest) search() (asked bool, by string) {
	c.t.Helper()
	before := c.a.asked.Load()
	got, err := c.chain.Search(c.t.Context(), query())
	if err != nil || len(got) != 1 {
		c.t.Fatalf("got %v, %v, want one result", got, err)
	}
	return c.a.asked.Load() > before, got[0].Provider
}

func (c *circuitTest) want(wantAsked bool, wantBy string) {
	c.t.Helper()
	if asked, by := c.search(); asked != wantAsked || by != wantBy {
		c.t.Errorf("a was asked: %t, found by %s; want %t, %s", asked, by, wantAsked, wantBy)
	}
}

func TestCircuitOpensAndCloses(t *testing.T) {
	t.Parallel()
	c := newCircuitTest(t)
	c.a.breaks(because(ReasonUnavailable))
	for range failuresMost {
		c.want(true, "b")
	}
	c.want(false, "b")
	c.clock.advance(openFirst - time.Millisecond)
	c.want(false, "b")
	c.clock.advance(time.Millisecond)
	c.want(true, "b") // the probe fails: open twice as long
	c.clock.advance(openFirst)
	c.want(false, "b")
	c.clock.advance(openFirst)
	c.a.mends()
	c.want(true, "a")
	c.want(true, "a")
	c.a.breaks(because(ReasonUnavailable))
	c.want(true, "b") // the count restarted
	c.a.mends()
	c.want(true, "a")
	c.a.breaks(because(ReasonTimeout))
	for range failuresMost - 1 {
		c.want(true, "b")
	}
	c.a.mends()
	c.want(true, "a") // only failures in a row count
	for _, line := range []string{"is suspended", "is available again", "did not answer", "reason=unavailable", "provider=a"} {
		if !strings.Contains(c.log.String(), line) {
			t.Errorf("the log lacks %q:\n%s", line, c.log.String())
		}
	}
}

func TestCircuitOpensNoLongerThanItMay(t *testing.T) {
	t.Parallel()
	c := newCircuitTest(t)
	c.a.breaks(because(ReasonUnavailable))
	for range failuresMost {
		c.want(true, "b")
	}
	for range 80 {
		c.clock.advance(openMost)
		c.want(true, "b")
		c.want(false, "b")
	}
}

func TestCircuitByReason(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		failure  *Error
		failures int           // until the circuit opens
		open     time.Duration // for how long
	}{
		{"unavailable", because(ReasonUnavailable), failuresMost, openFirst},
		{"timeout", because(ReasonTimeout), failuresMost, openFirst},
		{"bad reply", because(ReasonBadReply), failuresMost, openFirst},
		{"unavailable until", &Error{Reason: ReasonUnavailable, RetryAfter: time.Minute}, 1, time.Minute},
		{"refused", because(ReasonRefused), 1, openRefused},
		{"disabled", because(ReasonDisabled), 1, openRefused},
		{"quota", because(ReasonQuota), 1, openQuota},
		{"quota until next month", &Error{Reason: ReasonQuota, RetryAfter: 20 * 24 * time.Hour}, 1, retryMost},
		{"rate", because(ReasonRateLimited), 1, openRate},
		{"rate until", &Error{Reason: ReasonRateLimited, RetryAfter: 7 * time.Second}, 1, 7 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newCircuitTest(t)
			c.a.breaks(tc.failure)
			for range tc.failures {
				c.want(true, "b")
			}
			c.want(false, "b")
			c.clock.advance(tc.open - time.Millisecond)
			c.want(false, "b")
			c.clock.advance(time.Millisecond)
			c.a.mends()
			c.want(true, "a")
		})
	}
}

// Failures caused by the query do not open a circuit, since other queries would suffer.
func TestCircuitIsDeafToBadQueries(t *testing.T) {
	t.Parallel()
	passing := because(ReasonUnavailable)
	passing.passing = true
	for _, failure := range []*Error{because(ReasonBadQuery), passing} {
		c := newCircuitTest(t)
		c.a.breaks(failure)
		for range 10 * failuresMost {
			c.want(true, "b")
		}
		// They do not close one either: the probe is repeated.
		c.a.breaks(because(ReasonRefused))
		c.want(true, "b")
		c.clock.advance(openRefused)
		c.a.breaks(failure)
		c.want(true, "b")
		c.a.mends()
		c.want(true, "a")
	}
}

// Late results of requests from before the circuit opened neither close it nor extend it.
func TestCircuitIsDeafToWhatComesLate(t *testing.T) {
	t.Parallel()
	var c circuit
	first, _ := c.ask(today)
	second, _ := c.ask(today)
	third, _ := c.ask(today)
	if got := c.settle(first, because(ReasonRefused), today); got != opened {
		t.Fatalf("got %q, want it opened", got)
	}
	late := today.Add(time.Minute)
	for _, got := range []change{c.settle(second, nil, late), c.settle(third, because(ReasonRefused), late)} {
		if got != unchanged {
			t.Errorf("got %q, want no change", got)
		}
	}
	if _, barred := c.ask(today.Add(openRefused - time.Millisecond)); barred == nil {
		t.Error("got leave to ask, want none")
	}
	if _, barred := c.ask(today.Add(openRefused)); barred != nil {
		t.Errorf("got %v, want leave to ask", barred)
	}
}

func TestSkippedProvidersAreNamedInTheError(t *testing.T) {
	t.Parallel()
	clock := newClock()
	c := chain(t, Options{Now: clock.now}, fails("a", &Error{Reason: ReasonRefused, Status: 401, Message: "the service rejected the key"}),
		fails("b", &Error{Reason: ReasonRateLimited, RetryAfter: 20 * time.Second}))
	for range 2 {
		_, err := c.Search(t.Context(), query())
		failure := wantReason(t, err, ReasonUnavailable)
		if failure.RetryAfter != 20*time.Second && failure.RetryAfter != 15*time.Second {
			t.Errorf("got %s, want when b is to be asked again", failure.RetryAfter)
		}
		clock.advance(5 * time.Second)
	}
	_, err := c.Search(t.Context(), query())
	for _, part := range []string{"with a: refused (status 401): not used for another 14m50s because it failed: the service rejected the key", "with b: rate_limited: not used for another 10s"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want in it %q", err, part)
		}
	}
}

// Of many concurrent searches, one is the probe.
func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		broken := true
		a := &fake{name: "a", answer: func(context.Context, Query) ([]Result, error) {
			if broken {
				return nil, because(ReasonRefused)
			}
			<-release
			return []Result{{URL: "https://a.example/"}}, nil
		}}
		clock := newClock()
		c := chain(t, Options{Now: clock.now}, a, finds("b", "https://b.example/"))
		_, _ = c.Search(t.Context(), query())
		clock.advance(openRefused)
		broken = false
		var group sync.WaitGroup
		var mu sync.Mutex
		by := map[string]int{}
		for range 20 {
			group.Go(func() {
				got, err := c.Search(t.Context(), query())
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				by[got[0].Provider]++
				mu.Unlock()
			})
		}
		synctest.Wait()
		close(release)
		group.Wait()
		if by["a"] != 1 || by["b"] != 19 {
			t.Errorf("got %v, want one of a", by)
		}
		a.wantAsked(t, 2)
	})
}

// If the client of a probe leaves, the next search is the probe.
func TestProbeThatIsLeft(t *testing.T) {
	t.Parallel()
	clock := newClock()
	a := newHealth("a")
	c := chain(t, Options{Now: clock.now}, a)
	a.breaks(because(ReasonRefused))
	_, _ = c.Search(t.Context(), query())
	clock.advance(openRefused)
	gone, leave := context.WithCancel(t.Context())
	leave()
	a.breaks(context.Canceled)
	if _, err := c.Search(gone, query()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancellation", err)
	}
	a.mends()
	if got, err := c.Search(t.Context(), query()); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v, want what a finds", got, err)
	}
}

func TestNewChainRefuses(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	if _, err := NewChain([]Provider{finds("a")}, Options{Registerer: registry}); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no provider":   second(NewChain(nil, Options{})),
		"named \"a\"":   second(NewChain([]Provider{finds("a"), finds("b"), finds("a")}, Options{})),
		"the metrics":   second(NewChain([]Provider{finds("a")}, Options{Registerer: registry})),
		"TURNPIKE_SEAR": second(New(Config{Order: []string{"bing"}}, nil, Options{})),
		"no local":      second(New(Config{}, nil, Options{})),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	clock := newClock()
	a := newHealth("a")
	c := chain(t, Options{Now: clock.now, Registerer: registry}, a, finds("b"))
	for _, err := range []error{because(ReasonBadQuery), because(ReasonQuota)} {
		a.breaks(err)
		_, _ = c.Search(t.Context(), query())
	}
	_, _ = c.Search(t.Context(), query()) // skips a
	clock.advance(openQuota)
	a.mends()
	_, _ = c.Search(t.Context(), query())
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			slices.Sort(labels)
			name := family.GetName() + " " + strings.Join(labels, " ")
			if n := m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount()); n > 0 {
				got[name] = n
			}
		}
	}
	want := map[string]float64{
		"turnpike_websearch_searches_total a bad_query": 1,
		"turnpike_websearch_searches_total a quota":     1,
		"turnpike_websearch_searches_total a skipped":   1,
		"turnpike_websearch_searches_total a found":     1,
		"turnpike_websearch_searches_total b nothing":   3,
		"turnpike_websearch_duration_seconds a":         3,
		"turnpike_websearch_duration_seconds b":         3,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// With misbehaving providers, the log and the errors contain no key and no query.
func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := options()
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	said := fmt.Sprintf(`{"message":"no %s","error":{"code":"x","detail":"no %s"}}`, serperKey, braveKey)
	for _, status := range []int{200, 302, 400, 401, 403, 404, 422, 429, 500} {
		var providers []Provider
		for _, k := range kinds {
			_, d := k.with(t, recording{Status: status, Text: said})
			providers = append(providers, k.make(d.URL, o))
		}
		_, err := chain(t, o, providers...).Search(t.Context(), query())
		if err == nil {
			t.Fatalf("status %d: got no error", status)
		}
		text := err.Error() + log.String()
		for _, secret := range []string{braveKey, serperKey, secretWord} {
			if strings.Contains(text, secret) {
				t.Errorf("status %d: %q stands in\n%s", status, secret, text)
			}
		}
	}
	if !strings.Contains(log.String(), "did not answer") {
		t.Error("nothing was logged")
	}
}

// Database errors do not open a circuit: each search asks the local index.
func TestLocalIsAlwaysAsked(t *testing.T) {
	t.Parallel()
	local := fails(NameLocal, errors.New("the database is away"))
	c, err := NewChain([]Provider{local}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * failuresMost {
		if _, err := c.Search(t.Context(), Query{Text: "harbour", Limit: 1}); err == nil {
			t.Fatal("got no error, want the provider's")
		}
	}
	local.wantAsked(t, 2*failuresMost)
}
