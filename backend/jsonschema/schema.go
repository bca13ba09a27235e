package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/turnpike-edge/turnpike/backend/pattern"
)

const (
	// BytesMax is the maximum length of a schema's text.
	BytesMax = 64 << 10
	// DepthMax is how deep schemas may nest in a schema.
	DepthMax = 32
	// PropertiesMax is how many properties a schema may have, in all its parts together.
	PropertiesMax = 500

	textDepthMax = 2*DepthMax + 8 // a property is two levels of JSON

	// matchedBytesMax is how much of a text a pattern is matched against.
	matchedBytesMax = 100_000
	// enumPart is how many values of an enum cost as much as a schema.
	enumPart = 8
)

// Reading says how values are validated against a schema.
type Reading int

const (
	// Forgiving is for data extracted from a page, which may lack anything: null is allowed for every property, and a
	// missing property counts as null.
	Forgiving Reading = iota
	// Exact follows the standard.
	Exact
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	root      *Node
	text      json.RawMessage
	nullable  json.RawMessage
	validator *santhosh.Schema
	reading   Reading
	work      int
}

// Compile compiles a schema of draft 2020-12 (the default), 2019-09, 7 or 6. The error is an *Error.
func Compile(text []byte, reading Reading) (*Schema, error) {
	if len(text) > BytesMax {
		return nil, &Error{Faults: []Fault{{Message: fmt.Sprintf("is longer than %d bytes", BytesMax)}}}
	}
	value, err := decode(text, textDepthMax, true)
	if err != nil {
		return nil, &Error{Faults: []Fault{{Message: clip(err.Error(), faultBytesMax)}}}
	}
	document, ok := value.(*object)
	if !ok {
		return nil, &Error{Faults: []Fault{{Message: `must be a JSON object, as in {"type":"object","properties":{"name":{"type":"string"}}}`}}}
	}
	// The schema's own $id is not needed here, and would change the meaning of its references.
	delete(document.values, "$id")
	document.names = slices.DeleteFunc(document.names, func(name string) bool { return name == "$id" })

	r := &reader{nodes: map[string]*Node{}, refs: map[*Node]string{}}
	r.dialect(document)
	root := r.schema(document, "", 0)
	r.resolve()
	work := 0
	if len(r.faults) == 0 {
		work = r.bound(root) + r.enums/enumPart
	}
	if err := r.faults.err(); err != nil {
		return nil, err
	}
	s := &Schema{root: root, reading: reading, work: work}
	return s, s.compile(document)
}

// CompileObject is Compile for forgiving schemas of objects: extracted data has names.
func CompileObject(text []byte) (*Schema, error) {
	s, err := Compile(text, Forgiving)
	if err != nil {
		return nil, err
	}
	view := s.root.View()
	switch {
	case !view.Is("object"):
		return nil, &Error{Faults: []Fault{{Pointer: "/type", Message: "must be object: put a list or a single value under a property of an object"}}}
	case len(view.Types) == 0 && len(view.Properties) == 0:
		return nil, &Error{Faults: []Fault{{Message: `does not describe an object: give "type":"object" and "properties"`}}}
	}
	return s, nil
}

// Root is the schema of the whole value.
func (s *Schema) Root() *Node { return s.root }

// Text is the schema as given, without white space.
func (s *Schema) Text() json.RawMessage { return s.text }

// Nullable is the schema that Validate uses: Text if the reading is Exact.
func (s *Schema) Nullable() json.RawMessage { return s.nullable }

// Work is the maximum number of schemas that apply to any one value: validation takes Work times the number of values.
func (s *Schema) Work() int { return s.work }

// Validate validates a value as Parse returns it, or no larger, against the schema. The error is an *Error, also for a
// value that nests deeper than ValueDepthMax.
func (s *Schema) Validate(value any) error {
	if deeper(value, ValueDepthMax) {
		return &Error{Faults: []Fault{{Message: fmt.Sprintf("nests deeper than %d levels", ValueDepthMax)}}}
	}
	if err := s.validator.Validate(value); err != nil {
		var f faults
		f.read(err)
		return f.err()
	}
	return nil
}

// dialects are the supported values of $schema, with http or https, with or without an empty fragment.
var dialects = []string{
	"json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
	"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema",
}

func (r *reader) dialect(document *object) {
	value, ok := document.values["$schema"]
	if !ok {
		return
	}
	name, _ := value.(string)
	_, name, _ = strings.Cut(strings.TrimSuffix(name, "#"), "://")
	if !slices.Contains(dialects, name) {
		r.faults.addf("/$schema", "must be https://%s, or the URL of draft 2019-09, 7 or 6; otherwise omit it", dialects[0])
	}
}

// closed is a loader that loads nothing.
type closed struct{}

