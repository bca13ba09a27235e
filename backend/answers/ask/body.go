package ask

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// bodyBytesMax is the maximum size of a response whose text is read.
const bodyBytesMax = 4 << 20

// bodyText is the text of a page as its response has it, with white space at each element's start and end, and what its links to email
// addresses and telephone numbers lead to. Document omits headers, footers and asides. It is empty if the response is not held or not HTML.
func bodyText(source *Source) string {
	body := source.Page.Body
	if len(body) > bodyBytesMax || !strings.Contains(source.Page.MediaType, "html") {
		return ""
	}
	root, err := extract.Parse(body)
	if err != nil {
		return ""
	}
	var out strings.Builder
	writeShown(&out, root)
	return out.String()
}

// hiddenElements are elements with invisible text.
var hiddenElements = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Svg: true, atom.Head: true}

// writeShown recurses as deep as the tree, which the parser bounds.
func writeShown(out *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode && out.Len() < evidenceBytesMax:
		out.WriteString(n.Data)
	case n.Type == html.ElementNode && hiddenElements[n.DataAtom]:
		return
	}
	for child := range n.ChildNodes() {
		out.WriteByte(' ')
		writeShown(out, child)
	}
	if n.DataAtom == atom.A {
		for _, a := range n.Attr {
			if target, ok := ContactOf(a.Val); ok && a.Key == "href" && out.Len() < evidenceBytesMax {
				out.WriteString(" " + target + " ")
			}
		}
	}
}

// ContactOf returns the email address or telephone number that a link leads to, and whether it leads to one.
func ContactOf(href string) (string, bool) {
	scheme, target, _ := strings.Cut(strings.TrimSpace(href), ":")
	if !strings.EqualFold(scheme, "mailto") && !strings.EqualFold(scheme, "tel") {
		return "", false
	}
	target, _, _ = strings.Cut(target, "?")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	target = strings.TrimSpace(target)
	return target, target != ""
}
