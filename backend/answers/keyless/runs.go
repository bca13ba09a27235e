package keyless

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// runsMax is how many runs are taken down of a page, runBytes how long one may be.
const runsMax, runBytes = 500, 300

// findRuns takes down links and spans that stand side by side with nothing between them but space. Their text alone does not tell where one
// ends: "lime masonry durability".
func (p *page) findRuns(root *html.Node) {
	p.runs = map[string][]string{}
	for n := range root.Descendants() {
		if n.DataAtom != atom.A && n.DataAtom != atom.Span && n.DataAtom != atom.Code || n.Type != html.ElementNode || len(p.runs) >= runsMax {
			continue
		}
		if before := besides(n, func(x *html.Node) *html.Node { return x.PrevSibling }); before != nil && before.DataAtom == n.DataAtom {
			continue // not the first of its run
		}
		var parts []string
		for at := n; at != nil && at.DataAtom == n.DataAtom; at = besides(at, func(x *html.Node) *html.Node { return x.NextSibling }) {
			if text := squeeze(textOf(at)); text != "" {
				parts = append(parts, text)
			}
		}
		if whole := strings.Join(parts, " "); len(parts) > 1 && len(whole) <= runBytes && !strings.ContainsAny(whole, ",;:") {
			p.runs[whole] = parts
		}
	}
}

// besides is the next element on one side of a node, nil where a text stands between.
func besides(n *html.Node, next func(*html.Node) *html.Node) *html.Node {
	for at := next(n); at != nil; at = next(at) {
		switch {
		case at.Type == html.ElementNode:
			return at
		case at.Type == html.TextNode && strings.TrimSpace(at.Data) != "":
			return nil
		}
	}
	return nil
}

// parted is a text with its parts in lines of their own, where it is a run.
func (p *page) parted(text string) string {
	if parts := p.runs[squeeze(text)]; len(parts) > 0 {
		return strings.Join(parts, "\n")
	}
	return text
}
