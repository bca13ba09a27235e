package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTake(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		chars      int
		want       string
	}{
		{"all", "a short text", 500, "a short text"},
		{"at a line", strings.Repeat("a", 480) + "\n" + strings.Repeat("b", 480), 500, strings.Repeat("a", 480) + "\n"},
		{"in a line", strings.Repeat("é", 900), 500, strings.Repeat("é", 500)},
		{"nothing", "", 500, ""},
	} {
		if got := newRoom(tt.chars).take(tt.text); got != tt.want {
			t.Errorf("%s: got %d bytes, want %d", tt.name, len(got), len(tt.want))
		}
	}
	m := newRoom(0)
	first := m.take(strings.Repeat("word ", 100_000))
	if n := len(first); n < 20_000 || n > 40_000 {
		t.Errorf("got %d characters of plain words by default", n)
	}
	if got := m.take("more"); len(got) > 2 {
		t.Errorf("got %q from a full room", got)
	}
}

func FuzzPlace(f *testing.F) {
	for _, seed := range []string{"page_x@12", "crawl_x@l", "crawl_x@l40", "crawl_x@c40.12", "crawl_x@c.7", "@", "a@b@c", "crawl_x@c-1", "crawl_x@l99999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := parsePlace(text)
		if !ok {
			return
		}
		again, ok := parsePlace(p.cursor())
		if !ok || again.id != p.id || again.from != p.from || again.contents != p.contents || (again.after == nil) != (p.after == nil) {
			t.Errorf("%q: got %+v, then %+v of %q", text, p, again, p.cursor())
		}
	})
}

// FuzzTake: the parts of a text are the text, and none is cut within a character.
func FuzzTake(f *testing.F) {
	f.Add("a text\nof lines é 漢字", 3)
	f.Fuzz(func(t *testing.T, text string, chars int) {
		if chars < 1 || !utf8.ValidString(text) {
			return
		}
		var whole strings.Builder
		for rest := text; rest != ""; {
			part := newRoom(chars).take(rest)
			if part == "" || !utf8.ValidString(part) || utf8.RuneCountInString(part) > chars {
				t.Fatalf("got %q of %q", part, rest)
			}
			whole.WriteString(part)
			rest = rest[len(part):]
		}
		if whole.String() != text {
			t.Fatalf("got %q, want %q", whole.String(), text)
		}
	})
}
