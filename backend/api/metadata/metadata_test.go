package metadata

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

func input(t *testing.T, text string) Input {
	t.Helper()
	var in Input
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	return in
}

func many(n int) string {
	entries := make([]string, n)
	for i := range entries {
		entries[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	return "{" + strings.Join(entries, ",") + "}"
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     map[string]string
		fault    string
	}{
		{"nothing", `{}`, map[string]string{}, ""},
		{"null", `null`, map[string]string{}, ""},
		{"strings, numbers and booleans", `{"a":"x","b":1.50,"c":true,"d":1e3}`, map[string]string{"a": "x", "b": "1.50", "c": "true", "d": "1e3"}, ""},
		{"nothing to keep", `{"a":"","b":null}`, map[string]string{}, ""},
		{"characters, not bytes", `{"` + strings.Repeat("é", 40) + `":"` + strings.Repeat("é", 500) + `"}`, map[string]string{strings.Repeat("é", 40): strings.Repeat("é", 500)}, ""},
		{"a long key", `{"` + strings.Repeat("k", 41) + `":"v"}`, nil, "at most 40"},
		{"an empty key", `{"":"v"}`, nil, "not be empty"},
		{"brackets", `{"a]":"v"}`, nil, "square brackets"},
		{"a long value", `{"a":"` + strings.Repeat("v", 501) + `"}`, nil, "at most 500"},
		{"a list", `{"a":["v"]}`, nil, "not an array"},
		{"an object", `{"a":{}}`, nil, "not an array"},
		{"NUL", `{"a":"\u0000"}`, nil, "NUL"},
		{"too many keys", many(51), nil, "at most 50"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(input(t, tt.in))
			if tt.fault == "" {
				if err != nil || !maps.Equal(got, tt.want) {
					t.Fatalf("got %v, %v, want %v", got, err, tt.want)
				}
				return
			}
			e, ok := errors.AsType[*problem.Error](err)
			if !ok || e.Code != problem.InvalidMetadata || !strings.Contains(e.Detail, tt.fault) {
				t.Fatalf("got %v, want invalid_metadata with %q", err, tt.fault)
			}
		})
	}
	if got, err := Parse(input(t, many(50))); err != nil || len(got) != 50 {
		t.Errorf("got %d keys, %v, want 50", len(got), err)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	stored := map[string]string{"a": "1", "b": "2", "c": "3"}
	got, err := Merge(stored, input(t, `{"a":"","b":null,"c":4,"d":"5"}`))
	if want := map[string]string{"c": "4", "d": "5"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if len(stored) != 3 {
		t.Errorf("got %v, want what was stored unchanged", stored)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":"x","b":1,"c":true}`, `{"a":[]}`, `{"":1}`, `{"a":"\ud800"}`, many(51)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var in Input
		if json.Unmarshal([]byte(text), &in) != nil {
			return
		}
		got, err := Parse(in)
		if err != nil {
			return
		}
		// Stored metadata is valid again, and unchanged.
		raw, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(input(t, string(raw)))
		if err != nil || !maps.Equal(got, again) {
			t.Fatalf("got %v, %v, want %v", again, err, got)
		}
	})
}
