package rules

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// define is a definition with one field v.
func define(schema, field string) string {
	return `{"name":"x","schema":` + schema + `,"fields":{"v":` + field + `}}`
}

func TestFaultsOfDefinitions(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object"}`
	deep := func(n int) string {
		return strings.Repeat(`{"fields":{"v":`, n) + `{"css":"p"}` + strings.Repeat(`}}`, n)
	}
	wide := make([]string, FieldsMax+1)
	for i := range wide {
		wide[i] = fmt.Sprintf(`"f%d":{"css":"p"}`, i)
	}
	for _, tc := range []struct{ name, definition, want string }{
		{"not JSON", `{`, "body: is not JSON"},
		{"a list", `[]`, "body: must be an object"},
		{"two values", define(object, `{"css":"p"}`) + `{}`, "body: is not JSON"},
		{"nothing", `{}`, "body.name: is required"},
		{"a name with a capital", `{"name":"Item"}`, "body.name: must be"},
		{"a name like an id", `{"name":"parser_x"}`, "body.name: must not start with parser_"},
		{"a name that is a number", `{"name":1}`, "body.name: must be a string"},
		{"an unknown member", `{"colour":1}`, "body.colour: is not a known member"},
		{"a NUL in the description", `{"description":"a\u0000"}`, "body.description"},
		{"no fields", `{"fields":{}}`, "body.fields: must be an object"},
		{"a field that is text", define(object, `"p"`), "body.fields.v: must be an object"},
		{"no source", define(object, `{"all":true}`), "body.fields.v: needs a source"},
		{"two sources", define(object, `{"css":"p","xpath":"//p"}`), "several sources (css, xpath)"},
		{"an unknown source", define(object, `{"jq":"."}`), "body.fields.v.jq: is not a known member"},
		{"an empty selector", define(object, `{"css":" "}`), "body.fields.v.css: is empty"},
		{"no CSS", define(object, `{"css":"p["}`), "body.fields.v.css"},
		{"a pseudo-element", define(object, `{"css":"p::before"}`), "body.fields.v.css"},
		{"no XPath", define(object, `{"xpath":"//["}`), "body.fields.v.xpath: is not XPath"},
		{"a pattern in XPath", define(object, `{"xpath":"//a[matches(@href,'x')]"}`), "or the transforms regex"},
		{"a long selector", define(object, `{"css":"`+strings.Repeat("a ", 600)+`"}`), "longer than 1000"},
		{"path on the page", define(object, `{"path":"a"}`), "allowed only within the fields of json_ld"},
		{"column on the page", define(object, `{"column":"a"}`), "allowed only within the fields of table"},
		{"css within a thing", define(object, `{"json_ld":"Product","fields":{"a":{"css":"p"}}}`), "body.fields.v.fields.a.css: reads elements"},
		{"nothing of a thing", define(object, `{"json_ld":{}}`), "must have a type, a path or both"},
		{"a bad path", define(object, `{"json_ld":{"path":"a..b"}}`), "body.fields.v.json_ld.path"},
		{"a bad index", define(object, `{"json_ld":{"path":"a[x]"}}`), "body.fields.v.json_ld.path"},
		{"an unknown page value", define(object, `{"page":"weather"}`), "body.fields.v.page: must be one of"},
		{"attr and take", define(object, `{"css":"p","attr":"a","take":"html"}`), "cannot be combined with attr"},
		{"an unknown take", define(object, `{"css":"p","take":"json"}`), "body.fields.v.take"},
		{"attr of a thing", define(object, `{"json_ld":"Product","attr":"a"}`), "has attr or take"},
		{"attr of an object", define(object, `{"css":"p","attr":"a","fields":{"b":{}}}`), "into those"},
		{"fields of a constant", define(object, `{"const":1,"fields":{"b":{"css":"p"}}}`), "cannot be combined with const or any"},
		{"no alternatives", define(object, `{"any":[]}`), "body.fields.v.any: must be a list"},
		{"a faulty alternative", define(object, `{"any":[{"css":"p"},{"css":"["}]}`), "body.fields.v.any.1.css"},
		{"all of a group", define(object, `{"all":true,"fields":{"a":{"css":"p"}}}`), "body.fields.v.all: needs a source"},
		{"a word for true", define(object, `{"css":"p","all":"yes"}`), "body.fields.v.all: must be true or false"},
		{"transforms that are no list", define(object, `{"css":"p","transforms":"trim"}`), "body.fields.v.transforms: must be a list"},
		{"an unknown transform", define(object, `{"css":"p","transforms":["shout"]}`), "body.fields.v.transforms.0: must be one of"},
		{"an unknown transform with options", define(object, `{"css":"p","transforms":[{"shout":1}]}`), "body.fields.v.transforms.0.shout"},
		{"two transforms in one", define(object, `{"css":"p","transforms":[{"split":",","join":","}]}`), "must have exactly one member"},
		{"no pattern", define(object, `{"css":"p","transforms":[{"regex":{}}]}`), "transforms.0.regex.pattern: is required"},
		{"a pattern that is none", define(object, `{"css":"p","transforms":[{"regex":"("}]}`), "is not a valid RE2 regular expression"},
		{"a pattern that looks back", define(object, `{"css":"p","transforms":[{"regex":"(?<=a)b"}]}`), "is not a valid RE2"},
		{"a group that is not there", define(object, `{"css":"p","transforms":[{"regex":{"pattern":"a","group":1}}]}`), "transforms.0.regex.group"},
		{"an unknown zone", define(object, `{"css":"p","transforms":[{"date":{"time_zone":"Mars/Olympus"}}]}`), "date.time_zone"},
		{"a zone that is a file", define(object, `{"css":"p","transforms":[{"date":{"time_zone":"../../etc/passwd"}}]}`), "date.time_zone"},
		{"an unknown order", define(object, `{"css":"p","transforms":[{"date":{"order":"dym"}}]}`), "date.order"},
		{"an unknown mark", define(object, `{"css":"p","transforms":[{"number":{"decimal":";"}}]}`), "number.decimal"},
		{"a map of lists", define(object, `{"css":"p","transforms":[{"map":{"a":[]}}]}`), "transforms.0.map.a"},
		{"too deep", define(object, deep(DepthMax)), "nests deeper than 8"},
		{"alternatives too deep", define(object, strings.Repeat(`{"any":[`, DepthMax)+`{"css":"p"}`+strings.Repeat(`]}`, DepthMax)), "nests deeper than 8"},
		{"too many fields", `{"name":"x","schema":{"type":"object"},"fields":{` + strings.Join(wide, ",") + `}}`, "is one field too many"},
		{"too large", define(object, `{"css":"`+strings.Repeat("p", DefinitionBytesMax)+`"}`), "bytes long"},

		{"a schema that is text", define(`"object"`, `{"css":"p"}`), "body.schema: must be a JSON object"},
		{"a schema of a list", define(`{"type":"array"}`, `{"css":"p"}`), "must allow an object"},
		{"a schema that is none", define(`{"type":"thing"}`, `{"css":"p"}`), "body.schema.type: value must be one of"},
		{"a property that is none", define(`{"type":"object","properties":{"v":{"minLength":-1}}}`, `{"css":"p"}`), "body.schema.properties.v.minLength: "},
		{"a pattern of a schema", define(`{"type":"object","properties":{"v":{"pattern":"("}}}`, `{"css":"p"}`), "body.schema.properties.v.pattern: is not a valid RE2 regular expression"},
		{"a remote reference", define(`{"type":"object","$ref":"https://example.com/s"}`, `{"css":"p"}`), "are not fetched"},
		{"a reference to a file", define(`{"type":"object","properties":{"v":{"$ref":"file:///etc/passwd"}}}`, `{"css":"p"}`), "are not fetched"},
		{"a reference to nothing", define(`{"type":"object","properties":{"v":{"$ref":"#/$defs/x"}}}`, `{"css":"p"}`), "does not refer to a schema"},
		{"a circle", define(`{"type":"object","properties":{"v":{"$ref":"#/$defs/v"}},"$defs":{"v":{"$ref":"#/properties/v"}}}`, `{"css":"p"}`), "leads back to itself"},
		{"an address of its own", define(`{"type":"object","properties":{"v":{"$id":"https://example.com/s"}}}`, `{"css":"p"}`), "$id: is not supported"},
		{"another draft", define(`{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}`, `{"css":"p"}`), "$schema: must be"},
		{"a field that the schema has not", define(`{"type":"object","properties":{"w":{}},"additionalProperties":false}`, `{"css":"p"}`), "body.fields.v: is not allowed by the schema"},
		{"a property that no field has", define(`{"type":"object","required":["w"]}`, `{"css":"p"}`), `body.schema.required: requires "w"`},
		{"references that double", define(doubling(30), `{"css":"p"}`), "multiply to more than 500"},
		{"a deep schema", define(`{"type":"object","properties":{"v":`+strings.Repeat(`{"items":`, 40)+`{}`+strings.Repeat(`}`, 40)+`}}`, `{"css":"p"}`), "nests deeper than 32"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d, faults := Compile([]byte(tc.definition), []any{"body"})
			if d != nil || len(faults) == 0 {
				t.Fatalf("got %v, want a fault with %q", d, tc.want)
			}
			var all []string
			for _, f := range faults {
				all = append(all, f.String())
			}
			if said := strings.Join(all, "\n"); !strings.Contains(said, tc.want) {
				t.Errorf("got %s, want %q in it", said, tc.want)
			}
		})
	}
}

