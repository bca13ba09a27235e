package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func mustParse(t testing.TB, data string) *Document {
	t.Helper()
	d, err := Parse([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustDescribe(t testing.TB, d *Document, method, path string) Operation {
	t.Helper()
	op, ok := d.Describe(Route{Method: method, Path: path})
	if !ok {
		t.Fatalf("%s %s is not there", method, path)
	}
	return op
}

// withSchemas is a document with one route, whose body has the schema Body.
func withSchemas(schemas string) string {
	return `{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"post": {
		"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}},
		"responses": {"200": {"description": "good"}}}}}, "components": {"schemas": ` + schemas + `}}`
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	many := &strings.Builder{}
	for i := range routesMax + 1 {
		fmt.Fprintf(many, `"/%d": {"get": {}},`, i)
	}
	tests := []struct{ name, document, want string }{
		{"nothing", "", "is empty"},
		{"comments", "# nothing\n", "is empty"},
		{"text", "Not found", "is no object, want one in JSON or YAML"},
		{"no object", "[]", "is no object, want one in JSON or YAML"},
		{"neither", "a: [", "line 1: did not find expected node content"},
		{"broken JSON", `{"openapi": `, "unexpected EOF"},
		{"two documents", `{"openapi": "3.1.0"} {}`, "trailing data"},
		{"two documents of YAML", "openapi: 3.1.0\n---\nopenapi: 3.1.0\n", "trailing data"},
		{"a number for version", "openapi: 3.1\n", `openapi is "", want a version 3`},
		{"a key twice", "openapi: 3.1.0\nopenapi: 3.1.0\n", `line 2: the key "openapi" appears twice`},
		{"a key that is a list", "openapi: 3.1.0\n[a]: b\n", "line 2: a key must be a string"},
		{"a merge of text", "openapi: 3.1.0\n<<: b\n", "line 2: << must have an object, or a list of objects"},
		{"aliases of aliases", bomb(), "has more than 500000 values"},
		{"an alias in itself", "openapi: 3.1.0\nx: &x [*x]\n", "nested deeper than 1000 levels"},
		{"deep YAML", "x: " + strings.Repeat("[", yamlDepthMax+1) + strings.Repeat("]", yamlDepthMax+1), "nested deeper than 1000 levels"},
		{"Swagger", `{"swagger": "2.0"}`, `openapi is "", want a version 3`},
		{"version 4", `{"openapi": "4.0.0"}`, `openapi is "4.0.0"`},
		{"too deep", strings.Repeat(`{"a":`, 20_000), "exceeded max depth"},
		{"too large", strings.Repeat(" ", BytesMax+1), "larger than 4194304 bytes"},
		{"too many", `{"openapi": "3.1.0", "paths": {` + strings.TrimSuffix(many.String(), ",") + `}}`, "2001 operations"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(tt.document))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "OpenAPI document: ") {
				t.Errorf("got %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// bomb is a document whose aliases double it thirty times.
func bomb() string {
	document := &strings.Builder{}
	document.WriteString("openapi: 3.1.0\nx0: &x0 [a]\n")
	for i := range 30 {
		fmt.Fprintf(document, "x%d: &x%d [*x%d, *x%d]\n", i+1, i+1, i, i)
	}
	return document.String()
}

func TestYAMLIsReadAsJSON(t *testing.T) {
	t.Parallel()
	document, err := parse([]byte(`# An API
openapi: 3.1.0
on: yes
numbers: [1, -2.5, 1e3, 0x1F, 1_000, .5, .inf]
texts: [2024-01-31, "7", 'it''s', 3.1.0, null, ~, true]
responses:
  200:
    description: >-
      two
      lines
shared: &shared {type: object, required: [a]}
merged:
  <<: *shared
  required: [b]
both: {<<: [{a: 1}, {a: 2, b: 3}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(document)
	const want = `{"both":{"a":1,"b":3},"merged":{"required":["b"],"type":"object"},"numbers":[1,-2.5,1e3,31,1000,0.5,".inf"],"on":"yes",` +
		`"openapi":"3.1.0","responses":{"200":{"description":"two lines"}},"shared":{"required":["a"],"type":"object"},` +
		`"texts":["2024-01-31","7","it's","3.1.0",null,null,true]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	d := mustParse(t, `{"openapi": "3.0.3", "paths": {
		"/v1/{kind}/{id}": {"get": {}}, "/v1/things/latest": {"get": {}, "post": {}, "options": {}, "x-note": {}},
		"/v1/things/{id}": {"get": {}, "delete": 5}, "things": {"get": {}}, "/shared": {"$ref": "#/components/pathItems/Shared"}
	}, "components": {"pathItems": {"Shared": {"patch": {"summary": "shared"}}}}}`)
	want := []Route{
		{"PATCH", "/shared"}, {"GET", "/v1/things/latest"}, {"POST", "/v1/things/latest"}, {"GET", "/v1/things/{id}"}, {"GET", "/v1/{kind}/{id}"},
	}
	if got := d.Routes(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := mustDescribe(t, d, "PATCH", "/shared").Summary; got != "shared" {
		t.Errorf("got summary %q", got)
	}
	if _, ok := d.Describe(Route{Method: "PUT", Path: "/shared"}); ok {
		t.Error("an operation that is not there is described")
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	d := mustParse(t, `{"openapi": "3.1.0", "paths": {"/v1/things/{id}": {
		"parameters": [{"$ref": "#/components/parameters/ID"}, {"in": "query", "name": "deep", "schema": {"type": "string"}}],
		"post": {
			"summary": "Make a thing", "description": "At length.",
			"parameters": [
				{"in": "query", "name": "deep", "description": "How deep.", "schema": {"type": "integer", "minimum": 3}, "required": true},
				{"in": "query", "name": "tag", "example": "red", "schema": {"type": "string"}},
				{"in": "query", "name": "other", "content": {"application/json": {"schema": {"type": "boolean"}}}},
				{"in": "header", "name": "X-Thing", "schema": {"type": "string"}}
			],
			"requestBody": {"required": true, "content": {
				"text/plain": {"schema": {"type": "string"}},
				"application/json; charset=utf-8": {"schema": {"$ref": "#/components/schemas/Thing"}}
			}},
			"responses": {"404": {"description": "none"}, "201": {"$ref": "#/components/responses/Made"}}
		}}},
		"components": {
			"parameters": {"ID": {"in": "path", "name": "id", "schema": {"type": "string", "format": "uuid"}}},
			"responses": {"Made": {"description": "made", "content": {"application/json": {"example": {"id": "7"}, "schema": {
				"type": "object", "properties": {"id": {"type": "string"}}}}}}},
			"schemas": {"Thing": {"type": "object", "required": ["url", "size"], "additionalProperties": false, "x-internal": 1, "properties": {
				"$schema": {"type": "string"},
				"url": {"type": "string", "format": "uri"}, "size": {"enum": ["small", "large"]}, "note": {"type": ["string", "null"], "maxLength": 3}
			}}}
		}}`)
	got := mustDescribe(t, d, "POST", "/v1/things/{id}")
	want := Operation{
		Route: Route{"POST", "/v1/things/{id}"}, Summary: "Make a thing", Description: "At length.",
		Path: Shape{
			json.RawMessage(`{"properties":{"id":{"format":"uuid","type":"string"}},"required":["id"],"type":"object"}`),
			json.RawMessage(`{"id":"00000000-0000-4000-8000-000000000000"}`),
		},
		Query: Shape{
			json.RawMessage(`{"properties":{"deep":{"description":"How deep.","minimum":3,"type":"integer"},"other":{"type":"boolean"},` +
				`"tag":{"type":"string"}},"required":["deep"],"type":"object"}`),
			json.RawMessage(`{"deep":3,"tag":"red"}`),
		},
		BodyType: BodyJSON, BodyRequired: true,
		Body: Shape{
			json.RawMessage(`{"additionalProperties":false,"properties":{"note":{"maxLength":3,"type":["string","null"]},` +
				`"size":{"enum":["small","large"]},"url":{"format":"uri","type":"string"}},"required":["url","size"],"type":"object"}`),
			json.RawMessage(`{"size":"small","url":"https://example.com/"}`),
		},
		AnswerType: "application/json",
		Answer: Shape{
			json.RawMessage(`{"properties":{"id":{"type":"string"}},"type":"object"}`),
			json.RawMessage(`{"id":"7"}`),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %s\nwant %s", asText(got), asText(want))
	}
}

func asText(op Operation) string {
	text, _ := json.MarshalIndent(op, "", " ")
	return string(text)
}

// An invalid part of a schema is dropped, so that it allows anything there; the rest is kept.
func TestSchemas(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want, example string }{
		{"nothing", `null`, `{}`, `{}`},
		{"anything", `true`, `{}`, `{}`},
		{"nothing fits", `{"not": {}}`, `{}`, `{}`},
		{"reference to nothing", `{"$ref": "#/components/schemas/None"}`, `{}`, `{}`},
		{"reference to elsewhere", `{"$ref": "https://example.com/a.json#/b"}`, `{}`, `{}`},
		{"reference to itself", `{"$ref": "#/components/schemas/Body"}`, `{}`, `{}`},
		{
			"tree", `{"type": "object", "properties": {"left": {"$ref": "#/components/schemas/Body"}, "value": {"type": "integer"}}, "required": ["value"]}`,
			`{"properties":{"left":{},"value":{"type":"integer"}},"required":["value"],"type":"object"}`, `{"value":1}`,
		},
		{"words of version 3.0", `{"type": "integer", "nullable": true, "minimum": 1, "exclusiveMinimum": true}`, `{"minimum":1,"type":["integer","null"]}`, `1`},
		{"nullable without a type", `{"nullable": true, "allOf": [{"type": "string"}]}`, `{"anyOf":[{"allOf":[{"type":"string"}]},{"type":"null"}]}`, `null`},
		{"nullable enum", `{"type": "string", "nullable": true, "enum": ["a"]}`, `{"enum":["a",null],"type":["string","null"]}`, `"a"`},
		{"unknown type", `{"type": "file", "minLength": -1, "pattern": "(?=a)", "enum": [], "required": [1]}`, `{}`, `{}`},
		{"one of", `{"oneOf": [{"type": "string"}, {"type": "integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `"text"`},
		{"words that excuse", `{"prefixItems": [{"type": "string"}], "items": false, "patternProperties": {"a": {}}, "additionalProperties": false}`, `{}`, `{}`},
		{"references in values", `{"default": {"$ref": "x"}, "enum": [{"$id": "x"}], "properties": {"$id": {}, "a": {"const": 1}}}`, `{"properties":{"a":{"const":1}}}`, `{}`},
		{"example that fits", `{"type": "object", "example": {"a": 1}}`, `{"examples":[{"a":1}],"type":"object"}`, `{"a":1}`},
		{"example that does not", `{"type": "object", "required": ["a"], "example": {"b": 1}}`, `{"required":["a"],"type":"object"}`, `{"a":"text"}`},
		{"bounds", `{"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 5, "multipleOf": 4}}`, `{"items":{"minimum":5,"multipleOf":4,"type":"integer"},"minItems":2,"type":"array"}`, `[8,8]`},
		{"length", `{"type": "string", "minLength": 6, "maxLength": 7}`, `{"maxLength":7,"minLength":6,"type":"string"}`, `"textxx"`},
		{"pattern that no example is known of", `{"type": "string", "pattern": "^[0-9]+$"}`, `{"pattern":"^[0-9]+$","type":"string"}`, ``},
		{"exponent", `{"type": "number", "minimum": 1e999999}`, `{"type":"number"}`, `1`},
		{"bound that cannot be read", `{"type": "number", "minimum": 1e9}`, `{"minimum":1e9,"type":"number"}`, ``},
		{
			"all of", `{"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"b": {"type": "boolean"}}, "required": ["b"]}]}`,
			`{"allOf":[{"required":["a"],"type":"object"},{"properties":{"b":{"type":"boolean"}},"required":["b"]}]}`, `{"a":"text","b":true}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := mustDescribe(t, mustParse(t, withSchemas(`{"Body": `+tt.schema+`}`)), "POST", "/a").Body
			if string(got.Schema) != tt.want || string(got.Example) != tt.example {
				t.Errorf("got schema %s, example %s\nwant %s, %s", got.Schema, got.Example, tt.want, tt.example)
			}
		})
	}
}

// A short document can expand to one of unlimited size.
func TestBudget(t *testing.T) {
	t.Parallel()
	doubling := &strings.Builder{}
	for i := range 60 {
		fmt.Fprintf(doubling, `"S%d": {"properties": {"a": {"$ref": "#/components/schemas/S%d"}, "b": {"$ref": "#/components/schemas/S%d"}}},`, i, i+1, i+1)
	}
	wide := &strings.Builder{}
	for i := range 5_000 {
		fmt.Fprintf(wide, `"property%d": {"type": "string", "description": %q},`, i, strings.Repeat("long ", 100))
	}
	for name, schemas := range map[string]string{
		"doubling": `{` + doubling.String() + `"S60": {}, "Body": {"$ref": "#/components/schemas/S0"}}`,
		"deep":     `{"Body": ` + strings.Repeat(`{"items":`, 4000) + `{}` + strings.Repeat(`}`, 4000) + `}`,
		"wide":     `{"Body": {"properties": {` + strings.TrimSuffix(wide.String(), ",") + `}}}`,
		"cycle":    `{"Body": {"allOf": [{"$ref": "#/components/schemas/A"}]}, "A": {"anyOf": [{"$ref": "#/components/schemas/Body"}, {"$ref": "#/components/schemas/A"}]}}`,
		"example":  `{"Body": {"example": ` + strings.Repeat(`[`, 4000) + strings.Repeat(`]`, 4000) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := mustParse(t, withSchemas(schemas))
			checkShape(t, mustDescribe(t, d, "POST", "/a").Body)
		})
	}
}

const shapeBytesMax = 1 << 20

func checkShape(t *testing.T, s Shape) {
	t.Helper()
	if s.Schema == nil {
		if s.Example != nil {
			t.Errorf("example %s without a schema", s.Example)
		}
		return
	}
	if len(s.Schema) > shapeBytesMax || len(s.Example) > exampleBytesMax {
		t.Errorf("schema has %d bytes, example %d", len(s.Schema), len(s.Example))
	}
	if strings.Contains(string(s.Schema), `"$ref":`) || strings.Contains(string(s.Schema), `"$id":`) {
		t.Errorf("schema has references: %s", s.Schema)
	}
	for _, raw := range []json.RawMessage{s.Schema, s.Example} {
		if raw != nil && !json.Valid(raw) {
			t.Errorf("not JSON: %q", raw)
		}
	}
}

// The repository's own service is described by its generated document.
func TestOwnBackend(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../backend/api/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	d := mustParse(t, string(data))
	if len(d.Routes()) < 5 {
		t.Fatalf("got %d routes", len(d.Routes()))
	}
	for _, route := range d.Routes() {
		op := mustDescribe(t, d, route.Method, route.Path)
		for _, shape := range []Shape{op.Path, op.Query, op.Body, op.Answer} {
			checkShape(t, shape)
		}
		if op.BodyType == BodyJSON && op.Body.Example == nil {
			t.Errorf("%s %s: no example of its body", route.Method, route.Path)
		}
		if strings.Contains(route.Path, "{") && op.Path.Schema == nil {
			t.Errorf("%s %s: nothing on its variables", route.Method, route.Path)
		}
	}
}

// The same document gives the same operations in both forms.
func TestOwnBackendInYAML(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../backend/api/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		t.Fatal(err)
	}
	inBlocks(&node)
	written, err := yaml.Marshal(&node)
	if err != nil || !bytes.HasPrefix(written, []byte("components:\n")) {
		t.Fatalf("got %.40s, %v, want YAML in blocks", written, err)
	}
	asJSON, asYAML := mustParse(t, string(data)), mustParse(t, string(written))
	if !slices.Equal(asYAML.Routes(), asJSON.Routes()) {
		t.Fatalf("got %v, want %v", asYAML.Routes(), asJSON.Routes())
	}
	for _, route := range asJSON.Routes() {
		if got, want := mustDescribe(t, asYAML, route.Method, route.Path), mustDescribe(t, asJSON, route.Method, route.Path); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %+v, want %+v", route, got, want)
		}
	}
}

// inBlocks removes the style of JSON.
func inBlocks(n *yaml.Node) {
	n.Style = 0
	for _, inner := range n.Content {
		inBlocks(inner)
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(withSchemas(`{"Body": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Body"}}, "required": ["a"]}}`)))
	f.Add([]byte(withSchemas(`{"Body": {"oneOf": [{"type": "string", "enum": ["a"]}, {"type": ["null", "integer"], "minimum": 1.5, "multipleOf": 2}]}}`)))
	f.Add([]byte(`{"openapi":"3.0.0","paths":{"/{a}":{"get":{"parameters":[{"in":"path","name":"a","example":1,"schema":{"type":"number"}}]}}}}`))
	f.Add([]byte(`{"openapi":"3.0.0","paths":{"/a":{"$ref":"#/paths/~1a"}}}`))
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/a":{"put":{"responses":{"200":{"content":{"text/event-stream":{"schema":{"default":{}}}}}}}}}}`))
	f.Add([]byte("openapi: 3.1.0\npaths:\n  /a: &a\n    get: {parameters: [{in: query, name: a, schema: {type: integer, default: 0x1F}}]}\n  /b:\n    <<: *a\n"))
	f.Add([]byte(bomb()))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		if err != nil {
			return
		}
		for _, route := range d.Routes() {
			op, ok := d.Describe(route)
			if !ok {
				t.Fatalf("%v is a route and is not described", route)
			}
			for _, shape := range []Shape{op.Path, op.Query, op.Body, op.Answer} {
				checkShape(t, shape)
			}
		}
	})
}
