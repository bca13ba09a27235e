package compare

import (
	"slices"
	"strconv"
	"strings"
)

// node is a block under comparison.
type node struct {
	*Block

	index int
	parts []part
	// path is what the headings say that are around; both sides have the same for headings that are the same but for an edit.
	path uint64
	// text is what the block says, and links where its links lead.
	text, links, label uint64
	words              int // that are not numbers and do not pass
	passes             int // tokens that pass
	bag                []uint64
	mate               *node
	done               bool // it has a mate, or is not compared
	lens               *lens
	polled             bool // it stands under the heading of a poll
	seen               bool // it was read: blocks that are the same to the letter need not be
}

// part is a cell of a row or of a card, or all of a block.
type part struct {
	label  string
	text   string
	tokens []token
}

// class tells apart what is never the same.
func (n *node) class() uint64 {
	if n.Kind == KindTitle || n.Kind == KindData || n.Kind == KindButton || n.Kind == KindImage {
		return hashOf(string(n.Kind))
	}
	return 1
}

// seed is fixed: hashes are kept with what a monitor has learned.
func hashOf(text string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return h
}

// mix puts hashes in order into one.
func mix(hashes ...uint64) uint64 {
	h := uint64(1469598103934665603)
	for _, x := range hashes {
		h ^= x
		h ^= h >> 33
		h *= 0xff51afd7ed558ccd
		h ^= h >> 29
		h = h*1099511628211 + 0x9e3779b97f4a7c15
	}
	return h
}

func (t *token) hash() uint64 {
	return mix(hashOf(t.norm), uint64(t.kind), hashOf(t.unit))
}

// nodesOf reads the blocks of a page.
func nodesOf(p *Page, l *lens, noise *Noise) []*node {
	nodes := make([]*node, len(p.Blocks))
	all := make([]node, len(p.Blocks))
	for i := range p.Blocks {
		n := &all[i]
		n.Block, n.index, n.lens = l.lifted(p, i), i, l
		if n.Kind == KindHeading {
			n.read()
		}
		for _, link := range n.Links {
			n.links = mix(n.links, hashOf(steadyLink(link)))
		}
		nodes[i] = n
	}
	setPaths(nodes, noise)
	return nodes
}

// setPaths names what is above each block. Headings come before what stands under them.
func setPaths(nodes []*node, noise *Noise) {
	for i, n := range nodes {
		if under := n.Under - 1; under >= 0 && under < i {
			n.polled = nodes[under].isPollName()
			n.path = noise.root(nodes[under].inner())
		}
	}
}

// isPollName reports whether a short heading is of a poll.
func (n *node) isPollName() bool {
	words := strings.FieldsFunc(strings.ToLower(n.Text), func(r rune) bool { return !isWordRune(r) })
	return len(words) <= 4 && slices.ContainsFunc(words, func(w string) bool { return pollWords[w] })
}

// inner is the path of what stands under a heading.
func (n *node) inner() uint64 { return mix(n.path, n.text) }

// read makes the tokens of a block, once.
func (n *node) read() {
	if n.seen {
		return
	}
	n.seen = true
	l := n.lens
	if len(n.Cells) == 0 {
		n.parts = []part{{label: n.Label, text: n.Text}}
	}
	for i, cell := range n.Cells {
		label := ""
		if i < len(n.Columns) {
			label = n.Columns[i]
		}
		if label == "" && len(n.Cells) == 2 && i == 1 && n.Kind == KindRow {
			label = n.Label
		}
		n.parts = append(n.parts, part{label: label, text: cell})
	}
	h, isPolled := uint64(0), isPoll(n.Text) || n.polled
	for i := range n.parts {
		p := &n.parts[i]
		p.tokens = l.read(p.text, p.label)
		if isPolled && (len(n.parts) > 1 || n.polled) {
			passPercents(p.tokens)
		}
		for j := range p.tokens {
			t := &p.tokens[j]
			switch {
			case t.kind == tokenSign && isIdle(t.norm):
				continue
			case t.kind == tokenPassing:
				n.passes++
				continue
			case t.kind == tokenWord:
				n.words++
			}
			x := t.hash()
			h = mix(h, x)
			if t.kind != tokenWord {
				x = uint64(t.kind) + 7 // a number is as good as another to tell that two blocks are one
			}
			n.bag = append(n.bag, x)
		}
	}
	slices.Sort(n.bag)
	n.text = h
	label := uint64(0)
	if n.Label != "" {
		for _, t := range l.read(n.Label, "") {
			if t.kind == tokenWord || n.Kind != KindItem && t.kind != tokenPassing && t.kind != tokenSign {
				label = mix(label, t.hash())
			}
		}
	}
	n.label = label
}

