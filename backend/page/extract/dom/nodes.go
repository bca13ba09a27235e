package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Attr returns the value of an attribute; "" if n has none of that name.
func Attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

// SetAttr sets an attribute, which n may have already.
func SetAttr(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Namespace == "" && n.Attr[i].Key == name {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

// HasAttr reports whether n has an attribute, even an empty one.
func HasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return true
		}
	}
	return false
}

// HasClass reports whether n has one of the classes.
func HasClass(n *html.Node, classes map[string]bool) bool {
	for class := range strings.FieldsSeq(Attr(n, "class")) {
		if classes[class] {
			return true
		}
	}
	return false
}

// Words is a set of words.
func Words(s string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		set[word] = true
	}
	return set
}

// Rename makes n another element, with these attributes alone.
func Rename(n *html.Node, name atom.Atom, attrs []html.Attribute) {
	n.DataAtom, n.Data, n.Attr = name, name.String(), attrs
}

// Next is the node after n in the order of the document, within root.
func Next(n, root *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	return After(n, root)
}

// After is the node after n and all that it contains, within root.
func After(n, root *html.Node) *html.Node {
	for ; n != nil && n != root; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// IsHeading reports whether n is a heading of any level.
func IsHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// HasText reports whether anything but white space is under n, even if it is not shown.
func HasText(n *html.Node) bool {
	for child := range n.Descendants() {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" {
			return true
		}
	}
	return false
}

// IsLink reports whether n may lead elsewhere: an a or area element.
func IsLink(n *html.Node) bool { return n.DataAtom == atom.A || n.DataAtom == atom.Area }

// IsInvisible reports whether the content of n is never shown as text. That of noscript is shown, because here pages are
// read without their scripts.
func IsInvisible(n *html.Node) bool {
	if n == nil {
		return false
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Title, atom.Iframe, atom.Object, atom.Svg,
		atom.Noembed, atom.Noframes, atom.Datalist, atom.Audio, atom.Video, atom.Canvas:
		return true
	}
	return false
}

// Apart is how an element is separated from what is before and after it: not at all, by a line, or by an empty line.
func Apart(n *html.Node) int { return ApartBy(n.DataAtom) }

// ApartBy is Apart by the name of an element.
func ApartBy(name atom.Atom) int {
	switch name {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Pre,
		atom.Blockquote, atom.Figure, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Aside, atom.Nav, atom.Main,
		atom.Hr, atom.Fieldset, atom.Form, atom.Details:
		return 2
	case atom.Div, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Caption, atom.Figcaption, atom.Address, atom.Option, atom.Legend,
		atom.Summary, atom.Body, atom.Html, atom.Center, atom.Thead, atom.Tbody, atom.Tfoot, atom.Hgroup, atom.Search:
		return 1
	}
	return 0
}

// Text is the unchanged text under n.
func Text(n *html.Node) string {
	var out strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			out.WriteString(child.Data)
		}
	}
	return out.String()
}

const (
	// plainNodesMax and plainBytesMax are how much of an element is read for a name or a title.
	plainNodesMax = 1000
	plainBytesMax = 8000
)

// PlainText is the text under n, up to the length of a title.
func PlainText(n *html.Node) string {
	var out strings.Builder
	left := plainNodesMax
	for child := range n.Descendants() {
		if left--; left < 0 || out.Len() > plainBytesMax {
			break
		}
		if child.Type == html.TextNode && (child.Parent == n || !IsInvisible(child.Parent)) {
			out.WriteString(child.Data)
			out.WriteByte(' ')
		}
	}
	return out.String()
}
