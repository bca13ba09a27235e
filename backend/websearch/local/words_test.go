package local

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"The Quick-brown fox, 2nd ed.", []string{"the", "quick", "brown", "fox", "2nd", "ed"}},
		{"Crème brûlée, Straße İstanbul", []string{"creme", "brulee", "strasse", "istanbul"}},
		{"e\u0301cole ﬁle", []string{"ecole", "file"}},
		{"温州みかん", []string{"温州", "州み", "みか", "かん"}},
		{"A4用紙", []string{"a4", "用紙"}},
		{strings.Repeat("x", 100) + " y", []string{"y"}},
	} {
		if got := wordsOf(tc.text, 100); !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestDomains(t *testing.T) {
	t.Parallel()
	for host, want := range map[string][]string{
		"docs.python.org": {"docs.python.org", "python.org"}, "Example.COM": {"example.com"}, "localhost": {"localhost"},
		"10.1.2.3": {"10.1.2.3"}, "2001:db8::1": {"2001:db8::1"}, "a.b.c.example.": {"a.b.c.example", "b.c.example", "c.example"},
	} {
		if got := domainsOf(host); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", host, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"harbour", "harbuor", 1}, {"kite", "kites", 1}, {"cork", "fork", 1}, {"pottery", "potery", 1}, {"abcd", "badc", 2}} {
		if got := distance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q, %q: got %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	text, headings := Plain("# A *title*\n\nSee [the **list**](https://x.example/a_(b) \"t\") and ![a picture](p.png).\n\n- `code`\n- 1 \\* 2\n\n| a | b |\n|---|---|\n| c | d |\n\n## Second\n#no heading\n")
	wantText := "A title\n\nSee the list and a picture.\n\ncode\n1 * 2\n\na   b\n\nc   d\n\nSecond\n#no heading"
	if text != wantText || headings != "A title\nSecond" {
		t.Errorf("got %q and %q", text, headings)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("# A *title*\n[a](b(c)) ![p](q) | x |\n---\n\\")
	f.Fuzz(func(t *testing.T, markdown string) {
		text, headings := Plain(markdown)
		if len(text) > len(markdown) || len(headings) > len(text) {
			t.Errorf("got %d bytes of text and %d of headings of %d", len(text), len(headings), len(markdown))
		}
		if utf8.ValidString(markdown) && !utf8.ValidString(text) {
			t.Error("text is not valid though the markdown was")
		}
	})
}

// The index entries of any page are bounded, can be stored, and are in order.
func FuzzDraft(f *testing.F) {
	f.Add("https://a.example/b?c#d", "A title", "Heads", "Some text 温州みかん")
	f.Fuzz(func(t *testing.T, address, title, headings, text string) {
		d, ok := draftOf(&Page{TeamID: "t", URL: address, Title: title, Headings: headings, Text: text})
		if !ok {
			return
		}
		e := d.finish(nil)
		keys, impacts := e.keys()
		if len(impacts) > termsMax || len(keys) < len(impacts) || len(e.text) > TextBytesMax || len(e.title) > titleBytesMax {
			t.Errorf("got %d impacts, %d keys, %d bytes", len(impacts), len(keys), len(e.text))
		}
		for _, s := range []string{e.url, e.title, e.text} {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				t.Errorf("%q cannot be stored", s)
			}
		}
		if !slices.IsSortedFunc(e.terms, func(a, b term) int { return int(b.impact) - int(a.impact) }) {
			t.Error("terms are not by impact")
		}
		_ = hostNamed(text)
		(&search{}).snippet(e.text)
	})
}
