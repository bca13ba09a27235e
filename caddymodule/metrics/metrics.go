package metrics

import (
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
	// LimitedTotal counts requests that reached a limit.
	LimitedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "turnpike", Subsystem: "limit", Name: "refused_total",
		Help: "Requests refused with 429, by class and by the limit reached: rate or in_flight.",
	}, []string{"class", "limit"})
	// BatchSeconds measures batches of the ledger.
	BatchSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "batch_duration_seconds",
		Help:    "Time to commit one batch of authorisations, captures and voids.",
		Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1},
	})
	// BatchRequests measures how many authorisations are in a batch.
	BatchRequests = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "batch_requests",
		Help:    "Authorisations in one batch.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 11),
	})
	inFlight = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "turnpike", Subsystem: "meter", Name: "holds_in_flight",
		Help: "Requests at the upstream with an open hold.",
	}, func() float64 { return float64(HoldsInFlight.Load()) })

	// HoldsInFlight is how many requests with an open hold are at the upstream.
	HoldsInFlight atomic.Int64
)

// The counter of each outcome is looked up once, so that the hot path only increments.
var (
	// Decisions counts requests by the decision that was made before they reach the upstream.
	Decisions = struct {
		Accepted, Refused, KeyInvalid, KeyMissing, ScopeMissing, Overloaded, Unpriced, Free prometheus.Counter
	}{
		Accepted:     decisionsTotal.WithLabelValues("accepted"),
		Refused:      decisionsTotal.WithLabelValues("refused"),
		KeyInvalid:   decisionsTotal.WithLabelValues("key_invalid"),
		KeyMissing:   decisionsTotal.WithLabelValues("key_missing"),
		ScopeMissing: decisionsTotal.WithLabelValues("scope_missing"),
		Overloaded:   decisionsTotal.WithLabelValues("overloaded"),
		Unpriced:     decisionsTotal.WithLabelValues("unpriced"),
		Free:         decisionsTotal.WithLabelValues("free"),
	}
	// Ends counts holds by outcome.
	Ends = struct{ Captured, Voided, Adopted prometheus.Counter }{
		Captured: endsTotal.WithLabelValues("captured"),
		Voided:   endsTotal.WithLabelValues("voided"),
		Adopted:  endsTotal.WithLabelValues("adopted"),
	}
	// Payments counts requests to the x402 handler by outcome.
	Payments = struct{ Unpaid, Passed, Free, Unpriced, Unavailable, Failed prometheus.Counter }{
		Unpaid:      paymentsTotal.WithLabelValues("unpaid"),
		Passed:      paymentsTotal.WithLabelValues("passed"),
		Free:        paymentsTotal.WithLabelValues("free"),
		Unpriced:    paymentsTotal.WithLabelValues("unpriced"),
		Unavailable: paymentsTotal.WithLabelValues("unavailable"),
		Failed:      paymentsTotal.WithLabelValues("failed"),
	}
)

// Collectors returns the metrics of this package.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{
		decisionsTotal, endsTotal, paymentsTotal, LimitedTotal, BatchSeconds, BatchRequests, inFlight,
	}
}
