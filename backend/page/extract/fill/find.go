package fill

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// find is a value that was found, and its degree of trust.
type find struct {
	value any // string, or a value of structured data
	node  *html.Node
	trust float64
}

// scope is where the properties of one object are searched for: a page, an item of structured data, or a record.
type scope struct {
	filler *filler
	item   *extract.Item
	facts  *facts
	isPage bool
	// second are further items that describe the same thing as item.
	second []*extract.Item
	// row are the cells of a table row by header.
	row []fact
	// list is the property that this is a record of; nil for the page and for single things.
	list *want
}

// finds are the candidate values of a property, the most trusted first.
func (s *scope) finds(w *want) []find {
	var out []find
	for i, item := range s.items() {
		for _, f := range itemFinds(item, w) {
			f.trust -= 0.02 * float64(i)
			out = append(out, f)
		}
	}
	for _, cell := range s.row {
		if m := w.match(cell.label); m >= leastTrust && !w.conflicts(cell.unit) {
			out = append(out, find{value: cell.text, trust: m})
		} else if s.list != nil && w.means("name") && s.list.match(cell.label) >= sameThing {
			out = append(out, find{value: cell.text, trust: almost}) // the column "Room" of the list "rooms"
		}
	}
	if s.facts != nil {
		out = append(out, s.labelled(w)...)
		out = append(out, s.byForm(w)...)
	}
	if s.isPage {
		out = append(out, s.metadata(w)...)
	}
	if w.means("currency") {
		out = append(out, s.currencies()...)
	}
	slices.SortStableFunc(out, func(a, b find) int { return cmp.Compare(b.trust, a.trust) })
	return out
}

// price is a want for a price.
var price = &want{names: [][]string{{"price"}}, keys: []string{"price"}, concepts: []concept{"price", "salary"}, node: &jsonschema.Node{Types: []string{"string"}}}

// currencies are the amounts of money, which have their currency beside them.
func (s *scope) currencies() []find {
	var out []find
	for _, found := range s.finds(price) {
		if text, ok := found.value.(string); ok {
			out = append(out, find{value: text, trust: found.trust * 0.5})
		}
	}
	return out
}

func (s *scope) items() []*extract.Item {
	if s.item == nil {
		return s.second
	}
	return append([]*extract.Item{s.item}, s.second...)
}

