package selector

import (
	"fmt"
	"strings"
)

// cost is how often matching a compound against an element visits the element itself, all its content, its ancestors, and
// its siblings.
type cost struct{ own, subtree, climb, siblings int }

func (c *cost) add(other cost) {
	c.own += other.own
	c.subtree += other.subtree
	c.climb += other.climb
	c.siblings += other.siblings
}

// costOf is the cost of a compound, or of one of the selectors in the brackets of a pseudo-class.
func costOf(pseudos []pseudo) (cost, error) {
	total := cost{own: 1}
	for _, p := range pseudos {
		one, err := p.cost()
		if err != nil {
			return cost{}, err
		}
		total.add(one)
	}
	return total, nil
}

func (p pseudo) cost() (cost, error) {
	switch p.name {
	case "not", "has", "haschild":
		return p.relativeCost()
	case "contains":
		return cost{subtree: 1}, nil
	case "lang", "enabled", "disabled":
		return cost{climb: 1}, nil
	}
	if strings.HasSuffix(p.name, "-child") || strings.HasSuffix(p.name, "-of-type") {
		return cost{siblings: 1}, nil
	}
	return cost{own: 1}, nil
}

// relativeCost is that of the selectors in brackets. Selectors that depend on surroundings are not allowed within :has,
// which is matched against all of an element's content, and that for each of the element's ancestors again.
func (p pseudo) relativeCost() (cost, error) {
	var total cost
	for item := range listed(p.argument) {
		pseudos, err := pseudosOf(item)
		if err != nil {
			return cost{}, fmt.Errorf("%w within :%s(…), where only simple selectors are allowed", err, p.name)
		}
		inner, err := costOf(pseudos)
		if err != nil {
			return cost{}, err
		}
		switch {
		case p.name == "not":
			total.add(inner)
		case inner.subtree+inner.climb+inner.siblings > 0:
			return cost{}, fmt.Errorf("has %q within :%s(…), where selectors that depend on surrounding elements are not allowed", item, p.name)
		case p.name == "has":
			total.subtree += inner.own
		default:
			total.own += inner.own
		}
	}
	return total, nil
}
