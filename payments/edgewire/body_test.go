package edgewire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

func TestBodyDecodesEachMemberOnce(t *testing.T) {
	t.Parallel()
	text := []byte(` {"a": [1, 2.5, -0, 9223372036854775808, 1e400], "b": {"c": "\u00e9", "d": null, "e": true}, "items": ["many"]} `)
	body := edgewire.NewBody(text)
	for range 2 {
		got, err := body.Members("items")
		want := map[string]any{
			"a": []any{int64(1), 2.5, int64(0), 9223372036854775808.0, json.Number("1e400")},
			"b": map[string]any{"c": "é", "d": nil, "e": true}, "items": nil,
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
	}
	before := body.Decoded()
	for range 2 {
		got, err := body.Value()
		if object, ok := got.(map[string]any); err != nil || !ok || !reflect.DeepEqual(object["items"], []any{"many"}) {
			t.Fatalf("got %v, %v, want all members", got, err)
		}
	}
	if got := body.Decoded() - before; got != len(`["many"]`) {
		t.Errorf("got %d more bytes decoded, want those of items", got)
	}
}

// FuzzBody: what passes the check decodes to what encoding/json makes of it.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{``, `{}`, ` [1,"a",{"b":null}] `, `{"a":-0.0,"b":1e400,"c":"\ud800"}`, `"x"`, `tru`, `12 `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := edgewire.NewBody(text).Value()
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q: got %v, want %v", text, got, err)
		}
		if !same(got, want) {
			t.Fatalf("%q: got %#v, want %#v", text, got, want)
		}
	})
}

func same(got, want any) bool {
	switch w := want.(type) {
	case json.Number:
		if n, err := w.Int64(); err == nil {
			return got == n
		}
		if f, err := w.Float64(); err == nil {
			return got == f
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		for key := range w {
			ok = ok && same(g[key], w[key])
		}
		return ok && len(g) == len(w)
	case []any:
		g, ok := got.([]any)
		ok = ok && len(g) == len(w)
		for i := range w {
			ok = ok && same(g[i], w[i])
		}
		return ok
	}
	return got == want
}