// itemFinds searches an item: for a property of that name, then where schema.org keeps the concept.
func itemFinds(item *extract.Item, w *want) []find {
	var out []find
	for _, name := range slices.Sorted(maps.Keys(item.Properties)) {
		values, label := item.Properties[name], words(name)
		for i, own := range w.names {
			if key(label) == key(own) && !mistaken(item, name, w) {
				out = append(out, valueFinds(values, sameWords-0.01*float64(i))...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b find) int { return cmp.Compare(b.trust, a.trust) })
	for i, c := range w.concepts {
		for j, path := range pathsByConcept[c] {
			out = append(out, valueFinds(follow(item, path), 0.97-0.02*float64(i)-0.005*float64(j))...)
		}
		if c == "organization" && isOrganization(item) {
			out = append(out, valueFinds(item.Properties["name"], 0.9)...)
		}
	}
	if w.bound != boundNone {
		edge := map[bound]string{boundMin: "minValue", boundMax: "maxValue"}[w.bound]
		offer := map[bound]string{boundMin: "lowPrice", boundMax: "highPrice"}[w.bound]
		for _, f := range slices.Clone(out) {
			thing, ok := f.value.(*extract.Item)
			if !ok {
				continue
			}
			if inner, ok := firstItem(thing.Properties["value"]); ok {
				thing = inner
			}
			out = append(out, valueFinds(thing.Properties[edge], 1)...)
		}
		if w.means("price") {
			out = append(out, valueFinds(follow(item, []string{"offers", offer}), 1)...)
		}
		out = slices.DeleteFunc(out, func(f find) bool { return f.trust < 1 })
	}
	for _, values := range [][]any{item.Properties["additionalProperty"], item.Properties["amenityFeature"]} {
		for _, value := range values {
			if pair, ok := value.(*extract.Item); ok && len(pair.Properties["name"]) > 0 {
				if m := w.match(words(simple(pair.Properties["name"][0], w))); m >= leastTrust {
					out = append(out, valueFinds(pair.Properties["value"], m)...)
				}
			}
		}
	}
	return out
}

// mistaken are names that mean something else in structured data than in a customer's schema.
func mistaken(item *extract.Item, name string, w *want) bool {
	// A ListItem's item is the thing that it leads to, and a review is no number.
	return name == "item" && slices.Contains(item.Types, "ListItem") || name == "review" && (w.node.Names("number") || w.node.Names("integer"))
}

func valueFinds(values []any, trust float64) []find {
	out := make([]find, 0, len(values))
	for _, value := range values {
		out = append(out, find{value: value, trust: trust})
	}
	return out
}

// follow returns the values at the end of a path of properties.
func follow(item *extract.Item, path []string) []any {
	values := []any{item}
	for _, name := range path {
		var next []any
		for _, value := range values[:min(len(values), 100)] {
			if inner, ok := value.(*extract.Item); ok {
				next = append(next, inner.Properties[name]...)
			}
		}
		values = next
	}
	return values
}

func isOrganization(item *extract.Item) bool {
	for _, name := range []string{"openingHours", "openingHoursSpecification", "foundingDate", "legalName", "vatID", "numberOfEmployees", "priceRange"} {
		if len(item.Properties[name]) > 0 {
			return true // one of the hundreds of kinds of business
		}
	}
	return slices.ContainsFunc(item.Types, func(kind string) bool {
		return strings.HasSuffix(kind, "Organization") || strings.HasSuffix(kind, "Business") || kind == "Corporation" ||
			strings.HasSuffix(kind, "Store") || strings.HasSuffix(kind, "Restaurant") || strings.HasSuffix(kind, "Service") && kind != "Service"
	})
}

// labelled searches the pairs of label and value.
func (s *scope) labelled(w *want) []find {
	var out []find
	for _, f := range s.facts.pairs {
		m := w.matchKey(f.label, f.key)
		if m < leastTrust || w.conflicts(f.unit) || s.isPage && s.facts.inCards(f) {
			continue
		}
		if f.text == "-" && !isReference(w) || w.isName() && !fitsName(f) {
			continue
		}
		out = append(out, find{value: f.text, node: f.node, trust: m * f.trust * 0.95})
	}
	if w.node.Is("string") && w.node.Format == "" && w.node.Enum == nil && !w.node.Names("number") {
		for _, sec := range s.facts.sections {
			if m := w.matchKey(sec.label, sec.key); m >= almost {
				if prose, ok := sec.prose(); ok {
					out = append(out, find{value: prose, trust: m * 0.75})
				}
			}
		}
	}
	return out
}

// isName reports whether the wanted value is the name of somebody or something.
func (w *want) isName() bool {
	return w.means("author", "publisher", "organization", "organizer", "brand", "seller", "performer", "venue", "director", "ceo", "category", "city", "country", "job")
}

const nameBytesMax = 100

// fitsName rejects menus and paragraphs where a name is expected.
func fitsName(f fact) bool {
	if len(f.text) > nameBytesMax {
		return false
	}
	if f.node == nil {
		return true
	}
	links, items := 0, 0
	for n := range f.node.Descendants() {
		switch n.DataAtom {
		case atom.A:
			links++
		case atom.Li, atom.Button:
			items++
		}
	}
	return links <= 1 && items <= 1
}

func isReference(w *want) bool {
	return strings.HasPrefix(w.node.Format, "ur") || w.node.Format == "iri" || w.means("url", "image", "website")
}

// byForm searches for values known by their form: mail and telephone links, profiles in networks, times, headings.
func (s *scope) byForm(w *want) []find {
	var out []find
	for _, a := range s.facts.links {
		href := attr(a, "href")
		switch {
		case w.means("email") && strings.HasPrefix(href, "mailto:"):
			address, _, _ := strings.Cut(strings.TrimPrefix(href, "mailto:"), "?")
			out = append(out, find{value: address, trust: 0.6})
		case w.means("phone") && strings.HasPrefix(href, "tel:"):
			shown, ok := text(a, 40)
			if !ok || !phoneText.MatchString(shown) {
				shown = strings.TrimPrefix(href, "tel:")
			}
			out = append(out, find{value: shown, trust: 0.6})
		default:
			for _, c := range w.concepts {
				if slices.ContainsFunc(social[c], func(host string) bool { return onHost(href, host) }) {
					out = append(out, find{value: href, node: a, trust: 0.6})
				}
			}
		}
	}
	if w.means("published") {
		for _, t := range s.facts.times {
			if value := attr(t, "datetime"); value != "" {
				out = append(out, find{value: value, node: t, trust: 0.5})
			}
		}
	}
	if w.means("address") && w.node.Is("string") {
		for n := range s.facts.root.Descendants() {
			if n.DataAtom == atom.Address {
				if value, ok := text(n, 300); ok && !strings.Contains(value, "@") && strings.ContainsAny(value, "0123456789") {
					out = append(out, find{value: value, trust: 0.5})
				}
			}
		}
	}
	if !s.isPage {
		out = append(out, s.ofRecord(w)...)
	}
	return out
}

func onHost(href, host string) bool {
	_, rest, ok := strings.Cut(href, "://")
	if !ok {
		return false
	}
	at, path, _ := strings.Cut(rest, "/")
	at = strings.TrimPrefix(at, "www.")
	// A link for sharing the page is no profile.
	return (at == host || strings.HasSuffix(at, "."+host)) && path != "" && !strings.Contains(path, "share") && !strings.Contains(path, "intent")
}

// ofRecord uses a card's structure: its heading, its first link and image.
func (s *scope) ofRecord(w *want) []find {
	var out []find
	if w.means("name", "question") && !w.means("message") {
		for _, h := range s.facts.headings {
			if value, ok := text(h, 300); ok {
				out = append(out, find{value: value, node: h, trust: 0.65})
				break
			}
		}
		if len(s.facts.headings) == 0 && len(s.facts.links) > 0 {
			if value, ok := text(s.facts.links[0], 300); ok {
				out = append(out, find{value: value, node: s.facts.links[0], trust: 0.5})
			}
		}
	}
	if w.means("url") || w.means("website") && isReference(w) {
		for _, a := range s.titleLinks() {
			out = append(out, find{value: attr(a, "href"), node: a, trust: 0.65})
			break
		}
	}
	if w.means("image") {
		for _, img := range s.facts.images {
			out = append(out, find{value: imageOf(img), node: img, trust: 0.65})
			break
		}
	}
	if w.means("description") {
		for n := range s.facts.root.Descendants() {
			if n.DataAtom == atom.P {
				if value, ok := text(n, 2000); ok && len(words(value)) >= 5 {
					out = append(out, find{value: value, trust: 0.45})
					break
				}
			}
		}
	}
	if w.means("price") {
		out = append(out, s.prices()...)
	}
	return out
}

// prices returns a record's amount of money, if there is only one.
func (s *scope) prices() []find {
	var out []find
	for n := range s.facts.root.Descendants() {
		if n.Type != html.TextNode || n.Parent == nil || hidden(n.Parent) || len(n.Data) > 60 {
			continue
		}
		if _, ok := currencyOf(n.Data); ok && strings.ContainsAny(n.Data, "0123456789") {
			out = append(out, find{value: fold(n.Data), trust: 0.5})
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// titleLinks are the links of a record, those of its heading first.
func (s *scope) titleLinks() []*html.Node {
	var out []*html.Node
	for _, h := range s.facts.headings {
		for n := range h.Descendants() {
			if n.DataAtom == atom.A {
				out = append(out, n)
			}
		}
		if isElement(h.Parent) && h.Parent.DataAtom == atom.A {
			out = append(out, h.Parent)
		}
	}
	if s.facts.root.DataAtom == atom.A {
		out = append(out, s.facts.root)
	}
	return append(out, s.facts.links...)
}

// imageOf is the address of an image, even if scripts were to load it.
func imageOf(img *html.Node) string {
	src := attr(img, "src")
	for _, key := range []string{"data-src", "data-original", "data-lazy-src"} {
		if lazy := attr(img, key); lazy != "" && (src == "" || strings.HasPrefix(src, "data:")) {
			return lazy
		}
	}
	return src
}

// reference is the address that a node stands for, "" for none.
func reference(n *html.Node) string {
	for depth := 0; n != nil && isElement(n) && depth < 4; depth++ {
		switch n.DataAtom {
		case atom.A:
			return attr(n, "href")
		case atom.Img:
			return imageOf(n)
		case atom.Meta:
			return attr(n, "content")
		case atom.Link:
			return attr(n, "href")
		}
		inner := children(n)
		if len(inner) != 1 {
			return ""
		}
		n = inner[0]
	}
	return ""
}

// metadata uses the page's head, address and title.
func (s *scope) metadata(w *want) []find {
	var out []find
	add := func(c concept, value string, trust float64) {
		if value != "" && w.means(c) {
			out = append(out, find{value: value, trust: trust})
		}
	}
	m := s.filler.document.Metadata
	if w.parent != nil {
		return nil
	}
	if s.item == nil || isArticle(s.item) || isOrganization(s.item) {
		// The page's metadata has already been compared with what it shows.
		titled := len(w.names[0]) > 0 && slices.Contains([]string{"title", "headline", "titel", "titre", "titulo"}, w.names[0][len(w.names[0])-1])
		if one := s.facts.onlyTitle(); titled && one != "" && strings.HasPrefix(squash(m.Title), squash(one)) {
			add("name", one, overItem) // the title may end with the site's name
		} else if titled {
			add("name", m.Title, overItem)
		}
		add("author", m.Author, overItem)
		add("published", m.PublishedAt, overItem)
	}
	add("name", s.facts.onlyTitle(), 0.62)
	add("name", m.Title, 0.5)
	add("description", m.Description, 0.5)
	add("author", m.Author, 0.6)
	add("published", m.PublishedAt, 0.6)
	add("modified", m.ModifiedAt, 0.6)
	add("publisher", m.SiteName, 0.55)
	add("image", m.Image, 0.55)
	add("language", m.Language, 0.5)
	add("url", m.CanonicalURL, 0.6)
	add("url", s.filler.source.URL, 0.5)
	if s.filler.document.MainContent {
		add("body", s.filler.document.Text, 0.5)
	}
	for _, meta := range s.filler.metas {
		if strings.HasPrefix(meta.name, "twitter:") && w.isName() {
			continue // handles
		}
		if t := w.match(metaLabel(meta.name)); t >= leastTrust {
			out = append(out, find{value: meta.content, trust: t * 0.6})
		}
	}
	return out
}

// onlyTitle is the page's heading of the first level, if it has only one.
func (f *facts) onlyTitle() string {
	found := ""
	for _, h := range f.headings {
		value, ok := text(h, 300)
		if !ok || headingLevel(h) != 1 || value == "" {
			continue
		}
		if found != "" && found != value {
			return ""
		}
		found = value
	}
	return found
}

// overItem is more than the trust in an item's own properties.
const overItem = 1.01

func isArticle(item *extract.Item) bool {
	return slices.ContainsFunc(item.Types, func(kind string) bool {
		return strings.HasSuffix(kind, "Article") || strings.HasSuffix(kind, "Posting") && kind != "JobPosting" || kind == "Report"
	})
}

// metaLabel is the label of a meta element, without the vocabulary: "product:price:amount", "article:tag".
func metaLabel(name string) []string {
	for _, prefix := range []string{"og:", "article:", "product:", "twitter:", "book:", "profile:", "dc.", "dcterms."} {
		name = strings.TrimPrefix(name, prefix)
	}
	return words(name)
}
