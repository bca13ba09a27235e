package maincontent

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Keep removes from the tree what c has not chosen and returns the rest: the smallest element that contains all of it and
// can stand alone. If nothing was chosen it returns nil, and leaves the tree unchanged.
func (p *Page) Keep(c Choice) *html.Node {
	p.completed = map[*html.Node]bool{}
	k := &keeper{kept: map[*html.Node]bool{}, within: map[*html.Node]bool{}}
	complete := p.complete(c.Blocks)
	chosenWords := make([]int, len(p.elements))
	for i, chosen := range complete {
		if chosen {
			chosenWords[p.Blocks[i].element] += p.Blocks[i].Words
		}
	}
	for i := len(p.elements) - 1; i >= 0; i-- {
		if parent := p.elements[i].parent; parent >= 0 {
			chosenWords[parent] += chosenWords[i]
		}
	}
	// A thing without words belongs to the nearest ancestor that has some.
	belongs := func(element int) bool {
		for element >= 0 && p.elements[element].words == 0 {
			element = p.elements[element].parent
		}
		return element >= 0 && 2*chosenWords[element] > p.elements[element].words
	}
	for _, t := range p.texts {
		if t.block < 0 || !complete[t.block] || t.node.Parent == nil {
			continue
		}
		k.keep(t.node)
		if c.Blocks[t.block] {
			k.found = true
		} else {
			p.completed[t.node] = true
		}
	}
	if !k.found {
		return nil
	}
	for _, t := range p.texts {
		if t.block < 0 && belongs(t.element) {
			k.keep(t.node)
		}
	}
	for _, a := range p.attachments {
		if belongs(a.element) {
			k.keep(a.node)
			k.whole(a.node)
		}
	}
	root := p.root
	k.prune(root)
	return standalone(root)
}

// Completed reports whether a text that Keep has kept was not chosen, but completes chosen blocks.
func (p *Page) Completed(text *html.Node) bool { return p != nil && p.completed[text] }

// complete adds to the chosen blocks what a reader would miss beside them: the rest of a mostly chosen table, list, list
// of definitions, quotation or paragraph, headings above chosen blocks, and code below. These few words are as often
// outside of a page's ground truth as inside, so they do not change the word F1.
func (p *Page) complete(chosen []bool) []bool {
	added := slices.Clone(chosen)
	for _, tags := range [][]atom.Atom{{atom.Table}, {atom.Dl}, {atom.Ul, atom.Ol}, {atom.Blockquote}, {atom.P}} {
		p.fill(added, chosen, tags)
	}
	p.addTitles(added)
	for i := 1; i < len(added); i++ {
		if !added[i] && added[i-1] && p.elements[p.Blocks[i].element].tag == atom.Pre {
			added[i] = true
		}
	}
	return added
}

// addTitles adds headings above chosen blocks, with a few words between: a date, a price.
func (p *Page) addTitles(added []bool) {
	for i := len(added) - 2; i >= 0; i-- {
		if added[i] || p.Blocks[i].Words > titleWordsMax || p.around(p.Blocks[i].element, titles...) < 0 {
			continue
		}
		next := i + 1
		for next < len(added) && next <= i+bylinesMax && !added[next] && p.Blocks[next].Words <= bylineWordsMax &&
			p.around(p.Blocks[next].element, titles...) < 0 {
			next++
		}
		if next < len(added) && added[next] && p.leads(i, next) {
			for ; i < next; next-- {
				added[next-1] = true
			}
		}
	}
}

// leads reports whether a heading belongs to what follows: that is no heading of the same or a higher rank, and both are
// in the same aside, navigation or the like, or both in none.
func (p *Page) leads(heading, next int) bool {
	beside := []atom.Atom{atom.Aside, atom.Nav, atom.Footer, atom.Form, atom.Dialog}
	from, to := p.Blocks[heading].element, p.Blocks[next].element
	if p.around(from, beside...) != p.around(to, beside...) {
		return false
	}
	above, below := p.around(from, titles...), p.around(to, titles...)
	return below < 0 || p.elements[above].tag.String() < p.elements[below].tag.String()
}

// titles are the elements that name what follows them.
var titles = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Summary, atom.Dt, atom.Caption}

// tableRowsMin is how many rows a table of data has at least.
const tableRowsMin = 3

// titleWordsMax is the greatest length of a heading.
const titleWordsMax = 40

// bylinesMax and bylineWordsMax bound the text between a heading and its content.
const (
	bylinesMax     = 2
	bylineWordsMax = 8
)

