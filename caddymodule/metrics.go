package caddymodule

import (
	"errors"
	"fmt"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/caddymodule/facilitator"
	"github.com/turnpike-edge/turnpike/caddymodule/ledger"
	"github.com/turnpike-edge/turnpike/caddymodule/limits"
	"github.com/turnpike-edge/turnpike/caddymodule/metrics"
)

// collectors returns all metrics of the edge. Tests compare docs/metrics.md and docs/grafana with them.
func collectors() []prometheus.Collector {
	return append(slices.Concat(metrics.Collectors(), ledger.Collectors(), facilitator.Collectors()),
		challengesTotal, verificationsTotal, verificationSeconds, settlementSeconds,
		settlementTxTotal, gasUsedTotal, gasSpentTotal, gasRefusalsTotal, claimGauges,
		limits.Collector{},
	)
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
