package monitors_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	registry := prometheus.NewRegistry()
	p.work(func(c *monitors.Config) { c.Registerer = registry })
	p.runner.does(func(_ context.Context, n int, previous run.Previous) (run.Outcome, error) {
		if n == 4 {
			return run.Outcome{}, errors.New("no page answers")
		}
		return outcome(n, previous, n == 2), nil
	})
	m := p.active(watched)
	for range 3 {
		p.runNow(m.ID)
	}
	want := map[string]float64{
		"turnpike_monitors_plans_total active": 1, "turnpike_monitors_runs_total baseline": 1, "turnpike_monitors_runs_total changed": 1,
		"turnpike_monitors_runs_total unchanged": 1, "turnpike_monitors_runs_total failed": 1, "turnpike_monitors_credits_total": 3 * usualCost,
	}
	var got map[string]float64
	p.until("all is counted", func() bool { // counted after the commit
		got = map[string]float64{}
		families, err := registry.Gather()
		must(t, err)
		for _, family := range families {
			for _, m := range family.GetMetric() {
				name := family.GetName()
				if labels := m.GetLabel(); len(labels) == 1 {
					name += " " + labels[0].GetValue()
				}
				if v := m.GetCounter().GetValue(); v > 0 {
					got[name] = v
				}
			}
		}
		return maps.Equal(got, want)
	})
}
