package jsonschema

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/pattern"
)

// Node is a subschema, reduced to what code that extracts values needs.
type Node struct {
	// Types are the types that the schema names; none: any.
	Types []string
	// Title, Description and Format are as written.
	Title, Description, Format string
	// Enum are the allowed values, including a const; nil: any.
	Enum []any
	// Const reports that Enum is the single value of a const.
	Const bool
	// Default is the value to use if none is found; HasDefault distinguishes null from no default.
	Default    any
	HasDefault bool
	// Properties are in the order of the schema.
	Properties []Property
	// Required are the properties that must be present.
	Required []string
	// Closed reports that no other properties are allowed.
	Closed bool
	// Items is the schema of list items; nil: any.
	Items *Node

	ref                 *Node
	allOf, anyOf, oneOf []*Node

	// For the work limit: schemas that apply to the same value, to one member each, and to every member or item.
	same, named, every []*Node
}

// Property is a property and its schema.
type Property struct {
	Name string
	Node *Node
}

// Is reports whether the schema allows values of a type, also if it names no type.
func (n *Node) Is(kind string) bool {
	return len(n.Types) == 0 || slices.Contains(n.Types, kind) || kind == "integer" && slices.Contains(n.Types, "number")
}

// Names reports whether the schema names a type.
func (n *Node) Names(kind string) bool { return slices.Contains(n.Types, kind) }

// View returns n merged with what it refers to: its $ref, its allOf, and the first branch of anyOf or oneOf that is not
// just null. Compile has checked that this ends.
func (n *Node) View() *Node { return n.view(func(v *Node, branches []*Node) { v.take(branches) }) }

// Union is View, but merges all branches of anyOf and oneOf: their types together, including null, and the properties of each.
func (n *Node) Union() *Node { return n.view(func(v *Node, branches []*Node) { v.unite(branches) }) }

// view merges the schemas of the same value, with branches merged by branch.
func (n *Node) view(branch func(v *Node, branches []*Node)) *Node {
	if n.ref == nil && len(n.allOf)+len(n.anyOf)+len(n.oneOf) == 0 {
		return n
	}
	view := *n
	view.ref, view.allOf, view.anyOf, view.oneOf = nil, nil, nil, nil
	if n.ref != nil {
		view.both(n.ref.view(branch))
	}
	for _, part := range n.allOf {
		view.both(part.view(branch))
	}
	branch(&view, n.anyOf)
	branch(&view, n.oneOf)
	return &view
}

// take merges the first branch that is not just null.
func (n *Node) take(branches []*Node) {
	for _, branch := range branches {
		if b := branch.View(); !slices.Equal(b.Types, []string{"null"}) {
			n.merge(b)
			return
		}
	}
}

// unite merges all branches.
func (n *Node) unite(branches []*Node) {
	var types []string
	typed, closed, objects := true, true, false
	for _, branch := range branches {
		b := *branch.Union()
		typed = typed && len(b.Types) > 0
		types = append(types, b.Types...)
		if b.Is("object") {
			objects, closed = true, closed && b.Closed
		}
		b.Types = nil
		n.merge(&b)
	}
	if len(n.Types) == 0 && typed {
		n.Types = types
	}
	n.Closed = n.Closed || objects && closed
}

// both is merge for a schema that applies as well, as with allOf.
func (n *Node) both(other *Node) {
	n.merge(other)
	n.Required = append(slices.Clip(n.Required), other.Required...)
	n.Closed = n.Closed || other.Closed
}

// merge takes from other what n does not define itself.
func (n *Node) merge(other *Node) {
	if len(n.Types) == 0 {
		n.Types = other.Types
	}
	if n.Title == "" {
		n.Title = other.Title
	}
	if n.Description == "" {
		n.Description = other.Description
	}
	if n.Format == "" {
		n.Format = other.Format
	}
	if n.Enum == nil {
		n.Enum, n.Const = other.Enum, other.Const
	}
	if !n.HasDefault {
		n.Default, n.HasDefault = other.Default, other.HasDefault
	}
	if n.Items == nil {
		n.Items = other.Items
	}
	n.Properties = slices.Clip(n.Properties)
	for _, p := range other.Properties {
		if !slices.ContainsFunc(n.Properties, func(own Property) bool { return own.Name == p.Name }) {
			n.Properties = append(n.Properties, p)
		}
	}
}

// Where a schema contains schemas, by keyword (JSON Schema 2020-12, core 10; also the names of older drafts).
var (
	oneSchema = []string{
		"additionalProperties", "additionalItems", "items", "contains", "propertyNames", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema",
	}
	listOfSchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapOfSchemas  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	// Keywords that refer outside the document, or whose meaning depends on the path of references.
	refused = []string{"$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor", "$anchor", "$vocabulary", "$id"}
)

// reader builds nodes from a schema's text.
type reader struct {
	faults     faults
	nodes      map[string]*Node // by pointer
	refs       map[*Node]string
	properties int
	patterns   int // the total size
	enums      int // the total number of values
}

// schema recurses; its depth is bounded.
func (r *reader) schema(value any, pointer string, depth int) *Node {
	n := &Node{}
	r.nodes[pointer] = n
	o, ok := value.(*object)
	if !ok {
		if _, isBool := value.(bool); !isBool {
			r.faults.addf(pointer, "must be a schema: a JSON object, true or false")
		}
		return n
	}
	if depth > DepthMax {
		r.faults.addf(pointer, "nests deeper than %d schemas", DepthMax)
		return n
	}
	r.keywords(n, o, pointer)
	for _, name := range o.names {
		r.within(n, name, o.values[name], pointer+"/"+escapePointer(name), depth)
	}
	return n
}

