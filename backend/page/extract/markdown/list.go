package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// list writes a list. Polishing has left only items in it.
func (w *writer) list(n *html.Node, s style) {
	if w.depth >= listDepthMax {
		w.block(n, s)
		return
	}
	within := w.tight
	number, begun := startOf(n), false
	if w.depth > 0 && within && number == 1 { // no other number begins a list right below a line (CommonMark 5.3)
		w.gap = min(w.gap, 1)
	}
	w.depth++
	w.tight = isTight(n)
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom != atom.Li {
			continue
		}
		marker := "- "
		if n.DataAtom == atom.Ol {
			number = numberOf(child, "value", number)
			marker = strconv.Itoa(number) + ". "
		}
		if begun && w.tight {
			w.gap = min(w.gap, 1)
		}
		if w.item(child, marker, s) {
			number++
			begun = true
		}
	}
	w.depth--
	w.tight = within
}

// item writes one item, and reports whether there was anything to write.
func (w *writer) item(n *html.Node, marker string, s style) bool {
	w.open(marker, strings.Repeat(" ", len(marker)))
	w.block(n, s)
	return w.close()
}

// looseItem writes an item outside of a list as a list of its own.
func (w *writer) looseItem(n *html.Node, s style) {
	if w.depth >= listDepthMax {
		w.block(n, s)
		return
	}
	within := w.tight
	w.tight = units(n, 2) < 2
	if before := elementBefore(n); w.tight && before != nil && before.DataAtom == atom.Li {
		w.gap = min(w.gap, 1)
	}
	w.depth++
	w.item(n, "- ", s)
	w.depth--
	w.tight = within
}

func elementBefore(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil; n = n.PrevSibling {
		if n.Type == html.ElementNode {
			return n
		}
	}
	return nil
}

// startOf is an ordered list's first number.
func startOf(n *html.Node) int { return numberOf(n, "start", 1) }

// numberOf reads a list's number. In CommonMark it has at most nine digits and no sign.
func numberOf(n *html.Node, name string, otherwise int) int {
	number, err := strconv.Atoi(strings.TrimSpace(dom.Attr(n, name)))
	if err != nil || number < 0 || number > 900_000_000 {
		return otherwise
	}
	return number
}

// isTight reports whether a list's items are lines, without second paragraphs, code and the like. Nested lists are
// ignored.
func isTight(n *html.Node) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if units(child, 2) >= 2 {
			return false
		}
	}
	return true
}

// units counts the paragraphs and other leaves of n, up to most, without those of nested lists.
func units(n *html.Node, most int) int {
	count, inText := 0, false
	for child := n.FirstChild; child != nil && count < most; child = child.NextSibling {
		switch {
		case dom.IsInvisible(child):
		case child.Type == html.TextNode:
			if !inText && strings.TrimSpace(child.Data) != "" {
				inText = true
				count++
			}
		case child.Type != html.ElementNode:
		case child.DataAtom == atom.Ul || child.DataAtom == atom.Ol || child.DataAtom == atom.Menu:
			inText = false
		case child.DataAtom == atom.Table || child.DataAtom == atom.Pre || child.DataAtom == atom.Dl:
			count += 2
		case isBlock(child):
			inText = false
			count += units(child, most-count)
		case !inText:
			if inner := units(child, most-count); inner > 0 {
				count += inner
				inText = true
			} else if child.DataAtom == atom.Img || isMath(child) {
				count++
				inText = true
			}
		}
	}
	return count
}

// definitions writes a list of terms and meanings: as a list if each fits on a line, otherwise as blocks.
func (w *writer) definitions(n *html.Node, s style) {
	groups := definitionGroups(n)
	short := w.depth < listDepthMax && len(groups) > 0
	for _, g := range groups {
		if len(g.terms) == 0 || len(g.meanings) > 1 || len(g.meanings) == 1 && units(g.meanings[0], 2) > 1 || w.hasBlocks(g) {
			short = false
		}
	}
	if !short {
		w.longDefinitions(groups, s)
		return
	}
	if w.depth > 0 && w.tight {
		w.gap = min(w.gap, 1)
	}
	for i, g := range groups {
		if i > 0 {
			w.gap = min(w.gap, 1)
		}
		in := w.inline(s)
		in.between = " "
		w.terms(in, g)
		if len(g.meanings) > 0 {
			in.meaning()
			in.children(g.meanings[0])
		}
		w.open("- ", "  ")
		w.paragraph(in, s)
		w.close()
	}
}

func (w *writer) longDefinitions(groups []definition, s style) {
	for _, g := range groups {
		in := w.inline(s)
		in.between = " "
		w.terms(in, g)
		w.paragraph(in, s)
		for _, meaning := range g.meanings {
			w.block(meaning, s)
		}
	}
}

// terms writes the terms of a definition in bold; code is not bold, since it is already distinct.
func (w *writer) terms(in *inline, g definition) {
	for i, term := range g.terms {
		if i > 0 {
			in.raw(", ")
		}
		in.begin("**")
		if dom.HasClass(term, signatureClasses) {
			in.codeSpan(term)
		} else {
			in.children(term)
		}
		in.end("**")
	}
}

// signatureClasses mark terms that are code, in documentation of code.
var signatureClasses = dom.Words("sig")

// hasBlocks reports whether a definition contains a list or similar block.
func (w *writer) hasBlocks(g definition) bool {
	for _, meaning := range g.meanings {
		for child := range meaning.Descendants() {
			switch child.DataAtom {
			case atom.Ul, atom.Ol, atom.Dl, atom.Pre, atom.Table, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
				return true
			}
		}
	}
	return false
}

// definition is a group of terms and their meanings.
type definition struct {
	terms, meanings []*html.Node
}

// definitionGroups are the groups of a dl; they may be wrapped in div elements (HTML standard 4.4.9).
func definitionGroups(dl *html.Node) []definition {
	var groups []definition
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			switch {
			case child.DataAtom == atom.Dt:
				if len(groups) == 0 || len(groups[len(groups)-1].meanings) > 0 {
					groups = append(groups, definition{})
				}
				g := &groups[len(groups)-1]
				g.terms = append(g.terms, child)
			case child.DataAtom == atom.Div && depth < 2:
				walk(child, depth+1)
			case child.Type == html.ElementNode && !dom.IsInvisible(child):
				if len(groups) == 0 {
					groups = append(groups, definition{})
				}
				g := &groups[len(groups)-1]
				g.meanings = append(g.meanings, child)
			}
		}
	}
	walk(dl, 0)
	return groups
}
