package schedules

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// measureEvery is how often the due schedules and waiting runs are counted.
const measureEvery = 10 * time.Second

// Outcomes of an attempt, besides the states in which runs end.
const (
	outcomeRetried = "retried" // will be retried
	outcomeLost    = "lost"    // another attempt owns the run
)

// metrics report how late calls are, and their outcomes. No label is ever a team or an endpoint.
type metrics struct {
	due, lag, waiting, running, oldest prometheus.Gauge
	claimed, enqueued, takeovers       prometheus.Counter
	calls                              *prometheus.CounterVec
	seconds                            prometheus.Histogram
}

func newMetrics() *metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "turnpike", Subsystem: "schedules", Name: name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "turnpike", Subsystem: "schedules", Name: name, Help: help})
	}
	m := &metrics{
		due:       gauge("due", "Schedules that are due and that no worker has claimed yet."),
		lag:       gauge("lag_seconds", "Time for which the oldest unclaimed schedule has been due."),
		waiting:   gauge("waiting", "Runs that are ready and that no worker has taken yet."),
		running:   gauge("running", "Runs whose calls are in progress."),
		oldest:    gauge("oldest_seconds", "Time for which the oldest waiting run has been ready."),
		claimed:   counter("claimed_total", "Due schedules that were claimed and advanced to their next times."),
		enqueued:  counter("enqueued_total", "Runs that were created for claimed schedules: none if the previous run has not finished."),
		takeovers: counter("takeovers_total", "Runs of lost workers that were requeued."),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "turnpike", Subsystem: "schedules", Name: "calls_total", Help: "Finished attempts of calls, by outcome of their run.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "turnpike", Subsystem: "schedules", Name: "late_seconds", Help: "Time from when a schedule was due to the first attempt of its call.",
			Buckets: prometheus.ExponentialBuckets(0.25, 4, 8),
		}),
	}
	for _, outcome := range []string{string(RunSucceeded), string(RunFailed), string(RunUnpaid), outcomeRetried, outcomeLost} {
		m.calls.WithLabelValues(outcome) // present from the start, so that Prometheus sees the first increase
	}
	return m
}

func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	for _, c := range []prometheus.Collector{
		m.due, m.lag, m.waiting, m.running, m.oldest, m.claimed, m.enqueued, m.takeovers, m.calls, m.seconds,
	} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("registering the metrics of schedules: %w", err)
		}
	}
	return nil
}

// Measure updates the gauges of due schedules and waiting runs.
func (s *Service) Measure(ctx context.Context) error {
	now := s.config.Now()
	depth, err := s.queries.SchedulesDepth(ctx, now)
	if err != nil {
		return fmt.Errorf("counting due schedules: %w", err)
	}
	s.metrics.due.Set(float64(depth.Due))
	s.metrics.lag.Set(now.Sub(depth.DueSince).Seconds())
	s.metrics.waiting.Set(float64(depth.Waiting))
	s.metrics.running.Set(float64(depth.Running))
	s.metrics.oldest.Set(now.Sub(depth.WaitingSince).Seconds())
	return nil
}
