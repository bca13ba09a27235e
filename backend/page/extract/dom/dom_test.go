package dom

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func parse(t *testing.T, input string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(input))
	if err != nil {
		t.Fatalf("parsing: %v", err)
	}
	return root
}

func TestOrder(t *testing.T) {
	t.Parallel()
	root := parse(t, "<ul><li>a<li>b</ul><p>c")
	var all, passed []string
	for n := root; n != nil; n = Next(n, root) {
		if n.Type == html.TextNode {
			all = append(all, n.Data)
		}
	}
	for n := root; n != nil; {
		if n.DataAtom == atom.Ul {
			n = After(n, root)
			continue
		}
		if n.Type == html.TextNode {
			passed = append(passed, n.Data)
		}
		n = Next(n, root)
	}
	if got := strings.Join(all, "") + "|" + strings.Join(passed, ""); got != "abc|c" {
		t.Errorf("got %s, want abc|c", got)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	root := parse(t, "<p>a  <b>b</b><script>no</script>\n c")
	if got, want := Fold(PlainText(root)), "a b c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Text(root), "a  bno\n c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Visible("so\u00adft\u200b\ue001"), "soft"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, s := range []string{"", "a", "a b", " a", "a ", "a  b", "a\tb", "a\u00a0b", "\u3000"} {
		if folded := strings.Join(strings.Fields(s), " "); IsFolded(s) && folded != s || Fold(s) != folded {
			t.Errorf("%q: got folded %t and %q, want %q", s, IsFolded(s), Fold(s), folded)
		}
	}
}

func TestSchemes(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]bool{
		"javascript:x": true, "\x01JavaScript:": true, "java\nscript:x": true, "javascript": false, "/javascript:x": false, "x:javascript:": false, "": false,
	} {
		if got := HasScheme(ref, "javascript"); got != want {
			t.Errorf("%q: got %t, want %t", ref, got, want)
		}
	}
}
