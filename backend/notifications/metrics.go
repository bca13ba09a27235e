package notifications

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/queue/delivery"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

// metrics count the outcomes of messages. No label is ever a team or an address.
type metrics struct{ tries *prometheus.CounterVec }

func newMetrics() *metrics {
	m := &metrics{tries: prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "notifications", Name: "tries_total",
		Help: "Attempts to send messages by email and Slack, by outcome.",
	}, []string{"channel", "outcome"})}
	for _, channel := range []string{outbox.ChannelEmail, outbox.ChannelSlack} {
		for _, outcome := range []string{delivery.OutcomeDelivered, delivery.OutcomeRetried, delivery.OutcomeFailed} {
			m.tries.WithLabelValues(channel, outcome)
		}
	}
	m.tries.WithLabelValues(outbox.ChannelEmail, statusLogged)
	return m
}

func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	if err := r.Register(m.tries); err != nil {
		return fmt.Errorf("registering the metrics of notifications: %w", err)
	}
	return nil
}
