package ask

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// example is what the json_format by example says of one value.
type example struct {
	Type, Form, Description string
	Enum                    []string
	Properties              []member
	Items                   *example
}

type member struct {
	name  string
	value example
}

// format generates a schema from the example, and the fields from that.
func (e example) format(raw []byte) (*Format, error) {
	schema, err := jsonschema.CompileObject(e.schema())
	if err != nil {
		return nil, err //nolint:wrapcheck // callers use the *jsonschema.Error
	}
	f := &Format{Kind: KindExample, Raw: slices.Clone(raw), Schema: schema}
	return f, f.list(schema.Root())
}

// schema generates a JSON Schema from the example, with its members in order.
func (e example) schema() json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	put := func(name string, value any) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		text, err := json.Marshal(value)
		if err != nil {
			text = []byte("null") // strings cannot fail
		}
		out.WriteString(`"` + name + `":`)
		out.Write(text)
	}
	if e.Type != "" {
		put("type", e.Type)
	}
	if e.Form != "" {
		put("format", e.Form)
	}
	if e.Description != "" {
		put("description", e.Description)
	}
	if len(e.Enum) > 0 {
		put("enum", e.Enum)
	}
	if e.Items != nil {
		put("items", e.Items.schema())
	}
	if e.Properties != nil {
		var inner bytes.Buffer
		for i, p := range e.Properties {
			if i > 0 {
				inner.WriteByte(',')
			}
			inner.Write(jsonschema.Encode(p.name))
			inner.WriteByte(':')
			inner.Write(p.value.schema())
		}
		put("properties", json.RawMessage("{"+inner.String()+"}"))
	}
	out.WriteByte('}')
	return out.Bytes()
}

func exampleObject(members []rawMember, at string, depth int) (example, error) {
	if depth > FormatDepthMax {
		return example{}, fault(at, "nests deeper than %d levels", FormatDepthMax)
	}
	if len(members) == 0 {
		return example{}, fault(at, `has no fields: name them, as in {"name":"","berths":0}`)
	}
	out := example{Type: "object"}
	for _, m := range members {
		path := at + "/" + escape(m.name)
		if strings.TrimSpace(m.name) == "" {
			return example{}, fault(path, "must have a name of 1 to %d bytes", nameBytesMax)
		}
		value, err := exampleValue(m.value, path, depth+1)
		if err != nil {
			return example{}, err
		}
		out.Properties = append(out.Properties, member{m.name, value})
	}
	return out, nil
}

// exampleValue recurses; its depth is bounded.
func exampleValue(raw json.RawMessage, at string, depth int) (example, error) {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '{':
		members, err := ordered(raw)
		if err != nil {
			return example{}, fault(at, "%v", err)
		}
		if isLeafSchema(members) {
			return leafSchema(members), nil
		}
		return exampleObject(members, at, depth)
	case '[':
		return exampleList(raw, at, depth)
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return example{}, fault(at, "is not a JSON string: %v", err)
		}
		if len(s) > describedMax {
			return example{}, fault(at, "is a description of more than %d bytes", describedMax)
		}
		return described(s), nil
	case 't', 'f':
		return example{Type: "boolean"}, nil
	case 'n':
		return example{}, nil
	}
	return example{Type: "number"}, nil
}

func exampleList(raw json.RawMessage, at string, depth int) (example, error) {
	if depth > FormatDepthMax {
		return example{}, fault(at, "nests deeper than %d levels", FormatDepthMax)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return example{}, fault(at, "is not a JSON list: %v", err)
	}
	out := example{Type: "array", Items: &example{Type: "string"}}
	if len(list) == 0 {
		return out, nil
	}
	if len(list) > 1 && bytes.HasPrefix(bytes.TrimSpace(list[0]), []byte("{")) {
		return example{}, fault(at, "must have one entry, which is the example for all entries")
	}
	item, err := exampleValue(list[0], at+"/0", depth+1)
	if err != nil {
		return example{}, err
	}
	out.Items, out.Description = &item, item.Description
	return out, nil
}

// isLeafSchema reports whether an object within an example is the schema of one value: {"type":"number","description":"…"}.
func isLeafSchema(members []rawMember) bool {
	typed := false
	for _, m := range members {
		switch m.name {
		case "type":
			typed = slices.Contains([]string{`"string"`, `"number"`, `"integer"`, `"boolean"`}, string(m.value))
		case "description", "format", "enum", "title":
		default:
			return false
		}
	}
	return typed
}

