// Package rules compiles the definitions of parsers, and runs them and the built-in parsers on pages.
package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// Compiled is a checked definition that can run.
type Compiled struct {
	Name, Description string
	schema            *schema
	fields            []namedField
	needs             needs
}

// needs says which parts of a page a definition uses.
type needs struct {
	tree        bool // HTML elements
	structured  bool // structured data, and tables
	mainContent bool // Text and Markdown of the main content only
}

type namedField struct {
	name  string
	field *field
	shape *shape
}

// field is a compiled Field. Exactly one of source, anyOf, constant or fields gives the value.
type field struct {
	source     source
	anyOf      []*field
	constant   *any
	all        bool
	object     bool
	fields     []namedField
	transforms []transform
	fallback   *any
	required   bool
}

// IDPrefix begins the ids of versions.
const IDPrefix = "parser_"

// NamePattern matches the names that a team may give a parser. A name that begins with parser_ could be an id.
var NamePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$`)

// scopeKind is what the sources of a field search in.
type scopeKind int

const (
	scopePage scopeKind = iota
	scopeElement
	scopeItem
	scopeRow
)

// Compiler compiles a definition and collects its faults.
type Compiler struct {
	Faults   []problem.Fault
	fields   int
	patterns int // the total size
	needs    needs
}

// Faultf records a fault.
func (c *Compiler) Faultf(loc []any, kind, format string, args ...any) {
	c.Faults = append(c.Faults, problem.Fault{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind})
}

// Invalidf records a fault of a value.
func (c *Compiler) Invalidf(loc []any, format string, args ...any) {
	c.Faultf(loc, problem.FaultInvalid, format, args...)
}

// In is a path below loc.
func In(loc []any, parts ...any) []any { return append(append([]any{}, loc...), parts...) }

// DecodeJSON decodes JSON, and keeps numbers as they are written.
func DecodeJSON(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is extra data after the value")
	}
	return value, nil
}

// Canonical is the canonical JSON of a definition, by which equal definitions are recognized.
func Canonical(raw []byte) ([]byte, error) {
	value, err := DecodeJSON(raw)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// Compile compiles a definition that is at loc in a request. It returns either all faults or the compiled definition.
func Compile(raw []byte, loc []any) (*Compiled, []problem.Fault) {
	c := &Compiler{}
	if len(raw) > DefinitionBytesMax {
		c.Invalidf(loc, "is %d bytes long, but a definition may have at most %d", len(raw), DefinitionBytesMax)
		return nil, c.Faults
	}
	value, err := DecodeJSON(raw)
	if err != nil {
		c.Invalidf(loc, "is not JSON: %v", err)
		return nil, c.Faults
	}
	top, ok := value.(map[string]any)
	if !ok {
		c.Invalidf(loc, "must be an object with a parser's definition")
		return nil, c.Faults
	}
	var written map[string]json.RawMessage
	if err := json.Unmarshal(raw, &written); err != nil {
		c.Invalidf(loc, "is not JSON: %v", err)
		return nil, c.Faults
	}
	out := &Compiled{}
	c.Unknown(top, loc, "name", "description", "schema", "fields")
	out.Name = c.name(top, loc)
	if out.Description, _ = c.Text(top, loc, "description", descriptionBytesMax); strings.ContainsRune(out.Description, 0) {
		c.Invalidf(In(loc, "description"), "must not contain a NUL character")
	}
	var form *shape
	if _, there := top["schema"]; !there {
		c.Faultf(In(loc, "schema"), problem.FaultMissing, "is required: a JSON Schema of the result")
	} else if out.schema = c.schema(written["schema"], In(loc, "schema")); out.schema != nil {
		form = out.schema.form
	}
	if given, there := top["fields"]; !there {
		c.Faultf(In(loc, "fields"), problem.FaultMissing, "is required: the fields of the result")
	} else {
		out.fields = c.fieldsOf(given, In(loc, "fields"), scopePage, form, 1)
	}
	if len(c.Faults) == 0 {
		c.agree(out, In(loc, "schema"))
	}
	out.needs = c.needs
	if len(c.Faults) > 0 {
		return nil, c.Faults
	}
	return out, nil
}

func (c *Compiler) name(top map[string]any, loc []any) string {
	name, there := c.Text(top, loc, "name", nameBytesMax)
	at := In(loc, "name")
	switch {
	case !there && top["name"] == nil:
		c.Faultf(at, problem.FaultMissing, "is required")
	case !there:
	case !NamePattern.MatchString(name):
		c.Invalidf(at, "must be 1 to %d lower-case letters, digits, hyphens and underscores, with a letter or digit at both ends", nameBytesMax)
	case strings.HasPrefix(name, IDPrefix):
		c.Invalidf(at, "must not start with %s, which is reserved for ids", IDPrefix)
	}
	return name
}

// agree finds contradictions between fields and schema, as far as possible without a page.
func (c *Compiler) agree(out *Compiled, loc []any) {
	have := map[string]bool{}
	for _, f := range out.fields {
		have[f.name] = true
	}
	root := out.schema.form
	for _, name := range root.required {
		if !have[name] {
			c.Invalidf(In(loc, "required"), "requires %.100q, which is not a field", name)
		}
	}
}

// Unknown reports members that have no meaning.
func (c *Compiler) Unknown(m map[string]any, loc []any, known ...string) {
	for _, key := range sortedKeys(m) {
		found := false
		for _, name := range known {
			found = found || name == key
		}
		if !found {
			c.Faultf(In(loc, key), problem.FaultUnknown, "is not a known member: use one of %s", strings.Join(known, ", "))
		}
	}
}

// Text returns a member that must be a string, and whether it is there.
func (c *Compiler) Text(m map[string]any, loc []any, key string, bytesMax int) (string, bool) {
	value, there := m[key]
	if !there || value == nil {
		return "", false
	}
	text, ok := value.(string)
	switch {
	case !ok:
		c.Invalidf(In(loc, key), "must be a string")
	case len(text) > bytesMax:
		c.Invalidf(In(loc, key), "is longer than %d bytes", bytesMax)
	case !utf8.ValidString(text):
		c.Invalidf(In(loc, key), "is not UTF-8")
	default:
		return text, true
	}
	return "", false
}

func (c *Compiler) flag(m map[string]any, loc []any, key string) bool {
	value, there := m[key]
	if !there || value == nil {
		return false
	}
	flag, ok := value.(bool)
	if !ok {
		c.Invalidf(In(loc, key), "must be true or false")
	}
	return flag
}

func (c *Compiler) number(m map[string]any, loc []any, key string, least, most int64) int {
	value, there := m[key]
	if !there || value == nil {
		return 0
	}
	number, ok := value.(json.Number)
	if ok {
		if n, err := number.Int64(); err == nil && n >= least && n <= most {
			return int(n)
		}
	}
	c.Invalidf(In(loc, key), "must be an integer from %d to %d", least, most)
	return 0
}

// fieldsOf compiles the fields of an object.
func (c *Compiler) fieldsOf(value any, loc []any, scope scopeKind, form *shape, depth int) []namedField {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 {
		c.Invalidf(loc, "must be an object with a member for each field, and at least one")
		return nil
	}
	if depth > DepthMax {
		c.Invalidf(loc, "nests deeper than %d levels", DepthMax)
		return nil
	}
	fields := make([]namedField, 0, len(m))
	for _, name := range sortedKeys(m) {
		at := In(loc, name)
		if name == "" || len(name) > nameBytesMax || !utf8.ValidString(name) {
			c.Invalidf(at, "must have a name of 1 to %d bytes", nameBytesMax)
			continue
		}
		inner := form.property(name)
		if form != nil && inner == nil && form.closed {
			c.Invalidf(at, "is not allowed by the schema, which has additionalProperties: false")
		}
		fields = append(fields, namedField{name: name, field: c.field(m[name], at, scope, inner, depth), shape: inner})
	}
	return fields
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
