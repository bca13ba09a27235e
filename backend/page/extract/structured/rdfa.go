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

// openGraph are the prefixes of Open Graph and similar vocabularies in meta elements: their values are metadata.
var openGraph = map[string]bool{
	"og": true, "article": true, "book": true, "profile": true, "video": true, "music": true, "product": true, "fb": true,
	"twitter": true, "al": true,
}

// rdfaReader reads RDFa Lite 1.1: vocab, typeof, property, resource and prefix. It ignores properties of the page itself,
// outside of any item with a type or a name.
type rdfaReader struct {
	references *links.References
	left       *allowance
	out        []*Item
}

// rdfaScope applies to an element and what it contains.
type rdfaScope struct {
	subject  *Item
	depth    int             // of items
	schema   bool            // the vocabulary is schema.org's
	prefixes map[string]bool // those that mean schema.org; shared until an element declares more
}

// rdfa returns the items that are no property of another, in the order of the page.
func rdfa(root *html.Node, references *links.References, left *allowance) []*Item {
	r := &rdfaReader{references: references, left: left}
	r.walk(root, rdfaScope{prefixes: map[string]bool{"schema": true}})
	return slices.DeleteFunc(r.out, func(i *Item) bool { return len(i.Types) == 0 && len(i.Properties) == 0 })
}

// walk recurses: the tree's depth is bounded by the parser.
func (r *rdfaReader) walk(n *html.Node, scope rdfaScope) {
	if !r.left.step() || r.left.values <= 0 {
		return
	}
	if n.Type == html.ElementNode && len(n.Attr) > 0 {
		scope = r.element(n, scope)
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			r.walk(child, scope)
		}
	}
}

// element reads one element and returns the scope of its children.
func (r *rdfaReader) element(n *html.Node, scope rdfaScope) rdfaScope {
	var types, property, resource string
	isThing, isNamed := false, false
	for _, a := range n.Attr {
		switch a.Key {
		case "vocab":
			scope.schema = isSchema(a.Val)
		case "prefix":
			scope.prefixes = declare(scope.prefixes, a.Val)
		case "typeof":
			types, isThing = a.Val, true
		case "property":
			property = strings.TrimSpace(a.Val)
		case "resource", "about":
			resource, isNamed = strings.TrimSpace(a.Val), true
		}
	}
	if n.DataAtom == atom.Meta && IsOpenGraph(property) {
		return scope
	}
	switch {
	case isThing || isNamed && property == "":
		item := r.item(n, types, resource, scope)
		if item == nil {
			return scope
		}
		if property != "" && scope.subject != nil {
			r.addTo(scope.subject, property, item, scope)
			scope.depth++
		} else {
			r.out = append(r.out, item)
			scope.depth = 0
		}
		scope.subject = item
	case property != "" && scope.subject != nil:
		value := r.value(n, resource)
		if r.left.value(len(value)) {
			r.addTo(scope.subject, property, value, scope)
		}
	}
	return scope
}

// item returns nil beyond the bounds.
func (r *rdfaReader) item(n *html.Node, types, resource string, scope rdfaScope) *Item {
	if scope.depth > depthMaxOfItems {
		return nil
	}
	item := &Item{Types: []string{}, Properties: map[string][]any{}}
	for token := range strings.FieldsSeq(types) {
		if len(item.Types) < typesMax {
			item.Types = append(item.Types, scope.name(token))
		}
	}
	if resource == "" && n.DataAtom != atom.Html && n.DataAtom != atom.Body {
		resource = firstAttr(n, "href", "src")
	}
	if resource != "" {
		item.ID = clip.Bytes(r.references.Absolute(resource), links.ReferenceBytesMax)
	}
	if !r.left.value(len(item.ID)) {
		return nil
	}
	return item
}

func (r *rdfaReader) addTo(subject *Item, property string, value any, scope rdfaScope) {
	count := 0
	for token := range strings.FieldsSeq(property) {
		if count++; count > typesMax {
			return
		}
		subject.add(scope.name(token), value)
	}
}

// value is the value of a property. In this order: its machine-readable value, the item that it names, its reference, its
// text (RDFa Core 1.1, 7.5, step 11; HTML+RDFa 1.1, 3.1).
func (r *rdfaReader) value(n *html.Node, resource string) string {
	switch {
	case dom.HasAttr(n, "content"):
		return clip.Bytes(dom.Fold(dom.Attr(n, "content")), valueBytesMax)
	case dom.HasAttr(n, "datetime"):
		return clip.Bytes(dom.Fold(dom.Attr(n, "datetime")), valueBytesMax)
	case resource != "":
		return r.references.Absolute(clip.Bytes(resource, links.ReferenceBytesMax))
	}
	if reference := firstAttr(n, "href", "src"); reference != "" {
		return r.references.Absolute(clip.Bytes(strings.TrimSpace(reference), links.ReferenceBytesMax))
	}
	return valueOf(n, r.references, r.left)
}

// IsOpenGraph reports whether a property of a meta element is of Open Graph or a similar vocabulary.
func IsOpenGraph(property string) bool {
	prefix, _, ok := strings.Cut(property, ":")
	return ok && openGraph[strings.ToLower(prefix)]
}

// declare adds the prefixes of a prefix attribute that mean schema.org: "name: IRI name: IRI".
func declare(known map[string]bool, attribute string) map[string]bool {
	fields := strings.Fields(clip.Bytes(attribute, valueBytesMax))
	var more map[string]bool
	for i := 0; i+1 < len(fields) && i < 2*prefixesMax; i += 2 {
		name := strings.TrimSuffix(fields[i], ":")
		if !isSchema(fields[i+1]) || known[name] {
			continue
		}
		if more == nil {
			more = make(map[string]bool, len(known)+1)
			for prefix := range known {
				more[prefix] = true
			}
		}
		if len(more) < prefixesMax {
			more[name] = true
		}
	}
	if more == nil {
		return known
	}
	return more
}

// name is a term, a prefixed name or an IRI, without a prefix that means schema.org.
func (s rdfaScope) name(token string) string {
	if short, ok := WithoutSchema(token); ok {
		return clip.Bytes(short, nameBytesMax)
	}
	if prefix, rest, ok := strings.Cut(token, ":"); ok && s.prefixes[prefix] && rest != "" {
		return clip.Bytes(rest, nameBytesMax)
	}
	return clip.Bytes(token, nameBytesMax)
}

func firstAttr(n *html.Node, names ...string) string {
	for _, name := range names {
		if value := dom.Attr(n, name); value != "" {
			return value
		}
	}
	return ""
}
