package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// measureEvery is how often the depth of the outbox is read.
const measureEvery = 10 * time.Second

// metrics show operators whether events are dispatched. A label is never a team.
type metrics struct {
	waiting, oldest     prometheus.Gauge
	dispatched, refused prometheus.Counter
}

func newMetrics() *metrics {
	const namespace, subsystem = "turnpike", "outbox"
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	}
	return &metrics{
		waiting:    gauge("waiting", "Events that were not dispatched yet."),
		oldest:     gauge("oldest_seconds", "Age of the oldest event that was not dispatched yet."),
		dispatched: counter("dispatched_total", "Events that the listeners have accepted."),
		refused:    counter("refused_total", "Times that a listener refused an event, which indicates a bug."),
	}
}

func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	for _, c := range []prometheus.Collector{m.waiting, m.oldest, m.dispatched, m.refused} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("registering the metrics of the outbox: %w", err)
		}
	}
	return nil
}

func (d *Dispatcher) measure(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, measureEvery)
	defer cancel()
	depth, err := d.queries.OutboxDepth(ctx)
	if err != nil {
		d.config.Logger.Debug("the outbox's depth could not be read", "error", err)
		return
	}
	d.metrics.waiting.Set(float64(depth.Waiting))
	d.metrics.oldest.Set(depth.OldestSeconds)
}
