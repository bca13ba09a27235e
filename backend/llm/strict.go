package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// strict adapts a schema for servers that enforce one: every property required, no others, and only keywords that all of
// them support. It returns false for schemas that cannot be expressed so: with maps, tuples, or lists of anything.
// Dropped keywords are described in words, and the reply is validated against the whole schema afterwards.
func strict(schema json.RawMessage) (json.RawMessage, bool) {
	if len(schema) == 0 {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	var root map[string]any
	if decoder.Decode(&root) != nil {
		return nil, false
	}
	s := stricter{ok: true}
	out := s.schema(root)
	// The root must be an object and nothing else (OpenAI, "Structured outputs", supported schemas).
	if out["type"] != "object" || !s.ok {
		return nil, false
	}
	for _, keyword := range []string{"$defs", "definitions"} {
		definitions, ok := root[keyword].(map[string]any)
		if !ok {
			continue
		}
		adapted := map[string]any{}
		for name, definition := range definitions {
			adapted[name] = s.any(definition)
		}
		out[keyword] = adapted
	}
	encoded, err := json.Marshal(out)
	return encoded, err == nil && s.ok
}

// formats are those that both providers check.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// hints are the keywords that are described in words.
var hints = []string{
	"format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}

type stricter struct{ ok bool }

func (s *stricter) any(value any) map[string]any {
	schema, ok := value.(map[string]any)
	if !ok { // true allows anything, false nothing
		s.ok = false
		return nil
	}
	return s.schema(schema)
}

// schema recurses; the depth of clients' schemas is bounded.
func (s *stricter) schema(in map[string]any) map[string]any {
	if ref, ok := in["$ref"].(string); ok {
		s.ok = s.ok && (ref == "#" || strings.HasPrefix(ref, "#/$defs/") || strings.HasPrefix(ref, "#/definitions/"))
		return map[string]any{"$ref": ref}
	}
	out := map[string]any{}
	s.describe(in, out)
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list, ok := in[keyword].([]any); ok {
			out["anyOf"] = s.list(list)
		}
	}
	for _, keyword := range []string{"allOf", "prefixItems", "patternProperties"} {
		if _, ok := in[keyword]; ok {
			s.ok = false
		}
	}
	if values, ok := in["enum"].([]any); ok {
		out["enum"] = values
	} else if value, ok := in["const"]; ok {
		out["enum"] = []any{value}
	}
	s.typed(in, out)
	return out
}

func (s *stricter) list(list []any) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = s.any(item)
	}
	return out
}

func (s *stricter) describe(in, out map[string]any) {
	var said []string
	if text, ok := in["description"].(string); ok && text != "" {
		said = append(said, text)
	} else if text, ok := in["title"].(string); ok && text != "" {
		said = append(said, text)
	}
	for _, keyword := range hints {
		value, ok := in[keyword]
		if !ok {
			continue
		}
		if format, isText := value.(string); keyword == "format" && isText && slices.Contains(formats, format) {
			out["format"] = format
			continue
		}
		said = append(said, fmt.Sprintf("(%s: %v)", keyword, value))
	}
	if len(said) > 0 {
		out["description"] = strings.Join(said, " ")
	}
}

func (s *stricter) typed(in, out map[string]any) {
	kind, hasType := in["type"]
	kinds := []string{}
	switch t := kind.(type) {
	case string:
		kinds = append(kinds, t)
	case []any:
		for _, item := range t {
			kinds = append(kinds, fmt.Sprint(item))
		}
	}
	_, hasProperties := in["properties"]
	switch {
	case hasType:
		out["type"] = kind
	case hasProperties:
		out["type"], kinds = "object", []string{"object"}
	case out["anyOf"] == nil && out["enum"] == nil:
		out["type"] = []any{"string", "number", "boolean", "null"}
	}
	if slices.Contains(kinds, "object") {
		s.object(in, out)
	}
	if slices.Contains(kinds, "array") {
		items, ok := in["items"]
		if !ok {
			s.ok = false
			return
		}
		out["items"] = s.any(items)
	}
}

func (s *stricter) object(in, out map[string]any) {
	properties, _ := in["properties"].(map[string]any)
	if _, isMap := in["additionalProperties"].(map[string]any); isMap || len(properties) == 0 {
		s.ok = false
		return
	}
	adapted := map[string]any{}
	names := []string{}
	for name, property := range properties {
		adapted[name] = s.any(property)
		names = append(names, name)
	}
	slices.Sort(names)
	out["properties"], out["required"], out["additionalProperties"] = adapted, names, false
}
