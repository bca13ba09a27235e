package compare

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
)

// Noise is what a monitor has learned of its pages: where the looks of one run differ, and what was seen there. The zero value
// has learned nothing. It is kept as JSON, and of bounded size however long the monitor runs.
type Noise struct {
	// Runs is how many comparisons it has seen.
	Runs int `json:"runs"`
	// Varying are the places that differed between two looks of one run. A place is named by a hash of what surrounds it, so that
	// it is the same place when something is put above it.
	Varying map[string]*Variety `json:"varying,omitempty"`
	// Places are those that differed lately, with when they did.
	Places map[string]History `json:"places,omitempty"`
	// Turns are what went from lists and came back, by the place of the list.
	Turns map[string]*Turns `json:"turns,omitempty"`
	// Held are places of what was held back in the last run, with a hash of what stood there.
	Held map[string]uint32 `json:"held,omitempty"`
	// Met are the pages that were looked at more than once, with the run in which that was.
	Met map[string]int `json:"met,omitempty"`
	// Flips are the pages that showed in one look what they showed in the last run, and in another something else, with the run
	// in which that was.
	Flips map[string]int `json:"flips,omitempty"`
	// Aliases are headings that were edited, by what they say now.
	Aliases map[string]string `json:"aliases,omitempty"`
}

// Variety is what was seen in a place that varies.
type Variety struct {
	// Run is when it last varied.
	Run int `json:"run"`
	// Seen are hashes of what stood there, the latest last.
	Seen []uint32 `json:"seen"`
}

// Bounds of what is remembered.
const (
	placesMax    = 2_000
	seenMax      = 48
	seenAllMax   = 20_000
	metMax       = 3_000
	aliasesMax   = 200
	flipRuns     = 10 // after which a flip is forgotten
	nameBytesMax = 13
)

// placeOf names a place.
func placeOf(hashes ...uint64) string { return strconv.FormatUint(mix(hashes...), 36) }

// folded is a hash in half its size.
func folded(hash uint64) uint32 { return uint32(hash ^ hash>>32) } //nolint:gosec // what is cut off is meant to be

// hasSeen reports whether places vary, and something was seen there.
func (n *Noise) hasSeen(places []string, what meaning) bool {
	for _, place := range places {
		if v := n.Varying[place]; v != nil && slices.Contains(v.Seen, folded(what.hash)) {
			return true
		}
	}
	return false
}

// see notes that places vary, and what was seen there.
func (n *Noise) see(places []string, what ...meaning) {
	if n.Varying == nil {
		n.Varying = map[string]*Variety{}
	}
	for _, place := range places {
		v := n.Varying[place]
		if v == nil {
			v = &Variety{}
			n.Varying[place] = v
		}
		v.Run = n.Runs
		for _, m := range what {
			hash := folded(m.hash)
			v.Seen = append(slices.DeleteFunc(v.Seen, func(seen uint32) bool { return seen == hash }), hash)
		}
		v.Seen = v.Seen[max(0, len(v.Seen)-seenMax):]
	}
}

// vary takes in where two looks of one run differ.
func (n *Noise) vary(found []candidate) {
	for i := range found {
		if c := &found[i]; c.Kind == Changed && c.a != nil && c.a.isAnother(c.b) {
			n.see([]string{c.b.membership(c.in.url)}, wholly(c.a.text, c.b.text)...)
		}
		for j := range found[i].spots {
			at := &found[i].spots[j]
			for _, side := range [][]meaning{at.was, at.now} {
				if len(side) == 0 {
					side = wholly(0)
				}
				n.see(at.places, side...)
				n.see(at.block, at.all...)
				n.see(at.block, namesIn(side)...)
			}
		}
	}
}

// namesIn are the words among meanings, and the numbers that may be parts of names.
func namesIn(side []meaning) []meaning {
	var out []meaning
	for _, m := range side {
		if !m.valued {
			out = append(out, m)
		} else if m.named != 0 {
			out = append(out, meaning{hash: m.named})
		}
	}
	return out
}

// knows reports whether something was seen at a spot when it varied. Numbers are known by what stands around them, words by the
// block that they are in.
func (n *Noise) knows(at *spot, what meaning) bool {
	return n.hasSeen(at.places, what) || !what.valued && n.hasSeen(at.block, what) || what.named != 0 && n.hasSeen(at.block, meaning{hash: what.named})
}

// explains reports whether all that stands at a spot was seen there when it varied.
func (n *Noise) explains(at *spot) bool {
	now := at.now
	if len(now) == 0 {
		now = wholly(0)
	}
	return len(at.all) > 1 && n.hasSeen(at.block, at.all[1]) || !slices.ContainsFunc(now, func(m meaning) bool { return !n.knows(at, m) })
}

