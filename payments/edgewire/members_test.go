package edgewire_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// FuzzMembers compares members and elements of JSON that passed CheckJSON with those that encoding/json finds.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` { } `, "[\n]", `{"a":1,"b":[1,{"c":"]}\""}],"\u0063":"x\\"}`, `[1 , "a,b" ,null,{"x":[]},true]`, `"\ud800"`, `7`,
		`{"a" : {"b":{}} , "":0}`, `["\\","\"",[[]]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if edgewire.CheckJSON(text) != nil {
			return
		}
		var members map[string]json.RawMessage
		isObject := json.Unmarshal(text, &members) == nil && members != nil
		if edgewire.IsObject(text) != isObject {
			t.Fatalf("%q: IsObject is %t", text, !isObject)
		}
		n := 0
		for name, value := range edgewire.Members(text) {
			if n++; !bytes.Equal(members[name], value) {
				t.Fatalf("%q: got %q as %q, want %q", text, value, name, members[name])
			}
			var want string
			isText := json.Unmarshal(value, &want) == nil && string(value) != "null"
			if got, ok := edgewire.Text(value); ok != isText || got != want {
				t.Fatalf("%q: got %q and %t, want %q and %t", value, got, ok, want, isText)
			}
		}
		var elements []json.RawMessage
		isList := json.Unmarshal(text, &elements) == nil && elements != nil
		if edgewire.IsList(text) != isList {
			t.Fatalf("%q: IsList is %t", text, !isList)
		}
		i := 0
		for value := range edgewire.Elements(text) {
			if i == len(elements) || !bytes.Equal(elements[i], value) {
				t.Fatalf("%q: got %q as element %d", text, value, i)
			}
			i++
		}
		if n != len(members) || i != len(elements) {
			t.Fatalf("%q: got %d members and %d elements, want %d and %d", text, n, i, len(members), len(elements))
		}
	})
}
