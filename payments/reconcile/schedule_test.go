package reconcile

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	url := pgtest.New(t, func(ctx context.Context, url string) error {
		_, err := db.Migrate(ctx, url)
		return err
	})
	return pgtest.Open(t, url, nil)
}

// Of many processes only one runs the checks, and not again before the interval is over.
func TestScheduleTakesTurns(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	var made atomic.Int32
	check := Check{Name: "ledger", Run: func(context.Context) (Result, error) { made.Add(1); return Result{}, nil }}
	turns := func() {
		var wg sync.WaitGroup
		for range 8 {
			s := NewSchedule(ScheduleConfig{DB: pool, Every: time.Hour, Checks: []Check{check}, Logger: slog.New(slog.DiscardHandler)})
			wg.Go(func() {
				if err := s.Turn(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	for _, want := range []int32{1, 1} {
		if turns(); made.Load() != want {
			t.Errorf("made: got %d times, want %d", made.Load(), want)
		}
	}
	if _, err := pool.Exec(t.Context(), `update reconcile_turn set next_at = now()`); err != nil {
		t.Fatal(err)
	}
	if turns(); made.Load() != 2 {
		t.Errorf("made when it is due again: got %d times, want 2", made.Load())
	}
}

// gauges returns the values of a metric by check.
func gauges(t *testing.T, pool *pgxpool.Pool, metric string) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewCollector(pool))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == metric {
				values[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
			}
		}
	}
	return values
}

func TestScheduleKeepsWhatWasFound(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	var log strings.Builder
	away := errors.New("the node is away")
	turn := func(chain Check) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), `update reconcile_turn set next_at = now(); update reconcile_check set ran_at = ran_at - interval '1 minute'`); err != nil {
			t.Fatal(err)
		}
		s := NewSchedule(ScheduleConfig{DB: pool, Every: time.Hour, Logger: slog.New(slog.NewTextHandler(&log, nil)), Checks: []Check{
			chain,
			{Name: "ledger", Run: found("", nil)},
			{Name: "top-ups, Stripe", Skipped: "no key"},
		}})
		if err := s.Turn(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := func(metric string, values map[string]float64) {
		t.Helper()
		if got := gauges(t, pool, metric); !maps.Equal(got, values) {
			t.Errorf("%s: got %v, want %v", metric, got, values)
		}
	}
	const differences, failed = "turnpike_reconcile_differences", "turnpike_reconcile_failed"
	want(differences, map[string]float64{})
	const name = "claims, chain"
	turn(Check{Name: name, Run: func(context.Context) (Result, error) { return Result{}, away }})
	want(differences, map[string]float64{"ledger": 0})
	turn(Check{Name: name, Run: found("", nil, Difference{"claim 1", "is settled, and was not paid"}, Difference{"claim 2", "too"})})
	want(differences, map[string]float64{"claims_chain": 2, "ledger": 0})
	want(failed, map[string]float64{"claims_chain": 0, "ledger": 0})
	turn(Check{Name: name, Run: func(context.Context) (Result, error) { return Result{}, away }})
	want(differences, map[string]float64{"claims_chain": 2, "ledger": 0}) // the differences remain
	want(failed, map[string]float64{"claims_chain": 1, "ledger": 0})
	for _, text := range []string{"the node is away", `subject="claim 1"`, "is settled, and was not paid"} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("log: got\n%s\nwant %q", log.String(), text)
		}
	}
	rows, err := db.New(pool).ListReconcileChecks(t.Context())
	if err != nil || len(rows) != 2 || rows[0].AgeSeconds < 60 || rows[1].AgeSeconds > 30 {
		t.Errorf("ages: got %+v, %v, want that only the check that was made is new", rows, err)
	}
}

// A turn ends before the next can begin.
func TestTurnHasAnEnd(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	s := NewSchedule(ScheduleConfig{DB: pool, Every: 100 * time.Millisecond, Logger: slog.New(slog.DiscardHandler), Checks: []Check{
		{Name: "ledger", Run: func(ctx context.Context) (Result, error) { <-ctx.Done(); return Result{}, ctx.Err() }},
	}})
	s.poll = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for failed := false; !failed; {
		select {
		case <-tick.C:
			rows, err := db.New(pool).ListReconcileChecks(t.Context())
			failed = err == nil && len(rows) == 1 && rows[0].Failed
		case <-deadline.C:
			t.Fatal("the turn does not end")
		}
	}
	cancel()
	<-done
}
