package structured

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/clip"
)

// microdataReader reads microdata (HTML standard, chapter 5). It differs from the standard in two points: white space in
// text is folded, and content counts on every element, since pages use it so.
type microdataReader struct {
	root       *html.Node
	references *links.References
	left       *allowance
	// byID and order are created when the first itemref needs them.
	byID  map[string]*html.Node
	order map[*html.Node]int
}

// microdata are the top-level items, in the order of the page (5.2.5).
func microdata(root *html.Node, references *links.References, left *allowance) []*Item {
	m := &microdataReader{root: root, references: references, left: left}
	var out []*Item
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && dom.HasAttr(n, "itemscope") && !dom.HasAttr(n, "itemprop") {
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
	if len(around) > depthMaxOfItems {
		return nil
	}
	item := &Item{Types: names(dom.Attr(n, "itemtype")), Properties: map[string][]any{}}
	if id := strings.TrimSpace(dom.Attr(n, "itemid")); id != "" {
		item.ID = clip.Bytes(m.references.Absolute(id), links.ReferenceBytesMax)
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
	refs := strings.Fields(dom.Attr(root, "itemref"))
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
	if dom.Attr(n, "itemprop") != "" {
		out = append(out, n)
	}
	if dom.HasAttr(n, "itemscope") {
		return out
	}
	return m.crawl(out, n, n.FirstChild, crawled)
}

// crawl walks from the first child of root on. It remembers only elements that itemref could lead to again.
func (m *microdataReader) crawl(out []*html.Node, root, first *html.Node, crawled map[*html.Node]bool) []*html.Node {
	for n := first; n != nil && m.left.step(); {
		if n.Type != html.ElementNode || crawled[n] {
			n = dom.After(n, root)
			continue
		}
		if dom.HasAttr(n, "id") {
			crawled[n] = true
		}
		if dom.Attr(n, "itemprop") != "" {
			out = append(out, n)
		}
		if dom.HasAttr(n, "itemscope") {
			n = dom.After(n, root)
			continue
		}
		n = dom.Next(n, root)
	}
	return out
}

func (m *microdataReader) readIDs() {
	if m.byID != nil {
		return
	}
	m.byID, m.order = map[string]*html.Node{}, map[*html.Node]int{}
	for n := range m.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		m.order[n] = len(m.order)
		if id := dom.Attr(n, "id"); id != "" && m.byID[id] == nil {
			m.byID[id] = n
		}
	}
}

func (m *microdataReader) addTo(item *Item, n *html.Node, around []*html.Node) {
	value := m.value(n, around)
	if value == nil {
		return
	}
	for _, name := range names(dom.Attr(n, "itemprop")) {
		item.add(name, value)
	}
}

// value is the value of a property's element (5.2.4); nil beyond the bounds, and for an item within itself.
func (m *microdataReader) value(n *html.Node, around []*html.Node) any {
	if dom.HasAttr(n, "itemscope") {
		if slices.Contains(around, n) {
			return nil
		}
		if item := m.item(n, around); item != nil {
			return item
		}
		return nil
	}
	value := valueOf(n, m.references, m.left)
	if !m.left.value(len(value)) {
		return nil
	}
	return value
}

// valueOf is the text value of a property's element: its machine-readable value, its reference, or its text.
func valueOf(n *html.Node, references *links.References, left *allowance) string {
	if n.DataAtom == atom.Meta || dom.HasAttr(n, "content") {
		return clip.Bytes(dom.Fold(dom.Attr(n, "content")), valueBytesMax)
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
		return clip.Bytes(dom.Fold(dom.Attr(n, "value")), valueBytesMax)
	case atom.Time:
		if dom.HasAttr(n, "datetime") {
			return clip.Bytes(dom.Fold(dom.Attr(n, "datetime")), valueBytesMax)
		}
	}
	if reference == "" {
		return shownText(n, left)
	}
	if ref := strings.TrimSpace(dom.Attr(n, reference)); ref != "" {
		return references.Absolute(clip.Bytes(ref, links.ReferenceBytesMax))
	}
	return ""
}
