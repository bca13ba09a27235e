package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/clip"
)

// microdataReader reads microdata (HTML standard, chapter 5). It differs from the standard in two points: white space in
// text is folded, and content counts on every element, since pages use it so.
type microdataReader struct {
	page *page
	left *allowance
	// byID and order are created when the first itemref needs them.
	byID  map[string]*html.Node
	order map[*html.Node]int
}

// microdata are the top-level items, in the order of the page (5.2.5).
func (p *page) microdata(left *allowance) []*Item {
	m := &microdataReader{page: p, left: left}
	var out []*Item
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && hasAttr(n, "itemscope") && !hasAttr(n, "itemprop") {
			item := m.item(n, nil)
			if item == nil {
				break
			}
			if len(item.Types) > 0 || len(item.Properties) > 0 || item.ID != "" {
				out = append(out, item)
			}
		}
	}
	return out
}

// item makes an item of n, or nil beyond the bounds. around are the enclosing items' elements, which it must not repeat.
func (m *microdataReader) item(n *html.Node, around []*html.Node) *Item {
	if len(around) > structuredDepthMax {
		return nil
	}
	item := &Item{Types: names(attr(n, "itemtype")), Properties: map[string][]any{}}
	if id := strings.TrimSpace(attr(n, "itemid")); id != "" {
		item.ID = clip.Bytes(m.page.absolute(id), referenceBytesMax)
	}
	if !m.left.value(len(item.ID)) {
		return nil
	}
	around = append(slices.Clip(around), n)
	for _, prop := range m.properties(n) {
		m.addTo(item, prop, around)
	}
	return item
}

// properties are the elements of the item's properties (5.2.4, "crawl the properties"), in the order of the page.
func (m *microdataReader) properties(root *html.Node) []*html.Node {
	var out []*html.Node
	crawled := map[*html.Node]bool{root: true}
	refs := strings.Fields(attr(root, "itemref"))
	out = m.crawl(out, root, root.FirstChild, crawled)
	if len(refs) == 0 {
		return out
	}
	m.readIDs()
	for _, ref := range refs {
		if n := m.byID[ref]; n != nil && !crawled[n] {
			out = m.visit(out, n, crawled)
		}
		if m.left.steps < 0 {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b *html.Node) int { return m.order[a] - m.order[b] })
	return slices.Compact(out)
}

// visit adds n and, unless it is an item of its own, its content.
func (m *microdataReader) visit(out []*html.Node, n *html.Node, crawled map[*html.Node]bool) []*html.Node {
	crawled[n] = true
	if attr(n, "itemprop") != "" {
		out = append(out, n)
	}
	if hasAttr(n, "itemscope") {
		return out
	}
	return m.crawl(out, n, n.FirstChild, crawled)
}

// crawl walks from the first child of root on. It remembers only elements that itemref could lead to again.
func (m *microdataReader) crawl(out []*html.Node, root, first *html.Node, crawled map[*html.Node]bool) []*html.Node {
	for n := first; n != nil && m.left.step(); {
		if n.Type != html.ElementNode || crawled[n] {
			n = afterNode(n, root)
			continue
		}
		if hasAttr(n, "id") {
			crawled[n] = true
		}
		if attr(n, "itemprop") != "" {
			out = append(out, n)
		}
		if hasAttr(n, "itemscope") {
			n = afterNode(n, root)
			continue
		}
		n = nextNode(n, root)
	}
	return out
}

func (m *microdataReader) readIDs() {
	if m.byID != nil {
		return
	}
	m.byID, m.order = map[string]*html.Node{}, map[*html.Node]int{}
	for n := range m.page.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		m.order[n] = len(m.order)
		if id := attr(n, "id"); id != "" && m.byID[id] == nil {
			m.byID[id] = n
		}
	}
}

func (m *microdataReader) addTo(item *Item, n *html.Node, around []*html.Node) {
	value := m.value(n, around)
	if value == nil {
		return
	}
	for _, name := range names(attr(n, "itemprop")) {
		item.add(name, value)
	}
}

// value is the value of a property's element (5.2.4); nil beyond the bounds, and for an item within itself.
func (m *microdataReader) value(n *html.Node, around []*html.Node) any {
	if hasAttr(n, "itemscope") {
		if slices.Contains(around, n) {
			return nil
		}
		if item := m.item(n, around); item != nil {
			return item
		}
		return nil
	}
	value := valueOf(n, m.page, m.left)
	if !m.left.value(len(value)) {
		return nil
	}
	return value
}

// valueOf is the text value of a property's element: its machine-readable value, its reference, or its text.
func valueOf(n *html.Node, p *page, left *allowance) string {
	if n.DataAtom == atom.Meta || hasAttr(n, "content") {
		return clip.Bytes(fold(attr(n, "content")), valueBytesMax)
	}
	reference := ""
	switch n.DataAtom {
	case atom.Audio, atom.Embed, atom.Iframe, atom.Img, atom.Source, atom.Track, atom.Video:
		reference = "src"
	case atom.A, atom.Area, atom.Link:
		reference = "href"
	case atom.Object:
		reference = "data"
	case atom.Data, atom.Meter:
		return clip.Bytes(fold(attr(n, "value")), valueBytesMax)
	case atom.Time:
		if hasAttr(n, "datetime") {
			return clip.Bytes(fold(attr(n, "datetime")), valueBytesMax)
		}
	}
	if reference == "" {
		return shownText(n, left)
	}
	if ref := strings.TrimSpace(attr(n, reference)); ref != "" {
		return p.absolute(clip.Bytes(ref, referenceBytesMax))
	}
	return ""
}
