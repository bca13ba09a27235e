package ledger

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
	"github.com/turnpike-edge/turnpike/db"
)

var lostTotal = prometheus.NewCounter(prometheus.CounterOpts{
	Namespace: "turnpike", Subsystem: "meter", Name: "captures_lost_total",
	Help: "Captures whose hold had been swept: the request was served but not charged.",
})

var months = newMonthsGauge()

// newMonthsGauge returns the gauge for how many coming months usage has partitions. Nothing else shows that `turnpike
// migrate` has not run for a year. If there are several ledgers, as during a reload, the lowest value counts.
func newMonthsGauge() *metrics.Gauges[*db.Queries] {
	desc := prometheus.NewDesc("turnpike_ledger_months_ahead",
		"Number of the next twelve months for which the usage table has a partition.", nil, nil)
	return metrics.NewGauges(func(ctx context.Context, ledgers []*db.Queries, values chan<- prometheus.Metric) {
		least, isKnown := int64(0), false
		for _, q := range ledgers {
			if n, err := q.CountUsageMonths(ctx); err == nil && (!isKnown || n < least) {
				least, isKnown = n, true
			}
		}
		if isKnown {
			values <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(least))
		}
	}, desc)
}

// Collectors returns the metrics of ledgers.
func Collectors() []prometheus.Collector { return []prometheus.Collector{lostTotal, months} }
