package schedules_test

import (
	"maps"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/schedules"
)

// figures are the values of the schedule metrics, by name and outcome.
func figures(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	must(t, err)
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			if labels := m.GetLabel(); len(labels) == 1 {
				name += " " + labels[0].GetValue()
			}
			switch {
			case m.GetHistogram() != nil:
				got[name] = m.GetHistogram().GetSampleSum()
			case m.GetGauge() != nil:
				got[name] = m.GetGauge().GetValue()
			default:
				got[name] = m.GetCounter().GetValue()
			}
		}
	}
	maps.DeleteFunc(got, func(_ string, v float64) bool { return v == 0 })
	return got
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	p := newPlace(t, func(c *schedules.Config) { c.Registerer = registry })
	p.answers(200)
	a, b := p.hourly(), p.hourly()
	measured := func(want map[string]float64) {
		t.Helper()
		must(t, p.service.Measure(t.Context()))
		if got := figures(t, registry); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	measured(map[string]float64{})
	p.until(a.NextRunAt)
	if !a.NextRunAt.Equal(*b.NextRunAt) {
		t.Fatalf("got %s and %s, want one time", a.NextRunAt, b.NextRunAt)
	}
	p.clock.Advance(7 * time.Second)
	measured(map[string]float64{"turnpike_schedules_due": 2, "turnpike_schedules_lag_seconds": 7})
	p.claims(2, 2)
	measured(map[string]float64{
		"turnpike_schedules_claimed_total": 2, "turnpike_schedules_enqueued_total": 2,
		"turnpike_schedules_waiting": 2, "turnpike_schedules_oldest_seconds": 7,
	})
	p.works(1)
	rows, err := p.service.Take(t.Context()) // and is lost
	must(t, err)
	measured(map[string]float64{
		"turnpike_schedules_claimed_total": 2, "turnpike_schedules_enqueued_total": 2, "turnpike_schedules_running": 1,
		"turnpike_schedules_calls_total succeeded": 1, "turnpike_schedules_late_seconds": 14,
	})
	p.clock.Advance(2 * time.Minute)
	must(t, p.service.Keep(t.Context()))
	p.answers(503)
	p.works(1)
	if err := p.service.Make(t.Context(), rows); err == nil {
		t.Error("who was taken for lost has made the call")
	}
	measured(map[string]float64{
		"turnpike_schedules_claimed_total": 2, "turnpike_schedules_enqueued_total": 2, "turnpike_schedules_late_seconds": 14,
		"turnpike_schedules_calls_total succeeded": 1, "turnpike_schedules_calls_total retried": 1, "turnpike_schedules_calls_total lost": 1,
		"turnpike_schedules_takeovers_total": 1,
	})
}
