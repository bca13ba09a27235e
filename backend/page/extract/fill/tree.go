package fill

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hidden reports whether the content of n is not shown.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Iframe, atom.Object, atom.Svg, atom.Datalist, atom.Select,
		atom.Noembed, atom.Noframes, atom.Audio, atom.Video, atom.Canvas, atom.Textarea:
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" && n.FirstChild != nil && n.FirstChild.NextSibling != nil {
			return true
		}
	}
	return false
}

// frame reports whether n is a part of a page that is not about its subject.
func frame(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Dialog:
		return true
	}
	switch attr(n, "role") {
	case "navigation", "complementary", "dialog", "search", "menu":
		return true
	}
	return false
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

func isElement(n *html.Node) bool { return n != nil && n.Type == html.ElementNode }

// children are the child elements of n.
func children(n *html.Node) []*html.Node {
	var out []*html.Node
	for child := range n.ChildNodes() {
		if isElement(child) && !hidden(child) && child.DataAtom != atom.Br {
			out = append(out, child)
		}
	}
	return out
}

// ownText is the text directly in n, not in its elements.
func ownText(n *html.Node) string {
	var out strings.Builder
	for child := range n.ChildNodes() {
		if child.Type == html.TextNode {
			out.WriteString(child.Data)
			out.WriteByte(' ')
		}
	}
	return fold(out.String())
}

// leafElementsMax is how many elements may be within one whose text is taken as one value.
const leafElementsMax = 60

// text is the visible text of n on one line, up to bytesMax; false if it has more, or too many parts for one value.
func text(n *html.Node, bytesMax int) (string, bool) {
	w := textWriter{bytesMax: bytesMax, elementsMax: leafElementsMax}
	w.write(n)
	return fold(w.out.String()), !w.full
}

type textWriter struct {
	out                   strings.Builder
	bytesMax, elementsMax int
	elements              int
	full                  bool
}

// write recurses: the tree's depth is bounded by its parser.
func (w *textWriter) write(n *html.Node) {
	if n.Type == html.TextNode {
		if w.out.Len()+len(n.Data) > w.bytesMax+1000 || w.out.Len() > w.bytesMax {
			w.full = true
			return
		}
		w.out.WriteString(n.Data)
		return
	}
	if !isElement(n) || hidden(n) {
		return
	}
	if w.elements++; w.elements > w.elementsMax {
		w.full = true
		return
	}
	apart := !inline[n.DataAtom]
	if apart {
		w.out.WriteByte(' ')
	}
	for child := n.FirstChild; child != nil && !w.full; child = child.NextSibling {
		w.write(child)
	}
	if apart {
		w.out.WriteByte(' ')
	}
}

var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Cite: true, atom.Code: true, atom.Em: true, atom.Font: true,
	atom.I: true, atom.Kbd: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Small: true, atom.Span: true, atom.Strong: true,
	atom.Sub: true, atom.Sup: true, atom.Time: true, atom.U: true, atom.Wbr: true, atom.Data: true, atom.Label: true,
}

// headingLevel is 1 to 6, and 0 if n is no heading.
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
