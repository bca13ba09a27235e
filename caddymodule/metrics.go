package caddymodule

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// The collectors outlive configurations, so that a reload does not reset the counts. Each load registers them with its
// own registry. Labels name outcomes only, never a key, a team or a wallet.
var (
	decisionsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "decisions_total",
		Help: "Requests by the decision that was made before they reach the upstream.",
	}, []string{"outcome"})
	endsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "holds_ended_total",
		Help: "Holds by outcome.",
	}, []string{"outcome"})
	paymentsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "requests_total",
		Help: "Requests to the x402 handler by outcome.",
	}, []string{"outcome"})
	limitedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "limit", Name: "refused_total",
		Help: "Requests refused with 429, by class and by the limit reached: rate or in_flight.",
	}, []string{"class", "limit"})
	batchSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "batch_duration_seconds",
		Help:    "Time to commit one batch of authorisations, captures and voids.",
		Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1},
	})
	batchRequests = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "batch_requests",
		Help:    "Authorisations in one batch.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 11),
	})
	inFlight = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "holds_in_flight",
		Help: "Requests at the upstream with an open hold.",
	}, func() float64 { return float64(holdsInFlight.Load()) })

	holdsInFlight atomic.Int64
)

// The counter of each outcome is looked up once, so that the hot path only increments.
var (
	decisions = struct {
		accepted, refused, keyInvalid, keyMissing, scopeMissing, overloaded, unpriced, free prometheus.Counter
	}{
		accepted:     decisionsTotal.WithLabelValues("accepted"),
		refused:      decisionsTotal.WithLabelValues("refused"),
		keyInvalid:   decisionsTotal.WithLabelValues("key_invalid"),
		keyMissing:   decisionsTotal.WithLabelValues("key_missing"),
		scopeMissing: decisionsTotal.WithLabelValues("scope_missing"),
		overloaded:   decisionsTotal.WithLabelValues("overloaded"),
		unpriced:     decisionsTotal.WithLabelValues("unpriced"),
		free:         decisionsTotal.WithLabelValues("free"),
	}
	ends = struct{ captured, voided, adopted prometheus.Counter }{
		captured: endsTotal.WithLabelValues("captured"),
		voided:   endsTotal.WithLabelValues("voided"),
		adopted:  endsTotal.WithLabelValues("adopted"),
	}
	payments = struct{ unpaid, passed, free, unpriced, unavailable, failed prometheus.Counter }{
		unpaid:      paymentsTotal.WithLabelValues("unpaid"),
		passed:      paymentsTotal.WithLabelValues("passed"),
		free:        paymentsTotal.WithLabelValues("free"),
		unpriced:    paymentsTotal.WithLabelValues("unpriced"),
		unavailable: paymentsTotal.WithLabelValues("unavailable"),
		failed:      paymentsTotal.WithLabelValues("failed"),
	}
)

// collectors returns all metrics of the edge. Tests compare docs/x402.md and docs/grafana with them.
func collectors() []prometheus.Collector {
	return []prometheus.Collector{
		decisionsTotal, endsTotal, paymentsTotal, limitedTotal, batchSeconds, batchRequests, inFlight, lostTotal, months,
		challengesTotal, verificationsTotal, verificationSeconds, settlementSeconds,
		settlementTxTotal, gasUsedTotal, gasSpentTotal, gasRefusalsTotal, gauges,
		sharesMetrics{},
	}
}

func registerMetrics(registry *prometheus.Registry) error {
	beginSeries()
	for _, c := range collectors() {
		if err := registry.Register(c); err != nil && !errors.As(err, &prometheus.AlreadyRegisteredError{}) {
			return fmt.Errorf("registering metrics: %w", err)
		}
	}
	return nil
}
