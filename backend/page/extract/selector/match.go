package selector

import (
	"errors"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Want says which of the selected elements are returned.
type Want int

// The values of Want.
const (
	// All elements.
	All Want = iota
	// First is only the first element.
	First
	// Outermost are those that are not within another one.
	Outermost
)

const (
	// bytesPerStep is how much text is one step: reading it takes about as long as comparing an element with a name.
	bytesPerStep = 32
	// siblingsPerStep is the same for skipping siblings.
	siblingsPerStep = 8
)

// Match returns the elements within root that l selects, in their order. root itself is not among them, but counts as an
// ancestor. step is called before work with its size, in steps of some ten nanoseconds; its error ends the match and is
// returned.
func (l *List) Match(root *html.Node, want Want, step func(int) error) ([]*html.Node, error) {
	var found []hit
	for i := range l.words {
		m := &matching{word: &l.words[i], want: want, step: step}
		if err := m.run(root); err != nil {
			return nil, err
		}
		found = append(found, m.found...)
	}
	if len(l.words) > 1 {
		slices.SortFunc(found, func(a, b hit) int { return a.at - b.at })
		found = slices.CompactFunc(found, func(a, b hit) bool { return a.at == b.at })
	}
	nodes := make([]*html.Node, 0, len(found))
	end := 0
	for _, h := range found {
		if want == Outermost && h.at < end {
			continue
		}
		nodes = append(nodes, h.node)
		end = h.end
		if want == First {
			break
		}
	}
	return nodes, nil
}

// hit is an element that was found: at is its number among the elements, end the number of the first after its content.
type hit struct {
	node    *html.Node
	at, end int
}

var errEnough = errors.New("found")

type matching struct {
	*word

	want  Want
	step  func(int) error
	found []hit
	at    int     // elements seen
	sizes []int32 // of each element's content, in steps, in their order
}

// above is the state that comes from an element's ancestors.
type above struct {
	parent, any uint64 // the parts that end at the parent, at any ancestor
	climb       int    // the cost of going up
	siblings    int    // how many nodes the parent has
}

func (m *matching) run(root *html.Node) error {
	if m.needs.subtrees {
		if _, err := m.measure(root); err != nil {
			return err
		}
	}
	var all, likeNamed place
	if root.Type == html.ElementNode && root.Parent != nil {
		for n := range root.Parent.ChildNodes() {
			count(&all, n, root, n.Type == html.ElementNode)
			count(&likeNamed, n, root, n.Type == html.ElementNode && n.Data == root.Data)
			if err := m.step(1); err != nil {
				return err
			}
		}
	}
	around := above{climb: 1, siblings: all.of}
	for p := root.Parent; p != nil; p = p.Parent {
		around.climb++
	}
	own, err := m.own(root, around, 0, 0, all, likeNamed)
	if err != nil {
		return err
	}
	m.at++
	around.parent, around.any = own, own
	if err := m.children(root, around); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

func count(p *place, n, self *html.Node, counts bool) {
	if counts {
		p.of++
	}
	if n == self {
		p.at = p.of
	}
}

// measure fills sizes. Like children it recurses as deep as the tree, which the HTML parser bounds.
func (m *matching) measure(n *html.Node) (int, error) {
	at := len(m.sizes)
	m.sizes = append(m.sizes, 0)
	size := 1
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if err := m.step(1); err != nil {
			return 0, err
		}
		if child.Type == html.ElementNode {
			inner, err := m.measure(child)
			if err != nil {
				return 0, err
			}
			size += weight(child) + inner
			continue
		}
		size += 1 + len(child.Data)/bytesPerStep
	}
	m.sizes[at] = int32(min(size, 1<<30)) //nolint:gosec // fits
	return size, nil
}

// weight is the cost of matching an element against a compound.
func weight(n *html.Node) int {
	size := 0
	for i := range n.Attr {
		size += len(n.Attr[i].Val)
	}
	return 1 + size/bytesPerStep
}

// census counts the children of one parent.
type census struct {
	all   place
	types map[string]place
}

func (m *matching) count(parent *html.Node) (census, int, error) {
	c := census{}
	siblings := 0
	if m.needs.types {
		c.types = map[string]place{}
	}
	for n := parent.FirstChild; n != nil; n = n.NextSibling {
		siblings++
		if n.Type != html.ElementNode {
			continue
		}
		c.all.of++
		if m.needs.types {
			seen := c.types[n.Data]
			seen.of++
			c.types[n.Data] = seen
		}
	}
	return c, siblings, m.step(1 + siblings/siblingsPerStep)
}

// next returns the place of n, the next element.
func (c *census) next(n *html.Node) (all, likeNamed place) {
	c.all.at++
	if c.types != nil {
		likeNamed = c.types[n.Data]
		likeNamed.at++
		c.types[n.Data] = likeNamed
	}
	return c.all, likeNamed
}

// children walks through the children of parent.
func (m *matching) children(parent *html.Node, around above) error {
	if parent.FirstChild == nil {
		return nil
	}
	counts, siblings, err := m.count(parent)
	if err != nil {
		return err
	}
	around.siblings = siblings
	around.climb++
	var prev, before uint64
	for n := parent.FirstChild; n != nil; n = n.NextSibling {
		if n.Type != html.ElementNode {
			continue
		}
		all, likeNamed := counts.next(n)
		bits, err := m.own(n, around, prev, before, all, likeNamed)
		if err != nil {
			return err
		}
		index := -1
		if bits&m.ends != 0 {
			index = len(m.found)
			m.found = append(m.found, hit{node: n, at: m.at})
			if m.want == First {
				return errEnough
			}
		}
		m.at++
		inner := above{parent: bits, any: around.any | bits, climb: around.climb}
		if n.DataAtom == atom.Legend { // :disabled searches for another one before it
			inner.climb += siblings / siblingsPerStep
		}
		if err := m.children(n, inner); err != nil {
			return err
		}
		if index >= 0 {
			m.found[index].end = m.at
		}
		prev, before = bits, before|bits
	}
	return nil
}

// own returns the parts that n ends.
func (m *matching) own(n *html.Node, around above, prev, before uint64, all, likeNamed place) (uint64, error) {
	var bits uint64
	own, steps := 0, 0
	for i := range m.parts {
		p := &m.parts[i]
		from := uint64(0)
		switch p.combinator {
		case ' ':
			from = around.any
		case '>':
			from = around.parent
		case '+':
			from = prev
		case '~':
			from = before
		}
		if p.combinator != 0 && from&(1<<(i-1)) == 0 {
			continue
		}
		if own == 0 {
			own = weight(n)
		}
		price := p.cost.own * own
		if p.cost.subtree > 0 {
			price += p.cost.subtree * int(m.sizes[m.at])
		}
		if p.cost.climb > 0 {
			price += p.cost.climb * (around.climb + around.siblings/siblingsPerStep)
		}
		price += p.cost.siblings * (around.siblings/siblingsPerStep + 1)
		steps += price
		if price > 1 { // expensive work is charged before it is done
			if err := m.step(steps); err != nil {
				return 0, err
			}
			steps = 0
		}
		if n.Type == html.ElementNode && (p.name == "" || p.name == n.Data) && p.match(n, all, likeNamed) {
			bits |= 1 << i
		}
	}
	if steps == 0 {
		return bits, nil
	}
	return bits, m.step(steps)
}

func (p *part) match(n *html.Node, all, likeNamed place) bool {
	for _, position := range p.positions {
		if !position.match(all, likeNamed) {
			return false
		}
	}
	return p.compound.Match(n)
}
