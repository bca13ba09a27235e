package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// measureEvery is how often the depths of the queues are read, recountEvery how often the lanes are compared with their tasks.
const (
	measureEvery = 10 * time.Second
	recountEvery = time.Hour
)

// The outcomes of a task's try, as in turnpike_jobs_finished_total.
const (
	outcomeDone       = "done"
	outcomeFailed     = "failed"
	outcomeAbandoned  = "abandoned"   // ErrLost
	outcomeRetried    = "retried"     // Later
	outcomePutOff     = "put_off"     // Wait
	outcomeHandedBack = "handed_back" // at a stop
	outcomeLost       = "lost"        // cancelled, or taken over, while it ran
	outcomeRefused    = "refused"     // could not be stored at all
)

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return outcomeDone
	case errors.Is(err, ErrLost):
		return outcomeAbandoned
	default:
		return outcomeFailed
	}
}

// metrics show operators the state of the queues. A label is never a team or a URL.
type metrics struct {
	waiting, delayed, running, oldest *prometheus.GaugeVec
	wait, runs, finish, promote       *prometheus.HistogramVec
	finished, promotions, takeovers   *prometheus.CounterVec
}

func newMetrics(queues []Queue) *metrics {
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "turnpike", Subsystem: "jobs", Name: name, Help: help}, []string{"queue"})
	}
	histogram := func(name, help string, first float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "turnpike", Subsystem: "jobs", Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(first, 4, 10),
		}, []string{"queue"})
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		opts := prometheus.CounterOpts{Namespace: "turnpike", Subsystem: "jobs", Name: name, Help: help}
		return prometheus.NewCounterVec(opts, append([]string{"queue"}, labels...))
	}
	m := &metrics{
		waiting: gauge("waiting", "Tasks that are ready and waiting for their turn."),
		delayed: gauge("delayed", "Tasks that are waiting for their next try, after one that failed or was postponed."),
		running: gauge("running", "Tasks that are running or were handed to a worker."),
		oldest:  gauge("oldest_seconds", "Age of the oldest task that is first in its lane."),
		wait:    histogram("wait_seconds", "Time from a task's creation to its first try.", 0.01),
		runs:    histogram("run_seconds", "Duration of a try.", 0.001),
		finish:  histogram("finish_seconds", "Duration of storing the results of a batch of tasks.", 0.001),
		promote: histogram("promote_seconds", "Duration of promoting a batch of tasks.", 0.001),

		finished:   counter("finished_total", "Tries that finished, by outcome of the task.", "outcome"),
		promotions: counter("promoted_total", "Tasks that were handed to workers."),
		takeovers:  counter("takeovers_total", "Tasks of lost workers that were made ready again."),
	}
	for i := range queues {
		// Create all counters at the start, so that their first increase is visible.
		for _, outcome := range []string{
			outcomeDone, outcomeFailed, outcomeAbandoned, outcomeRetried, outcomePutOff, outcomeHandedBack, outcomeLost, outcomeRefused,
		} {
			m.finished.WithLabelValues(queues[i].Name, outcome)
		}
		m.promotions.WithLabelValues(queues[i].Name)
		m.takeovers.WithLabelValues(queues[i].Name)
	}
	return m
}

func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	for _, c := range []prometheus.Collector{
		m.waiting, m.delayed, m.running, m.oldest, m.wait, m.runs, m.finish, m.promote, m.finished, m.promotions, m.takeovers,
	} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("registering the metrics of jobs: %w", err)
		}
	}
	return nil
}

func (m *metrics) waited(queue string, d time.Duration) {
	m.wait.WithLabelValues(queue).Observe(max(0, d.Seconds()))
}

func (m *metrics) ran(queue string, d time.Duration) {
	m.runs.WithLabelValues(queue).Observe(d.Seconds())
}

func (m *metrics) flew(queue string, d time.Duration) {
	m.finish.WithLabelValues(queue).Observe(d.Seconds())
}

func (m *metrics) promoted(queue string, n int, took time.Duration) {
	m.promotions.WithLabelValues(queue).Add(float64(n))
	m.promote.WithLabelValues(queue).Observe(took.Seconds())
}

func (m *metrics) ended(queue, outcome string) {
	m.finished.WithLabelValues(queue, outcome).Inc()
}

func (m *metrics) tookOver(queue string, n int) {
	m.takeovers.WithLabelValues(queue).Add(float64(n))
}

// measure reads the depths of the queues and recounts the lanes, until the context ends.
func (j *Jobs) measure(ctx context.Context) {
	tick, recount := time.NewTicker(measureEvery), time.NewTicker(recountEvery)
	defer tick.Stop()
	defer recount.Stop()
	for {
		for name := range j.queues {
			if err := j.measureQueue(ctx, name); err != nil && ctx.Err() == nil {
				j.logger.Debug("the depth of a queue could not be read", "queue", name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-recount.C:
			if err := j.Recount(ctx); err != nil && ctx.Err() == nil {
				j.logger.Error("recounting the lanes", "error", err)
			}
		}
	}
}

func (j *Jobs) measureQueue(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	depth, err := j.queries.QueueDepth(ctx, name)
	if err != nil {
		return err
	}
	j.metrics.waiting.WithLabelValues(name).Set(float64(depth.Waiting))
	j.metrics.delayed.WithLabelValues(name).Set(float64(depth.Delayed))
	j.metrics.running.WithLabelValues(name).Set(float64(depth.Running))
	j.metrics.oldest.WithLabelValues(name).Set(depth.OldestSeconds)
	return nil
}
