package urlfilter_test

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
)

func TestOverlap(t *testing.T) {
	t.Parallel()
	text := "Our guides have looked everywhere in the museum of the harbour and its three long halls for what you asked to see"
	for name, tt := range map[string]struct {
		a, b string
		want bool
	}{
		"the same":           {text, text, true},
		"another name":       {text + " /museum/one", text + " /museum/two", true},
		"another order":      {"one two three four", "four three two one", true},
		"a word twice":       {"one two", "one two two two two", true},
		"a new word twice":   {text, text + " again again again", true},
		"half of it":         {text, text[:len(text)/2], false},
		"half of it, turned": {text[:len(text)/2], text, false},
		"another text":       {text, strings.ToUpper(text), false},
		"nothing":            {"", "", false},
		"nothing and a text": {"", text, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := urlfilter.Overlap(tt.a, tt.b); got != tt.want {
				t.Errorf("Overlap(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
			}
		})
	}
}
