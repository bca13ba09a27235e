package reader

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// subjectsMax is how many items are considered as what the page is about.
const subjectsMax = 50

// meaning is a property that callers and schema.org call differently.
type meaning struct {
	names []string // as labelOf returns them, the usual one first
	// paths lead to it in structured data, the best first.
	paths [][]string
}

// meanings are what callers call a property, the first being its usual name, and where schema.org has it.
var meanings = func() []*meaning {
	var out []*meaning
	//nolint:dupword // a name may be the last of one line and the first of the next
	for line := range strings.SplitSeq(strings.TrimSpace(`
name title headline product_name product_title event_name job_title course_title book_title | name headline title
price sale_price current_price ticket_price cost amount | offers.price offers.lowPrice offers.priceSpecification.price price
currency price_currency | offers.priceCurrency offers.priceSpecification.priceCurrency priceCurrency
in_stock available availability is_available stock stock_status | offers.availability availability
rating average_rating stars score | aggregateRating.ratingValue reviewRating.ratingValue starRating.ratingValue ratingValue
review_count rating_count number_of_reviews | aggregateRating.reviewCount aggregateRating.ratingCount reviewCount
brand manufacturer | brand manufacturer
seller | offers.seller
sku item_number article_number | sku productID
part_number | mpn
published date date_published publish_date published_at publication_date | datePublished datePosted dateCreated uploadDate
updated modified date_modified last_updated updated_at | dateModified
author by writer reviewer user byline | author creator
text content body comment message review | text reviewBody articleBody description
description summary teaser excerpt | description abstract
image photo picture thumbnail image_url | image thumbnailUrl photo
url link href | url
phone telephone phone_number | telephone contactPoint.telephone
email email_address | email contactPoint.email
hours opening_hours | openingHours
category section | category articleSection
tags keywords | keywords
reviews | review
comments replies answers posts | comment suggestedAnswer
question | name
answer | acceptedAnswer.text
ingredients | recipeIngredient
instructions steps | recipeInstructions
company employer organization | hiringOrganization
location venue place | location jobLocation
starts start_date starts_at | startDate
ends end_date ends_at | endDate
employees | numberOfEmployees
founded | foundingDate
version | softwareVersion
street street_address | streetAddress address.streetAddress location.address.streetAddress
zip postcode postal_code | postalCode address.postalCode location.address.postalCode
city town | addressLocality address.addressLocality location.address.addressLocality
state region | addressRegion address.addressRegion location.address.addressRegion
country | addressCountry address.addressCountry location.address.addressCountry`), "\n") {
		names, paths, _ := strings.Cut(line, "|")
		m := &meaning{}
		for name := range strings.FieldsSeq(names) {
			m.names = append(m.names, labelOf(name))
		}
		for path := range strings.FieldsSeq(paths) {
			m.paths = append(m.paths, strings.Split(path, "."))
		}
		out = append(out, m)
	}
	return out
}()

func meaningOf(names []string) *meaning {
	for _, m := range meanings {
		if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(m.names, name) }) {
			return m
		}
	}
	return nil
}

// means reports whether the property is the meaning of a usual name.
func (l *leaf) means(usual string) bool {
	return l.meaning != nil && l.meaning.names[0] == labelOf(usual)
}

// isCalled reports whether a label names the property, also with the owner's name before one of them: "product-title", "room_size".
func (l *leaf) isCalled(label, owner string) bool {
	label = strings.TrimPrefix(label, owner+" ")
	if slices.ContainsFunc(l.names, func(name string) bool { return name == label || strings.TrimPrefix(name, owner+" ") == label }) {
		return true
	}
	return l.meaning != nil && slices.Contains(l.meaning.names, label)
}

