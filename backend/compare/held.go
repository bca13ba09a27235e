package compare

import "slices"

// A page that seems to have changed in nothing but what is marginal is held back in the first comparisons, when it is not known yet what
// stands still on it: it is left as it was (Diff.Unsettled), and told of in the next run where it is as it is now. Where it is another still,
// that is noise.
const (
	heldRuns     = 2
	heldMax      = 10 // differences of a page
	heldWordsMax = 12
	heldLikeMax  = 0.2
)

// isMarginal reports whether a candidate may be held back: it is of words alone, none of them a state, and beside the content, above the title, or a
// short row of a table without headers, as those that lay out a page.
func (c *candidate) isMarginal() bool {
	n := c.b
	if n == nil {
		n = c.a
	}
	if !c.mayRest() || len(c.home) == 0 || c.hasFact() || c.hasValue() || c.Block == "link" || c.Kind != Changed && c.swap == nil {
		return false
	}
	switch n.Kind {
	case KindRow:
		if len(n.Columns) == 0 && (n.Label == "" || n.Label == n.Text) && n.words <= heldWordsMax && !n.saysValue() && (c.swap != nil || c.a.likeness(c.b) < heldLikeMax) {
			return true
		}
	case KindParagraph, KindItem:
	default:
		return false
	}
	return n.Part != "" || isAbove(c.in.after, n)
}

// hasValue reports whether a difference is of anything but words.
func (c *candidate) hasValue() bool {
	return slices.ContainsFunc(c.spots, func(at spot) bool { return len(at.values) > 0 })
}

// saysValue reports whether a block says a number of any kind, or a state.
func (n *node) saysValue() bool {
	return slices.ContainsFunc(n.parts, func(p part) bool {
		return slices.ContainsFunc(p.tokens, func(t token) bool { return tokenTypes[t.kind] != "" || isState(t.lower) })
	})
}

// isDue reports whether a candidate was held back in the last run, and is now as it was then.
func (n *Noise) isDue(c *candidate) bool {
	return slices.ContainsFunc(c.home, func(place string) bool {
		said, held := n.Held[place]
		return held && said == folded(c.said().hash)
	})
}

// isHeld reports whether a candidate was held back in the last run.
func (n *Noise) isHeld(c *candidate) bool {
	return slices.ContainsFunc(c.home, func(place string) bool { _, held := n.Held[place]; return held })
}

// hold finds what is to be held back: pages on which nothing else differs, and no difference is due.
func (c *comparison) hold() map[string]uint32 {
	if c.noise.Runs >= heldRuns {
		return nil
	}
	other, held, count := map[string]bool{}, map[string]uint32{}, map[string]int{}
	for i := range c.found {
		f := &c.found[i]
		if f.quiet || other[f.Page] {
			continue
		}
		count[f.Page]++
		other[f.Page] = count[f.Page] > heldMax || !f.isMarginal() || c.noise.isDue(f)
	}
	var pages []string
	for i := range c.found {
		f := &c.found[i]
		if f.quiet || other[f.Page] {
			continue
		}
		for _, place := range f.home {
			held[place] = folded(f.said().hash)
		}
		if !slices.Contains(pages, f.Page) {
			pages = append(pages, f.Page)
		}
	}
	c.holding = pages
	return held
}
