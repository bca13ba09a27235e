package parsers

import (
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want reference
		ok   bool
	}{
		{"@turnpike/article", reference{name: "@turnpike/article", builtIn: true}, true},
		{"@turnpike/article@1", reference{name: "@turnpike/article", builtIn: true, version: 1}, true},
		{"item", reference{name: "item"}, true},
		{"item@12", reference{name: "item", version: 12}, true},
		{"parser_00000000000000000000000a", reference{id: "parser_00000000000000000000000a"}, true},
		{"parser_1", reference{}, false},
		{"", reference{}, false},
		{"@", reference{}, false},
		{"@1", reference{}, false},
		{"item@", reference{}, false},
		{"item@0", reference{}, false},
		{"item@01", reference{}, false},
		{"item@+1", reference{}, false},
		{"item@-1", reference{}, false},
		{"item@99999999999999999999", reference{}, false},
		{"@turnpike/", reference{}, false},
		{"@turnpike/Article", reference{}, false},
		{"@other/x", reference{}, false},
		{"@olostep/google-search", reference{}, false},
		{"a/b", reference{}, false},
		{"a\x00", reference{}, false},
		{"\xff", reference{}, false},
		{strings.Repeat("a", 65), reference{}, false},
	} {
		got, err := parseReference(tc.text)
		if got != tc.want || (err == nil) != tc.ok {
			t.Errorf("%q: got %+v, %v, want %+v", tc.text, got, err, tc.want)
		}
	}
	for text, want := range map[string]string{"@olostep/google-search": "POST /v1/searches", "@other/x": "GET /v1/parsers"} {
		if _, err := parseReference(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want the way to %s", text, err, want)
		}
	}
}