// in are the values that an item has for the property: under its name, or else where schema.org has them.
func (l *leaf) in(item *extract.Item) []any {
	names := slices.Clone(l.names)
	for _, kind := range item.Types { // the name of an Event may be asked for as event_name
		kind = labelOf(kind)
		kind = kind[strings.LastIndexByte(kind, ' ')+1:]
		for _, name := range l.names {
			if rest, ok := strings.CutPrefix(name, kind+" "); ok {
				names = append(names, rest)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item.Properties)) {
		if slices.Contains(names, labelOf(name)) {
			return item.Properties[name]
		}
	}
	m := meaningOf(names)
	if m == nil {
		return nil
	}
	for _, path := range m.paths {
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
		if len(values) > 0 {
			return values
		}
	}
	return nil
}

// stated is the first of the values that has the property's type, or all of them for a list.
func (f *filler) stated(l *leaf, values []any) (any, bool) {
	if l.field.Type == "array" {
		var texts []string
		for _, value := range values[:min(len(values), recordsMax)] {
			texts = append(texts, l.textOf(value))
		}
		if len(texts) == 1 {
			texts = separators.Split(strings.ReplaceAll(texts[0], ", ", " | "), entriesMax)
		}
		var out []any
		for _, text := range texts {
			if v, ok := f.convert(l.entry(), text); ok && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		return out, len(out) > 1 // one value may be all that is marked up
	}
	for _, value := range values {
		if v, ok := f.convert(l, l.textOf(value)); ok {
			return v, true
		}
	}
	return nil, false
}

// textOf is the text of a value of structured data; for an item it is its name, number or address.
func (l *leaf) textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case *extract.Item:
		names := []string{"name", "value", "text", "headline", "price", "ratingValue", "@value"}
		switch {
		case l.field.Type == "number", l.field.Type == "integer":
			names = []string{"value", "price", "ratingValue", "@value"}
		case l.isReference():
			names = []string{"url", "contentUrl", "@id"}
		}
		for _, name := range names {
			for _, inner := range v.Properties[name] {
				if _, nested := inner.(*extract.Item); !nested {
					return l.textOf(inner)
				}
			}
		}
	}
	return ""
}

func firstItem(values []any) (*extract.Item, bool) {
	for _, value := range values {
		if item, ok := value.(*extract.Item); ok {
			return item, true
		}
	}
	return nil, false
}

func firstString(values []any) (string, bool) {
	for _, value := range values {
		if s, ok := value.(string); ok && s != "" {
			return s, true
		}
	}
	return "", false
}

// headOf is what the head of the page says of it.
func (f *filler) headOf(l *leaf) []any {
	m := f.document.Metadata
	said := ""
	switch {
	case l.means("published"):
		said = m.PublishedAt
	case l.means("updated"):
		said = m.ModifiedAt
	case l.means("description"):
		said = m.Description
	case l.means("image") && l.isReference():
		said = m.Image
	case l.means("url"):
		said = m.CanonicalURL
	case l.names[0] == "title" && f.document.Type != "listing" && f.document.Type != "collection":
		said = m.Title // those of lists are also asked for the titles of their entries
	}
	if said == "" {
		return nil
	}
	return []any{said}
}

// subject is the item of structured data that says most of the wanted properties, among those that are about the page.
func (f *filler) subject(root *jsonschema.Node) *extract.Item {
	var wanted []*leaf
	f.leaves(root, "", "", 0, func(_ string, l *leaf) {
		if len(wanted) < learnedMax {
			wanted = append(wanted, l)
		}
	})
	f.steps = 0
	var best *extract.Item
	most, seen := 0, 0
	for _, item := range f.page.items() {
		if f.page.things.standing(item) != ofSubject {
			continue
		}
		if seen++; seen > subjectsMax {
			break
		}
		says := 0
		for _, l := range wanted {
			if len(l.in(item)) > 0 {
				says++
			}
		}
		if says > most {
			best, most = item, says
		}
	}
	return best
}

// items are the items of the page's structured data, and those that descriptions of the page are about.
func (p *page) items() []*extract.Item {
	s := p.source.Document.Structured
	if s == nil {
		return nil
	}
	var out []*extract.Item
	for _, item := range slices.Concat(s.JSONLD, s.Microdata, s.RDFa) {
		out = append(out, item)
		for _, name := range []string{"mainEntity", "mainEntityOfPage", "about"} {
			if inner, ok := firstItem(item.Properties[name]); ok {
				out = append(out, inner)
			}
		}
	}
	return out
}

// things are the names of the page's items by type, by which its subject is told from others.
type things struct {
	names  map[string]map[string]bool
	titles []string
}