// letters is a hash of a block to the letter.
func (n *node) letters() uint64 {
	return mix(n.path, hashOf(n.Text), hashOf(n.Label), n.links, n.class(), uint64(len(n.Cells)), uint64(len(n.Noise)))
}

// isIdle reports whether a sign says nothing: punctuation.
func isIdle(sign string) bool { return idleSigns[sign] }

var idleSigns = setOf(". , ; : ! ? \" ' ( ) [ ] { } - / | · • … * _ < > ~ ^ = » › → ← ‹ \\")

// isApart reports whether a block is not of the page's content.
func (b *Block) isApart() bool { return b.Part != "" || b.Noise != "" }

// matching finds for each block of one run what it is in the other.
type matching struct {
	url           uint64
	before, after []*node
	noise         *Noise
}

func (m *matching) pair(a, b *node) {
	a.mate, b.mate, a.done, b.done = b, a, true, true
}

// run goes from what is certain to what is likely.
func (m *matching) run() {
	m.headings()
	m.by((*node).letters, nil)
	for _, n := range slices.Concat(m.before, m.after) {
		if n.done = n.done || n.Noise != ""; !n.done {
			n.read()
		}
	}
	m.by(func(n *node) uint64 { return mix(n.path, n.label, n.text, n.links, n.class()) }, nil)
	m.by(func(n *node) uint64 { return mix(n.label, n.text, n.links, n.class()) }, substantial)
	m.by(func(n *node) uint64 { return mix(n.path, n.label, n.text, n.class()) }, nil)
	m.by(func(n *node) uint64 { return mix(n.label, n.text, n.class()) }, substantial)
	m.by(func(n *node) uint64 { return mix(n.text, n.class(), 6) }, isLong)
	m.by(func(n *node) uint64 { return mix(n.path, n.label, 9) }, isButtonNode)
	m.withNoise()
	m.inRotation()
	m.unique(func(n *node) uint64 { return mix(n.path, n.label, n.class()) }, isField)
	m.unique(func(n *node) uint64 { return mix(n.label, n.class(), 3) }, isField)
	m.unique(func(n *node) uint64 { return mix(n.path, hashOf(n.Label), n.class(), 7) }, isNamed)
	m.alike(func(n *node) uint64 { return mix(n.path, n.class()) }, 0.34)
	m.unique(func(n *node) uint64 { return mix(n.path, n.label, n.class()) }, nil)
	m.alikeAnywhere(0.6)
	m.between()
	m.byForm()
}

// substantial reports whether a block can be told wherever it is: a bare price cannot.
func substantial(n *node) bool {
	return n.words >= 4 || n.label != 0 && n.words >= 1 || n.Kind == KindHeading
}

// isLong reports whether a block says so much that it is the same one whatever names it.
func isLong(n *node) bool { return n.words >= 4 }

// isNamed reports whether a block is an item with a name to the letter: of what differs by a number alone, as "Model 18" and
// "Model 24", each is itself.
func isNamed(n *node) bool { return n.Kind == KindItem && n.Label != "" && n.Label != n.Text }

// by pairs blocks with the same key, in order.
func (m *matching) by(key func(*node) uint64, able func(*node) bool) {
	waiting := map[uint64][]*node{}
	for _, n := range m.before {
		if !n.done && (able == nil || able(n)) {
			k := key(n)
			waiting[k] = append(waiting[k], n)
		}
	}
	if len(waiting) == 0 {
		return
	}
	for _, n := range m.after {
		if n.done || able != nil && !able(n) {
			continue
		}
		k := key(n)
		if list := waiting[k]; len(list) > 0 {
			m.pair(list[0], n)
			waiting[k] = list[1:]
		}
	}
}

// withNoise lets go of what is in the other run as well, but looked like noise there.
func (m *matching) withNoise() {
	if !slices.ContainsFunc(m.before, isOpen) && !slices.ContainsFunc(m.after, isOpen) {
		return
	}
	for _, sides := range [][2][]*node{{m.before, m.after}, {m.after, m.before}} {
		noise := map[uint64]bool{}
		for _, n := range sides[1] {
			if n.Noise != "" {
				n.read()
				noise[n.text] = true
			}
		}
		for _, n := range sides[0] {
			if !n.done && noise[n.text] {
				n.done = true
			}
		}
	}
}

