package structured

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// jsonLDBytesMax is the greatest length of a page's JSON-LD scripts together; longer ones do not describe a page.
	jsonLDBytesMax = 2 << 20
	// prefixesMax is how many prefixes a context may declare.
	prefixesMax = 100
)

// Scripts reads the JSON-LD scripts of a page.
type Scripts struct {
	// Values are those of the scripts, of the types that ReadJSON returns.
	Values []any
	bytes  int
	read   int // values
}

// Add reads an element, if it is a script of JSON-LD.
func (s *Scripts) Add(n *html.Node) {
	mediaType, _, _ := strings.Cut(dom.Attr(n, "type"), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), "application/ld+json") || n.FirstChild == nil {
		return
	}
	text := n.FirstChild.Data
	if s.bytes += len(text); s.bytes > jsonLDBytesMax {
		return
	}
	left := jsonValuesMax - s.read
	s.Values = append(s.Values, ReadJSON(text, &left)...)
	s.read = jsonValuesMax - left
}

// linkedData turns JSON-LD into items. It supports the part of JSON-LD 1.1 that pages use: contexts are read for prefixes
// and aliases, never fetched.
type linkedData struct {
	references *links.References
	left       *allowance
	prefixes   map[string]bool     // those that mean schema.org
	keywords   map[string]string   // by alias
	aliases    map[string][]string // by keyword
	byID       map[string]map[string]any
}

// jsonLDItems are the items at the top of the scripts, or in their graphs.
func jsonLDItems(values []any, references *links.References) []*Item {
	d := &linkedData{
		references: references, left: newAllowance(jsonValuesMax), prefixes: map[string]bool{"schema": true},
		keywords: map[string]string{}, aliases: map[string][]string{}, byID: map[string]map[string]any{},
	}
	// The context of schema.org declares these two.
	d.alias("id", "@id")
	d.alias("type", "@type")
	for _, value := range values {
		d.index(value)
	}
	var out []*Item
	for _, value := range values {
		out = d.top(out, value)
	}
	return out
}

// index finds the targets of @id references, and the declarations of contexts. It recurses: the JSON's depth is bounded.
func (d *linkedData) index(value any) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			d.index(element)
		}
	case map[string]any:
		d.context(v["@context"])
		if id := d.id(v); id != "" {
			if known, ok := d.byID[id]; !ok || len(known) < len(v) {
				d.byID[id] = v
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name != "@context" {
				d.index(v[name])
			}
		}
	}
}

func (d *linkedData) context(value any) {
	switch v := value.(type) {
	case []any:
		for _, element := range v[:min(len(v), prefixesMax)] {
			if context, ok := element.(map[string]any); ok {
				d.context(context)
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			iri, _ := v[name].(string)
			switch {
			case len(d.prefixes)+len(d.keywords) > prefixesMax:
				return
			case strings.HasPrefix(name, "@"):
			case isSchema(iri):
				d.prefixes[name] = true
			case iri == "@id" || iri == "@type" || iri == "@graph" || iri == "@value":
				d.alias(name, iri)
			}
		}
	}
}

func (d *linkedData) alias(name, keyword string) {
	if _, ok := d.keywords[name]; !ok {
		d.keywords[name] = keyword
		d.aliases[keyword] = append(d.aliases[keyword], name)
	}
}

// keyword returns the value of a keyword or one of its aliases.
func (d *linkedData) keyword(v map[string]any, keyword string) any {
	if value, ok := v[keyword]; ok {
		return value
	}
	for _, alias := range d.aliases[keyword] {
		if value, ok := v[alias]; ok {
			return value
		}
	}
	return nil
}

// id is an item's identifier, absolute; "" if it has none.
func (d *linkedData) id(v map[string]any) string {
	id, ok := d.keyword(v, "@id").(string)
	if id = strings.TrimSpace(id); !ok || id == "" || strings.HasPrefix(id, "_:") {
		return clip.Bytes(id, nameBytesMax)
	}
	return clip.Bytes(d.references.Absolute(id), links.ReferenceBytesMax)
}

func (d *linkedData) top(out []*Item, value any) []*Item {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			out = d.top(out, element)
		}
	case map[string]any:
		item := d.item(v, 0, false)
		if item != nil && (len(item.Types) > 0 || len(item.Properties) > 0) {
			out = append(out, item)
		}
		if graph := d.keyword(v, "@graph"); graph != nil {
			out = d.top(out, graph)
		}
	}
	return out
}