func (closed) Load(string) (any, error) {
	return nil, errors.New("schemas outside this document are not fetched")
}

func (s *Schema) compile(document *object) error {
	members, _ := plain(document).(map[string]any)
	var err error
	// The original schema is compiled first, so that faults have its pointers.
	s.validator, err = compileWith(members)
	if err == nil && s.reading == Forgiving {
		members, _ = loosen(members).(map[string]any)
		s.validator, err = compileWith(members)
	}
	if err != nil {
		var f faults
		var invalid *santhosh.SchemaValidationError
		if errors.As(err, &invalid) {
			err = invalid.Err
		}
		f.read(err)
		return f.err()
	}
	var written bytes.Buffer
	writeValue(&written, document)
	s.text = written.Bytes()
	if s.nullable, err = json.Marshal(members); err != nil {
		return &Error{Faults: []Fault{{Message: err.Error()}}}
	}
	return nil
}

func compileWith(document map[string]any) (schema *santhosh.Schema, err error) {
	// The library should return errors; a panic in it must not crash the process.
	defer func() {
		if caught := recover(); caught != nil {
			schema, err = nil, fmt.Errorf("cannot be compiled: %v", caught)
		}
	}()
	const location = "schema:///schema"
	compiler := santhosh.NewCompiler()
	compiler.UseLoader(closed{})
	compiler.AssertFormat()
	compiler.UseRegexpEngine(compilePattern)
	if err := compiler.AddResource(location, document); err != nil {
		return nil, err
	}
	return compiler.Compile(location)
}

// clippedPattern matches only the start of long texts: time is the product of text and pattern, and matching cannot be interrupted.
type clippedPattern struct{ *regexp.Regexp }

// MatchString implements santhosh.Regexp.
func (p clippedPattern) MatchString(text string) bool {
	return p.Regexp.MatchString(text[:min(len(text), matchedBytesMax)])
}

// compilePattern is for the schema's patterns, and for values with the format regex.
func compilePattern(text string) (santhosh.Regexp, error) {
	compiled, err := pattern.Compile(text)
	if err != nil {
		return nil, err
	}
	return clippedPattern{compiled}, nil
}

// loosen returns a copy of the schema in which properties may be null or missing. It recurses; its depth is bounded.
func loosen(value any) any {
	members, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := maps.Clone(members)
	for name, member := range members {
		switch {
		case slices.Contains([]string{"not", "if", "enum", "const", "default", "examples"}, name):
			// Conditions and literal values stay as they are.
		case name == "properties":
			out[name] = each(member, func(v any) any { return orNull(loosen(v)) })
		case name == "additionalProperties":
			out[name] = orNull(loosen(member))
		case slices.Contains(mapOfSchemas, name):
			out[name] = each(member, loosen)
		default:
			if list, ok := member.([]any); ok && slices.Contains(listOfSchemas, name) {
				loosened := make([]any, len(list))
				for i, item := range list {
					loosened[i] = loosen(item)
				}
				out[name] = loosened
			} else if slices.Contains(oneSchema, name) {
				out[name] = loosen(member)
			}
		}
	}
	relaxRequired(out)
	return out
}

func each(value any, change func(any) any) any {
	members, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := make(map[string]any, len(members))
	for name, member := range members {
		out[name] = change(member)
	}
	return out
}

// relaxRequired drops the properties that the schema itself describes from required, since a missing one counts as null.
// Other names distinguish alternatives, and stay.
func relaxRequired(schema map[string]any) {
	names, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	if len(names) == 0 || len(properties) == 0 {
		return
	}
	var kept []any
	for _, name := range names {
		s, _ := name.(string)
		if _, described := properties[s]; !described {
			kept = append(kept, name)
		}
	}
	delete(schema, "required")
	if kept != nil {
		schema["required"] = kept
	}
}

// orNull returns a schema that also allows null.
func orNull(value any) any {
	schema, ok := value.(map[string]any)
	if !ok {
		return value // true allows null; false forbids the property
	}
	for _, keyword := range []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if"} {
		if _, ok := schema[keyword]; ok {
			return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
		}
	}
	// The other keywords do not affect null.
	switch t := schema["type"].(type) {
	case string:
		if t != "null" {
			schema["type"] = []any{t, "null"}
		}
	case []any:
		if !slices.Contains(t, any("null")) {
			schema["type"] = append(slices.Clip(t), "null")
		}
	}
	values, _ := schema["enum"].([]any)
	if value, ok := schema["const"]; ok {
		values = []any{value}
		delete(schema, "const")
	}
	if values != nil && !slices.Contains(values, nil) {
		values = append(slices.Clip(values), nil)
	}
	if values != nil {
		schema["enum"] = values
	}
	return schema
}