// inRotation lets go of members of lists that are known to come and go: nothing else became of them, and they of nothing.
func (m *matching) inRotation() {
	for _, n := range slices.Concat(m.before, m.after) {
		if !n.done && n.isMember() && m.noise.hasSeen([]string{n.membership(m.url)}, meaning{hash: n.text}) {
			n.done = true
		}
	}
}

// isAnother reports whether two members of lists are different things, though much of what they say is the same: they have other
// names, or none, and begin otherwise.
func (n *node) isAnother(other *node) bool {
	return n.isMember() && other.isMember() && (n.label != other.label || n.label == 0) && n.begins() != other.begins()
}

// begins is the first token that says something.
func (n *node) begins() uint64 {
	for i := range n.parts {
		for j := range n.parts[i].tokens {
			if t := &n.parts[i].tokens[j]; t.isFirm() {
				return t.hash()
			}
		}
	}
	return 0
}

// isField reports whether a block's label says what it is of, and not what it is: a row, a term.
func isField(n *node) bool { return n.Kind != KindItem }

func isOpen(n *node) bool { return !n.done }

// unique pairs blocks with a label that no other has.
func (m *matching) unique(key func(*node) uint64, able func(*node) bool) {
	type pair struct {
		a, b   *node
		na, nb int
	}
	found := map[uint64]*pair{}
	var order []*pair
	for _, n := range m.before {
		if !n.done && n.label != 0 && (able == nil || able(n)) {
			k := key(n)
			if found[k] == nil {
				found[k] = &pair{}
				order = append(order, found[k])
			}
			found[k].a = n
			found[k].na++
		}
	}
	for _, n := range m.after {
		if !n.done && n.label != 0 && (able == nil || able(n)) {
			if p := found[key(n)]; p != nil {
				p.b = n
				p.nb++
			}
		}
	}
	for _, p := range order {
		if p.na == 1 && p.nb == 1 {
			m.pair(p.a, p.b)
		}
	}
}

// alikeMax bounds how many pairs are held against each other in one bucket.
const alikeMax = 200_000

type likeness struct {
	score float64
	a, b  *node
}

// alike pairs the blocks of a bucket that are most like each other, from least up.
func (m *matching) alike(key func(*node) uint64, least float64) {
	buckets := map[uint64][2][]*node{}
	var order []uint64
	for side, nodes := range [][]*node{m.before, m.after} {
		for _, n := range nodes {
			if n.done {
				continue
			}
			k := key(n)
			b, ok := buckets[k]
			if !ok {
				order = append(order, k)
			}
			b[side] = append(b[side], n)
			buckets[k] = b
		}
	}
	left := alikeMax
	for _, k := range order {
		b := buckets[k]
		var found []likeness
		for _, x := range b[0] {
			for _, y := range b[1] {
				if left--; left < 0 {
					break
				}
				if score := x.likeness(y); score >= least {
					found = append(found, likeness{score, x, y})
				}
			}
		}
		slices.SortStableFunc(found, func(p, q likeness) int {
			switch {
			case p.score > q.score:
				return -1
			case p.score < q.score:
				return 1
			}
			return 0
		})
		for _, l := range found {
			if !l.a.done && !l.b.done {
				m.pair(l.a, l.b)
			}
		}
	}
}

// alikeAnywhere pairs what can be told wherever it is.
func (m *matching) alikeAnywhere(least float64) {
	far := &matching{before: slices.Clone(m.before), after: slices.Clone(m.after)}
	bare := func(n *node) bool { return n.done || !substantial(n) }
	far.before, far.after = slices.DeleteFunc(far.before, bare), slices.DeleteFunc(far.after, bare)
	far.alike((*node).class, least)
}

func isButtonNode(n *node) bool { return n.Kind == KindButton }

// likeness is how much of what two blocks say is the same, 0–1: Dice's coefficient over their tokens.
func (n *node) likeness(other *node) float64 {
	if (n.Group != 0) != (other.Group != 0) || n.Kind == KindHeading != (other.Kind == KindHeading) {
		return 0
	}
	i, j, same := 0, 0, 0
	for i < len(n.bag) && j < len(other.bag) {
		switch {
		case n.bag[i] == other.bag[j]:
			same++
			i++
			j++
		case n.bag[i] < other.bag[j]:
			i++
		default:
			j++
		}
	}
	total := len(n.bag) + len(other.bag)
	if total == 0 {
		return 1
	}
	score := 2 * float64(same) / float64(total)
	if n.label != 0 && n.label == other.label {
		score += 0.2
	}
	// A number alone is like any other: what is of the same form is likelier to be it.
	if score > 0 && n.Form != other.Form {
		score -= 0.05
	}
	if n.Kind == KindItem && n.words > 0 && n.sharesNoWord(other) {
		return 0
	}
	return score
}

