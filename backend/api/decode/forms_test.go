package decode_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
)

// nested has fields with several forms: deep in an object, in a list, and as an anyOf.
type nested struct {
	Deep deep   `json:"deep,omitzero"`
	List []form `json:"list,omitempty"`
	Any  anyOf  `json:"any,omitzero"`
}

type deep struct {
	Form form `json:"form,omitzero"`
}

type form struct{}

func (form) Schema(huma.Registry) *huma.Schema {
	id := &huma.Schema{Type: huma.TypeString, MinLength: new(1), Description: "An id, such as a1."}
	object := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"id": id}, Required: []string{"id"}, AdditionalProperties: false}
	id.PrecomputeMessages()
	object.PrecomputeMessages()
	return &huma.Schema{OneOf: []*huma.Schema{object, id}}
}

type anyOf struct{}

func (anyOf) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{
		{Type: huma.TypeBoolean},
		{OneOf: []*huma.Schema{{Type: huma.TypeInteger}, {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}}},
	}}
}

// A value that fits none of its allowed forms is refused with the list of forms, or with what its own form lacks.
func TestExplain(t *testing.T) {
	t.Parallel()
	const forms = "must be an object with id, or an id, such as a1"
	for text, want := range map[string][]string{
		`{"deep":{"form":7}}`:               {"body.deep.form: " + forms},
		`{"deep":{"form":[]}}`:              {"body.deep.form: " + forms},
		`{"deep":{"form":""}}`:              {"body.deep.form: expected length >= 1"},
		`{"deep":{"form":{}}}`:              {"body.deep.form: expected required property id to be present"},
		`{"deep":{"form":{"id":7}}}`:        {"body.deep.form.id: expected string"},
		`{"deep":{"form":{"id":"","x":1}}}`: {"body.deep.form.id: expected length >= 1", "body.deep.form.x: unexpected property"},
		`{"list":["a1",null,7]}`:            {"body.list[1]: " + forms, "body.list[2]: " + forms},
		`{"any":"a"}`:                       {"body.any: must be true or false, or a whole number, or a list of strings"},
		`{"any":[7]}`:                       {"body.any[0]: expected string"},
		`{"any":true,"deep":{"form":"a"}}`:  nil,
		`{"other":7,"deep":{"form":7}}`:     {"body.deep.form: " + forms, "body.other: unexpected property"},
	} {
		registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
		schema := registry.Schema(reflect.TypeFor[nested](), true, "Request")
		if got := explain(t, registry, schema, text); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

type named struct {
	Name  string `json:"name,omitempty"`
	Alias string `json:"alias,omitempty"`
	Form  form   `json:"form,omitzero"`
	Count int    `json:"count"`
}

func (named) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.AnyOf = oneName("name", "alias")
	return s
}

// A field with several names is reported missing like any other, together with the others.
func TestExplainNames(t *testing.T) {
	t.Parallel()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeFor[named](), true, "Request")
	for text, want := range map[string][]string{
		`{}`:                              {"body: expected required property count to be present", "body: expected required property name to be present"},
		`{"alias":"a","count":1}`:         nil,
		`{"name":7,"count":1}`:            {"body.name: expected string"},
		`{"name":"a","count":1,"form":7}`: {"body.form: must be an object with id, or an id, such as a1"},
		`[]`:                              {"body: expected object", "body: must be an object with name, or an object with alias"},
	} {
		if got := explain(t, registry, schema, text); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// If the schema does not lead to the place, nothing is made up.
func TestExplainWithoutForms(t *testing.T) {
	t.Parallel()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	found := validate(t, registry, registry.Schema(reflect.TypeFor[nested](), true, "Request"), `{"deep":{"form":7}}`)
	got := decode.Explain(registry, &huma.Schema{Type: huma.TypeObject}, found)
	if len(got) != 1 || detailOf(t, got[0]).Message != "does not have an accepted form" {
		t.Errorf("got %v", got)
	}
}

func TestLocation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]any{
		"":                     {},
		"body":                 {"body"},
		"body.formats[0].type": {"body", "formats", 0, "type"},
		"body.rows[1][2]":      {"body", "rows", 1, 2},
		"body.a[b]":            {"body", "a"},
	} {
		if got := decode.Location(text); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// FuzzExplain: each fault of any value is reported, and never by a schema that has not matched.
func FuzzExplain(f *testing.F) {
	for _, seed := range []string{`{"deep":{"form":7}}`, `{"list":[[],{"id":{}}]}`, `{"any":{"":[]}}`, `{"a.b[1]":7}`, `[]`, `7`} {
		f.Add([]byte(seed))
	}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeFor[nested](), true, "Request")
	f.Fuzz(func(t *testing.T, text []byte) {
		var value any
		if json.Unmarshal(text, &value) != nil {
			return
		}
		found := validate(t, registry, schema, string(text))
		if got := decode.Explain(registry, schema, found); len(got) < len(found) {
			t.Fatalf("%s: got %v of %v", text, got, found)
		}
	})
}

func explain(t *testing.T, r huma.Registry, s *huma.Schema, text string) []string {
	t.Helper()
	var said []string
	for _, err := range decode.Explain(r, s, validate(t, r, s, text)) {
		detail := detailOf(t, err)
		said = append(said, detail.Location+": "+detail.Message)
	}
	slices.Sort(said)
	return said
}

func detailOf(t *testing.T, err error) *huma.ErrorDetail {
	t.Helper()
	detail, ok := errors.AsType[*huma.ErrorDetail](err)
	if !ok {
		t.Fatalf("got %v, want Huma's detail", err)
	}
	return detail
}

func validate(t *testing.T, r huma.Registry, s *huma.Schema, text string) []error {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("reading %s: %v", text, err)
	}
	var found huma.ValidateResult
	path := huma.NewPathBuffer([]byte{}, 0)
	path.Push("body")
	huma.Validate(r, s, path, huma.ModeWriteToServer, value, &found)
	return found.Errors
}

// oneName is the anyOf of an object with one field under one of several names. The first name is the preferred one.
func oneName(names ...string) []*huma.Schema {
	forms := make([]*huma.Schema, len(names))
	for i, name := range names {
		forms[i] = &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{name: {}}, Required: []string{name}}
		forms[i].PrecomputeMessages()
	}
	return forms
}
