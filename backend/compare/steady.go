package compare

import (
	"math/bits"
	"slices"
)

// History is in which of its last comparisons a place differed.
type History struct {
	// Runs is how many comparisons are remembered, at most 8.
	Runs int `json:"runs"`
	// Bits has a bit for each of them, set where the place differed; the last comparison is the lowest.
	Bits uint8 `json:"bits"`
}

// Of a history so much is remembered, and its last part weighs more.
const (
	historyMax   = 8
	recentMax    = 4
	stillRuns    = 2 // after which a place is trusted again
	homeWordsMax = 20
	nearMax      = 3
	// A state is said in few words; in a longer text that is replaced, a word of one says little.
	stateWordsMax = 5
)

// with is a history with another comparison.
func (h History) with(differs bool) History {
	h.Bits <<= 1
	if differs {
		h.Bits |= 1
	}
	h.Runs = min(h.Runs+1, historyMax)
	return h
}

// isRestless reports whether the place of a history, whose last comparison is under way, differs all the time: in three of the last
// four comparisons, in half of all, or twice where it did in the first that there was, and never stood still since for long. What is
// firm is a fact: it has to differ in four.
func (h History) isRestless(firm bool) bool {
	all, recent := bits.OnesCount8(h.Bits), bits.OnesCount8(h.Bits&(1<<recentMax-1))
	switch {
	case h.Runs > stillRuns && h.Bits>>1&(1<<stillRuns-1) == 0:
		return false
	case firm:
		return recent == recentMax || all > recentMax
	case h.Runs < recentMax && all >= 2:
		return h.Bits>>(h.Runs-1)&1 == 1
	}
	return recent >= recentMax-1 || all >= recentMax && all*2 >= h.Runs
}

// differsAt is the history of a place that differs in the comparison under way. What was never heard of stood still.
func (n *Noise) differsAt(place string) History {
	h, known := n.Places[place]
	if !known {
		h.Runs = min(n.Runs, historyMax)
	}
	return h.with(true)
}

func (n *Noise) isRestless(places []string, firm bool) bool {
	return slices.ContainsFunc(places, func(place string) bool { return n.differsAt(place).isRestless(firm) })
}

// mayRest reports whether a candidate is one whose place is learned of: a list is told of however busy it is, as is what is watched and
// a field.
func (c *candidate) mayRest() bool {
	if c.in == nil || c.exact || c.Kind == Moved || c.spots == nil {
		return false
	}
	return !c.watched || c.in.c.focus.isEmpty()
}

// isRestlessAt reports whether a spot of a candidate is where something else stands with every run.
func (n *Noise) isRestlessAt(c *candidate, at *spot) bool {
	if !c.mayRest() || n.isDue(c) {
		return false
	}
	if !at.fact && (n.isHeld(c) || n.isTurn(c)) {
		return true
	}
	if c.Kind == Changed && n.isRestless(at.own, at.fact) {
		return true
	}
	return !at.fact && (n.isRestless(c.home, false) || n.hasSeen(c.home, c.said()))
}

// said is what stands where a candidate is, or stood there last.
func (c *candidate) said() meaning {
	switch {
	case c.b != nil:
		return meaning{hash: c.b.text}
	case c.swap != nil:
		return meaning{hash: c.swap.text}
	}
	return meaning{hash: c.a.text}
}

// isInPlace reports whether a block stands where it did: of the members of a list that have no name, one that is like another elsewhere
// may have come while that one went.
func (d *pageDiff) isInPlace(a, b *node) bool {
	if !b.isMember() || a.label == b.label && b.label != 0 {
		return true
	}
	above := a.index > 0 && b.index > 0 && d.after[b.index-1].mate == d.before[a.index-1]
	below := a.index < len(d.before)-1 && b.index < len(d.after)-1 && d.after[b.index+1].mate == d.before[a.index+1]
	return above || below
}

// homeOf names the place of a block as a whole: by its label, as the only one of its form under its heading, and by its neighbours. A
// long text of which most stays has none: what differs in it does so by itself.
func (d *pageDiff) homeOf(n *node) []string {
	var home []string
	if n.isMember() && n.label != 0 {
		return []string{placeOf(d.url, n.path, n.label, hashOf(n.Form), 18)}
	}
	if d.isOnly(n) {
		home = append(home, placeOf(d.url, n.path, hashOf(n.Form), n.class(), 17))
	}
	return append(home, d.betweenWhat(n, 19)...)
}

