package ledger

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics/metricstest"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// A scrape counts the months that have a usage partition. A ledger that is away has no series.
func TestMonthsAhead(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t, pgtest.New(t, func(ctx context.Context, url string) error {
		_, err := db.Migrate(ctx, url)
		return err
	}), nil)
	g := newMonthsGauge()
	g.Add(t, db.New(pool))
	const name = "turnpike_ledger_months_ahead"
	if got, want := metricstest.Gather(t, g), (map[string]float64{name: 12}); !maps.Equal(got, want) {
		t.Errorf("after a migration: got %v, want %v", got, want)
	}
	for ahead := 3; ahead <= 12; ahead++ {
		month := time.Now().UTC().AddDate(0, 0, 1-time.Now().UTC().Day()).AddDate(0, ahead, 0)
		if _, err := pool.Exec(t.Context(), `drop table ledger_usage_`+month.Format("2006_01")); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := metricstest.Gather(t, g), (map[string]float64{name: 2}); !maps.Equal(got, want) {
		t.Errorf("ten months later: got %v, want %v", got, want)
	}
	pool.Close()
	if got := metricstest.Gather(t, g); len(got) != 0 {
		t.Errorf("with a ledger that is away: got %v, want nothing", got)
	}
}
