package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract/selector"
)

// fieldMembers are all members of a field. The sources come first.
var fieldMembers = []string{
	"css", "xpath", "json_ld", "microdata", "rdfa", "structured", "meta", "table", "label", "page", "path", "column", "const", "any",
	"attr", "take", "all", "fields", "transforms", "default", "required",
}

const sourcesCount = 14

// field compiles one field. Faults are recorded; the result is then unusable, but never nil.
func (c *Compiler) field(value any, loc []any, scope scopeKind, form *shape, depth int) *field {
	f := &field{}
	if c.fields++; c.fields > FieldsMax {
		if c.fields == FieldsMax+1 {
			c.Invalidf(loc, "is one field too many: a definition may have at most %d", FieldsMax)
		}
		return f
	}
	m, ok := value.(map[string]any)
	if !ok {
		c.Invalidf(loc, "must be an object that defines a field")
		return f
	}
	c.Unknown(m, loc, fieldMembers...)
	f.all, f.required = c.flag(m, loc, "all"), c.flag(m, loc, "required")
	if value, there := m["default"]; there {
		f.fallback = &value
	}
	f.transforms = c.transforms(m, loc)
	inner := scope
	var named []string
	for _, name := range fieldMembers[:sourcesCount] {
		if _, there := m[name]; there {
			named = append(named, name)
		}
	}
	switch len(named) {
	case 0:
		c.sourceless(f, m, loc, scope)
	case 1:
		inner = c.sourced(f, m, loc, scope, form, named[0], depth)
	default:
		c.Invalidf(loc, "has several sources (%s): give only one, or a list of alternatives in any", strings.Join(named, ", "))
	}
	c.taking(f, m, loc, inner)
	if given, there := m["fields"]; there {
		f.object = true
		if f.constant != nil || f.anyOf != nil {
			c.Invalidf(In(loc, "fields"), "cannot be combined with const or any: put fields into the alternatives")
		} else {
			if f.all {
				form = form.item()
			}
			f.fields = c.fieldsOf(given, In(loc, "fields"), inner, form, depth+1)
		}
	}
	return f
}

// sourceless compiles a field without a source: an object of fields in the same scope, or the element itself.
func (c *Compiler) sourceless(f *field, m map[string]any, loc []any, scope scopeKind) {
	_, grouped := m["fields"]
	switch {
	case grouped && f.all:
		c.Invalidf(In(loc, "all"), "needs a source: without one there is only one object")
	case grouped:
	case scope == scopeElement:
		f.source = selfSource{}
	default:
		c.Faultf(loc, problem.FaultMissing, "needs a source: one of %s; or fields", strings.Join(fieldMembers[:sourcesCount], ", "))
	}
}

// sourced compiles the one source, and returns the scope of fields within it.
func (c *Compiler) sourced(f *field, m map[string]any, loc []any, scope scopeKind, form *shape, name string, depth int) scopeKind {
	at := In(loc, name)
	switch name {
	case "const":
		value := m[name]
		f.constant = &value
		return scopePage
	case "any":
		c.alternatives(f, m[name], at, scope, form, depth)
		return scopePage
	case "table":
		c.needs.structured = true
		f.source = c.table(m[name], at)
		return scopeRow
	case "json_ld", "microdata", "rdfa", "structured":
		c.needs.structured = true
		f.source = c.items(m[name], at, name)
		return scopeItem
	}
	text, ok := c.Text(m, loc, name, expressionBytesMax)
	if !ok {
		if m[name] == nil {
			c.Invalidf(at, "must be a string")
		}
		return scope
	}
	if strings.TrimSpace(text) == "" {
		c.Invalidf(at, "is empty")
		return scope
	}
	return c.textSource(f, text, at, scope, name)
}

// textSource compiles a source that is given as one string.
func (c *Compiler) textSource(f *field, text string, at []any, scope scopeKind, name string) scopeKind {
	switch name {
	case "css":
		c.inTree(at, scope)
		s, err := selector.Compile(text)
		if err != nil {
			c.Invalidf(at, "%v", err)
		}
		f.source = cssSource{s}
		return scopeElement
	case "xpath":
		c.inTree(at, scope)
		expr, err := newPooledXPath(text)
		if err != nil {
			c.Invalidf(at, "%v", err)
		}
		f.source = xpathSource{expr}
		return scopeElement
	case "meta":
		c.needs.tree = true
		f.source = metaSource(strings.ToLower(strings.TrimSpace(text)))
	case "label":
		c.inTree(at, scope)
		f.source = labelSource(foldLabel(text))
	case "page":
		if !slices.Contains(pageValues, text) {
			c.Invalidf(at, "must be one of %s", strings.Join(pageValues, ", "))
		}
		f.source = pageSource(text)
	case "path":
		if scope != scopeItem {
			c.Invalidf(at, "reads an item of structured data: it is allowed only within the fields of json_ld, microdata, rdfa or structured")
		}
		steps, err := compilePath(text)
		if err != nil {
			c.Invalidf(at, "%v", err)
		}
		f.source = pathSource(steps)
		return scopeItem
	case "column":
		if scope != scopeRow {
			c.Invalidf(at, "reads a row of a table: it is allowed only within the fields of table")
		}
		f.source = columnSource(text)
	}
	return scopePage
}

