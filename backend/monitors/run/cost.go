package run

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Estimate returns the most that a run of a plan can cost, which is the amount to hold, and what a run usually costs. A
// run that watches for new items usually finds none.
func Estimate(ctx context.Context, p plan.Plan, world World, limits Limits) (most, usual money.Credits, err error) {
	e := execution{plan: p}
	limits = limits.withDefaults()
	pages := limits.Pages
	for _, node := range p.DAG.Graph.Nodes {
		var kind Kind
		atMost, asRule := 1, 1
		switch node.Type {
		case plan.NodeDiscover:
			kind = KindDiscover
		case plan.NodeSearch:
			kind = KindSearch
		case plan.NodeFetch:
			kind = KindFetch
			atMost, asRule = e.reads(node)
			atMost = min(atMost, pages)
			asRule = min(asRule, atMost)
			pages -= atMost
		default:
			continue
		}
		price, err := world.Price(ctx, kind, kind == KindFetch && e.extracts())
		if err != nil {
			return 0, 0, err
		}
		for _, sum := range []struct {
			of *money.Credits
			n  int
		}{{&most, atMost}, {&usual, asRule}} {
			cost, err := price.Mul(int64(sum.n))
			if err != nil {
				return 0, 0, err
			}
			if *sum.of, err = sum.of.Add(cost); err != nil {
				return 0, 0, err
			}
		}
	}
	return most, usual, nil
}

// reads is how many pages a fetch reads at most, and usually.
func (e *execution) reads(node plan.Node) (atMost, asRule int) {
	named, limit := len(node.Params.URLs), max(node.Params.Limit, 1)
	if links, _ := e.linksTo(node); links == nil {
		return min(named, limit), min(named, limit)
	}
	if e.plan.DAG.IntentMode == plan.IntentStream && e.plan.DAG.StreamChangeType == plan.StreamAdded {
		return limit, min(named, limit)
	}
	return limit, limit
}
