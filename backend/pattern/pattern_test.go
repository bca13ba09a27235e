package pattern

import (
	"regexp/syntax"
	"strings"
	"testing"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`SKU: (\S+)`: "",
		`(?i)^\s*([\p{L}\d][\p{L}\d ._-]{2,63})\s*$`:                      "",
		`\b(\d{1,3}(?:[.,]\d{3})*(?:[.,]\d{2})?)\s?(?:EUR|USD|GBP|CHF)\b`: "",
		`.{1000}`:                       "",
		`(.{100}){10}`:                  "",
		`[^a]{1000}`:                    "",
		`\pL{1000}`:                     "is too large",
		`(x?y?z?){1000}`:                "is too large",
		`(.{100}){100}`:                 "is not a valid RE2 regular expression: invalid repeat count",
		`(a`:                            "is not a valid RE2 regular expression: missing closing ): `(a`",
		strings.Repeat("a", BytesMax+1): "is longer than 1000 bytes",
	} {
		size, err := Size(text)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s (%d): got %v, want %q", text, size, err, want)
		}
		compiled, err := Compile(text)
		if (err == nil) != (want == "") || (compiled == nil) != (want != "") {
			t.Errorf("%.60s: got %v, %v, want it compiled or not as it is sized", text, compiled, err)
		}
	}
}

// No pattern within the bounds compiles to many more instructions than its size says.
func FuzzSize(f *testing.F) {
	for _, seed := range []string{`a{2,5}b*`, `(\pL+|[^x-z]{3,9}?)+$`, `(?i)straße`, `(a|b|c){40}`, `(((a?){9}){9}){9}`, `x{0}{0}{7}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := Size(text)
		if err != nil {
			return
		}
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if got := len(program.Inst); got > 4*size+16 {
			t.Errorf("%q: got %d instructions, and a size of %d", text, got, size)
		}
	})
}
