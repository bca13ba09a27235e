package caddymodule

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/db"
)

var lostTotal = prometheus.NewCounter(prometheus.CounterOpts{
	Namespace: "turnpike", Subsystem: "meter", Name: "captures_lost_total",
	Help: "Captures whose hold had been swept: the request was served but not charged.",
})

// monthsGauge queries, on each scrape, for how many coming months usage has partitions. Nothing else shows that
// `turnpike migrate` has not run for a year.
type monthsGauge struct {
	desc *prometheus.Desc

	mu      sync.Mutex
	ledgers map[*postgresLedger]*db.Queries
}

var months = newMonthsGauge()

func newMonthsGauge() *monthsGauge {
	return &monthsGauge{
		desc: prometheus.NewDesc("turnpike_ledger_months_ahead",
			"Number of the next twelve months for which the usage table has a partition.", nil, nil),
		ledgers: map[*postgresLedger]*db.Queries{},
	}
}

func (g *monthsGauge) add(l *postgresLedger) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ledgers[l] = db.New(l.pool)
}

func (g *monthsGauge) remove(l *postgresLedger) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.ledgers, l)
}

// Describe implements prometheus.Collector.
func (g *monthsGauge) Describe(descs chan<- *prometheus.Desc) { descs <- g.desc }

// Collect implements prometheus.Collector. If there are several ledgers, as during a reload, the lowest value counts.
func (g *monthsGauge) Collect(metrics chan<- prometheus.Metric) {
	g.mu.Lock()
	ledgers := make([]*db.Queries, 0, len(g.ledgers))
	for _, q := range g.ledgers {
		ledgers = append(ledgers, q)
	}
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), gaugesTimeout)
	defer cancel()
	least, isKnown := int64(0), false
	for _, q := range ledgers {
		if n, err := q.CountUsageMonths(ctx); err == nil && (!isKnown || n < least) {
			least, isKnown = n, true
		}
	}
	if isKnown {
		metrics <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(least))
	}
}

var _ prometheus.Collector = (*monthsGauge)(nil)
