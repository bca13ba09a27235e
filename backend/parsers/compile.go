package parsers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// compiled is a checked definition that can run.
type compiled struct {
	name, description string
	schema            *schema
	fields            []namedField
	needs             needs
}

// needs says which parts of a page a definition uses.
type needs struct {
	tree        bool // HTML elements
	structured  bool // structured data, and tables
	mainContent bool // text and Markdown of the main content only
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

// namePattern matches the names that a team may give a parser. A name that begins with parser_ could be an id.
var namePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$`)

// scopeKind is what the sources of a field search in.
type scopeKind int

const (
	scopePage scopeKind = iota
	scopeElement
	scopeItem
	scopeRow
)

// compiler compiles a definition and collects its faults.
type compiler struct {
	faults   []problem.Fault
	fields   int
	patterns int // the total size
	needs    needs
}

func (c *compiler) faultf(loc []any, kind, format string, args ...any) {
	c.faults = append(c.faults, problem.Fault{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind})
}

func (c *compiler) invalidf(loc []any, format string, args ...any) {
	c.faultf(loc, problem.FaultInvalid, format, args...)
}

// in is a path below loc.
func in(loc []any, parts ...any) []any { return append(append([]any{}, loc...), parts...) }

// decodeJSON decodes JSON, and keeps numbers as they are written.
func decodeJSON(raw []byte) (any, error) {
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

// compile compiles a definition that is at loc in a request. It returns either all faults or the compiled definition.
func compile(raw []byte, loc []any) (*compiled, []problem.Fault) {
	c := &compiler{}
	if len(raw) > DefinitionBytesMax {
		c.invalidf(loc, "is %d bytes long, but a definition may have at most %d", len(raw), DefinitionBytesMax)
		return nil, c.faults
	}
	value, err := decodeJSON(raw)
	if err != nil {
		c.invalidf(loc, "is not JSON: %v", err)
		return nil, c.faults
	}
	top, ok := value.(map[string]any)
	if !ok {
		c.invalidf(loc, "must be an object with a parser's definition")
		return nil, c.faults
	}
	var written map[string]json.RawMessage
	if err := json.Unmarshal(raw, &written); err != nil {
		c.invalidf(loc, "is not JSON: %v", err)
		return nil, c.faults
	}
	out := &compiled{}
	c.unknown(top, loc, "name", "description", "schema", "fields")
	out.name = c.name(top, loc)
	if out.description, _ = c.text(top, loc, "description", descriptionBytesMax); strings.ContainsRune(out.description, 0) {
		c.invalidf(in(loc, "description"), "must not contain a NUL character")
	}
	var form *shape
	if _, there := top["schema"]; !there {
		c.faultf(in(loc, "schema"), problem.FaultMissing, "is required: a JSON Schema of the result")
	} else if out.schema = c.schema(written["schema"], in(loc, "schema")); out.schema != nil {
		form = out.schema.form
	}
	if given, there := top["fields"]; !there {
		c.faultf(in(loc, "fields"), problem.FaultMissing, "is required: the fields of the result")
	} else {
		out.fields = c.fieldsOf(given, in(loc, "fields"), scopePage, form, 1)
	}
	if len(c.faults) == 0 {
		c.agree(out, in(loc, "schema"))
	}
	out.needs = c.needs
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return out, nil
}

func (c *compiler) name(top map[string]any, loc []any) string {
	name, there := c.text(top, loc, "name", nameBytesMax)
	at := in(loc, "name")
	switch {
	case !there && top["name"] == nil:
		c.faultf(at, problem.FaultMissing, "is required")
	case !there:
	case !namePattern.MatchString(name):
		c.invalidf(at, "must be 1 to %d lower-case letters, digits, hyphens and underscores, with a letter or digit at both ends", nameBytesMax)
	case strings.HasPrefix(name, idPrefix):
		c.invalidf(at, "must not start with %s, which is reserved for ids", idPrefix)
	}
	return name
}

// agree finds contradictions between fields and schema, as far as possible without a page.
func (c *compiler) agree(out *compiled, loc []any) {
	have := map[string]bool{}
	for _, f := range out.fields {
		have[f.name] = true
	}
	root := out.schema.form
	for _, name := range root.required {
		if !have[name] {
			c.invalidf(in(loc, "required"), "requires %.100q, which is not a field", name)
		}
	}
}

// unknown reports members that have no meaning.
func (c *compiler) unknown(m map[string]any, loc []any, known ...string) {
	for _, key := range sortedKeys(m) {
		found := false
		for _, name := range known {
			found = found || name == key
		}
		if !found {
			c.faultf(in(loc, key), problem.FaultUnknown, "is not a known member: use one of %s", strings.Join(known, ", "))
		}
	}
}

// text returns a member that must be a string, and whether it is there.
func (c *compiler) text(m map[string]any, loc []any, key string, bytesMax int) (string, bool) {
	value, there := m[key]
	if !there || value == nil {
		return "", false
	}
	text, ok := value.(string)
	switch {
	case !ok:
		c.invalidf(in(loc, key), "must be a string")
	case len(text) > bytesMax:
		c.invalidf(in(loc, key), "is longer than %d bytes", bytesMax)
	case !utf8.ValidString(text):
		c.invalidf(in(loc, key), "is not UTF-8")
	default:
		return text, true
	}
	return "", false
}

func (c *compiler) flag(m map[string]any, loc []any, key string) bool {
	value, there := m[key]
	if !there || value == nil {
		return false
	}
	flag, ok := value.(bool)
	if !ok {
		c.invalidf(in(loc, key), "must be true or false")
	}
	return flag
}

func (c *compiler) number(m map[string]any, loc []any, key string, least, most int64) int {
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
	c.invalidf(in(loc, key), "must be an integer from %d to %d", least, most)
	return 0
}

// fieldsOf compiles the fields of an object.
func (c *compiler) fieldsOf(value any, loc []any, scope scopeKind, form *shape, depth int) []namedField {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 {
		c.invalidf(loc, "must be an object with a member for each field, and at least one")
		return nil
	}
	if depth > DepthMax {
		c.invalidf(loc, "nests deeper than %d levels", DepthMax)
		return nil
	}
	fields := make([]namedField, 0, len(m))
	for _, name := range sortedKeys(m) {
		at := in(loc, name)
		if name == "" || len(name) > nameBytesMax || !utf8.ValidString(name) {
			c.invalidf(at, "must have a name of 1 to %d bytes", nameBytesMax)
			continue
		}
		inner := form.property(name)
		if form != nil && inner == nil && form.closed {
			c.invalidf(at, "is not allowed by the schema, which has additionalProperties: false")
		}
		fields = append(fields, namedField{name: name, field: c.field(m[name], at, scope, inner, depth), shape: inner})
	}
	return fields
}
