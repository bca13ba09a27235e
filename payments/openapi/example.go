package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	exampleNodesMax = 500
	exampleTextMax  = 200 // the longest text that minLength may require
	exampleListMax  = 10  // the most items that minItems may require
)

// fitting returns a value that fits a written schema: the given one if it fits, otherwise one that is made from the
// schema. It returns false if it finds none.
func fitting(schema, given any, isGiven bool) (any, bool) {
	if isGiven {
		copier := &writer{nodes: exampleNodesMax, bytes: exampleBytesMax}
		if value, ok := copier.value(given, 0); ok && fits(schema, value, 0) {
			return value, true
		}
	}
	m := maker{nodes: exampleNodesMax}
	value, ok := m.make(schema, 0)
	if !ok || !fits(schema, value, 0) {
		return nil, false
	}
	return value, true
}

// maker makes the smallest example of a schema, with required parts only.
type maker struct{ nodes int }

func (m *maker) make(schema any, depth int) (any, bool) {
	m.nodes--
	words, isObject := schema.(map[string]any)
	if m.nodes < 0 || depth > schemaDepthMax || !isObject {
		return nil, false
	}
	if value, isThere := givenBy(words); isThere {
		return value, true
	}
	if branches, isThere := words["anyOf"].([]any); isThere && words["type"] == nil {
		for _, branch := range branches {
			if value, ok := m.make(branch, depth+1); ok {
				return value, true
			}
		}
		return nil, false
	}
	switch firstType(words) {
	case "string":
		return makeText(words)
	case "integer", "number":
		return makeNumber(words)
	case "boolean":
		return true, true
	case "array":
		return m.makeList(words, depth)
	case "null":
		return nil, true
	}
	return m.makeObject(words, depth)
}

// givenBy returns the value that a schema itself gives.
func givenBy(words map[string]any) (any, bool) {
	for _, word := range []string{"examples", "const", "default", "enum"} {
		switch value, isThere := words[word]; {
		case !isThere:
		case word == "const" || word == "default":
			return value, true
		default:
			list, isList := value.([]any)
			if isList && len(list) > 0 {
				return list[0], true
			}
		}
	}
	return nil, false
}

// firstType returns the type for the example, empty if the schema has none.
func firstType(words map[string]any) string {
	switch v := words["type"].(type) {
	case string:
		return v
	case []any:
		return text(v[0])
	}
	if words["properties"] == nil && words["items"] != nil {
		return "array"
	}
	return ""
}

func (m *maker) makeObject(words map[string]any, depth int) (any, bool) {
	made := map[string]any{}
	parts, _ := words["allOf"].([]any)
	for _, part := range parts {
		value, ok := m.make(part, depth+1)
		members, isObject := value.(map[string]any)
		if !ok || !isObject {
			return nil, false
		}
		maps.Copy(made, members)
	}
	required, _ := words["required"].([]any)
	properties := object(words["properties"])
	for _, name := range required {
		schema, isThere := properties[text(name)]
		if !isThere {
			if made[text(name)] == nil {
				made[text(name)] = "text"
			}
			continue
		}
		value, ok := m.make(schema, depth+1)
		if !ok {
			return nil, false
		}
		made[text(name)] = value
	}
	return made, true
}

func (m *maker) makeList(words map[string]any, depth int) (any, bool) {
	least, _ := bound(words, "minItems")
	if least > exampleListMax {
		return nil, false
	}
	made := []any{}
	items, isThere := words["items"]
	if !isThere {
		items = map[string]any{"type": "string"}
	}
	if most, isBound := bound(words, "maxItems"); !isBound || most > 0 {
		least = max(least, 1) // one item is a better example than none
	}
	for range int(least) {
		value, ok := m.make(items, depth+1)
		if !ok {
			if len(made) == 0 && words["minItems"] == nil {
				return made, true
			}
			return nil, false
		}
		made = append(made, value)
	}
	return made, true
}

// byFormat has examples of the formats that APIs use (JSON Schema Validation, 7.3).
var byFormat = map[string]string{
	"uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/", "uri-reference": "/path",
	"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "time": "00:00:00Z", "duration": "PT1H",
	"email": "user@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uuid": "00000000-0000-4000-8000-000000000000",
}

func makeText(words map[string]any) (any, bool) {
	made, isKnown := byFormat[text(words["format"])]
	if !isKnown {
		made = "text"
		if least, isBound := bound(words, "minLength"); isBound && least > int64(len(made)) {
			if least > exampleTextMax {
				return nil, false
			}
			made += strings.Repeat("x", int(least)-len(made))
		}
		if most, isBound := bound(words, "maxLength"); isBound && most < int64(len(made)) {
			made = made[:most]
		}
	}
	return made, true
}

// makeNumber makes the smallest integer from 1 on that is in bounds. An example needs no other numbers.
func makeNumber(words map[string]any) (any, bool) {
	made := int64(1)
	if most, isBound := bound(words, "maximum"); isBound {
		made = min(made, most)
	}
	if most, isBound := bound(words, "exclusiveMaximum"); isBound {
		made = min(made, most-1)
	}
	if least, isBound := bound(words, "minimum"); isBound {
		made = max(made, least)
	}
	if least, isBound := bound(words, "exclusiveMinimum"); isBound {
		made = max(made, least+1)
	}
	if step, isBound := bound(words, "multipleOf"); isBound && step > 0 && made%step != 0 {
		made += step - (made%step+step)%step
	}
	return json.Number(strconv.FormatInt(made, 10)), true
}

// bound returns a bound if it is an integer of a reasonable size.
func bound(words map[string]any, word string) (int64, bool) {
	n, isNumber := words[word].(json.Number)
	if !isNumber {
		return 0, false
	}
	const sane = int64(1) << 53
	i, err := n.Int64()
	return i, err == nil && -sane < i && i < sane
}

func isOfType(value any, name string) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case json.Number:
		_, err := strconv.ParseInt(v.String(), 10, 64)
		return name == "number" || name == "integer" && err == nil
	}
	return false
}

func isOfTypes(value, types any) bool {
	list, isList := types.([]any)
	if !isList {
		list = []any{types}
	}
	return slices.ContainsFunc(list, func(name any) bool { return isOfType(value, text(name)) })
}
