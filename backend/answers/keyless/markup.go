package keyless

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// clone copies a node; it recurses as deep as the tree.
func clone(n *html.Node) *html.Node {
	out := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Attr: n.Attr}
	for child := range n.ChildNodes() {
		out.AppendChild(clone(child))
	}
	return out
}

func skipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Nav, atom.Svg, atom.Iframe, atom.Select, atom.Textarea, atom.Button, atom.Noscript, atom.Object:
		return true
	}
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
}

// isReference reports whether an element is the number of a note, and not of the text.
func isReference(n *html.Node) bool {
	if n.DataAtom != atom.Sup {
		return false
	}
	var text strings.Builder
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode {
			text.WriteString(inner.Data)
		}
	}
	return noteNumber.MatchString(strings.TrimSpace(text.String()))
}

// noteNumber matches how the number of a note is written: [1], [a], [note 2].
var noteNumber = regexp.MustCompile(`^\[[\pL\pN ]{1,12}\]$`)

func headingLevel(n *html.Node) int {
	switch n.DataAtom {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

func isInline(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Cite, atom.Code, atom.Em, atom.Font, atom.I, atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Small, atom.Span,
		atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.U, atom.Wbr, atom.Data, atom.Label, atom.Br, atom.Img, atom.Ins, atom.Del, atom.Var, atom.Samp, atom.Dfn,
		atom.Meta, atom.Link:
		return true
	}
	return false
}

func hasBlocks(n *html.Node) bool {
	for inner := range n.Descendants() {
		if inner.Type == html.ElementNode && !isInline(inner) {
			return true
		}
	}
	return false
}

func elements(n *html.Node) (list []*html.Node, own string) {
	var text strings.Builder
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode:
			text.WriteString(child.Data)
		case child.Type == html.ElementNode && !skipped(child) && child.DataAtom != atom.Br && child.DataAtom != atom.Meta:
			list = append(list, child)
		}
	}
	return list, strings.TrimSpace(text.String())
}

// textOf is what a node shows, blocks and breaks being lines.
func textOf(n *html.Node) string {
	var out strings.Builder
	writeText(&out, n)
	var lines []string
	for line := range strings.SplitSeq(out.String(), "\n") {
		if line = squeeze(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// writeText recurses as deep as the tree.
func writeText(out *strings.Builder, n *html.Node) {
	if out.Len() > blockBytes {
		return
	}
	switch {
	case n.Type == html.TextNode:
		out.WriteString(strings.Map(func(r rune) rune {
			if r == '\n' {
				return ' '
			}
			return r
		}, n.Data))
		return
	case n.Type == html.ElementNode && (skipped(n) || isReference(n)):
		return
	case n.DataAtom == atom.Br:
		out.WriteByte('\n')
		return
	}
	apart := n.Type == html.ElementNode && !isInline(n)
	if apart {
		out.WriteByte('\n')
	}
	for child := range n.ChildNodes() {
		writeText(out, child)
	}
	if apart {
		out.WriteByte('\n')
	}
}

// textOfAll is the text in an element that is otherwise passed over, such as a button.
func textOfAll(n *html.Node) string {
	var out strings.Builder
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode && out.Len() < blockBytes {
			out.WriteString(inner.Data + " ")
		}
	}
	return out.String()
}
