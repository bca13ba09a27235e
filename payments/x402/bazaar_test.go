package x402

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func shape(schema, example string) Shape { return Shape{Schema: raw(schema), Example: raw(example)} }

// reportUsage describes a request with every field set.
func reportUsage() *Usage {
	return &Usage{
		Method: "POST", Template: "/reports/{id}/notes",
		PathParams:  shape(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, `{"id":"7"}`),
		QueryParams: shape(`{"type":"object","properties":{"deep":{"type":["boolean","null"]}}}`, `{}`),
		BodyType:    "json",
		Body:        shape(`{"type":"object","properties":{"text":{"type":"string"},"at":{"type":"object","required":["x"]},"any":true},"required":["text","at"]}`, `{"text":"a","at":{"x":1}}`),
		OutputType:  "application/json",
		Output:      shape(`{"type":"object","properties":{"ok":{"type":"boolean"}}}`, `{"ok":true}`),
	}
}

func TestBazaarForms(t *testing.T) {
	t.Parallel()
	const input = `"input":{"type":"http","method":"POST","pathParams":{"id":"7"},"queryParams":{},"bodyType":"json","body":{"text":"a","at":{"x":1}}}`
	forms := reportUsage().Bazaar()
	if len(forms) < 4 {
		t.Fatalf("got %d forms: %s", len(forms), forms)
	}
	last := len(forms) - 1
	for i, want := range map[int]string{
		0: `{"info":{` + input + `,"output":{"type":"json","example":{"ok":true}}},"routeTemplate":"/reports/:id/notes","schema":{`,
		1: `{"info":{` + input + `},"routeTemplate":"/reports/:id/notes","schema":{`,
		2: `{"info":{` + input + `},"routeTemplate":"/reports/:id/notes","schema":{`,
		last: `{"info":{` + input + `},"routeTemplate":"/reports/:id/notes","schema":{"$schema":"https://json-schema.org/draft/2020-12/schema",` +
			`"properties":{"input":{"type":"object"}},"required":["input"],"type":"object"}}`,
	} {
		if !strings.HasPrefix(string(forms[i]), want) {
			t.Errorf("form %d: got  %s\nwant %s", i, forms[i], want)
		}
	}
	var whole struct {
		Schema struct {
			Properties struct {
				Input struct {
					Properties map[string]any
					Required   []string
				}
				Output map[string]any
			}
		}
	}
	if err := json.Unmarshal(forms[0], &whole); err != nil {
		t.Fatal(err)
	}
	asked := whole.Schema.Properties.Input
	if want := []string{"type", "method", "pathParams", "queryParams", "bodyType", "body"}; !slices.Equal(asked.Required, want) || len(asked.Properties) != 6 {
		t.Errorf("got required %q of %v, want %q", asked.Required, asked.Properties, want)
	}
	if whole.Schema.Properties.Output == nil || strings.Contains(string(forms[1]), `"ok"`) {
		t.Errorf("the answer is described in the whole alone: got %s", forms)
	}
}

// A shortened schema accepts everything that the full one accepts, and still names the required members.
func TestTerseSchemas(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","description":"d","additionalProperties":false,"required":["a"],"properties":{
		"a":{"type":"object","title":"t","required":["b"],"properties":{"b":{"enum":["x"],"default":"x"}}},
		"list":{"type":"array","minItems":2,"items":{"type":"object","properties":{"c":{"type":"string"}}}},"any":true}}`
	for levels, want := range []string{
		`{"type":"object"}`,
		`{"properties":{"a":{"type":"object"},"any":{},"list":{"items":{"type":"object"},"type":"array"}},"required":["a"],"type":"object"}`,
		`{"properties":{"a":{"properties":{"b":{"enum":["x"]}},"required":["b"],"type":"object"},"any":{},` +
			`"list":{"items":{"properties":{"c":{"type":"string"}},"type":"object"},"type":"array"}},"required":["a"],"type":"object"}`,
	} {
		usage := &Usage{Body: shape(schema, ``)}
		if got := string(usage.terse(levels).Body.Schema); got != want {
			t.Errorf("%d levels: got  %s\nwant %s", levels, got, want)
		}
		if string(usage.Body.Schema) != schema {
			t.Error("the usage itself was changed")
		}
	}
}

func TestBazaarOfLittle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		usage Usage
		want  string // part of the first form; empty: there is no form
	}{
		{"nothing known", Usage{Method: "GET", Template: "/a"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"other method", Usage{Method: "OPTIONS", Template: "/a"}, ""},
		{"body of a GET", Usage{Method: "GET", BodyType: "json", Body: shape(`{}`, `{}`)}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"no example", Usage{Method: "PUT", BodyType: "json", Body: shape(`{"pattern":"x"}`, ``)}, `"required":["type","method","bodyType"]`},
		{"no example, schema", Usage{Method: "PUT", BodyType: "json", Body: shape(`{"pattern":"x"}`, ``)}, `"body":{"pattern":"x"}`},
		{"other answer", Usage{Method: "GET", OutputType: "text/csv"}, `"output":{"type":"text","format":"text/csv"}`},
		{"further segments", Usage{Method: "GET", Template: "/a/*"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"odd variable", Usage{Method: "GET", Template: "/a/{b-c}"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"colon", Usage{Method: "GET", Template: "/a:b/{c}"}, `{"info":{"input":{"type":"http","method":"GET"}},"schema":`},
		{"no JSON", Usage{Method: "PUT", BodyType: "json", Body: shape(`{`, ``)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			forms := tt.usage.Bazaar()
			if (len(forms) > 0) != (tt.want != "") {
				t.Fatalf("got %s", forms)
			}
			if tt.want != "" && !strings.Contains(string(forms[0]), tt.want) {
				t.Errorf("got %s\nwant %s in it", forms[0], tt.want)
			}
		})
	}
}

func TestOutputSchema(t *testing.T) {
	t.Parallel()
	got := string(reportUsage().OutputSchema())
	want := `{"input":{"bodyFields":{"any":{"required":false},"at":{"required":["x"],"type":"object"},"text":{"required":true,"type":"string"}},` +
		`"bodyType":"json","discoverable":true,"method":"POST","pathParams":{"id":{"required":true,"type":"string"}},` +
		`"queryParams":{"deep":{"required":false,"type":"boolean"}},"type":"http"},"output":{"type":"object","properties":{"ok":{"type":"boolean"}}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	long := reportUsage()
	long.Output.Schema = raw(`{"description":"` + strings.Repeat("x", outputSchemaBytesMax) + `"}`)
	if got := long.OutputSchema(); got == nil || strings.Contains(string(got), `"output"`) {
		t.Errorf("a long answer: got %d bytes, want those on the request", len(got))
	}
	long.Body.Schema = raw(`{"properties":{"a":{"description":"` + strings.Repeat("x", outputSchemaBytesMax) + `"}}}`)
	if got := long.OutputSchema(); got != nil {
		t.Errorf("a long request: got %d bytes, want none", len(got))
	}
	if got := (&Usage{Method: "TRACE"}).OutputSchema(); got != nil {
		t.Errorf("got %s", got)
	}
}
