package reader

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

const (
	groupsMax     = 60
	nodesMax      = 150_000
	cardNodesMax  = 1000
	labelBytesMax = 60
	cardTextMax   = 5000
	proseWords    = 5
)

// group are siblings of one make: cards.
type group struct {
	cards []card
	label string // the words of their class, and of those of their parent
}

// card is an element that repeats, with what is said in it.
type card struct {
	root   *html.Node
	isRead bool
	facts  []fact
	// titles are its headings, else its first link.
	titles, links, images, paragraphs, lists []*html.Node
	prices                                   []string
}

// fact is a label with its value.
type fact struct {
	label string
	unit  string // in the label's brackets
	text  string
	node  *html.Node // has the value; nil if text is it
}

// groupsIn finds elements that have two or more children of one make with several parts each.
func groupsIn(root *html.Node) []group {
	var out []group
	seen := 0
	for n := range root.Descendants() {
		if seen++; seen > nodesMax || len(out) >= groupsMax {
			break
		}
		if n.Type != html.ElementNode || inlines[n.DataAtom] || apart(n) {
			continue
		}
		var makes []string
		byMake := map[string][]card{}
		for child := range n.ChildNodes() {
			m := makeOf(child)
			if m == "" || len(byMake[m]) == recordsMax || byMake[m] == nil && len(makes) > 20 {
				continue
			}
			if byMake[m] == nil {
				makes = append(makes, m)
			}
			byMake[m] = append(byMake[m], card{root: child})
		}
		for _, m := range makes {
			if cards := byMake[m]; len(cards) >= 2 && hasParts(cards[0].root) {
				out = append(out, group{cards: cards, label: labelOf(dom.Attr(cards[0].root, "class") + " " + dom.Attr(n, "class") + " " + dom.Attr(n, "id"))})
			}
		}
	}
	return out
}

// apart reports whether n is within navigation or the like.
func apart(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == atom.Nav || n.DataAtom == atom.Aside || n.DataAtom == atom.Dialog || skipped[n.DataAtom] {
			return true
		}
	}
	return false
}

// makeOf is what an element has in common with others of its kind: its name and first class.
func makeOf(n *html.Node) string {
	switch n.DataAtom { // the others are no cards
	case atom.Li, atom.Article, atom.Div, atom.Section, atom.Tr, atom.A, atom.Details, atom.Figure:
		class := append(strings.Fields(dom.Attr(n, "class")), "")
		return n.Data + "." + class[0]
	}
	return ""
}

// hasParts reports whether n has two pieces of text or more.
func hasParts(n *html.Node) bool {
	count := 0
	for child := range n.Descendants() {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			count++
		}
		if count == 2 {
			return true
		}
	}
	return false
}

