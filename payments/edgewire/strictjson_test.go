package edgewire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
	}
	tests := []struct {
		name, body string
		want       string // part of the error; empty: accepted
	}{
		{"an object", `{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}`, ""},
		{"white space around", " \n{}\t", ""},
		{"a number", `1e400`, ""},
		{"a string value equal to a key", `{"a":"a","b":"a"}`, ""},
		{"an empty key", `{"":1}`, ""},
		{"an allowed depth", nested(JSONDepthMax), ""},
		{"nothing", "", "empty"},
		{"white space only", " \n", "empty"},
		{"not JSON", `{a:1}`, "not JSON"},
		{"cut off", `{"a":`, "not JSON"},
		{"a comma too much", `{"a":1,}`, "not JSON"},
		{"a comma too much in a list", `[1,]`, "not JSON"},
		{"trailing data", `{} {}`, "not JSON"},
		{"trailing bracket", `{}]`, "not JSON"},
		{"a key twice", `{"a":1,"b":2,"a":3}`, `"a" appears more than once`},
		{"an escaped key twice", `{"a":1,"\u0061":3}`, `"a" appears more than once`},
		{"a key in another case", `{"max_pages":1,"Max_Pages":3}`, "differ only in case"},
		{"a Kelvin sign", "{\"k\":1,\"\u212a\":3}", "differ only in case"},
		{"a long s", "{\"formats\":1,\"format\u017f\":3}", "differ only in case"},
		{"twice in a nested object", `[{"x":{"a":1,"A":1}}]`, "differ only in case"},
		{"after a nested value", `{"a":{"b":[]},"A":1}`, "differ only in case"},
		{"two lone surrogates", `{"\ud800":1,"\ud801":2}`, "more than once"},
		{"too deep", nested(JSONDepthMax + 1), "deeper than 64"},
		{"much too deep", strings.Repeat(`{"a":`, 100_000), "not JSON"},
		{"as many values as may be", "[" + strings.Repeat(`{},`, JSONValuesMax-2) + "1]", ""},
		{"a value too many", "[" + strings.Repeat(`{},`, JSONValuesMax-1) + "1]", "at byte 2999999: more than 1000000 values"},
		{"as many values in objects", "[" + strings.Repeat(`{"a":1},`, (JSONValuesMax-2)/2) + "1]", ""},
		{"not UTF-8", "{\"a\":\"\xff\"}", "at byte 6: not valid UTF-8"},
		{"a byte order mark", "\ufeff{}", "not JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := CheckJSON([]byte(tt.body))
			if tt.want == "" {
				if err != nil {
					t.Fatalf("got error %v, want none", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got error %v, want one with %q", err, tt.want)
			}
			if _, ok := errors.AsType[*JSONError](err); !ok {
				t.Errorf("got %T, want *JSONError", err)
			}
		})
	}
}

// FuzzCheckJSON shows that accepted JSON reads the same in first-wins, last-wins and case-folding parsers. It uses the
// parser at hand: decoding to a map and encoding again loses no key.
func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{`{"a":1,"A":2}`, `{"a":{"b":[1,"x",null]}}`, `[[[]]]`, `"\ud800"`, "{\"\u212a\":1,\"k\":2}", `{}{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if CheckJSON(body) != nil {
			return
		}
		var value any
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("accepted what does not decode: %v", err)
		}
		if got, want := countKeys(value), countColons(body); got != want {
			t.Fatalf("got %d keys decoded, want %d as written", got, want)
		}
	})
}

func countKeys(value any) int {
	n := 0
	switch v := value.(type) {
	case map[string]any:
		folded := map[string]bool{}
		for key, element := range v {
			folded[foldKey(key)] = true
			n += countKeys(element)
		}
		n += len(folded)
	case []any:
		for _, element := range v {
			n += countKeys(element)
		}
	}
	return n
}

// countColons counts the colons outside strings: one for each key.
func countColons(body []byte) int {
	n, inString, escaped := 0, false, false
	for _, b := range body {
		switch {
		case escaped:
			escaped = false
		case inString && b == '\\':
			escaped = true
		case b == '"':
			inString = !inString
		case b == ':' && !inString:
			n++
		}
	}
	return n
}
