package maincontent

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Keep takes out of the tree what c has not chosen and returns what is left: the smallest element that holds it all and
// can stand alone. It returns nil, and leaves the tree alone, where nothing was chosen.
func (p *Page) Keep(c Choice) *html.Node {
	k := &keeper{kept: map[*html.Node]bool{}, within: map[*html.Node]bool{}}
	chosenWords := make([]int, len(p.elements))
	for i, chosen := range c.Blocks {
		if chosen {
			chosenWords[p.Blocks[i].element] += p.Blocks[i].Words
		}
	}
	for i := len(p.elements) - 1; i >= 0; i-- {
		if parent := p.elements[i].parent; parent >= 0 {
			chosenWords[parent] += chosenWords[i]
		}
	}
	// Without words of its own a thing belongs to the first element around it that has some.
	belongs := func(element int) bool {
		for element >= 0 && p.elements[element].words == 0 {
			element = p.elements[element].parent
		}
		return element >= 0 && 2*chosenWords[element] > p.elements[element].words
	}
	for _, t := range p.texts {
		if t.block >= 0 && c.Blocks[t.block] && t.node.Parent != nil {
			k.keep(t.node)
			k.found = true
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

// keeper marks nodes and takes out the others.
type keeper struct {
	kept   map[*html.Node]bool
	within map[*html.Node]bool // what a thing that is kept whole contains
	found  bool
}

// keep marks n and what is around it.
func (k *keeper) keep(n *html.Node) {
	for ; n != nil && !k.kept[n]; n = n.Parent {
		k.kept[n] = true
	}
}

// whole marks all that n contains: the sources of a picture or video. Things within things are marked once, since the
// outer one comes first.
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
			// The space between two words that stay, or a line's end.
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

// show makes a noscript whose content was chosen an element that browsers show.
func show(n *html.Node) {
	if n.DataAtom == atom.Noscript {
		n.DataAtom, n.Data = atom.Div, atom.Div.String()
	}
}

// standalone goes down to the first element that holds more than one thing, and stops at those that mean something by
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

// onlyChild is n's only child but for blanks, if that is an element.
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

// inDiv moves what n holds into an element of its own, since a body cannot stand in another page.
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
