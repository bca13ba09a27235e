package openapi

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/clip"
)

const (
	schemaDepthMax      = 16
	schemaNodesMax      = 1000
	schemaBytesMax      = 32 << 10
	valueDepthMax       = 8
	listMax             = 200
	descriptionRunesMax = 300
	patternBytesMax     = 200
	exampleBytesMax     = 4 << 10
)

// writer writes one schema. When it has used its budget, it writes the schema that accepts anything for the rest.
type writer struct {
	document *Document
	nodes    int
	bytes    int
	open     []string // the references that are being resolved
}

func (d *Document) newWriter() *writer {
	return &writer{document: d, nodes: schemaNodesMax, bytes: schemaBytesMax}
}

// anything is the schema that accepts any value.
func anything() map[string]any { return map[string]any{} }

// schema returns v, and everything that it refers to, in keywords of JSON Schema.
func (w *writer) schema(v any, depth int) any {
	w.nodes--
	if w.nodes < 0 || w.bytes < 0 || depth > schemaDepthMax {
		return anything()
	}
	switch v := v.(type) {
	case bool:
		if depth > 0 {
			return v
		}
	case map[string]any:
		if ref, isRef := v["$ref"].(string); isRef {
			return w.reference(ref, depth)
		}
		return w.words(v, depth)
	}
	return anything()
}

// reference writes the target of a reference. A recursive one becomes the schema that accepts anything, because a
// schema without references cannot express recursion.
func (w *writer) reference(ref string, depth int) any {
	if slices.Contains(w.open, ref) || len(w.open) >= schemaDepthMax {
		return anything()
	}
	w.open = append(w.open, ref)
	defer func() { w.open = w.open[:len(w.open)-1] }()
	return w.schema(w.document.find(ref), depth)
}

// words writes the keywords of a schema that are known and validly used. The result may be wider than the schema, never
// narrower. So a keyword is left out with the one that exempts values from it (`items` with `prefixItems`), and `oneOf`
// is written as `anyOf`: a branch that became wider would exclude values of the others.
func (w *writer) words(from map[string]any, depth int) map[string]any {
	to := map[string]any{}
	for _, word := range sortedKeys(from) {
		if written, ok := w.word(word, from, depth); ok {
			if word == "oneOf" {
				word = "anyOf"
			}
			to[word] = written
			w.bytes -= len(word)
		}
	}
	w.keepExample(from, to)
	if from["nullable"] == true && to["type"] == nil { // with a type, typeWord handles it
		return map[string]any{"anyOf": []any{to, map[string]any{"type": "null"}}}
	}
	return to
}

func (w *writer) word(word string, from map[string]any, depth int) (written any, ok bool) {
	value := from[word]
	switch word {
	case "type":
		return typeWord(value, from["nullable"] == true)
	case "title", "description", "format":
		return w.text(value)
	case "pattern":
		return w.pattern(value)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return numberWord(word, value)
	case "uniqueItems":
		written, ok = value.(bool)
		return written, ok
	case "enum":
		return w.enum(value, from["nullable"] == true)
	case "const":
		if from["nullable"] == true {
			return nil, false
		}
		return w.value(value, 0)
	case "default":
		return w.value(value, 0)
	case "required":
		return w.names(value)
	case "properties":
		return w.properties(value, depth)
	case "additionalProperties":
		return w.schema(value, depth+1), value != nil && from["patternProperties"] == nil
	case "items":
		return w.schema(value, depth+1), value != nil && from["prefixItems"] == nil
	case "allOf", "anyOf":
		return w.schemas(value, depth)
	case "oneOf":
		if from["anyOf"] != nil {
			return nil, false
		}
		return w.schemas(value, depth)
	}
	return nil, false
}

// keepExample keeps an example for fitting, under the keyword `examples` as in JSON Schema.
func (w *writer) keepExample(from, to map[string]any) {
	example, isThere := from["example"]
	if list, isList := from["examples"].([]any); !isThere && isList && len(list) > 0 {
		example, isThere = list[0], true
	}
	if !isThere {
		return
	}
	if value, ok := w.value(example, 0); ok && fits(to, value, 0) {
		to["examples"] = []any{value}
	}
}

