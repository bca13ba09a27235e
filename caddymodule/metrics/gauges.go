package metrics

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// gaugesTimeout limits a scrape's queries to stores and nodes.
const gaugesTimeout = 2 * time.Second

// Gauges queries its sources on each scrape, for values that are not counted as they happen. If a source does not
// respond in time, its gauge is left out, so that an alert can tell zero from no data.
type Gauges[S any] struct {
	descs []*prometheus.Desc
	query func(ctx context.Context, sources []S, values chan<- prometheus.Metric)

	mu      sync.Mutex
	sources map[any]S
}

// NewGauges returns gauges whose values query sends.
func NewGauges[S any](query func(ctx context.Context, sources []S, values chan<- prometheus.Metric), descs ...*prometheus.Desc) *Gauges[S] {
	return &Gauges[S]{descs: descs, query: query, sources: map[any]S{}}
}

// Add registers a source until Remove is called with the same key.
func (g *Gauges[S]) Add(key any, source S) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sources[key] = source
}

// Remove removes a source.
func (g *Gauges[S]) Remove(key any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sources, key)
}

// Describe implements prometheus.Collector.
func (g *Gauges[S]) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range g.descs {
		descs <- desc
	}
}

// Collect implements prometheus.Collector.
func (g *Gauges[S]) Collect(values chan<- prometheus.Metric) {
	g.mu.Lock()
	sources := slices.Collect(maps.Values(g.sources))
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), gaugesTimeout)
	defer cancel()
	g.query(ctx, sources, values)
}

// Interface guard
var _ prometheus.Collector = (*Gauges[int])(nil)
