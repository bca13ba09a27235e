package selector

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

const selectPage = `<div id="a" class="x y"><p id="b">one</p><ul id="c"><li id="d" class="x">1</li><li id="e">2<b id="f">two</b></li><!-- --><li id="g" title="a b">3</li></ul>
<div id="h"><div id="i"><p id="j">in</p><p id="k"></p></div></div><p id="l">last</p><fieldset id="m" disabled><legend id="n"><input id="o"></legend><input id="q"></fieldset></div>`

var known = []string{
	"p", "*", "#e", ".x", ".x.y", "div p", "div > p", "div>p", "li + li", "li ~ li", "ul li b", "div div p", "p, li", "p , .x , #f", "li:first-child",
	"li:nth-child(2n+1)", "li:not(.x)", "div:has(p)", "ul:has(b) ~ p", "[title='a b']", "[title=\"a b\"], b", "[id^=a] > div p", "div>div>div>p", "li:contains('2') b",
	"p:empty", "li:last-child", "body div#a.x > ul > li + li > b", "p:not([id=b])", "div\n>\tp", " p ", "#\\61", "div ~ p", "html body p", "li:not(:first-child)",
	":first-child", "*:last-child", ":only-child", "p:only-of-type", ":nth-last-child(-n+2)", "li:nth-of-type(even)", "p:nth-last-of-type(2)", "li:nth-child( ODD )",
	"li:nth-child(n + 2)", "p:nth-child(+3)", "li:not(:nth-child(2n))", "li:not(:first-child, :last-child)", "li:not(.x:first-child)", "li:not(:only-child)", "p:not(:has(b))",
	"p:not(:not(#b))", "div:has(p:empty)", ":root", "html:first-child", "p/* a */,/**/li", "div/**/p", "b:containsOwn(two)", "[title='#=:matches(a)'] /* ' */",
	"div:haschild(ul)", ":lang(en)", "input:disabled", ":enabled", ":not(p):not(:first-child) > p", "ul :not(:nth-child(2)):nth-child(3)", ":NOT(div) > p", "*|*.x, *|*:first-child", "p:hover, b",
	"li:nth-child(0)", "li:nth-child(0n+2)", "li:nth-child(-2n+3)", "div:has(.x, b)", ":not(:first-of-type)", "li.x:nth-child(1)[id]",
}

func parse(t testing.TB, body string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Skip(err)
	}
	return root
}

func free(int) error { return nil }

// reference is what the library selects.
func reference(t *testing.T, css string, root *html.Node) []*html.Node {
	t.Helper()
	group, err := cascadia.ParseGroup(css)
	if err != nil {
		t.Fatalf("%q: taken, and the library says %v", css, err)
	}
	// It matches :contains with texts too.
	return slices.DeleteFunc(cascadia.QueryAll(root, group), func(n *html.Node) bool { return n.Type != html.ElementNode })
}

func checkAll(t *testing.T, l *List, css string, root *html.Node) {
	t.Helper()
	want := reference(t, css, root)
	got, err := l.Match(root, All, free)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q: got %d elements, %v, want the %d that the library finds", css, len(got), err, len(want))
	}
	if got, err = l.Match(root, First, free); err != nil || !slices.Equal(got, want[:min(len(want), 1)]) {
		t.Errorf("%q: got %v, %v, want the first of %d", css, got, err, len(want))
	}
	outermost := slices.DeleteFunc(slices.Clone(want), func(n *html.Node) bool {
		for p := range n.Ancestors() {
			if slices.Contains(want, p) {
				return true
			}
		}
		return false
	})
	if got, err = l.Match(root, Outermost, free); err != nil || !slices.Equal(got, outermost) {
		t.Errorf("%q: got %d outermost, %v, want %d", css, len(got), err, len(outermost))
	}
}

func TestMatchesAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	root := parse(t, selectPage)
	var lists []*List
	for _, css := range known {
		l, err := Compile(css)
		if err != nil {
			t.Errorf("%s: %v", css, err)
			continue
		}
		checkAll(t, l, css, root)
		lists = append(lists, l)
	}
	joined := Join(lists...)
	if len(joined.words) < 2 {
		t.Errorf("got %d words, want selectors for several", len(joined.words))
	}
	checkAll(t, joined, strings.Join(known, ","), root)
	if n := len(reference(t, strings.Repeat("p,", 499)+"p", root)); n != 4 {
		t.Fatal(n)
	}
	many, err := Compile(strings.Repeat("p,", 499) + "p")
	if err != nil {
		t.Fatal(err)
	}
	checkAll(t, many, "p", root)
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ css, want string }{
		{"", "is empty"},
		{" ", "is empty"},
		{"/**/", "is empty"},
		{",", "two combinators"},
		{"p,", "two combinators"},
		{",p", "two combinators"},
		{"p,,b", "two combinators"},
		{"> p", "two combinators"},
		{"p >", "two combinators"},
		{"p > > b", "two combinators"},
		{"p + ~ b", "two combinators"},
		{"p ~", "two combinators"},
		{"(", "lacks"},
		{"p)", "not CSS"},
		{"p[", "lacks"},
		{"p[a", "lacks"},
		{"p:not(a b)", "combinator within :not(…)"},
		{"p:has(a > b)", "combinator within :has(…)"},
		{"p:has(:has(b))", "surrounding elements"},
		{"p:has(:nth-child(2))", "surrounding elements"},
		{"p:has(:not(:contains('x')))", "surrounding elements"},
		{"p:nope", "unknown pseudoclass"},
		{"::before", "not CSS"},
		{"p::after", "not CSS"},
		{"p:nth-child(", "lacks"},
		{"p:nth-child(2)b", "not CSS"},
		{"p:nth-child(x)", "not CSS"},
		{"p:nth-child(99999999999999999999)", "not CSS"},
		{"p:f\\69rst-child", "escape"},
		{"p / b", "does not start a comment"},
		{"p /* b", "does not start a comment"},
		{strings.Repeat("a ", 65), "64 parts"},
		{strings.Repeat("a,", 600), "longer than"},
		{"p\\", "not CSS"},
		{"p:matches((q{100}){10})", ":matches, which is not CSS"},
		{"p:not([b='\\'']:MatchesOwn(q)", ":matchesown, which is not CSS"},
		{"p:m\\61tches(q)", "escape"},
		{"p:not([id#=(q+)])", "#=, which is not CSS"},
	} {
		if _, err := Compile(tc.css); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: got %v, want %q", tc.css, err, tc.want)
		}
	}
	for _, css := range []string{"", "p:nope", "[", "a > p:matches(q)", strings.Repeat("a,", 600)} {
		if CheckSyntax(css) == nil {
			t.Errorf("%q: got no error", css)
		}
	}
	if err := CheckSyntax("p:has(a > :has(b))"); err != nil {
		t.Errorf("got %v, want another's selector let through", err)
	}
}

