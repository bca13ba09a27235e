package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// Limits of a json_format.
const (
	FormatBytesMax = jsonschema.BytesMax
	// FieldsMax is how many leaves it may have, including those of list entries.
	FieldsMax = 100
	// FormatDepthMax is how deep objects and lists may nest in it.
	FormatDepthMax = 8
	nameBytesMax   = 200
	describedMax   = 2000 // bytes of a description
)

// resultName is the only field of answers without a form of their own.
const resultName = "result"

// ParseFormat parses a json_format: absent (empty or null), an object of empty or describing values, a JSON Schema whose
// root is an object, or a string that describes the single result. A string that contains a JSON object is parsed as that
// object. The error is a *jsonschema.Error, whose faults point into raw.
func ParseFormat(raw json.RawMessage) (*Format, error) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return single(KindText, nil, "")
	}
	if len(raw) > FormatBytesMax {
		return nil, fault("", "is longer than %d bytes", FormatBytesMax)
	}
	switch trimmed[0] {
	case '"':
		return parseString(trimmed)
	case '{':
		return parseObject(trimmed)
	}
	return nil, fault("", `must be an object such as {"name":"","berths":0}, a JSON Schema, or a string that describes the result`)
}

func fault(pointer, format string, args ...any) error {
	return &jsonschema.Error{Faults: []jsonschema.Fault{{Pointer: pointer, Message: fmt.Sprintf(format, args...)}}}
}

func parseString(raw []byte) (*Format, error) {
	value, err := jsonschema.Parse(raw)
	if err != nil {
		return nil, fault("", "%v", err)
	}
	s, _ := value.(string)
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
		return parseObject([]byte(s))
	}
	if s == "" {
		return single(KindText, nil, "")
	}
	if len(s) > describedMax {
		return nil, fault("", "is a description of more than %d bytes", describedMax)
	}
	return single(KindString, raw, s)
}

// single is the form of answers with a single result.
func single(kind Kind, raw []byte, description string) (*Format, error) {
	e := described(description)
	if kind == KindText {
		e = example{Type: "string"}
	}
	root := example{Type: "object", Properties: []member{{resultName, e}}}
	f, err := root.format(raw)
	if err != nil {
		return nil, err
	}
	f.Kind = kind
	f.Fields[0].Description = description
	return f, nil
}

func parseObject(raw []byte) (*Format, error) {
	members, err := ordered(raw)
	if err != nil {
		return nil, fault("", "%v", err)
	}
	if isSchema(members) {
		schema, err := jsonschema.CompileObject(raw)
		if err != nil {
			return nil, fmt.Errorf("reading a schema: %w", err)
		}
		f := &Format{Kind: KindSchema, Raw: slices.Clone(raw), Schema: schema}
		return f, f.list(schema.Root())
	}
	root, err := exampleObject(members, "", 0)
	if err != nil {
		return nil, err
	}
	return root.format(raw)
}

// list sets the fields from a schema.
func (f *Format) list(root *jsonschema.Node) error {
	l := lister{left: FieldsMax}
	f.Fields = l.fields(root.View(), "", 0)
	if l.err != nil {
		return l.err
	}
	if len(f.Fields) == 0 {
		return fault("", "has no fields: there is nothing to look for")
	}
	return nil
}

type lister struct {
	left int
	err  error
}

func (l *lister) fields(node *jsonschema.Node, at string, depth int) []Field {
	if depth > FormatDepthMax {
		l.failf(at, "nests deeper than %d levels", FormatDepthMax)
		return nil
	}
	var out []Field
	for _, p := range node.Properties {
		if l.err != nil {
			return nil
		}
		path := at + "/" + escape(p.Name)
		if strings.TrimSpace(p.Name) == "" || len(p.Name) > nameBytesMax {
			l.failf(path, "must have a name of 1 to %d bytes", nameBytesMax)
			return nil
		}
		view := p.Node.View()
		switch {
		case view.Const:
			// There is nothing to find; Compose writes this value.
		case len(view.Properties) > 0 && view.Is("object"):
			out = append(out, l.fields(view, path, depth+1)...)
		default:
			out = append(out, l.leaf(p.Name, view, path, depth))
		}
	}
	return out
}

func (l *lister) leaf(name string, view *jsonschema.Node, path string, depth int) Field {
	if l.left--; l.left < 0 {
		l.failf(path, "exceeds the limit of %d fields", FieldsMax)
	}
	field := FieldOf(name, view)
	field.Path = path
	if len(field.Description) > describedMax {
		l.failf(path, "has a description of more than %d bytes", describedMax)
	}
	if field.Type == "array" && view.Items != nil {
		if item := view.Items.View(); len(item.Properties) > 0 && item.Is("object") {
			field.Items = l.fields(item, "", depth+2)
		}
	}
	return field
}

