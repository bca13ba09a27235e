package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCompileSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range PropertiesMax + 1 {
		fmt.Fprintf(&many, `,"p%d":{}`, i)
	}
	var definitions strings.Builder
	for i := range 20 {
		fmt.Fprintf(&definitions, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubled := `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + definitions.String() + `"d20":{"type":"string"}}}`
	var patterns strings.Builder
	for i := range 60 {
		fmt.Fprintf(&patterns, `,"x{1000}%d":{}`, i)
	}
	for _, tc := range []struct{ name, schema, pointer, message string }{
		{"no JSON", `{"type":`, "", "ends too early"},
		{"two values", `{"type":"object"} {}`, "", "more than one"},
		{"a list", `[]`, "", "must be a JSON object"},
		{"true", `true`, "", "must be a JSON object"},
		{"twice the same name", `{"type":"object","type":"object"}`, "", "twice"},
		{"a type that is none", `{"type":"objekt"}`, "/type", "value must be one of"},
		{"a list at the root", `{"type":"array"}`, "/type", "must be object"},
		{"no object", `{"a":1}`, "", "does not describe an object"},
		{"properties as a list", `{"type":"object","properties":["a"]}`, "/properties", "want object"},
		{"a property that is text", `{"type":"object","properties":{"a":"string"}}`, "/properties/a", "must be a schema"},
		{"a remote reference", `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`, "/properties/a/$ref", "not fetched"},
		{"a file", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "/properties/a/$ref", "not fetched"},
		{"a relative reference", `{"type":"object","properties":{"a":{"$ref":"other.json#/x"}}}`, "/properties/a/$ref", "not fetched"},
		{"a reference to nothing", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`, "/properties/a/$ref", "does not refer"},
		{"a reference to no schema", `{"type":"object","title":"x","properties":{"a":{"$ref":"#/title"}}}`, "/properties/a/$ref", "does not refer"},
		{"an inner id", `{"type":"object","properties":{"a":{"$id":"https://example.com/a"}}}`, "/properties/a/$id", "not supported"},
		{"a dynamic reference", `{"type":"object","properties":{"a":{"$dynamicRef":"#x"}}}`, "/properties/a/$dynamicRef", "not supported"},
		{"an own dialect", `{"$schema":"https://example.com/dialect","type":"object"}`, "/$schema", "must be https://json-schema.org"},
		{"a pattern with look-ahead", `{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`, "/properties/a/pattern", "RE2"},
		{"a huge pattern", `{"type":"object","properties":{"a":{"pattern":"\\pL{1000}"}}}`, "/properties/a/pattern", "is too large"},
		{"many patterns", `{"type":"object","patternProperties":{"y":{}` + patterns.String() + `}}`, "", "too large in total"},
		{"a pattern of a name", `{"type":"object","patternProperties":{"(":{}}}`, "/patternProperties/(", "RE2"},
		{"a length that is text", `{"type":"object","properties":{"a/b":{"minLength":"1"}}}`, "/properties/a~1b/minLength", "want integer"},
		{"a huge number", `{"type":"object","properties":{"a":{"maximum":1e999999999}}}`, "", "exponent"},
		{"too many properties", `{"type":"object","properties":{"x":{}` + many.String() + `}}`, "/properties", "at most 500"},
		{"too deep", `{"type":"object"` + strings.Repeat(`,"properties":{"a":{"type":"object"`, 33) + strings.Repeat(`}}`, 33) + `}`, "", "nests deeper than 32"},
		{"too long", `{"type":"object","title":"` + strings.Repeat("x", BytesMax) + `"}`, "", "longer than"},
		{"a reference to itself", `{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`, "", "leads back to itself"},
		{"references that double", doubled, "", "multiply"},
		{
			"branches that double at each level", `{"type":"object","allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"additionalProperties":` +
				`{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}}`, "", "multiply",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := CompileObject([]byte(tc.schema))
			var faulty *Error
			if !errors.As(err, &faulty) {
				t.Fatalf("got %v, want an *Error", err)
			}
			for _, fault := range faulty.Faults {
				if (tc.pointer == "" || fault.Pointer == tc.pointer) && strings.Contains(fault.Message, tc.message) {
					return
				}
			}
			t.Errorf("got %v, want %q at %q", faulty, tc.message, tc.pointer)
		})
	}
}

func TestCompileTakesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"draft 7":      `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a"}}}`,
		"named":        `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/person","type":"object","properties":{"id":{"type":"string"}}}`,
		"a tree":       `{"type":"object","properties":{"name":{"type":"string"},"left":{"$ref":"#"},"right":{"$ref":"#"},"all":{"type":"array","items":{"$ref":"#"}}}}`,
		"alternatives": `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"oneOf":[{"type":"integer"},{"type":"string","format":"date"}]}}}`,
		"no type":      `{"properties":{"a":{}}}`,
		"escaped":      `{"type":"object","properties":{"x":{"$ref":"#/$defs/a~1b%20c"}},"$defs":{"a/b c":{"type":"string"}}}`,
		"any object":   `{"type":"object"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := CompileObject([]byte(schema)); err != nil {
				t.Errorf("got %v, want no error", err)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","required":["name","price"],"additionalProperties":false,"properties":{
		"name":{"type":"string","minLength":2},"price":{"type":"number","minimum":0},
		"kind":{"enum":["new","used"]},"version":{"const":1},
		"day":{"type":"string","format":"date"},
		"seller":{"$ref":"#/$defs/seller"},
		"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true},
		"pay":{"oneOf":[{"type":"object","required":["card"]},{"type":"object","required":["iban"]}]}},
		"$defs":{"seller":{"type":"object","properties":{"name":{"type":"string"},"parent":{"$ref":"#/$defs/seller"}}}}}`
	s, err := CompileObject([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, value, want string }{
		{"whole", `{"name":"ab","price":1.5,"kind":"new","version":1,"day":"2026-01-02","seller":{"name":"s","parent":{"name":"t"}},"tags":["a","b"]}`, ""},
		{"nulls anywhere", `{"name":null,"price":null,"kind":null,"version":null,"day":null,"seller":{"name":null,"parent":null},"tags":null,"pay":null}`, ""},
		{"nothing", `{}`, ""},
		{"an alternative", `{"pay":{"iban":"x"}}`, ""},
		{"both alternatives", `{"pay":{"iban":"x","card":"y"}}`, "/pay: "},
		{"text for a number", `{"name":"ab","price":"1"}`, "/price: got string, want null or number"},
		{"too short", `{"name":"a","price":1}`, "/name: "},
		{"no date", `{"name":"ab","price":1,"day":"tomorrow"}`, "/day: "},
		{"not of the list", `{"kind":"old"}`, "/kind: "},
		{"another property", `{"name":"ab","price":1,"more":1}`, "additional properties 'more' not allowed"},
		{"a null item", `{"tags":[null]}`, "/tags/0: got null"},
		{"deep", `{"seller":{"parent":{"name":3}}}`, "/seller/parent/name: "},
		{"a list", `[]`, "got array, want object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			value, err := Parse([]byte(tc.value))
			if err != nil {
				t.Fatal(err)
			}
			err = s.Validate(value)
			if got := fmt.Sprint(err); tc.want == "" && err != nil || !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %q", got, tc.want)
			}
		})
	}
}

func TestEncodeIsCanonical(t *testing.T) {
	t.Parallel()
	s, err := CompileObject([]byte(`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"array","items":{"type":"object","properties":{"y":{},"x":{}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	value, err := Parse([]byte(`{ "z": 1.50, "c": "<&>", "a": [ {"x":1}, {"x":true,"y":null} ] }`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"b":null,"a":[{"y":null,"x":1},{"y":null,"x":true}],"c":"<&>","z":1.50}`
	if got := string(s.Encode(value)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := string(Encode(value)), `{"a":[{"x":1},{"x":true,"y":null}],"c":"<&>","z":1.50}`; got != want {
		t.Errorf("without a schema: got %s, want %s", got, want)
	}
}

func TestViewFollowsReferences(t *testing.T) {
	t.Parallel()
	s, err := CompileObject([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"type":"object","properties":{"x":{"anyOf":[{"type":"null"},{"type":"integer"}]}}},` +
		`{"properties":{"y":{"type":"string"}}}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	view := s.Root().View()
	if len(view.Properties) != 2 || view.Properties[0].Name != "x" || view.Properties[1].Name != "y" {
		t.Fatalf("got properties %v, want x and y", view.Properties)
	}
	if got := view.Properties[0].Node.View().Types; len(got) != 1 || got[0] != "integer" {
		t.Errorf("got types %v, want integer", got)
	}
}

func TestParseIsBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"deep":       strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"many":       "[" + strings.Repeat("1,", valuesMax) + "1]",
		"exponent":   "[1e9999999]",
		"digits":     strings.Repeat("9", 1000),
		"no UTF-8":   "\"\xff\"",
		"cut":        `{"a":[1,`,
		"empty":      ``,
		"two values": `{}{}`,
	} {
		if value, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: got %.50v, want an error", name, value)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"pattern":"^a+$"}},"required":["a"]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#"}}}}}`,
		`{"$schema":"http://json-schema.org/draft-06/schema#","dependencies":{"a":["b"],"c":{"not":{}}},"items":[{},true]}`,
		`{"anyOf":[{"const":1e5},{"enum":[[{}],null]}],"if":{},"then":false,"unevaluatedProperties":false,"prefixItems":[{"multipleOf":0.1}]}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":"aa","b":{"a":null},"c":[1,2.5]}`))
	}
	f.Fuzz(func(t *testing.T, schema, text []byte) {
		s, err := Compile(schema, Forgiving)
		if err != nil {
			return
		}
		if !json.Valid(s.Text()) || !json.Valid(s.Nullable()) {
			t.Fatalf("not JSON: %s, %s", s.Text(), s.Nullable())
		}
		if _, err := Compile(s.Text(), Forgiving); err != nil {
			t.Fatalf("%s compiles, what it is written as does not: %v", schema, err)
		}
		value, err := Parse(text)
		if err != nil {
			return
		}
		_ = s.Validate(value) // must end, and not panic
		written := s.Encode(value)
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%s is written as %s: %v", text, written, err)
		}
		if second := s.Encode(again); string(second) != string(written) {
			t.Fatalf("got %s, then %s", written, second)
		}
	})
}