// doubling is a schema of n definitions, each of which refers to the next twice.
func doubling(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	defs = append(defs, fmt.Sprintf(`"d%d":{}`, n))
	return `{"type":"object","$defs":{` + strings.Join(defs, ",") + `},"properties":{"v":{"$ref":"#/$defs/d0"}}}`
}

func FuzzDefinition(f *testing.F) {
	for _, seed := range []string{
		define(`{"type":"object"}`, `{"css":"p:not(.a) > b ~ c, d"}`), define(doubling(3), `{"xpath":"//a[@b='c']/text()","all":true}`),
		define(`{"type":"object","properties":{"v":{"type":["array","null"],"items":{"$ref":"#/$defs/a"}}},"$defs":{"a":{"type":"number"}}}`, `{"json_ld":{"type":"A","path":"b[0].c"},"all":true,"fields":{"x":{"path":"y","transforms":["number",{"map":{"a":1}}]}}}`),
		define(`{}`, `{"any":[{"table":{"header":["a"],"index":1},"fields":{"b":{"column":"0"}}},{"const":{"a":[1]}}],"default":null}`),
		define(`{"anyOf":[{"type":"object"},{"$ref":"#/anyOf/0"}]}`, `{"css":"p","transforms":[{"regex":"(a)"},{"replace":{"pattern":"a","with":"$1"}},{"date":{"order":"dmy"}}]}`),
		`{"name":"x"}`, `[]`, `{"fields":{"a":{"fields":{}}}}`,
	} {
		f.Add([]byte(seed))
	}
	source, document := shop(), shopDocument()
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, faults := Compile(raw, []any{"body"})
		if (d == nil) == (len(faults) == 0) {
			t.Fatalf("got %v and %v, want the one or the other", d, faults)
		}
		for _, fault := range faults {
			_ = fault.String()
		}
		if d == nil {
			return
		}
		if _, err := Canonical(raw); err != nil {
			t.Errorf("got %v, want one spelling of what compiles", err)
		}
		out, err := d.Do(t.Context(), source, document)
		if err == nil && out.JSON == nil && len(out.Faults) == 0 {
			t.Error("got neither a result nor a fault")
		}
	})
}

// A compiled definition can be used by concurrent runs.
func TestOneDefinitionRunsSideBySide(t *testing.T) {
	t.Parallel()
	d, faults := Compile([]byte(`{"name":"x","schema":{"type":"object","properties":{"n":{"type":"integer"}}},"fields":{`+
		`"n":{"xpath":"count(//li)"},"c":{"css":"li:last-child b"},"x":{"xpath":"//li[position()=last()]//a/@href"},`+
		`"k":{"const":["1"],"transforms":["first"]},"w":{"label":"Weight","transforms":[{"regex":"([0-9.]+)"}]}}}`), nil)
	if faults != nil {
		t.Fatal(faults)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				out, err := d.Do(t.Context(), shop(), shopDocument())
				const want = `{"k":"1","n":3,"w":"1.5","x":"x"}`
				if err != nil || strings.ReplaceAll(string(out.JSON), `"c":null,`, "") != want {
					t.Errorf("got %s, %v, want %s", out.JSON, err, want)
					return
				}
			}
		})
	}
	group.Wait()
}
