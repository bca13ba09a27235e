// Package metrics has the Prometheus metrics that several handlers and ledgers count with.
package metrics