// fill adds the blocks of the innermost elements of these tags if more than half of the element's words are chosen, or if
// some are and so are the blocks before and after it.
func (p *Page) fill(added, chosen []bool, tags []atom.Atom) {
	type share struct{ chosen, all, first, last int }
	shares := map[int]share{}
	whole := make([]int, len(chosen))
	for i := range p.Blocks {
		whole[i] = p.around(p.Blocks[i].element, tags...)
		s, seen := shares[whole[i]]
		if !seen {
			s.first = i
		}
		s.last = i
		s.all += p.Blocks[i].Words
		if chosen[i] {
			s.chosen += p.Blocks[i].Words
		}
		shares[whole[i]] = s
	}
	if tags[0] == atom.Table {
		// Tables with a row or two are mostly for layout.
		rows := map[int]int{}
		for i := range p.elements {
			if p.elements[i].tag == atom.Tr {
				rows[p.around(i, atom.Table)]++
			}
		}
		for table := range shares {
			if rows[table] < tableRowsMin {
				delete(shares, table)
			}
		}
	}
	for i := range p.Blocks {
		s := shares[whole[i]]
		between := s.first > 0 && chosen[s.first-1] && s.last+1 < len(chosen) && chosen[s.last+1]
		if whole[i] >= 0 && (2*s.chosen > s.all || s.chosen > 0 && between) {
			added[i] = true
		}
	}
}

// around is the innermost element of these tags that is or contains an element; -1 if there is none.
func (p *Page) around(element int, tags ...atom.Atom) int {
	for ; element >= 0; element = p.elements[element].parent {
		if slices.Contains(tags, p.elements[element].tag) {
			return element
		}
	}
	return -1
}

// keeper marks nodes and removes the others.
type keeper struct {
	kept   map[*html.Node]bool
	within map[*html.Node]bool // the content of things that are kept whole
	found  bool
}

// keep marks n and its ancestors.
func (k *keeper) keep(n *html.Node) {
	for ; n != nil && !k.kept[n]; n = n.Parent {
		k.kept[n] = true
	}
}

// whole marks all nodes in n, such as a video's sources. Nested things are marked once, since the outer one comes first.
func (k *keeper) whole(n *html.Node) {
	if k.within[n] {
		return
	}
	for child := range n.Descendants() {
		k.kept[child], k.within[child] = true, true
	}
}

// prune recurses: the tree's depth is bounded by the parser.
func (k *keeper) prune(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case k.kept[child]:
			k.prune(child)
			show(child)
		case isBlank(child), isBreak(child) && child.NextSibling != nil:
			// The space between two kept words, or a line's end.
		case isCell(child):
			// A row keeps its columns.
			empty(child)
		default:
			n.RemoveChild(child)
		}
		child = next
	}
}

func isBlank(n *html.Node) bool {
	if n.Type != html.TextNode {
		return false
	}
	for i := range len(n.Data) {
		if c := n.Data[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' {
			return false
		}
	}
	return true
}

func isBreak(n *html.Node) bool { return n.DataAtom == atom.Br || n.DataAtom == atom.Wbr }

func isCell(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Td, atom.Th, atom.Col, atom.Colgroup:
		return true
	}
	return false
}

func empty(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}

// show turns a noscript with chosen content into an element that browsers show.
func show(n *html.Node) {
	if n.DataAtom == atom.Noscript {
		n.DataAtom, n.Data = atom.Div, atom.Div.String()
	}
}

// standalone descends to the first element with more than one child, and stops at elements that have a meaning by
// themselves.
func standalone(root *html.Node) *html.Node {
	n := root
	for {
		only := onlyChild(n)
		if only == nil {
			break
		}
		if n = only; !isWrapper(n) {
			break
		}
	}
	switch n.DataAtom {
	case atom.Html, atom.Body, 0:
		return inDiv(n)
	}
	return n
}

// onlyChild is n's only child except blanks, if that is an element.
func onlyChild(n *html.Node) *html.Node {
	var only *html.Node
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type == html.DoctypeNode, child.Type == html.CommentNode, isBlank(child):
		case only != nil || child.Type != html.ElementNode:
			return nil
		default:
			only = child
		}
	}
	return only
}

func isWrapper(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Div, atom.Section, atom.Main, atom.Form, atom.Center, atom.Span:
		return true
	}
	return false
}

// inDiv moves the content of n into a new element, since a body cannot stand in another page.
func inDiv(n *html.Node) *html.Node {
	div := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: atom.Div.String()}
	for n.FirstChild != nil {
		child := n.FirstChild
		n.RemoveChild(child)
		if child.DataAtom == atom.Html || child.Type == html.DoctypeNode {
			for child.FirstChild != nil {
				grandchild := child.FirstChild
				child.RemoveChild(grandchild)
				div.AppendChild(grandchild)
			}
			continue
		}
		div.AppendChild(child)
	}
	return div
}
