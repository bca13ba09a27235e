package websearch

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Values of outcome in turnpike_websearch_searches_total, besides the Reasons.
const (
	outcomeFound     = "found"
	outcomeNothing   = "nothing"
	outcomeSkipped   = "skipped" // its circuit is open
	outcomeCancelled = "cancelled"
)

// metrics measure the providers. No label is ever a team, a query or an address.
type metrics struct {
	searches *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(providers []string) *metrics {
	m := &metrics{
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "turnpike", Subsystem: "websearch", Name: "searches_total",
			Help: "Searches per provider, by outcome.",
		}, []string{"provider", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "turnpike", Subsystem: "websearch", Name: "duration_seconds",
			Help: "Duration of requests to search providers, whatever the outcome.", Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"provider"}),
	}
	outcomes := []string{outcomeFound, outcomeNothing, outcomeSkipped, outcomeCancelled}
	for _, reason := range Reasons {
		outcomes = append(outcomes, string(reason))
	}
	for _, provider := range providers {
		m.duration.WithLabelValues(provider)
		for _, outcome := range outcomes {
			m.searches.WithLabelValues(provider, outcome)
		}
	}
	return m
}

func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	for _, c := range []prometheus.Collector{m.searches, m.duration} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("registering the metrics of searching: %w", err)
		}
	}
	return nil
}

func (m *metrics) asked(provider, outcome string) {
	m.searches.WithLabelValues(provider, outcome).Inc()
}

func (m *metrics) took(provider string, d time.Duration) {
	m.duration.WithLabelValues(provider).Observe(d.Seconds())
}