// FieldOf is the field of a property, without its path and the fields of its entries. The schema is as View returns it.
func FieldOf(name string, view *jsonschema.Node) Field {
	field := Field{Name: name, Description: strings.TrimSpace(view.Title + " " + view.Description), Type: typeOf(view), Form: view.Format, Enum: enumOf(view)}
	if field.Type != "array" || view.Items == nil {
		return field
	}
	item := view.Items.View()
	if len(item.Properties) > 0 && item.Is("object") {
		return field
	}
	field.ItemType, field.Form, field.Enum = typeOf(item), item.Format, enumOf(item)
	if field.Description == "" {
		field.Description = item.Description
	}
	return field
}

func (l *lister) failf(pointer, format string, args ...any) {
	if l.err == nil {
		l.err = fault(pointer, format, args...)
	}
}

// typeOf is the single type of a field, ignoring null; "" if it may have several.
func typeOf(node *jsonschema.Node) string {
	types := slices.DeleteFunc(slices.Clone(node.Types), func(t string) bool { return t == "null" })
	switch {
	case len(types) == 1:
		return types[0]
	case len(types) == 2 && slices.Contains(types, "integer") && slices.Contains(types, "number"):
		return "number"
	case len(types) == 0 && node.Items != nil:
		return "array"
	}
	return ""
}

func enumOf(node *jsonschema.Node) []string {
	var out []string
	for _, value := range node.Enum {
		switch v := value.(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, v.String())
		}
	}
	return out
}

var pointerEscaper, pointerUnescaper = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func escape(name string) string { return pointerEscaper.Replace(name) }

// parts splits a JSON Pointer into names and indexes.
func parts(pointer string) []string {
	if pointer == "" {
		return nil
	}
	out := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range out {
		out[i] = pointerUnescaper.Replace(out[i])
	}
	return out
}

// ordered are the members of a JSON object in their original order, which a map would lose.
func ordered(raw []byte) ([]rawMember, error) {
	if _, err := jsonschema.Parse(raw); err != nil {
		return nil, err // Parse has checked depth and size
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	var out []rawMember
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("is not JSON: %w", err)
		}
		m := rawMember{}
		m.name, _ = token.(string)
		if err := decoder.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("is not JSON: %w", err)
		}
		if slices.ContainsFunc(out, func(other rawMember) bool { return other.name == m.name }) {
			return nil, errors.New("has the member " + quoted(m.name) + " twice")
		}
		out = append(out, m)
	}
	return out, nil
}

type rawMember struct {
	name  string
	value json.RawMessage
}

func quoted(s string) string { return fmt.Sprintf("%.100q", s) }

// keywords are the JSON Schema keywords of an object's schema.
var keywords = map[string]bool{
	"$schema": true, "$id": true, "$defs": true, "definitions": true, "$ref": true, "$comment": true, "type": true, "properties": true, "required": true,
	"additionalProperties": true, "title": true, "description": true, "items": true, "enum": true, "allOf": true, "anyOf": true,
	"oneOf": true, "minProperties": true, "maxProperties": true, "patternProperties": true, "examples": true, "default": true, "name": true, "strict": true,
}

// isSchema distinguishes a schema from an example: it names its dialect, or has properties that are objects and otherwise
// only keywords of schemas.
func isSchema(members []rawMember) bool {
	known, isObject, hasProperties := true, false, false
	for _, m := range members {
		switch m.name {
		case "$schema":
			return true
		case "properties":
			hasProperties = isMapOfObjects(m.value)
		case "type":
			isObject = string(m.value) == `"object"` || strings.HasPrefix(string(m.value), "[") && strings.Contains(string(m.value), `"object"`)
		case "$ref", "allOf", "anyOf", "oneOf":
			hasProperties = true
		}
		known = known && keywords[m.name]
	}
	return known && (hasProperties || isObject)
}

func isMapOfObjects(raw json.RawMessage) bool {
	var inner map[string]json.RawMessage
	if json.Unmarshal(raw, &inner) != nil {
		return false
	}
	for _, value := range inner {
		if value = bytes.TrimSpace(value); len(value) == 0 || value[0] != '{' && value[0] != 't' {
			return false
		}
	}
	return len(inner) > 0
}
