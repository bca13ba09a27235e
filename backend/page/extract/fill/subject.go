package fill

import (
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// structural are types that describe a page's structure, not its subject.
var structural = map[string]bool{
	"BreadcrumbList": true, "WebSite": true, "WebPage": true, "SearchAction": true, "ImageObject": true, "SiteNavigationElement": true,
	"ItemList": true, "ListItem": true, "WPHeader": true, "WPFooter": true, "WPSideBar": true, "CollectionPage": true, "SearchResultsPage": true,
	"ContactPage": true, "AboutPage": true, "ItemPage": true, "Rating": true, "AggregateRating": true, "Offer": true, "Review": true, "hentry": true,
}

// things are all items on the page, in its order, including those within descriptions of the page.
func (f *filler) things() []*extract.Item {
	if f.document.Structured == nil {
		return nil
	}
	var out []*extract.Item
	for _, list := range [][]*extract.Item{f.document.Structured.JSONLD, f.document.Structured.Microdata, f.document.Structured.RDFa} {
		for _, item := range list {
			out = append(out, item)
			for _, name := range []string{"mainEntity", "mainEntityOfPage", "about"} {
				for _, value := range item.Properties[name] {
					if inner, ok := value.(*extract.Item); ok && isStructural(item) {
						out = append(out, inner)
					}
				}
			}
		}
	}
	return out
}

func isStructural(item *extract.Item) bool {
	return len(item.Types) == 0 || slices.ContainsFunc(item.Types, func(kind string) bool { return structural[kind] })
}

// subject is the page's subject, as far as the schema asks for it: the item that has most of its properties. Among
// several of one type it is the one with the page's title; if none has it, the page is a list and has no subject. Other
// descriptions of the same thing come second.
func (f *filler) subject(root *jsonschema.Node) (*extract.Item, []*extract.Item) {
	var wants []*want
	for _, p := range root.Properties {
		wants = append(wants, newWant(p.Name, p.Node, nil))
	}
	things := f.things()
	var best *extract.Item
	bestScore := 0.0
	for _, item := range things {
		if score := f.score(item, wants); score > bestScore && (f.alone(item, things) || f.isTitle(item)) {
			best, bestScore = item, score
		}
	}
	if best == nil {
		return nil, nil
	}
	var second []*extract.Item
	for _, item := range things {
		if item != best && sameType(item, best) && (nameOf(item) == nameOf(best) || nameOf(item) == "") && len(second) < 4 {
			second = append(second, item)
		}
	}
	return best, second
}

func (f *filler) score(item *extract.Item, wants []*want) float64 {
	if isStructural(item) && !slices.Contains(item.Types, "ItemList") {
		return 0
	}
	score := 0.0
	for _, w := range wants {
		finds := itemFinds(item, w)
		if len(finds) == 0 {
			continue
		}
		score++
		if w.means("name", "url", "image", "description") {
			score -= 0.6 // everything has these
		}
	}
	if isOrganization(item) || slices.Contains(item.Types, "Person") || slices.Contains(item.Types, "ItemList") {
		score *= 0.6
	}
	return score
}

// alone reports whether no other item of that type has another name.
func (f *filler) alone(item *extract.Item, things []*extract.Item) bool {
	for _, other := range things {
		if other != item && sameType(other, item) && nameOf(other) != nameOf(item) && nameOf(other) != "" {
			return false
		}
	}
	return true
}

func sameType(a, b *extract.Item) bool {
	return slices.ContainsFunc(a.Types, func(kind string) bool { return slices.Contains(b.Types, kind) })
}

func nameOf(item *extract.Item) string {
	for _, name := range []string{"name", "headline", "title"} {
		for _, value := range item.Properties[name] {
			if s, ok := value.(string); ok && s != "" {
				return squash(s)
			}
		}
	}
	return ""
}

// isTitle reports whether an item has the page's title.
func (f *filler) isTitle(item *extract.Item) bool {
	name := nameOf(item)
	if name == "" {
		return false
	}
	if title := squash(f.document.Metadata.Title); strings.HasPrefix(title, name) {
		return true
	}
	for _, h := range f.facts.headings {
		if value, ok := text(h, 300); ok && headingLevel(h) == 1 && squash(value) == name {
			return true
		}
	}
	return false
}

// kindred is the only item whose type has the name of a property: the Product of "product".
func (f *filler) kindred(w *want) *extract.Item {
	var found *extract.Item
	for _, item := range f.things() {
		same := slices.ContainsFunc(item.Types, func(kind string) bool {
			return slices.ContainsFunc(w.names, func(name []string) bool { return key(words(kind)) == key(name) })
		})
		if !same && !(w.means("organization", "publisher") && isOrganization(item)) {
			continue
		}
		if found != nil && nameOf(found) != nameOf(item) {
			return nil
		}
		if found == nil {
			found = item
		}
	}
	return found
}
