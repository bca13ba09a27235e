package ask

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	// edgeBytesMax is the maximum size of a page whose edges are read, edgesMax how many edges are read.
	edgeBytesMax = 4 << 20
	edgesMax     = 40
)

// edgeMarks are the strings of which a page with edges contains at least one.
var edgeMarks = [][]byte{[]byte("<footer"), []byte("<header"), []byte("<aside"), []byte("contentinfo"), []byte("complementary"), []byte("banner")}

// Edges are the parts around a page's main content: its outermost headers, footers and asides, in order. Document omits
// them. It returns none if the source's Body is not held or not HTML.
func Edges(source *Source) []*html.Node {
	body := source.Page.Body
	if len(body) > edgeBytesMax || !strings.Contains(source.Page.MediaType, "html") {
		return nil
	}
	lower := bytes.ToLower(body)
	if !slices.ContainsFunc(edgeMarks, func(mark []byte) bool { return bytes.Contains(lower, mark) }) {
		return nil
	}
	root, err := extract.Parse(body)
	if err != nil {
		return nil
	}
	return edgesOf(nil, root)
}

// edgesOf recurses as deep as the tree, which the parser bounds.
func edgesOf(out []*html.Node, n *html.Node) []*html.Node {
	if len(out) >= edgesMax {
		return out
	}
	if isEdge(n) {
		return append(out, n)
	}
	for child := range n.ChildNodes() {
		out = edgesOf(out, child)
	}
	return out
}

func isEdge(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Footer, atom.Header, atom.Aside:
		return true
	}
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "role" && (a.Val == "contentinfo" || a.Val == "complementary" || a.Val == "banner")
	})
}

// hiddenElements are elements with invisible text.
var hiddenElements = []atom.Atom{atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Svg}

// edgeText is the text of a page's edges, with white space at each element's start and end.
func edgeText(source *Source) string {
	var out strings.Builder
	for _, edge := range Edges(source) {
		writeShown(&out, edge)
		out.WriteByte('\n')
	}
	return out.String()
}

// writeShown recurses as deep as the tree.
func writeShown(out *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode && out.Len() < evidenceBytesMax:
		out.WriteString(n.Data)
	case n.Type == html.ElementNode && slices.Contains(hiddenElements, n.DataAtom):
		return
	}
	for child := range n.ChildNodes() {
		out.WriteByte(' ')
		writeShown(out, child)
	}
}
