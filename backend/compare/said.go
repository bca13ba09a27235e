package compare

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rawText is the text of an element with its white space, line breaks included.
func rawText(n *html.Node) string {
	var out strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			_, _ = out.WriteString(c.Data)
		} else if c.DataAtom == atom.Br {
			_ = out.WriteByte('\n')
		}
	}
	return out.String()
}

// textOf is the text of an element in one line.
func textOf(n *html.Node) string {
	var out strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			_, _ = out.WriteString(c.Data)
		} else if c.Type == html.ElementNode && !isFormatting[c.DataAtom] {
			_ = out.WriteByte(' ')
		}
		if out.Len() > 4*labelBytesMax {
			break
		}
	}
	return cleanText(out.String())
}

func labelOf(text string) string {
	return cutText(strings.TrimRight(text, ": "), labelBytesMax)
}
