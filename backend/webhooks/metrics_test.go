package webhooks_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/backend/webhooks"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	p := setup(t, options{config: func(c *webhooks.Config) { c.Registerer = registry }})
	p.tell(team, newReceiver(t, first(2, status(500))).URL, 1)
	p.tell(team, newReceiver(t, status(410)).URL, 2)
	p.ended()
	if err := p.Tasks.Stop(t.Context()); err != nil { // counting follows the commit
		t.Fatal(err)
	}
	families, err := registry.Gather()
	must(t, err)
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if label := m.GetLabel(); family.GetName() == "turnpike_webhooks_tries_total" && len(label) == 1 {
				got[label[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	if len(got) != 3 || got["delivered"] != 1 || got["retried"] != 2 || got["failed"] != 1 {
		t.Errorf("got %v, want one delivered, two retried, one failed", got)
	}
}