var errSpent = errors.New("spent")

// Hostile selectors on hostile pages: each charged step is a bounded amount of work, so the time grows with the steps.
func TestHostileSelectorsEnd(t *testing.T) {
	t.Parallel()
	const siblings = 100_000
	pages := map[string]*html.Node{
		"long":     parse(t, "<ul>"+strings.Repeat("<li><i></i>", siblings)+"</ul>"),
		"deep":     parse(t, strings.Repeat("<div>", 400)+strings.Repeat("<p>x</p>", siblings)),
		"comments": parse(t, "<ul>"+strings.Repeat("<!---->", siblings)+strings.Repeat("<li>", siblings)+"</ul>"),
		"legend":   parse(t, "<fieldset>"+strings.Repeat("<a></a>", siblings)+"<legend>"+strings.Repeat("<input>", siblings)+"</legend></fieldset>"),
	}
	lists := []string{
		"a ~ a ~ a ~ b", "li ~ li ~ li ~ li ~ b", "* ~ * ~ * ~ * ~ * ~ b", "li:nth-last-child(7n+3) ~ li:nth-child(3n)", "li:nth-last-of-type(7n+3)", "div div div div div div b",
		":has(b)", ":has(b) :has(b) :has(b)", "*:contains('q')", "li:not(li:nth-child(2n))", "li:not(li:first-child):not(li:last-child)", ":disabled", ":enabled", ":lang(xx)",
		strings.Repeat("* ", 64), strings.Repeat("*,", 400) + "*", ":only-child, :empty",
	}
	for name, root := range pages {
		for _, css := range lists {
			l, err := Compile(css)
			if err != nil {
				t.Fatal(err)
			}
			steps, start := 0, time.Now()
			_, err = l.Match(root, All, func(n int) error {
				if steps += n; steps > 20_000_000 {
					return errSpent
				}
				return nil
			})
			if err != nil && !errors.Is(err, errSpent) {
				t.Errorf("%s on %s: %v", css, name, err)
			}
			// A second or two on an idle machine.
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%.40s on %s: took %s for %d steps", css, name, took, steps)
			} else if took > 500*time.Millisecond {
				t.Logf("%.40s on %s: took %s for %d steps", css, name, took, steps)
			}
		}
	}
}

func TestAnErrorOfTheBudgetEndsTheMatch(t *testing.T) {
	t.Parallel()
	root := parse(t, selectPage)
	for _, css := range []string{"p", "div:has(p)", "p:nth-of-type(2)"} {
		l, err := Compile(css)
		if err != nil {
			t.Fatal(err)
		}
		for after := range 20 {
			left := after
			_, err := l.Match(root, All, func(int) error {
				if left--; left < 0 {
					return errSpent
				}
				return nil
			})
			if !errors.Is(err, errSpent) {
				t.Errorf("%s: got %v after %d steps, want the budget's error", css, err, after)
			}
		}
	}
}

// The position of the searched root is that in its document.
func TestTheRootIsAnAncestorWhereItStands(t *testing.T) {
	t.Parallel()
	list := parse(t, selectPage).FirstChild.LastChild.FirstChild.FirstChild.NextSibling // ul
	for css, want := range map[string]int{"ul:nth-child(2) > li": 3, "ul:first-child > li": 0, "ul:last-of-type > li": 3, "div li": 0} {
		l, err := Compile(css)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.Match(list, All, free); err != nil || len(got) != want {
			t.Errorf("%s: got %d, %v, want %d", css, len(got), err, want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, css := range known {
		f.Add(selectPage, css)
	}
	f.Add("<table><tr><svg><p><math>", "svg ~ *:nth-of-type(2n+1)")
	f.Fuzz(func(t *testing.T, body, css string) {
		if len(body) > 2000 || len(css) > 60 {
			return
		}
		root := parse(t, body)
		l, err := Compile(css)
		if err != nil {
			return
		}
		if CheckSyntax(css) != nil {
			t.Errorf("%q: taken, although it is not CSS", css)
			return
		}
		if strings.Contains(strings.ToLower(css), "contains") && l.combines() {
			return // the library also matches texts and the document as siblings and ancestors
		}
		checkAll(t, l, css, root)
	})
}

func (l *List) combines() bool {
	return slices.ContainsFunc(l.selectors, func(parts []part) bool { return len(parts) > 1 })
}
