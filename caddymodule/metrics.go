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
	"github.com/turnpike-edge/turnpike/caddymodule/x402"
)

// collectors returns all metrics of the edge. Tests compare docs/metrics.md and docs/grafana with them.
func collectors() []prometheus.Collector {
	return append(slices.Concat(metrics.Collectors(), ledger.Collectors(), facilitator.Collectors(), x402.Collectors()), limits.Collector{})
}

func registerMetrics(registry *prometheus.Registry) error {
	for _, c := range collectors() {
		if err := registry.Register(c); err != nil && !errors.As(err, &prometheus.AlreadyRegisteredError{}) {
			return fmt.Errorf("registering metrics: %w", err)
		}
	}
	return nil
}
