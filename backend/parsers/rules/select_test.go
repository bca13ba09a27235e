package rules

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	_ "unsafe" // for the library's parser

	"github.com/antchfx/xpath"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/selector"
)

const selectPage = `<div id="a" class="x y"><p id="b">one</p><ul id="c"><li id="d" class="x">1</li><li id="e">2<b id="f">two</b></li><li id="g" title="a b">3</li></ul>
<div id="h"><div id="i"><p id="j">in</p><p id="k"></p></div></div><p id="l">last</p></div>`

// A selector that searches within an element cannot see what is outside it.
func TestSelectorsStayWithinTheirElement(t *testing.T) {
	t.Parallel()
	root, err := extract.Parse([]byte(selectPage))
	if err != nil {
		t.Fatal(err)
	}
	list, _ := selector.Compile("#h")
	found, err := list.Match(root, selector.First, newBudget(t.Context()).step)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	for css, want := range map[string]int{"p": 2, "body p": 0, "#a p": 0, "#h p": 2, "#h": 0, "#h > div": 1} {
		s, _ := selector.Compile(css)
		if got, err := s.Match(found[0], selector.All, newBudget(t.Context()).step); err != nil || len(got) != want {
			t.Errorf("%s: got %d, %v, want %d", css, len(got), err, want)
		}
	}
	for expr, want := range map[string]int{"//p": 2, "/div": 1, "..": 0, "ancestor::*": 0, "following::*": 0, "preceding::p": 0, "./div/p": 2, "//p[1]": 1, "//p | //div": 3} {
		e, err := compileXPath(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := selectXPath(e, found[0], true, newBudget(t.Context())); err != nil || len(got) != want {
			t.Errorf("%s: got %d, %v, want %d", expr, len(got), err, want)
		}
	}
}

// Hostile expressions on hostile pages end.
func TestExpensiveExpressionsEnd(t *testing.T) {
	t.Parallel()
	long := page("<ul>" + strings.Repeat("<li><i></i>", 20_000) + "</ul>")
	deep := page(strings.Repeat("<div>", 400) + strings.Repeat("<p>x", 5000))
	read := &extract.Document{Structured: &extract.Structured{}} // reading the page is not measured here
	for _, field := range []string{
		`{"css":"li ~ li ~ li ~ li ~ b"}`, `{"css":"li:nth-last-child(7n+3) ~ li:nth-child(3n)","all":true,"transforms":["count"]}`, `{"css":"div div div div div div b"}`,
		`{"css":":has(b)"}`, `{"css":"*:contains('q')"}`, `{"xpath":"//li[following-sibling::li[following-sibling::li[following-sibling::b]]]"}`,
		`{"xpath":"//*[count(.//*) > 100000]"}`, `{"xpath":"//*[contains(string(//*), 'q')]"}`, `{"xpath":"//div//div//div//div//b"}`, `{"xpath":"//li[last()]/preceding-sibling::li[position() mod 2 = 1][. = //b]"}`,
		`{"css":"div","all":true,"fields":{"a":{"css":"div","all":true,"fields":{"b":{"css":"div","all":true,"fields":{"c":{}}}}}}}`,
		`{"css":"div","all":true,"take":"html"}`, `{"css":"*","all":true}`, `{"label":"x","all":true}`, `{"any":[{"meta":"a"},{"label":"b"},{"css":"p","all":true}]}`,
	} {
		d, faults := Compile([]byte(define(`{"type":"object"}`, field)), nil)
		if faults != nil {
			t.Fatalf("%s: %v", field, faults)
		}
		for _, source := range []extract.Source{long, deep} {
			start := time.Now()
			_, err := d.Do(t.Context(), source, read)
			if err != nil && !errors.Is(err, ErrSteps) && !errors.Is(err, ErrText) && !errors.Is(err, ErrValues) {
				t.Errorf("%s: got %v, want a result or that it takes too much", field, err)
			}
			if took := time.Since(start); took > 4*TimeMax {
				t.Errorf("%s: took %s, want the limit of %s kept", field, took, TimeMax)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, _ := Compile([]byte(define(`{"type":"object"}`, `{"css":"b"}`)), nil)
	if _, err := d.Do(ctx, long, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the caller's end", err)
	}
}

func TestResultsAreBounded(t *testing.T) { //nolint:paralleltest // beside those that take all processors, it could take longer than a run may
	read := &extract.Document{Structured: &extract.Structured{}}
	big := page("<p>" + strings.Repeat("x", 3_000_000) + "</p>")
	d, _ := Compile([]byte(define(`{"type":"object"}`, `{"fields":{"a":{"css":"p"},"b":{"css":"p"}}}`)), nil)
	if _, err := d.Do(t.Context(), big, read); !errors.Is(err, ErrText) {
		t.Errorf("got %v, want a result of 6 MB refused", err)
	}
	many := page(strings.Repeat("<p>x", valuesMax/2+1))
	d, _ = Compile([]byte(define(`{"type":"object"}`, `{"fields":{"a":{"css":"p","all":true},"b":{"css":"p","all":true}}}`)), nil)
	if _, err := d.Do(t.Context(), many, read); !errors.Is(err, ErrValues) {
		t.Errorf("got %v, want too many values refused", err)
	}
}

// Functions are recognised by their calls, not by the letters of their names.
func TestFunctionsOfXPath(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		"//p[contains(., 'replace(x)')]", `//*[@class="matches(1)"]`, "//matches | //replace/text()", "2-count(//p)", "(//p)[1]", "-(1)", "count(//p)*2 div (3)",
		"child::node()", "not (//p and (//b))", "substring('a', string-length ( 'b' ))", "lower-case(name(//*[last()]))",
	} {
		if _, err := compileXPath(expression); err != nil {
			t.Errorf("%s: got %v, want it taken", expression, err)
			continue
		}
		checkCalled(t, expression)
	}
	for _, expression := range []string{
		"replace('a','b','c')", "//p[matches(., 'x')]", "x:replace('a','b','c')", "1.replace('a','b','c')", "//p[string-join(//b, '') = \"\"]", "reverse (//p)",
		"'\"'  = replace\u00a0(\"'\", '', '')", "2-replace('a','b','c')", "..replace('','','')", "id('a')", "document('file:///etc/passwd')",
	} {
		if _, err := compileXPath(expression); err == nil || !strings.Contains(err.Error(), "not a supported function") {
			t.Errorf("%s: got %v, want it refused", expression, err)
		}
	}
}

// parseXPath is the library's parser. Its tree is not exported, and compiled expressions hide their arguments in closures.
//
//go:linkname parseXPath github.com/antchfx/xpath.parse
func parseXPath(text string, namespaces map[string]string) interface{ Type() int }

// calledIn returns the names of the functions that the library calls for an expression that it compiles.
func calledIn(text string) []string {
	var names []string
	seen := map[uintptr]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() { //nolint:exhaustive // of what else there is, nothing has parts
		case reflect.Interface:
			walk(v.Elem())
		case reflect.Pointer:
			if !v.IsNil() && !seen[v.Pointer()] {
				seen[v.Pointer()] = true
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).Name == "FuncName" {
					names = append(names, v.Field(i).String())
				} else {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(parseXPath(text, nil)))
	return names
}

// checkCalled checks that an accepted expression only calls listed functions, however the library parses it.
func checkCalled(t *testing.T, expression string) {
	t.Helper()
	for _, name := range calledIn(expression) {
		if !slices.Contains(functions, name) {
			t.Errorf("%q is taken, and the library calls %s()", expression, name)
		}
	}
}

// keptPatterns counts the patterns that the library caches forever.
func keptPatterns() int { return reflect.ValueOf(xpath.RegexpCache).Elem().FieldByName("m").Len() }

// No expression makes the library cache patterns: a page could supply an endless number of them.
func TestNoPatternsAreKept(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{"//*[replace('a', string(@class), 'b') = 'a']", "//*[matches('a', string(@class))]", "//*[contains(@class, 'a')]"} {
		if expr, err := compileXPath(expression); err == nil {
			root, err := extract.Parse([]byte(selectPage))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = selectXPath(expr, root, true, newBudget(t.Context()))
		}
		if n := keptPatterns(); n > 0 {
			t.Errorf("%s: the library keeps %d patterns", expression, n)
		}
	}
}

func TestCalledInExpressions(t *testing.T) {
	t.Parallel()
	got := slices.Sorted(slices.Values(calledIn(`//a[contains(., concat('(', reverse (//b)))] | (//c)[last()] = 2 - count(d/text())`)))
	if want := []string{"concat", "contains", "count", "last", "reverse"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: the library has changed, and the tests below show nothing", got, want)
	}
}

func FuzzSelect(f *testing.F) {
	for _, seed := range []string{"//p[1]/a/@href", "count(//li)", "//*[text()='x']|//b", "string(//a)", "concat(-replace('a', \"'\", 'b'), x:matches (., 'q'))", "2.replace\u00a0(a,'', 'b')", "\u00b7reverse(//p)"} {
		f.Add(selectPage, seed)
	}
	f.Add("<table><tr><svg><p><math>", "//svg/following::*")
	f.Fuzz(func(t *testing.T, body, expression string) {
		root, err := extract.Parse([]byte(body))
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if expr, err := compileXPath(expression); err == nil {
			checkCalled(t, expression)
			_, _ = selectXPath(expr, root, true, newBudget(ctx))
			if n := keptPatterns(); n > 0 {
				t.Fatalf("%q: the library keeps %d patterns", expression, n)
			}
		}
		r := &run{root: root, budget: newBudget(ctx), structured: &extract.Structured{}, document: &extract.Document{}}
		_, _ = r.lines(root)
		_, _ = labelSource(foldLabel(expression)).find(r, nil, true)
		_, _ = metaSource(expression).find(r, nil, true)
	})
}
