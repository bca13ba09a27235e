package compare

import (
	"cmp"
	"slices"
	"strings"
)

// side is a page in comparison with another.
type side struct {
	*Page

	nodes []node
}

// node is a block in comparison.
type node struct {
	*Block

	index int
	text  uint64 // hash of what it says
	links uint64
	tags  uint64 // of the path without classes
	under uint64 // of the heading above
	words []word
	mate  *node // the same block on the other side; nil for none
	exact bool  // it says the same
}

func sideOf(p *Page) *side {
	if len(p.Blocks) == 0 {
		p = &Page{Blocks: []Block{{Kind: KindTitle}}} // so that each side has a block
	}
	s := &side{Page: p, nodes: make([]node, len(p.Blocks))}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		n := &s.nodes[i]
		*n = node{Block: b, index: i, text: hashOf(b.Text), tags: tagsOf(b.Path)}
		if b.Under > 0 && b.Under <= i {
			n.under = s.nodes[b.Under-1].text
		}
		for _, link := range b.Links {
			n.links = mix(n.links, hashOf(steadyLink(link)))
		}
	}
	return s
}

func (s *side) reset() {
	for i := range s.nodes {
		s.nodes[i].mate, s.nodes[i].exact = nil, false
	}
}

// tagsOf is a hash of the elements of a path, without their classes.
func tagsOf(path string) uint64 {
	h, inClass := uint64(14695981039346656037), false
	for i := range len(path) {
		if inClass = path[i] != ' ' && (inClass || path[i] == '.'); !inClass {
			h = (h ^ uint64(path[i])) * 1099511628211
		}
	}
	return h
}

func (n *node) read() []word {
	if n.words == nil {
		n.words = wordsOf(n.Text)
	}
	return n.words
}

func (s *side) textAt(i int) uint64 {
	if i < 0 || i >= len(s.nodes) {
		return 0
	}
	return s.nodes[i].text
}

// align finds for each block of a the same block of b: what says the same first, whatever its place, then what is alike, then what stands
// in the same place.
func align(a, b *side) {
	a.reset()
	b.reset()
	keys := []func(s *side, n *node) uint64{
		func(s *side, n *node) uint64 { return mix(n.text, n.links, n.tags, s.textAt(n.index-1)) },
		func(s *side, n *node) uint64 { return mix(n.text, n.links, n.tags, s.textAt(n.index+1)) },
		func(_ *side, n *node) uint64 { return mix(n.text, n.links, n.tags, n.under) },
		func(_ *side, n *node) uint64 { return mix(n.text, n.links, n.home()) },
		func(_ *side, n *node) uint64 { return mix(n.text, n.home()) },
	}
	for _, key := range keys {
		left := map[uint64][]*node{}
		for i := range a.nodes {
			if n := &a.nodes[i]; n.mate == nil {
				k := key(a, n)
				left[k] = append(left[k], n)
			}
		}
		if len(left) == 0 {
			break
		}
		for i := range b.nodes {
			n := &b.nodes[i]
			if n.mate != nil {
				continue
			}
			if k := key(b, n); len(left[k]) > 0 {
				pair(left[k][0], n)
				n.exact, n.mate.exact = true, true
				left[k] = left[k][1:]
			}
		}
	}
	alike(a, b)
	inPlace(a, b)
}

// home is what tells a bare value from the same value elsewhere: its label, or the heading above it. 0 for what says enough by itself.
func (n *node) home() uint64 {
	if len(n.Text) > 24 || !strings.ContainsAny(n.Text, "0123456789") {
		return 0
	}
	if n.Label != "" {
		return hashOf(n.Label)
	}
	return mix(n.under)
}

func pair(a, b *node) { a.mate, b.mate = b, a }

func (s *side) rest() []*node {
	var rest []*node
	for i := range s.nodes {
		if s.nodes[i].mate == nil {
			rest = append(rest, &s.nodes[i])
		}
	}
	return rest
}

// Two blocks are alike from a share of common words on, which is less where they stand in the same place.
const (
	alikeMin      = 0.5
	alikeThereMin = 0.2
	commonMax     = 40 // blocks that have a word; one of more says nothing
)

// alike pairs blocks by the words that they share.
func alike(a, b *side) {
	restA, restB := a.rest(), b.rest()
	if len(restA) == 0 || len(restB) == 0 {
		return
	}
	having := map[uint64][]*node{}
	for _, n := range restA {
		for i, w := range n.read() {
			if !slices.ContainsFunc(n.words[:min(i, 50)], func(o word) bool { return o.hash == w.hash }) {
				having[w.hash] = append(having[w.hash], n)
			}
		}
	}
	type likeness struct {
		a, b  *node
		score float64
	}
	var all []likeness
	for _, n := range restB {
		shared := map[*node]int{}
		for i, w := range n.read() {
			if in := having[w.hash]; len(in) <= commonMax && !slices.ContainsFunc(n.words[:min(i, 50)], func(o word) bool { return o.hash == w.hash }) {
				for _, other := range in {
					shared[other]++
				}
			}
		}
		for other, count := range shared {
			l := likeness{other, n, float64(count) / float64(max(len(other.words), len(n.words)))}
			there := other.tags == n.tags && sameGap(a, b, other, n)
			if l.score < alikeMin && (!there || l.score < alikeThereMin) || other.Level != n.Level || other.text == n.text && other.home() != n.home() {
				continue
			}
			if other.tags == n.tags {
				l.score += 0.1
			}
			if there {
				l.score += 0.3
			}
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(x, y likeness) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.b.index, y.b.index), cmp.Compare(x.a.index, y.a.index))
	})
	for _, l := range all {
		if l.a.mate == nil && l.b.mate == nil {
			pair(l.a, l.b)
		}
	}
}

// sameGap reports whether what is the same before two blocks, or after them, is the same block.
func sameGap(a, b *side, x, y *node) bool {
	if p, q := a.beside(x.index, -1), b.beside(y.index, -1); p != nil && q != nil && p.mate == q || p == nil && q == nil {
		return true
	}
	p, q := a.beside(x.index, 1), b.beside(y.index, 1)
	return p != nil && q != nil && p.mate == q || p == nil && q == nil
}

// besideMax is how far away a neighbour may be.
const besideMax = 60

// beside is the nearest block in a direction that says the same on both sides.
func (s *side) beside(i, step int) *node {
	for left := besideMax; left > 0; left-- {
		if i += step; i < 0 || i >= len(s.nodes) {
			return nil
		}
		if s.nodes[i].exact {
			return &s.nodes[i]
		}
	}
	return nil
}

// inPlace pairs what is left between the same blocks, where as many of the same elements are on both sides.
func inPlace(a, b *side) {
	type gap struct {
		anchor *node // of b
		tags   uint64
	}
	for _, step := range []int{-1, 1} {
		gaps := map[gap][2][]*node{}
		for _, n := range a.rest() {
			g := gap{nil, n.tags}
			if at := a.beside(n.index, step); at != nil {
				g.anchor = at.mate
			}
			both := gaps[g]
			both[0] = append(both[0], n)
			gaps[g] = both
		}
		var order []gap
		for _, n := range b.rest() {
			g := gap{b.beside(n.index, step), n.tags}
			both := gaps[g]
			if both[1] == nil {
				order = append(order, g)
			}
			both[1] = append(both[1], n)
			gaps[g] = both
		}
		for _, g := range order {
			if both := gaps[g]; len(both[0]) == len(both[1]) {
				for i := range both[0] {
					pair(both[0][i], both[1][i])
				}
			}
		}
	}
}
