package webhooks

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// What came of a try, as turnpike_webhooks_tries_total says it.
const (
	outcomeDelivered = "delivered"
	outcomeRetried   = "retried" // it failed, and there is another
	outcomeFailed    = "failed"  // it was the last one
)

// metrics tell operators what becomes of tries. No label is ever a team or an address.
type metrics struct{ tries *prometheus.CounterVec }

func newMetrics() *metrics {
	m := &metrics{tries: prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "webhooks", Name: "tries_total", Help: "Tries to deliver webhooks, by what came of them.",
	}, []string{"outcome"})}
	for _, outcome := range []string{outcomeDelivered, outcomeRetried, outcomeFailed} {
		m.tries.WithLabelValues(outcome)
	}
	return m
}

func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	if err := r.Register(m.tries); err != nil {
		return fmt.Errorf("registering the metrics of webhooks: %w", err)
	}
	return nil
}

func (m *metrics) tried(status string) {
	outcome := outcomeRetried
	switch status {
	case StatusDelivered:
		outcome = outcomeDelivered
	case StatusFailed:
		outcome = outcomeFailed
	}
	m.tries.WithLabelValues(outcome).Inc()
}
