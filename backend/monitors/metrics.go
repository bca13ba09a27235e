package monitors

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcomes of a run in turnpike_monitors_runs_total, besides failed and skipped.
const (
	outcomeBaseline  = "baseline"
	outcomeChanged   = "changed"
	outcomeUnchanged = "unchanged"
)

// metrics count the outcomes of plans and runs. The metrics of the queues say how many wait and how late they are. No
// label is ever a team or a URL.
type metrics struct {
	plans, runs *prometheus.CounterVec
	credits     prometheus.Counter
}

func newMetrics() *metrics {
	vector := func(name, help string, outcomes ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "turnpike", Subsystem: "monitors", Name: name, Help: help}, []string{"outcome"})
		for _, outcome := range outcomes { // present from the start, so that Prometheus sees the first increase
			v.WithLabelValues(outcome)
		}
		return v
	}
	return &metrics{
		plans: vector("plans_total", "Plans by outcome: the monitor became active, or failed.", string(StatusActive), string(StatusFailed)),
		runs: vector("runs_total", "Finished runs by outcome.",
			outcomeBaseline, outcomeChanged, outcomeUnchanged, string(RunFailed), string(RunSkipped)),
		credits: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "turnpike", Subsystem: "monitors", Name: "credits_total", Help: "Credits charged for runs.",
		}),
	}
}

func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	for _, c := range []prometheus.Collector{m.plans, m.runs, m.credits} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("registering the metrics of monitors: %w", err)
		}
	}
	return nil
}

// ended counts a run whose outcome is written.
func (m *metrics) ended(e *ending) {
	outcome := string(e.status)
	if e.status == RunCompleted {
		switch {
		case e.outcome.Baseline:
			outcome = outcomeBaseline
		case e.outcome.Changed:
			outcome = outcomeChanged
		default:
			outcome = outcomeUnchanged
		}
	}
	m.runs.WithLabelValues(outcome).Inc()
	m.credits.Add(float64(e.outcome.Credits))
}