func leafSchema(members []rawMember) example {
	var e example
	for _, m := range members {
		switch m.name {
		case "type":
			_ = json.Unmarshal(m.value, &e.Type)
		case "description":
			_ = json.Unmarshal(m.value, &e.Description)
		case "format":
			_ = json.Unmarshal(m.value, &e.Form)
		case "enum":
			_ = json.Unmarshal(m.value, &e.Enum)
		}
	}
	return e
}

// typeWords are type names that people write in place of a value.
var typeWords = map[string]example{
	"string": {Type: "string"}, "str": {Type: "string"}, "text": {Type: "string"},
	"number": {Type: "number"}, "float": {Type: "number"}, "decimal": {Type: "number"}, "double": {Type: "number"}, "numeric": {Type: "number"},
	"integer": {Type: "integer"}, "int": {Type: "integer"},
	"boolean": {Type: "boolean"}, "bool": {Type: "boolean"}, "true or false": {Type: "boolean"}, "true/false": {Type: "boolean"}, "true|false": {Type: "boolean"},
	"date": {Type: "string", Form: "date"}, "yyyy-mm-dd": {Type: "string", Form: "date"}, "iso date": {Type: "string", Form: "date"},
	"url": {Type: "string", Form: "uri"}, "uri": {Type: "string", Form: "uri"},
	"email": {Type: "string", Form: "email"}, "e-mail": {Type: "string", Form: "email"},
	"list": {Type: "array", Items: &example{Type: "string"}}, "array": {Type: "array", Items: &example{Type: "string"}},
	"string[]": {Type: "array", Items: &example{Type: "string"}}, "number[]": {Type: "array", Items: &example{Type: "number"}},
}

var (
	leadingType = regexp.MustCompile(`(?i)^(?:an? )?(string|str|text|number|float|decimal|numeric|integer|int|boolean|bool|true or false|true/false|url|uri|email|date)` +
		`\s*(?:[:,;–—(-]|- )\s*(.*)$`)
	listOf   = regexp.MustCompile(`(?i)^(?:an? |the )?(?:list|array) (?:of|with) `)
	whether  = regexp.MustCompile(`(?i)^(?:true if|whether|is it|are there|true when)\b`)
	isoDate  = regexp.MustCompile(`(?i)\byyyy-mm-dd\b|\biso[ -]?8601\b|\biso date\b`)
	choices  = regexp.MustCompile(`^[^|]{1,40}(?:\|[^|]{1,40})+$`)
	oneOf    = regexp.MustCompile(`(?i)\bone of:?\s+(.{3,200}?)\.?$`)
	asNumber = regexp.MustCompile(`(?i)\bas an? (?:plain |whole )?(number|integer)\b`)
	whole    = regexp.MustCompile(`(?i)^(?:the )?(?:how many|(?:total |whole )?(?:number|count) of) (?:(\pL+) )?(?:\pL+ )?(\pL+)`)
)

// described parses a description in place of a value. It usually does not state the type: then any type is allowed, and
// text is returned.
func described(s string) example {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return example{Type: "string"}
	}
	if e, ok := typeWords[strings.ToLower(strings.Trim(s, "<>.()…"))]; ok {
		return e
	}
	e := example{Description: s}
	if m := leadingType.FindStringSubmatch(s); m != nil {
		typed := typeWords[strings.ToLower(m[1])]
		e.Type, e.Form = typed.Type, typed.Form
		if strings.EqualFold(m[1], "date") {
			e.Type, e.Form = "string", ""
		}
	}
	switch {
	case isoDate.MatchString(s):
		e.Type, e.Form = "string", "date"
	case e.Type != "":
	case listOf.MatchString(s):
		e.Type, e.Items = "array", &example{}
	case whether.MatchString(s):
		e.Type = "boolean"
	case choices.MatchString(s):
		e.Enum = split(s, "|")
	case oneOf.MatchString(s):
		e.Enum = split(strings.NewReplacer(" or ", ",", "/", ",", "|", ",", `"`, "", "'", "").Replace(oneOf.FindStringSubmatch(s)[1]), ",")
	case asNumber.MatchString(s):
		e.Type = strings.ToLower(asNumber.FindStringSubmatch(s)[1])
	case isCount(s):
		e.Type = "integer"
	}
	if len(e.Enum) == 1 {
		e.Enum = nil
	}
	return e
}

// isCount reports whether a description asks for a count: "number of berths", not "number of the room".
func isCount(s string) bool {
	m := whole.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	for _, word := range []string{"the", "a", "an", "its", "this"} {
		if strings.EqualFold(m[1], word) {
			return false
		}
	}
	return true
}

func split(s, mark string) []string {
	var out []string
	for part := range strings.SplitSeq(s, mark) {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}