func newThings(p *page) things {
	t := things{names: map[string]map[string]bool{}, titles: []string{keyOf(p.source.Document.Metadata.Title)}}
	for i := range p.blocks[:p.shown] {
		if p.blocks[i].level == 1 {
			t.titles = append(t.titles, keyOf(p.blocks[i].text))
		}
	}
	for _, item := range p.items() {
		t.add(item, 0)
	}
	return t
}

func (t things) add(item *extract.Item, depth int) {
	if depth > itemDepthMax {
		return
	}
	if name := nameOf(item); name != "" {
		for _, kind := range item.Types {
			if t.names[kind] == nil {
				t.names[kind] = map[string]bool{}
			}
			t.names[kind][name] = true
		}
	}
	for _, values := range item.Properties {
		for _, value := range values {
			if inner, ok := value.(*extract.Item); ok {
				t.add(inner, depth+1)
			}
		}
	}
}

// standing is that of the subject if an item has the page's title, or a type that no item of another name has.
func (t things) standing(item *extract.Item) standing {
	name := nameOf(item)
	isOf := func(kinds func(kind string) bool) bool { return slices.ContainsFunc(item.Types, kinds) }
	switch {
	case name == "":
		return ofAny
	case slices.ContainsFunc(t.titles, func(title string) bool { return strings.HasPrefix(title, name) }):
		return ofSubject
	case isOf(func(kind string) bool { return len(t.names[kind]) > 1 }):
		return ofMany
	case len(item.Types) == 0, isOf(func(kind string) bool { return structural[kind] }):
		return ofAny
	}
	return ofSubject
}

// structural are types that describe a page, not its subject.
var structural = map[string]bool{
	"BreadcrumbList": true, "WebSite": true, "WebPage": true, "ImageObject": true, "ItemList": true, "ListItem": true, "CollectionPage": true,
}

// nameOf is the name of an item as it is compared; "" if it has none.
func nameOf(item *extract.Item) string {
	for _, name := range []string{"name", "headline", "title"} {
		if s, ok := firstString(item.Properties[name]); ok {
			return keyOf(s)
		}
	}
	return ""
}

// inOtherCurrency reports whether a price is asked for in another currency than an item has its prices in.
func (l *leaf) inOtherCurrency(item *extract.Item) bool {
	offer, ok := firstItem(item.Properties["offers"])
	if !ok || l.want.currency == "" || l.want.kind != Price {
		return false
	}
	code, ok := firstString(offer.Properties["priceCurrency"])
	return ok && code != l.want.currency
}

// isOfOther reports whether a price is that of one of several things on the page which the property does not name: of a card of "You
// may also like", or of an item of structured data beside others.
func (l *leaf) isOfOther(c *Candidate) bool {
	b := &c.page.blocks[c.block]
	if l.want.kind != Price {
		return false
	}
	if b.about == ofMany {
		return true
	}
	card := c.page.cardAround(b.node)
	return card != nil && !slices.ContainsFunc(tokensOf(shownText(card, cardTextMax)), func(t token) bool {
		return slices.Contains(l.want.own, t.stem) && !slices.Contains(priceStems, t.stem)
	})
}

// priceStems are words of prices, which do not name a thing.
var priceStems = stemsOf("price cost amount current sale regular total usd eur gbp from unit")

// cardAround is the element around a price that repeats beside it with a price and a link or heading of its own; nil if there is none.
func (p *page) cardAround(n *html.Node) *html.Node {
	for up := 0; n != nil && up < itemDepthMax; n, up = n.Parent, up+1 {
		if m := makeOf(n); m != "" && n.Parent != nil {
			for other := range n.Parent.ChildNodes() {
				if other != n && makeOf(other) == m && p.isOffer(other) && p.isOffer(n) {
					return n
				}
			}
		}
	}
	return nil
}

// isOffer reports whether an element has a price and a link or a heading.
func (p *page) isOffer(n *html.Node) bool {
	named := n.DataAtom == atom.A
	for d := range n.Descendants() {
		named = named || d.DataAtom == atom.A || dom.IsHeading(d)
	}
	return named && len(p.moneyIn(shownText(n, cardTextMax))) > 0
}