var types = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// typeWord reads a type: one, or several in version 3.1. Version 3.0 has `nullable` for null.
func typeWord(v any, nullable bool) (any, bool) {
	var list []any
	switch v := v.(type) {
	case string:
		list = []any{v}
	case []any:
		list = v
	}
	var known []any
	for _, one := range list {
		if !slices.Contains(types, text(one)) {
			return nil, false
		}
		if !slices.Contains(known, one) {
			known = append(known, one)
		}
	}
	if nullable && len(known) > 0 && !slices.Contains(known, any("null")) {
		known = append(known, "null")
	}
	switch len(known) {
	case 0:
		return nil, false
	case 1:
		return known[0], true
	}
	return known, true
}

func (w *writer) text(v any) (any, bool) {
	s, isText := v.(string)
	if !isText || s == "" {
		return nil, false
	}
	s = clip.Chars(s, descriptionRunesMax)
	w.bytes -= len(s)
	return s, true
}

// pattern keeps an expression that RE2 can parse, so that it probably means the same everywhere: JSON Schema's dialect
// has more than RE2.
func (w *writer) pattern(v any) (any, bool) {
	s, isText := v.(string)
	if !isText || len(s) > patternBytesMax {
		return nil, false
	}
	if _, err := regexp.Compile(s); err != nil {
		return nil, false
	}
	w.bytes -= len(s)
	return s, true
}

// numberWord reads a bound. In version 3.0 exclusiveMinimum is a boolean, which later versions refuse. Lengths are
// counts.
func numberWord(word string, v any) (any, bool) {
	n, isNumber := v.(json.Number)
	if !isNumber || len(n) > 20 {
		return nil, false
	}
	f, err := n.Float64()
	if err != nil {
		return nil, false
	}
	if isCount := strings.HasPrefix(word, "min") && word != "minimum" || strings.HasPrefix(word, "max") && word != "maximum"; isCount {
		i, err := n.Int64()
		return n, err == nil && i >= 0
	}
	return n, word != "multipleOf" || f > 0
}

func (w *writer) enum(v any, nullable bool) (any, bool) {
	list, isList := v.([]any)
	if !isList || len(list) == 0 || len(list) > listMax {
		return nil, false
	}
	if nullable && !slices.Contains(list, nil) {
		list = append(slices.Clone(list), nil)
	}
	written := make([]any, len(list))
	for i, one := range list {
		var ok bool
		if written[i], ok = w.value(one, 0); !ok {
			return nil, false
		}
	}
	return written, true
}

// value copies a plain value. Some readers take every `$ref` and `$id` for a reference, wherever it is, so a value with
// one of those is left out.
func (w *writer) value(v any, depth int) (any, bool) {
	w.nodes--
	if w.nodes < 0 || w.bytes < 0 || depth > valueDepthMax {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		w.bytes -= len(v)
	case json.Number:
		w.bytes -= len(v)
		return v, len(v) <= 40
	case []any:
		written := make([]any, len(v))
		for i, one := range v {
			var ok bool
			if written[i], ok = w.value(one, depth+1); !ok {
				return nil, false
			}
		}
		return written, true
	case map[string]any:
		written := make(map[string]any, len(v))
		for _, name := range sortedKeys(v) {
			w.bytes -= len(name)
			value, ok := w.value(v[name], depth+1)
			if !ok || isReserved(name) {
				return nil, false
			}
			written[name] = value
		}
		return written, true
	}
	return v, true
}

func (w *writer) names(v any) (any, bool) {
	list, isList := v.([]any)
	if !isList || len(list) == 0 || len(list) > listMax {
		return nil, false
	}
	var names []any
	for _, one := range list {
		name, isText := one.(string)
		if !isText {
			return nil, false
		}
		w.bytes -= len(name)
		if !slices.Contains(names, one) && !isReserved(name) {
			names = append(names, one)
		}
	}
	return names, len(names) > 0
}

func (w *writer) properties(v any, depth int) (any, bool) {
	from, isObject := v.(map[string]any)
	if !isObject {
		return nil, false
	}
	to := map[string]any{}
	for _, name := range sortedKeys(from) {
		if !isReserved(name) {
			w.bytes -= len(name)
			to[name] = w.schema(from[name], depth+1)
		}
	}
	return to, true
}

func (w *writer) schemas(v any, depth int) (any, bool) {
	list, isList := v.([]any)
	if !isList || len(list) == 0 || len(list) > listMax {
		return nil, false
	}
	written := make([]any, len(list))
	for i, one := range list {
		written[i] = w.schema(one, depth+1)
	}
	return written, true
}

// isReserved: see value. `$schema` is not a reference, but says nothing about a request.
func isReserved(name string) bool { return name == "$ref" || name == "$id" || name == "$schema" }

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