// item makes an item of an object. References by @id within it are replaced by their targets, but not within those again:
// this prevents cycles, and keeps a page of items that all refer to each other small.
func (d *linkedData) item(v map[string]any, depth int, joined bool) *Item {
	if depth > depthMaxOfItems {
		return nil
	}
	item := &Item{Types: d.types(v), ID: d.id(v), Properties: map[string][]any{}}
	if !d.left.value(len(item.ID)) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if strings.HasPrefix(name, "@") || d.isAlias(name, v) {
			continue
		}
		if values := d.values(v[name], depth, joined); len(values) > 0 {
			short := clip.Bytes(d.name(name), nameBytesMax)
			item.Properties[short] = append(item.Properties[short], values...)
		}
	}
	return item
}

// isAlias reports whether name stands for a keyword that is not itself present.
func (d *linkedData) isAlias(name string, v map[string]any) bool {
	keyword, ok := d.keywords[name]
	if !ok {
		return false
	}
	_, said := v[keyword]
	return !said
}

func (d *linkedData) types(v map[string]any) []string {
	types := []string{}
	switch t := d.keyword(v, "@type").(type) {
	case string:
		types = append(types, d.name(t))
	case []any:
		for _, element := range t {
			if name, ok := element.(string); ok && len(types) < typesMax {
				types = append(types, d.name(name))
			}
		}
	}
	return slices.DeleteFunc(types, func(t string) bool { return t == "" })
}

// name is a type or property without the prefix of schema.org.
func (d *linkedData) name(name string) string {
	name = strings.TrimSpace(name)
	if short, ok := WithoutSchema(name); ok {
		return short
	}
	if prefix, rest, ok := strings.Cut(name, ":"); ok && d.prefixes[prefix] && rest != "" && !strings.HasPrefix(rest, "//") {
		return rest
	}
	return clip.Bytes(name, nameBytesMax)
}

// values are those of a property. It recurses: the JSON's depth is bounded, and references are resolved only once.
func (d *linkedData) values(value any, depth int, joined bool) []any {
	if !d.left.step() {
		return nil
	}
	switch v := value.(type) {
	case []any:
		var out []any
		for _, element := range v {
			out = append(out, d.values(element, depth, joined)...)
		}
		return out
	case map[string]any:
		return d.objectValues(v, depth, joined)
	case string:
		if v = strings.TrimSpace(clip.Bytes(v, valueBytesMax)); strings.Contains(v, "&") {
			v = html.UnescapeString(v) // many write HTML entities where nothing decodes them
		}
		if v != "" && d.left.value(len(v)) {
			return []any{v}
		}
	case bool:
		if d.left.value(1) {
			return []any{v}
		}
	case json.Number:
		if d.left.value(len(v)) {
			return []any{v}
		}
	}
	return nil
}

func (d *linkedData) objectValues(v map[string]any, depth int, joined bool) []any {
	if literal := d.keyword(v, "@value"); literal != nil {
		switch literal.(type) {
		case []any, map[string]any:
			return nil
		}
		return d.values(literal, depth, joined)
	}
	for _, container := range []string{"@list", "@set"} {
		if elements, ok := v[container].([]any); ok {
			return d.values(elements, depth, joined)
		}
	}
	if id := d.id(v); id != "" && isReference(v) {
		if target, ok := d.byID[id]; ok && !joined && !isReference(target) {
			v, joined = target, true
		}
	}
	if item := d.item(v, depth+1, joined); item != nil && (item.ID != "" || len(item.Types) > 0 || len(item.Properties) > 0) {
		return []any{item}
	}
	return nil
}

// isReference reports whether an object only names another: many add its type.
func isReference(v map[string]any) bool {
	for name := range v {
		switch name {
		case "@id", "id", "@type", "type", "@context":
		default:
			return false
		}
	}
	return true
}