// learn takes in what a run showed, after it was judged. whole reports that all pages could be compared.
func (n *Noise) learn(found []candidate, whole bool) {
	n.remember(found, whole)
	n.Runs++
	n.bound()
}

// flip notes that a page flipped, and reports whether it is the first time in a while: it may be on its way from one state to the
// other, as when a site is rolled out to one server after the other. What flips again varies.
func (n *Noise) flip(url string) (first bool) {
	place := placeOf(hashOf(url))
	run, before := n.Flips[place]
	if n.Flips == nil {
		n.Flips = map[string]int{}
	}
	n.Flips[place] = n.Runs
	return !before || n.Runs-run > flipRuns
}

// bound forgets what is known for the longest, or least sure, where there is too much.
func (n *Noise) bound() {
	forget(n.Varying, placesMax, func(v *Variety) int { return v.Run })
	for seen := 0; ; seen = 0 {
		for _, v := range n.Varying {
			seen += len(v.Seen)
		}
		if seen <= seenAllMax {
			break
		}
		forget(n.Varying, len(n.Varying)-1, func(v *Variety) int { return v.Run })
	}
	forget(n.Places, placesMax, func(h History) int { return bits.OnesCount8(h.Bits) })
	forget(n.Turns, turnsMax, func(t *Turns) int { return t.Run })
	forget(n.Held, placesMax, func(uint32) int { return 0 })
	forget(n.Met, metMax, func(run int) int { return run })
	forget(n.Flips, metMax, func(run int) int { return run })
}

// forget leaves nine tenths of most of a map that has more: those that are worth the most.
func forget[T any](all map[string]T, most int, worth func(T) int) {
	if len(all) <= most {
		return
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(worth(all[b]), worth(all[a])), cmp.Compare(a, b)) })
	for _, name := range names[most*9/10:] {
		delete(all, name)
	}
}

// sane drops what can only come from elsewhere: what was kept may have been written by anybody.
func (n *Noise) sane() {
	n.Runs = max(n.Runs, 0)
	for place, v := range n.Varying {
		if len(place) > nameBytesMax || v == nil || v.Run < 0 || v.Run > n.Runs {
			delete(n.Varying, place)
			continue
		}
		v.Seen = v.Seen[max(0, len(v.Seen)-seenMax):]
	}
	for place, h := range n.Places {
		if len(place) > nameBytesMax || h.Runs < 0 || h.Runs > historyMax {
			delete(n.Places, place)
		}
	}
	for place, t := range n.Turns {
		if len(place) > nameBytesMax || t == nil || t.Run < 0 || t.Run > n.Runs || t.Back < 0 || t.Back > backMax {
			delete(n.Turns, place)
			continue
		}
		t.Gone = t.Gone[max(0, len(t.Gone)-goneMax):]
	}
	for place := range n.Held {
		if len(place) > nameBytesMax {
			delete(n.Held, place)
		}
	}
	for _, counts := range []map[string]int{n.Met, n.Flips} {
		for place, count := range counts {
			if len(place) > nameBytesMax || count < 0 || count > n.Runs {
				delete(counts, place)
			}
		}
	}
	for from, to := range n.Aliases {
		if len(from) > nameBytesMax || len(to) > nameBytesMax {
			delete(n.Aliases, from)
		}
	}
	n.bound()
}

// alias says that what was under the heading before is under the heading after.
func (n *Noise) alias(before, after uint64) {
	root := n.root(before)
	if root == after || len(n.Aliases) >= aliasesMax && n.Aliases[placeOf(after)] == "" {
		return
	}
	if n.Aliases == nil {
		n.Aliases = map[string]string{}
	}
	n.Aliases[placeOf(after)] = strconv.FormatUint(root, 36)
}

// root is the heading under whose name things were learned.
func (n *Noise) root(path uint64) uint64 {
	if to, ok := n.Aliases[placeOf(path)]; ok {
		if root, err := strconv.ParseUint(to, 36, 64); err == nil {
			return root
		}
	}
	return path
}

// judge tells noise from change by what is known: a candidate is noise where all that differs is.
func (c *candidate) judge(n *Noise) {
	for i := range c.spots {
		at := &c.spots[i]
		at.quiet = n.explains(at) || n.isRestlessAt(c, at)
	}
	c.settle()
}

// settle makes a candidate noise where all its spots are.
func (c *candidate) settle() {
	c.quiet = len(c.spots) > 0 && !slices.ContainsFunc(c.spots, func(at spot) bool { return !at.quiet })
}
