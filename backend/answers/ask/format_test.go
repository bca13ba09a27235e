package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// show writes fields on one line each: path, type, form, enum, description.
func show(fields []Field, indent string) string {
	var out strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&out, "%s%s %s", indent, f.Path, f.Type)
		if f.ItemType != "" {
			fmt.Fprintf(&out, " of %s", f.ItemType)
		}
		if f.Form != "" {
			fmt.Fprintf(&out, " form %s", f.Form)
		}
		if f.Enum != nil {
			fmt.Fprintf(&out, " enum %s", strings.Join(f.Enum, ","))
		}
		if f.Description != "" {
			fmt.Fprintf(&out, " %q", f.Description)
		}
		out.WriteString("\n" + show(f.Items, indent+"  "))
	}
	return out.String()
}

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, format string
		kind         Kind
		want         string
	}{
		{"absent", ``, KindText, "/result string\n"},
		{"null", `null`, KindText, "/result string\n"},
		{"string", `"the depth of the harbour in metres"`, KindString, "/result  \"the depth of the harbour in metres\"\n"},
		{"empty string", `"  "`, KindText, "/result string\n"},
		{"string with an object", `"{\"berths\": 0}"`, KindExample, "/berths number\n"},
		{"empty values", `{"name":"","berths":0,"open":false,"any":null,"tags":[]}`, KindExample, "/name string\n/berths number\n/open boolean\n/any \n/tags array of string\n"},
		{
			"described", `{"depth":"the depth in metres","built":"date (YYYY-MM-DD)","crew":"list of names","state":"open|closed","n":"integer","count":"number of berths","is_open":"whether it is open"}`,
			KindExample, "/depth  \"the depth in metres\"\n/built string form date \"date (YYYY-MM-DD)\"\n/crew array \"list of names\"\n/state  enum open,closed \"open|closed\"\n/n integer\n/count integer \"number of berths\"\n/is_open boolean \"whether it is open\"\n",
		},
		{
			"nested", `{"harbour":{"name":"","depth":{"min":"","max":""}},"crew":[{"name":"","roles":[""]}]}`, KindExample,
			"/harbour/name string\n/harbour/depth/min string\n/harbour/depth/max string\n/crew array\n  /name string\n  /roles array of string\n",
		},
		{"type and properties as names", `{"type":"","properties":""}`, KindExample, "/type string\n/properties string\n"},
		{"leaf schemas", `{"n":{"type":"integer","description":"how many"}}`, KindExample, "/n integer \"how many\"\n"},
		{
			"schema", `{"type":"object","required":["a"],"properties":{"a":{"type":["integer","null"],"title":"Berths"},"b":{"type":"string","format":"date","enum":["x","y"]},"c":{"type":"array","items":{"type":"object","properties":{"d":{"type":"string"}}}}}}`,
			KindSchema, "/a integer \"Berths\"\n/b string form date enum x,y\n/c array\n  /d string\n",
		},
		{"schema with references", `{"$defs":{"p":{"type":"object","properties":{"x":{"type":"number"}}}},"type":"object","properties":{"a/b":{"$ref":"#/$defs/p"}}}`, KindSchema, "/a~1b/x number\n"},
		{"const", `{"type":"object","properties":{"unit":{"const":"m"},"a":{"type":"number"}}}`, KindSchema, "/a number\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, err := ParseFormat(json.RawMessage(test.format))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(f.Fields, ""); f.Kind != test.kind || got != test.want {
				t.Errorf("got kind %d\n%swant kind %d\n%s", f.Kind, got, test.kind, test.want)
			}
		})
	}
}

func TestParseFormatFaults(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 12) + `""` + strings.Repeat(`}`, 12)
	var many strings.Builder
	many.WriteString(`{"f0":""`)
	for i := 1; i <= FieldsMax; i++ {
		fmt.Fprintf(&many, `,"f%d":""`, i)
	}
	for _, test := range []struct{ name, format, want string }{
		{"list", `[1]`, "must be an object"},
		{"number", `7`, "must be an object"},
		{"empty object", `{}`, "has no fields"},
		{"empty inner object", `{"a":{"b":{}}}`, "/a/b: has no fields"},
		{"no JSON", `{"a":`, "is not JSON"},
		{"twice", `{"a":"","a":""}`, `has the member "a" twice`},
		{"deep", deep, "nests deeper than 8 levels"},
		{"many", many.String() + "}", "/f100: exceeds the limit of 100 fields"},
		{"long", `{"a":"` + strings.Repeat("x", FormatBytesMax) + `"}`, "is longer than"},
		{"two kinds of entries", `{"a":[{"b":""},{"c":""}]}`, "/a: must have one entry"},
		{"schema of a list", `{"type":"array","items":{"type":"string"},"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "must be object"},
		{"bad schema", `{"type":"object","properties":{"a":{"type":"nope"}}}`, "/properties/a/type"},
		{"remote", `{"type":"object","properties":{"a":{"$ref":"https://x.example/s"}}}`, "$ref"},
		{"recursive", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, "nests deeper"},
		{"no name", `{"":""}`, "must have a name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseFormat(json.RawMessage(test.format))
			var faults *jsonschema.Error
			if !errors.As(err, &faults) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a fault with %q", err, test.want)
			}
		})
	}
}

func FuzzParseFormat(f *testing.F) {
	for _, seed := range []string{
		``, `""`, `{"a":""}`, `{"a":[{"b":["x"]}],"c":{"d":0}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#"}}}}`,
		`"{\"a\":\"one of: x, y\"}"`, `{"a":{"type":"number","enum":[1]}}`, `{"a/b~c":"list of x"}`, "{\"\xff\":1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		format, err := ParseFormat(raw)
		if err != nil {
			var faults *jsonschema.Error
			if !errors.As(err, &faults) || len(faults.Faults) == 0 {
				t.Fatalf("got %v, want faults", err)
			}
			return
		}
		answer, err := Compose(format, nil)
		if err != nil || !json.Valid(answer.JSON) {
			t.Fatalf("an answer without values: %s, %v", answer.JSON, err)
		}
		for _, field := range format.Fields {
			if _, ok := format.Field(field.Path); !ok && len(field.Items) == 0 {
				t.Fatalf("the field %q is not found by its path", field.Path)
			}
		}
	})
}