// betweenWhat names the place of a block by what stands still above and below it, and by how far off that is: of texts that stand side
// by side, each has a place of its own. Either will do, but for members of lists, which change places. There is none where nothing near
// stands still.
func (d *pageDiff) betweenWhat(n *node, salt uint64) []string {
	nodes := d.after
	if n.index >= len(nodes) || nodes[n.index] != n {
		nodes = d.before
	}
	var places []string
	both := []uint64{d.url, n.path, hashOf(n.Form), salt}
	for _, step := range []int{-1, 1} {
		far, anchor := uint64(1), uint64(0)
		for i := n.index + step; i >= 0 && i < len(nodes) && far <= nearMax; i += step {
			if nodes[i].Noise != "" {
				continue
			}
			if anchor = nodes[i].anchor(); anchor != 0 {
				break
			}
			far++
		}
		if far <= nearMax {
			places = append(places, placeOf(d.url, n.path, hashOf(n.Form), salt, uint64(step+1), far, anchor)) //nolint:gosec // 0 or 2
			both = append(both, far, anchor)
		}
	}
	if !n.isMember() {
		return places
	}
	if len(places) < 2 {
		return nil
	}
	return []string{placeOf(both...)}
}

// isOnly reports whether no other block has the form of one under its heading, on either side.
func (d *pageDiff) isOnly(n *node) bool {
	if d.forms == nil {
		d.forms = map[uint64][2]int{}
		for side, nodes := range [][]*node{d.before, d.after} {
			for _, other := range nodes {
				key := other.formKey()
				count := d.forms[key]
				count[side]++
				d.forms[key] = count
			}
		}
	}
	count := d.forms[n.formKey()]
	return count[0] <= 1 && count[1] <= 1
}

func (n *node) formKey() uint64 { return mix(n.path, hashOf(n.Form), n.class()) }

// swap finds what stands in the other run where a member of a list does that is in one run alone: between the same neighbours, with as
// many others. It is nil where the list only grew or shrank there.
func (d *pageDiff) swap(n *node) *node {
	own, others := d.before, d.after
	if n.index < len(d.after) && d.after[n.index] == n {
		own, others = d.after, d.before
	}
	first, last := n.index, n.index
	for first > 0 && own[first-1].mate == nil && n.index-first < swapMax {
		first--
	}
	for last < len(own)-1 && own[last+1].mate == nil && last-n.index < swapMax {
		last++
	}
	var other *node
	if first > 0 && own[first-1].mate != nil {
		at := own[first-1].mate.index + 1 + n.index - first
		if at >= len(others) {
			return nil
		}
		other = others[at]
	}
	if last < len(own)-1 && own[last+1].mate != nil {
		at := own[last+1].mate.index - 1 - (last - n.index)
		if at < 0 || other != nil && others[at] != other {
			return nil
		}
		other = others[at]
	}
	if other == nil || other.mate != nil || other.Form != n.Form || other.Noise != "" || !other.isMember() {
		return nil
	}
	return other
}

// swapMax bounds how many members of a list in a row may have been put in place of others.
const swapMax = 3

// isFact reports whether a difference is of an amount, a version, a date or a state.
func (at *spot) isFact() bool {
	return slices.ContainsFunc(at.values, func(v ValueChange) bool {
		return v.Type == tokenTypes[tokenMoney] || v.Type == tokenTypes[tokenVersion] || v.Type == tokenTypes[tokenDate]
	})
}

// remember takes in which places differed in a run, after they were judged. Where a page could not be read, or was left to the next run,
// none is said to have stood still.
func (n *Noise) remember(found []candidate, whole bool) {
	hit := map[string]bool{}
	known := map[string]bool{}
	for i := range found {
		c := &found[i]
		if !c.mayRest() || n.isDue(c) {
			for _, place := range c.home {
				known[place] = true
			}
			continue
		}
		open := false
		for j := range c.spots {
			at := &c.spots[j]
			restless := n.isRestlessAt(c, at)
			names := hit
			if at.quiet && !restless {
				names = known
			}
			open = open || !at.quiet || restless
			if c.Kind == Changed {
				for _, place := range at.own {
					names[place] = true
				}
				if restless && !at.fact && !at.counted {
					n.see(at.own, append(slices.Clone(at.was), at.now...)...)
				}
			}
		}
		names := known
		if open {
			names = hit
		}
		for _, place := range c.home {
			names[place] = true
		}
		if open && !c.hasFact() && n.isRestless(c.home, false) {
			n.see(c.home, c.said())
		}
	}
	for _, place := range n.turn(found) {
		hit[place] = true
	}
	for place := range n.Held {
		if whole && !known[place] {
			hit[place] = true // it is as it was before, or another still
		}
	}
	next := map[string]History{}
	for place := range hit {
		next[place] = n.differsAt(place)
	}
	for place, h := range n.Places {
		if _, done := next[place]; done {
			continue
		}
		if whole && !known[place] {
			h = h.with(false)
		}
		if h.Bits != 0 {
			next[place] = h
		}
	}
	n.Places = next
}

// hasFact reports whether a candidate differs in a fact.
func (c *candidate) hasFact() bool {
	return slices.ContainsFunc(c.spots, func(at spot) bool { return at.fact })
}