// read collects what the card says.
func (c *card) read(p *page) {
	if c.isRead {
		return
	}
	c.isRead = true
	seen := 0
	if c.root.DataAtom == atom.A {
		c.links = append(c.links, c.root)
	}
	for n := range c.root.Descendants() {
		if seen++; seen > cardNodesMax {
			break
		}
		if n.Type == html.TextNode && n.Parent != nil && !skipped[n.Parent.DataAtom] {
			for _, s := range p.moneyIn(n.Data) {
				c.prices = append(c.prices, n.Data[s.start:s.end])
			}
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom { // the others count by their names alone
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			c.titles = append(c.titles, n)
		case atom.A:
			c.links = append(c.links, n)
			if contact, ok := ask.ContactOf(dom.Attr(n, "href")); ok {
				label := "phone"
				if strings.Contains(contact, "@") {
					label = "email"
				}
				c.facts = append(c.facts, fact{label: label, text: contact})
			}
		case atom.Img:
			c.images = append(c.images, n)
		case atom.P:
			if len(strings.Fields(shownText(n, 200))) >= proseWords {
				c.paragraphs = append(c.paragraphs, n)
			}
		case atom.Ul, atom.Ol:
			c.lists = append(c.lists, n)
		case atom.Time:
			c.facts = append(c.facts, fact{label: "published", node: n})
		}
		c.named(n)
		c.labelled(n)
	}
	if len(c.titles) == 0 && len(c.links) > 0 {
		c.titles = c.links[:1]
	}
}

// named reads an element by its author's names for it.
func (c *card) named(n *html.Node) {
	for _, key := range []string{"itemprop", "data-testid", "data-field", "class"} {
		for name := range strings.FieldsSeq(dom.Attr(n, key)) {
			if _, element, ok := strings.Cut(name, "__"); ok { // block__element
				name = element
			}
			if label := labelOf(name); label != "" && len(label) <= labelBytesMax && len(c.facts) < cardNodesMax {
				c.facts = append(c.facts, fact{label: label, node: n})
			}
		}
	}
}

// labelled reads an element that begins with a label: "Label: value", or one in an element of its own.
func (c *card) labelled(n *html.Node) {
	text := shownText(n, 500)
	label, value, ok := strings.Cut(text, ":")
	if child := n.FirstChild; child != nil && (child.DataAtom == atom.Strong || child.DataAtom == atom.B || child.DataAtom == atom.Label) {
		label = shownText(child, labelBytesMax)
		value, ok = strings.CutPrefix(text, label)
		label, value = strings.TrimRight(label, ": "), strings.TrimLeft(value, ": ")
	}
	if next := n.NextSibling; n.DataAtom == atom.Dt {
		for next != nil && next.Type != html.ElementNode {
			next = next.NextSibling
		}
		if next != nil && next.DataAtom == atom.Dd {
			label, value, ok = text, shownText(next, 500), true
		}
	}
	if ok && len(label) <= labelBytesMax && value != "" && len(text) < 500 {
		c.facts = append(c.facts, fact{label: labelOf(label), text: value})
	}
}

// ofCard is the value of a property in a card: what has its name, else what has its form.
func (f *filler) ofCard(s *scope, l *leaf) (any, bool) {
	c := s.card
	c.read(f.page)
	if l.field.Type == "array" {
		return f.listOf(s, l)
	}
	for _, fact := range c.facts {
		if l.isCalled(fact.label, s.owner) {
			if value, ok := f.shown(l, fact); ok {
				return value, true
			}
		}
	}
	var nodes []*html.Node
	switch {
	case l.means("name"), l.means("question"):
		nodes = c.titles
	case l.means("url"):
		nodes = append(inner(c.titles, atom.A), c.links...)
	case l.means("image"):
		nodes = c.images
	case l.means("description"), l.means("text"), l.means("answer"):
		nodes = c.paragraphs
	case l.means("price"), l.means("currency"), l.want.kind == Price && l.want.kinds[Price] > 0.9 && !strings.Contains(l.names[0], " "):
		if len(c.prices) == 1 {
			return f.convert(l, c.prices[0])
		}
	}
	if len(nodes) == 0 {
		return nil, false
	}
	return f.shown(l, fact{node: nodes[0]})
}

// listOf is a list in a card: all elements of that name, or its only list.
func (f *filler) listOf(s *scope, l *leaf) (any, bool) {
	entry := l.entry()
	var nodes []*html.Node
	for _, fact := range s.card.facts {
		if fact.node != nil && l.isCalled(fact.label, s.owner) {
			nodes = append(nodes, fact.node)
		}
	}
	if len(nodes) == 0 && len(s.card.lists) == 1 {
		nodes = s.card.lists
	}
	if lists := nodes; len(lists) == 1 {
		if entries := inner(lists, atom.Li); len(entries) > 0 {
			nodes = entries
		}
	}
	var out []any
	for _, n := range nodes {
		if value, ok := f.shown(entry, fact{node: n}); ok && !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	return out, len(out) > 0
}

// inner are the elements of a kind in or around others.
func inner(all []*html.Node, kind atom.Atom) []*html.Node {
	var out []*html.Node
	for _, n := range all {
		for d := range n.Descendants() {
			if d.DataAtom == kind {
				out = append(out, d)
			}
		}
		if n.Parent != nil && n.Parent.DataAtom == kind {
			out = append(out, n.Parent)
		}
	}
	return out
}

// shown is what a fact says, in the type of a property: of an element its text, or what it refers to.
func (f *filler) shown(l *leaf, from fact) (any, bool) {
	if from.node == nil {
		return f.convert(l, from.text)
	}
	n := from.node
	if l.isReference() {
		for _, target := range append([]*html.Node{n}, inner([]*html.Node{n}, atom.A)...) {
			for _, key := range []string{"href", "data-src", "data-original", "data-lazy-src", "src", "content"} {
				if value, ok := f.address(dom.Attr(target, key)); ok {
					return value, true
				}
			}
		}
		return nil, false
	}
	for _, key := range []string{"datetime", "content"} {
		if value, ok := f.convert(l, dom.Attr(n, key)); ok {
			return value, true
		}
	}
	return f.convert(l, shownText(n, cardTextMax))
}
