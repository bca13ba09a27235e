package compare

import "slices"

// A text that changed in so many runs in a row says something else each day, as a saying does, and is noise of its place from then on,
// until it was still for two runs. The count goes one further, so that the first still run is remembered.
const (
	restlessNoise = 3
	restlessMax   = restlessNoise + 1
)

// restlessPlace names the place of a text that may be learned to be restless, "" for none: a block of text that is the only one of its
// form under its heading, on both sides. What is a member of a list, has a label, or is watched is none, nor is a difference of
// amounts, dates, versions or states: those are told however often they change.
func (d *pageDiff) restlessPlace(a, b *node, found *candidate) string {
	if found.Kind != Changed || b.Kind != KindParagraph || a.Kind != KindParagraph || a.Group != 0 || b.Group != 0 || a.Form != b.Form ||
		!d.c.focus.isEmpty() || b.label != 0 || isLabelled(a.Text) || isLabelled(b.Text) || found.hasFact() {
		return ""
	}
	if !d.isOnly(b) || a.path != b.path {
		return ""
	}
	return placeOf(d.url, b.path, hashOf(b.Form), 17)
}

// isOnly reports whether no other text has the form of one under its heading, on either side.
func (d *pageDiff) isOnly(n *node) bool {
	if d.forms == nil {
		d.forms = map[uint64][2]int{}
		for side, nodes := range [][]*node{d.before, d.after} {
			for _, other := range nodes {
				if other.Kind == KindParagraph {
					key := mix(other.path, hashOf(other.Form))
					count := d.forms[key]
					count[side]++
					d.forms[key] = count
				}
			}
		}
	}
	count := d.forms[mix(n.path, hashOf(n.Form))]
	return count[0] <= 1 && count[1] <= 1
}

// hasFact reports whether a difference is of anything but words and bare numbers, or of a state.
func (c *candidate) hasFact() bool {
	return c.stated || slices.ContainsFunc(c.spots, func(at spot) bool {
		return slices.ContainsFunc(at.values, func(v ValueChange) bool { return v.Type != tokenTypes[tokenNumber] || v.Unit != "" })
	})
}

// isRestless reports whether a candidate is in a place where the text changes with every run.
func (n *Noise) isRestless(c *candidate) bool {
	return c.restless != "" && n.Restless[c.restless] >= restlessNoise
}

// learnRestless takes in what texts changed in a run, after they were judged.
func (n *Noise) learnRestless(found []candidate) {
	hit := map[string]bool{}
	for i := range found {
		if c := &found[i]; c.restless != "" && (!c.quiet || n.isRestless(c)) {
			hit[c.restless] = true
		}
	}
	for place, runs := range n.Restless {
		if hit[place] {
			continue
		}
		if runs == restlessMax {
			n.Restless[place] = restlessNoise
		} else {
			delete(n.Restless, place)
		}
	}
	if n.Restless == nil && len(hit) > 0 {
		n.Restless = map[string]int{}
	}
	for place := range hit {
		if n.Restless[place]++; n.Restless[place] >= restlessNoise {
			n.Restless[place] = restlessMax
		}
	}
}
