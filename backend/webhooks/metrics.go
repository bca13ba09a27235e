package webhooks

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
)

// metrics show operators the outcomes of tries. A label is never a team or an address.
type metrics struct{ tries *prometheus.CounterVec }

func newMetrics() *metrics {
	m := &metrics{tries: prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "webhooks", Name: "tries_total", Help: "Attempts to deliver webhooks, by outcome.",
	}, []string{"outcome"})}
	for _, outcome := range []string{delivery.OutcomeDelivered, delivery.OutcomeRetried, delivery.OutcomeFailed} {
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
