package admission

import "github.com/prometheus/client_golang/prometheus"

// Stats is the state of a pool at one moment.
type Stats struct {
	Size           int64
	Keyed, Keyless ClassStats
}

// ClassStats is the sum over all holders of one class.
type ClassStats struct {
	// Held is how much they hold. Waiting is how many of their requests wait.
	Held    int64
	Waiting int
	// Refused is how many of their requests were refused since the pool was made.
	Refused uint64
}

// Stats returns the state of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Size:    p.config.Size,
		Keyed:   ClassStats{Held: p.config.Size - p.free - p.keyless, Waiting: p.waiting[0], Refused: p.refused[0]},
		Keyless: ClassStats{Held: p.keyless, Waiting: p.waiting[1], Refused: p.refused[1]},
	}
}

var (
	classLabels = []string{"pool", "class"}
	sizeDesc    = prometheus.NewDesc("turnpike_pool_size", "Capacity of the pool.", classLabels[:1], nil)
	heldDesc    = prometheus.NewDesc("turnpike_pool_held", "Capacity in use, by class of holders.", classLabels, nil)
	waitingDesc = prometheus.NewDesc("turnpike_pool_waiting", "Requests that wait for capacity, by class of holders.", classLabels, nil)
	refusedDesc = prometheus.NewDesc("turnpike_pool_refused_total", "Requests refused because the pool was full, by class of holders.", classLabels, nil)
)

// Collector exports the metrics of pools. Each pool needs a name of its own. The metrics never name holders.
type Collector []*Pool

// Describe implements prometheus.Collector.
func (Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sizeDesc, heldDesc, waitingDesc, refusedDesc} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (c Collector) Collect(metrics chan<- prometheus.Metric) {
	for _, p := range c {
		name, stats := p.config.Name, p.Stats()
		metrics <- prometheus.MustNewConstMetric(sizeDesc, prometheus.GaugeValue, float64(stats.Size), name)
		for class, s := range map[string]ClassStats{"keyed": stats.Keyed, "keyless": stats.Keyless} {
			metrics <- prometheus.MustNewConstMetric(heldDesc, prometheus.GaugeValue, float64(s.Held), name, class)
			metrics <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(s.Waiting), name, class)
			metrics <- prometheus.MustNewConstMetric(refusedDesc, prometheus.CounterValue, float64(s.Refused), name, class)
		}
	}
}
