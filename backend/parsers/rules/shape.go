package rules

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// shape is the part of a schema by which values are converted. A nil shape converts nothing.
type shape struct {
	types    []string // nil: any
	items    *shape
	props    map[string]*shape
	required []string
	closed   bool // additionalProperties: false, and no patterns
}

// shapes are the shapes of a schema's nodes. Each exists once, however often it is referred to.
type shapes map[*jsonschema.Node]*shape

func (m shapes) of(n *jsonschema.Node) *shape {
	if n == nil {
		return nil
	}
	if known, ok := m[n]; ok {
		return known
	}
	s := &shape{}
	m[n] = s // so that recursive references find it
	said := n.Union()
	s.types, s.required, s.closed = said.Types, said.Required, said.Closed
	s.items = m.of(said.Items)
	if len(said.Properties) > 0 {
		s.props = make(map[string]*shape, len(said.Properties))
		for _, p := range said.Properties {
			s.props[p.Name] = m.of(p.Node)
		}
	}
	return s
}

// may reports whether a value may have a type.
func (s *shape) may(name string) bool {
	return s == nil || s.types == nil || slices.Contains(s.types, name) || (name == "integer" && slices.Contains(s.types, "number"))
}

func (s *shape) property(name string) *shape {
	if s == nil {
		return nil
	}
	return s.props[name]
}

func (s *shape) item() *shape {
	if s == nil {
		return nil
	}
	return s.items
}

// convert converts a value to the type of s, if possible. Otherwise it stays as it is, for the schema to report. It
// returns false if the value is missing and may not be null: it is then left out.
func (s *shape) convert(value any, o *numberOptions) (any, bool) {
	if s == nil || s.types == nil {
		return value, true
	}
	switch v := value.(type) {
	case nil:
		return nil, s.may("null")
	case string:
		return s.convertString(v, o), true
	case json.Number:
		return s.convertNumber(v), true
	case bool:
		if !s.may("boolean") && s.may("string") {
			return strconv.FormatBool(v), true
		}
	case []any:
		if !s.may("array") {
			return v, true
		}
		list := make([]any, len(v)) // v may belong to the definition, which other runs share
		for i, one := range v {
			list[i], _ = s.items.convert(one, o)
		}
		return list, true
	}
	return s.listed(value), true
}

func (s *shape) convertString(v string, o *numberOptions) any {
	if s.may("string") {
		return v
	}
	if s.may("number") || s.may("integer") {
		if n, ok := parseNumber(v, o); ok {
			return s.convertNumber(n)
		}
	}
	if s.may("boolean") {
		if b, ok := parseBoolean(v); ok {
			return b
		}
	}
	if strings.TrimSpace(v) == "" && s.may("null") {
		return nil
	}
	if s.may("array") {
		one, _ := s.items.convert(v, o)
		return []any{one}
	}
	return v
}

func (s *shape) convertNumber(n json.Number) any {
	switch {
	case s.may("number"):
		return n
	case s.may("integer"):
		// 3.0 is the integer 3 (JSON Schema, 4.2.3); written as 3, every reader accepts it.
		if f, err := n.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return json.Number(strconv.FormatInt(int64(f), 10))
		}
		return n
	case s.may("string"):
		return n.String()
	}
	return s.listed(n)
}

// listed wraps a value in a list if only a list is allowed.
func (s *shape) listed(value any) any {
	if len(s.types) > 0 && s.may("array") && !s.may(typeOf(value)) {
		return []any{value}
	}
	return value
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