// keywords reads the keywords of n itself.
func (r *reader) keywords(n *Node, o *object, pointer string) {
	for _, name := range refused {
		if _, ok := o.values[name]; ok {
			r.faults.addf(pointer+"/"+name, "is not supported: refer to schemas of this document by $ref with a JSON pointer, as in #/$defs/name")
		}
	}
	text := func(name string) string {
		s, _ := o.values[name].(string)
		return s
	}
	n.Title, n.Description, n.Format = text("title"), text("description"), text("format")
	switch t := o.values["type"].(type) {
	case string:
		n.Types = []string{t}
	case []any:
		for _, item := range t {
			if s, ok := item.(string); ok {
				n.Types = append(n.Types, s)
			}
		}
	}
	if names, ok := o.values["required"].([]any); ok {
		for _, item := range names {
			if s, ok := item.(string); ok {
				n.Required = append(n.Required, s)
			}
		}
	}
	_, patterns := o.values["patternProperties"]
	n.Closed = o.values["additionalProperties"] == false && !patterns
	if values, ok := o.values["enum"].([]any); ok {
		n.Enum, _ = plain(values).([]any)
		r.enums += len(n.Enum)
	}
	if value, ok := o.values["const"]; ok {
		n.Enum, n.Const = []any{plain(value)}, true
	}
	if value, ok := o.values["default"]; ok {
		n.Default, n.HasDefault = plain(value), true
	}
	if text, ok := o.values["pattern"].(string); ok {
		r.pattern(text, pointer+"/pattern")
	}
	if ref, ok := o.values["$ref"]; ok {
		s, isText := ref.(string)
		if !isText || !strings.HasPrefix(s, "#") {
			r.faults.addf(pointer+"/$ref", "must refer to a schema in this document, as in #/$defs/name: other documents are not fetched")
			return
		}
		r.refs[n] = s
	}
}

func (r *reader) pattern(text, pointer string) {
	size, err := pattern.Size(text)
	if err == nil {
		if r.patterns += size; r.patterns > pattern.TotalMax {
			err = errors.New("makes the patterns of this schema too large in total")
		}
	}
	if err != nil {
		r.faults.addf(pointer, "%v", err)
	}
}

// within reads the schemas below one keyword.
func (r *reader) within(n *Node, keyword string, value any, pointer string, depth int) {
	if o, ok := value.(*object); ok && slices.Contains(mapOfSchemas, keyword) {
		for _, name := range o.names {
			if _, isList := o.values[name].([]any); isList && keyword == "dependencies" {
				continue // a list of property names
			}
			if keyword == "patternProperties" {
				r.pattern(name, pointer+"/"+escapePointer(name))
			}
			n.place(keyword, name, r.schema(o.values[name], pointer+"/"+escapePointer(name), depth+1))
		}
		if keyword == "properties" || keyword == "patternProperties" {
			if r.properties += len(o.names); r.properties > PropertiesMax {
				r.faults.addf(pointer, "has too many properties: a schema has at most %d", PropertiesMax)
			}
		}
		return
	}
	if list, ok := value.([]any); ok && slices.Contains(listOfSchemas, keyword) {
		for i, item := range list {
			n.place(keyword, "", r.schema(item, pointer+"/"+strconv.Itoa(i), depth+1))
		}
		return
	}
	if slices.Contains(oneSchema, keyword) {
		n.place(keyword, "", r.schema(value, pointer, depth+1))
	}
}

// place records to which values a subschema applies.
func (n *Node) place(keyword, name string, child *Node) {
	switch keyword {
	case "properties":
		n.Properties = append(n.Properties, Property{Name: name, Node: child})
		n.named = append(n.named, child)
	case "allOf":
		n.allOf = append(n.allOf, child)
		n.same = append(n.same, child)
	case "anyOf":
		n.anyOf = append(n.anyOf, child)
		n.same = append(n.same, child)
	case "oneOf":
		n.oneOf = append(n.oneOf, child)
		n.same = append(n.same, child)
	case "not", "if", "then", "else", "dependentSchemas", "dependencies":
		n.same = append(n.same, child)
	case "$defs", "definitions", "contentSchema":
	case "items":
		if n.Items == nil {
			n.Items = child
		}
		n.every = append(n.every, child)
	default:
		n.every = append(n.every, child)
	}
}

// resolve sets the target of each reference.
func (r *reader) resolve() {
	for pointer, n := range r.nodes {
		ref, ok := r.refs[n]
		if !ok {
			continue
		}
		target, err := r.target(ref)
		if err != nil {
			r.faults.addf(pointer+"/$ref", "%v", err)
			continue
		}
		n.ref = target
		n.same = append(n.same, target)
	}
	slices.SortFunc(r.faults, func(a, b Fault) int { return strings.Compare(a.Pointer, b.Pointer) })
}

func (r *reader) target(ref string) (*Node, error) {
	fragment, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil {
		return nil, fmt.Errorf("%.100q is not a JSON pointer: %w", ref, err)
	}
	if target := r.nodes[fragment]; target != nil {
		return target, nil
	}
	return nil, fmt.Errorf("%.100q does not refer to a schema in this document", ref)
}
