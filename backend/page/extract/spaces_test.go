package extract

import (
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Every white-space character separates words, wherever it is: also at the borders of elements.
func TestSpacesPartWords(t *testing.T) {
	t.Parallel()
	for name, space := range map[string]string{
		"space": " ", "line": "\n", "no-break space": "\u00a0", "entity": "&nbsp;", "numeric entity": "&#160;", "narrow no-break space": "\u202f",
		"thin space": "&thinsp;", "em space": "&emsp;", "ideographic space": "\u3000", "several": "\u00a0 \u00a0",
	} {
		for at, input := range map[string]string{
			"end of a text":   "<p>one{}<b>two</b> three</p>",
			"start of a text": "<p>one<b>{}two</b> three</p>",
			"after a text":    "<p><b>one</b>{}two three</p>",
			"text of its own": "<p><i>one</i>{}<b>two</b> three</p>",
			"within a text":   "<p>one{}two three</p>",
			"before code":     "<p>one{}<code>two</code> three</p>",
			"start of code":   "<p>one<code>{}two</code> three</p>",
			"end of code":     "<p><code>one{}</code>two three</p>",
			"in a cell":       "<table><tr><td>one{}<b>two</b> three<td>four</table>",
		} {
			document := mustPage(t, strings.ReplaceAll(input, "{}", space), Options{})
			if got := strings.Join(strings.Fields(document.Text), " "); !strings.HasPrefix(got, "one two three") {
				t.Errorf("text, %s at %s: got %q, want %q", name, at, got, "one two three")
			}
			markdown := strings.NewReplacer("*", "", "`", "", "|", "").Replace(document.Markdown)
			if got := strings.Join(strings.Fields(markdown), " "); !strings.HasPrefix(got, "one two three") {
				t.Errorf("markdown, %s at %s: got %q, want %q", name, at, got, "one two three")
			}
		}
	}
}

// TestCorpusSpaces: the words of a real page are the same, whichever white-space characters it uses.
func TestCorpusSpaces(t *testing.T) {
	t.Parallel()
	data := os.Getenv("TURNPIKE_DATA")
	if data == "" {
		t.Skip("set TURNPIKE_DATA to a directory that holds wcxb-dev/html/*.html.gz to read a corpus of real pages")
	}
	paths, err := filepath.Glob(filepath.Join(data, "wcxb-dev", "html", "*.html.gz"))
	if err != nil || len(paths) == 0 {
		t.Skipf("no pages under %s/wcxb-dev/html (%v)", data, err)
	}
	with, wrong := 0, 0
	for i, path := range paths {
		if i%2 == 1 && testing.Short() {
			continue
		}
		input := string(readGzip(t, path))
		plain := plainSpaces(input)
		if plain == input {
			continue
		}
		with++
		got, want := textWords(t, input), textWords(t, plain)
		if at := firstOther(got, want); at >= 0 {
			wrong++
			t.Errorf("%s: got %q at word %d, want %q", filepath.Base(path), around(got, at), at, around(want, at))
		}
	}
	t.Logf("%d of %d pages have such white space, and %d of these other words", with, len(paths), wrong)
}

// plainSpaces replaces the page's white space beyond ASCII with plain spaces.
func plainSpaces(page string) string {
	for _, name := range []string{"&nbsp;", "&nbsp", "&#160;", "&#xA0;", "&#xa0;", "&ensp;", "&emsp;", "&thinsp;", "&#8201;", "&#8239;", "&#x202F;"} {
		if html.UnescapeString(name) != name {
			page = strings.ReplaceAll(page, name, " ")
		}
	}
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, page)
}

func textWords(t *testing.T, page string) []string {
	t.Helper()
	return strings.Fields(mustPage(t, page, Options{RemoveSelectors: []string{}}).Text)
}

// firstOther is the index of the first word in which two lists differ, or -1.
func firstOther(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func around(words []string, at int) string {
	return strings.Join(words[max(0, min(at, len(words))-2):min(at+3, len(words))], " ")
}