// sharesNoWord reports whether all that two blocks have in common are kinds of numbers.
func (n *node) sharesNoWord(other *node) bool {
	for _, x := range n.bag {
		if x > uint64(tokenPassing)+7 {
			if _, ok := slices.BinarySearch(other.bag, x); ok {
				return false
			}
		}
	}
	return true
}

// between pairs what stands alone between the same neighbours: it was replaced.
func (m *matching) between() {
	for i, n := range m.before {
		if n.done || n.Group != 0 && n.Kind != KindTerm {
			continue
		}
		low, high := -1, len(m.after)
		for j := i - 1; j >= 0 && j > i-4; j-- {
			if mate := m.before[j].mate; mate != nil {
				low = mate.index
				break
			}
		}
		for j := i + 1; j < len(m.before) && j < i+4; j++ {
			if mate := m.before[j].mate; mate != nil {
				high = mate.index
				break
			}
		}
		if high-low > 8 || high <= low {
			continue
		}
		var found *node
		count := 0
		for _, other := range m.after[low+1 : high] {
			if !other.done && other.class() == n.class() && other.Group == 0 == (n.Group == 0) && other.Kind == KindHeading == (n.Kind == KindHeading) {
				if found == nil {
					found = other
				}
				count++
			}
		}
		if count == 1 {
			m.pair(n, found)
		}
	}
}

// byForm pairs what is left of lone texts with classes of their own, where no other under the same heading looks like them: they were
// replaced, whatever became of their neighbours.
func (m *matching) byForm() {
	type pair struct{ before, after []*node }
	found := map[uint64]*pair{}
	var order []*pair
	for _, n := range slices.Concat(m.before, m.after) {
		if n.Kind != KindParagraph || n.Group != 0 || n.Noise != "" || !strings.Contains(n.Form, ".") {
			continue
		}
		key := mix(n.path, hashOf(n.Form))
		if found[key] == nil {
			found[key] = &pair{}
			order = append(order, found[key])
		}
		if p := found[key]; n.index < len(m.before) && m.before[n.index] == n {
			p.before = append(p.before, n)
		} else {
			p.after = append(p.after, n)
		}
	}
	for _, p := range order {
		if len(p.before) == 1 && len(p.after) == 1 && !p.before[0].done && !p.after[0].done {
			m.pair(p.before[0], p.after[0])
		}
	}
}

// headings pairs headings, and gives what stands under an edited one the same path on both sides.
func (m *matching) headings() {
	before, after := headingsOf(m.before), headingsOf(m.after)
	h := &matching{before: before, after: after, noise: m.noise}
	h.by(func(n *node) uint64 { return mix(n.path, n.text) }, nil)
	h.by(func(n *node) uint64 { return mix(n.text, 5) }, nil)
	h.alike(func(n *node) uint64 { return hashOf(strconv.Itoa(n.Level)) }, 0.5)
	h.byContent(m)
	for _, n := range m.after {
		under := n.Under - 1
		if under < 0 || under >= n.index {
			continue
		}
		parent := m.after[under]
		if parent.mate != nil {
			n.path = m.noise.root(parent.mate.inner())
		} else {
			n.path = m.noise.root(parent.inner())
		}
	}
}

func headingsOf(nodes []*node) []*node {
	var out []*node
	for _, n := range nodes {
		if n.Kind == KindHeading && n.Noise == "" {
			out = append(out, n)
		}
	}
	return out
}

// byContent pairs headings over the same text.
func (m *matching) byContent(all *matching) {
	if !slices.ContainsFunc(m.before, isOpen) || !slices.ContainsFunc(m.after, isOpen) {
		return
	}
	under := map[uint64]int{}
	for _, n := range all.before {
		if n.Under > 0 && len(n.Text) > 12 && n.Kind != KindHeading {
			under[hashOf(n.Text)] = n.Under - 1
		}
	}
	votes := map[[2]int]int{}
	for _, n := range all.after {
		if from, ok := under[hashOf(n.Text)]; ok && n.Under > 0 && n.Kind != KindHeading {
			votes[[2]int{from, n.Under - 1}]++
		}
	}
	for _, a := range m.before {
		if a.done {
			continue
		}
		var best *node
		most := 0
		for _, b := range m.after {
			if v := votes[[2]int{a.index, b.index}]; !b.done && v > most {
				best, most = b, v
			}
		}
		if best != nil {
			m.pair(a, best)
		}
	}
}