// inTree checks the scope of css, xpath and label, which search elements; items and rows have none.
func (c *Compiler) inTree(at []any, scope scopeKind) {
	c.needs.tree = true
	if scope == scopeItem || scope == scopeRow {
		c.Invalidf(at, "reads elements: it is not allowed within the fields of structured data or a table")
	}
}

func (c *Compiler) alternatives(f *field, value any, at []any, scope scopeKind, form *shape, depth int) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 || len(list) > alternativesMax {
		c.Invalidf(at, "must be a list of 1 to %d fields", alternativesMax)
		return
	}
	if depth >= DepthMax {
		c.Invalidf(at, "nests deeper than %d levels", DepthMax)
		return
	}
	if f.all {
		form = form.item()
	}
	for i, one := range list {
		alternative := c.field(one, In(at, i), scope, form, depth+1)
		if f.all {
			alternative.all = true
		}
		f.anyOf = append(f.anyOf, alternative)
	}
}

// taking compiles attr and take, which select a part of an element.
func (c *Compiler) taking(f *field, m map[string]any, loc []any, inner scopeKind) {
	attr, hasAttr := c.Text(m, loc, "attr", nameBytesMax)
	take, hasTake := c.Text(m, loc, "take", nameBytesMax)
	_, grouped := m["fields"]
	switch {
	case !hasAttr && !hasTake:
		return
	case hasAttr && hasTake:
		c.Invalidf(In(loc, "take"), "cannot be combined with attr: use only one of them")
	case grouped:
		c.Invalidf(loc, "has fields: put attr and take into those")
	case inner != scopeElement || f.anyOf != nil || f.constant != nil:
		c.Invalidf(loc, "has attr or take, which apply to elements: use them only with css or xpath, or within the fields of such a field")
	case hasAttr && strings.TrimSpace(attr) == "":
		c.Invalidf(In(loc, "attr"), "is empty")
	case hasTake && !slices.Contains(takes, take):
		c.Invalidf(In(loc, "take"), "must be one of %s", strings.Join(takes, ", "))
	}
	f.source = taken{source: f.source, attr: strings.ToLower(strings.TrimSpace(attr)), take: take}
}

func (c *Compiler) items(value any, at []any, name string) source {
	s := itemSource{kind: name}
	switch v := value.(type) {
	case string:
		s.typ = v
	case map[string]any:
		c.Unknown(v, at, "type", "path")
		s.typ, _ = c.Text(v, at, "type", nameBytesMax)
		if path, there := c.Text(v, at, "path", expressionBytesMax); there {
			steps, err := compilePath(path)
			if err != nil {
				c.Invalidf(In(at, "path"), "%v", err)
			}
			s.path = steps
		}
		if s.typ == "" && s.path == nil {
			c.Invalidf(at, "must have a type, a path or both")
		}
	default:
		c.Invalidf(at, "must be an object with type and path, or a type")
	}
	s.typ = strings.ToLower(bareType(s.typ))
	return s
}

// bareType removes the vocabulary's prefix from a type.
func bareType(name string) string {
	return name[strings.LastIndexAny(name, "/#")+1:]
}

func (c *Compiler) table(value any, at []any) source {
	m, ok := value.(map[string]any)
	if !ok {
		c.Invalidf(at, "must be an object with caption, header or index, or an empty one for the first table")
		return tableSource{}
	}
	c.Unknown(m, at, "caption", "header", "index")
	caption, _ := c.Text(m, at, "caption", expressionBytesMax)
	s := tableSource{caption: strings.ToLower(fold(caption)), index: c.number(m, at, "index", 0, 10_000)}
	if given, there := m["header"]; there {
		list, ok := given.([]any)
		if !ok || len(list) > 50 {
			c.Invalidf(In(at, "header"), "must be a list of strings, up to 50")
		}
		for i, one := range list {
			text, ok := one.(string)
			if !ok {
				c.Invalidf(In(at, "header", i), "must be a string")
			}
			s.header = append(s.header, strings.ToLower(fold(text)))
		}
	}
	return s
}

// compilePath parses a path such as offers[0].price.
func compilePath(text string) ([]pathStep, error) {
	var steps []pathStep
	for name := range strings.SplitSeq(text, ".") {
		step := pathStep{index: -1}
		if open := strings.IndexByte(name, '['); open >= 0 {
			if _, err := fmt.Sscanf(name[open:], "[%d]", &step.index); err != nil || step.index < 0 || name[open:] != fmt.Sprintf("[%d]", step.index) {
				return nil, fmt.Errorf("has %q where an index such as [0] is expected", name[open:])
			}
			name = name[:open]
		}
		if step.name = bareType(strings.TrimSpace(name)); step.name == "" {
			return nil, fmt.Errorf("%q has an empty part: want properties separated by dots, such as offers.price", text)
		}
		steps = append(steps, step)
	}
	if len(steps) > DepthMax {
		return nil, fmt.Errorf("has more than %d parts", DepthMax)
	}
	return steps, nil
}
