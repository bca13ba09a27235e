package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

// hostilePages each need far more work than their size suggests, in one way.
func hostilePages() map[string]string {
	const n = 100_000
	distinct := func(format string, count int) string {
		var out strings.Builder
		for i := range count {
			fmt.Fprintf(&out, format, i)
		}
		return out.String()
	}
	return map[string]string{
		"nested divs":          strings.Repeat("<div>", n) + "deep" + strings.Repeat("</div>", n),
		"nested spans":         strings.Repeat("<span>x", n),
		"nested lists":         strings.Repeat("<ul><li>x", 120) + strings.Repeat("<li>line", n/2),
		"nested quotes":        strings.Repeat("<blockquote>", 400) + strings.Repeat("line<br>", n/2),
		"nested tables":        strings.Repeat("<table><tr><td>x", 10_000),
		"reopened formatting":  distinct("<b a=%d>", 400) + strings.Repeat("<p>x", n),
		"formatting, no close": strings.Repeat("<b><i><u><font color=red>", n/8) + "x",
		"formatting in svg":    "<svg><style>" + distinct("<b a=%d>", 400) + strings.Repeat("<p>x", n),
		"heavy formatting":     "<b " + distinct(" a%d=1", n/10) + ">" + strings.Repeat("<p>x", n/2),
		"links in links":       strings.Repeat("<a href=x>", n) + "x",
		"wide padding":         "<table><tr><td>" + strings.Repeat("x", n) + "</td></tr>" + strings.Repeat("<tr><td>a</td></tr>", n/4) + "</table>",
		"uneven rows":          "<table><tr>" + strings.Repeat("<td>a", n/2) + "</tr>" + strings.Repeat("<tr><td>a", n/2) + "</table>",
		"giant spans":          "<table>" + strings.Repeat("<tr><td colspan=99999 rowspan=99999>a</td></tr>", n/20) + "</table>",
		"many spans":           "<table>" + strings.Repeat("<tr><td colspan=100 rowspan=100>a</td></tr>", n/20) + "</table>",
		"long base":            "<base href=https://example.com/" + strings.Repeat("x", 8000) + "/>" + strings.Repeat("<a href=y>z</a>", n),
		"repeated body":        "<body " + distinct(" a%d=1", n/4) + ">" + strings.Repeat("<body b=1>", n),
		"plain body, repeated": strings.Repeat("<body b=1>x", n),
		"attributes":           "<div " + distinct(" a%d=1", n) + ">x</div>",
		"stray end tags":       strings.Repeat("<p>", 300) + strings.Repeat("</b></i></div></table>", n),
		"comments":             strings.Repeat("<!-- x -->", n),
		"unclosed comment":     strings.Repeat("<!--", n),
		"unclosed tags":        strings.Repeat("<a ", n),
		"escapes":              strings.Repeat("*_[]<>`#", n/2),
		"entities":             strings.Repeat("&amp;&lt;&nbsp;", n),
		"white space":          "<p>" + strings.Repeat(" \n\t", n) + "x",
		"breaks":               strings.Repeat("<br>", n) + "x",
		"plaintext":            strings.Repeat("<div>", 600) + "<plaintext>" + strings.Repeat("<b>", n),
		"select":               strings.Repeat("<select><option>", n),
		"frames":               strings.Repeat("<frameset>", n),
		"templates":            strings.Repeat("<template>", n),
		"headings in links":    "<a href=x>" + strings.Repeat("<h1>x</h1>", n/2),
		"emphasis":             strings.Repeat("<em>a</em><strong>b</strong>", n/4),
		"brackets":             "<p>" + strings.Repeat("[", n) + strings.Repeat("] (", n),
		"delimiters of math":   `<script src=mathjax.js></script><p>` + strings.Repeat(`\( \[ $$ \begin{align} `, n/2),
		"math":                 strings.Repeat("<math><msup>", n/4) + strings.Repeat("<mi>a</mi>", n/4),
		"operators":            "<math>" + strings.Repeat("<mi>a</mi><mo>=</mo>", n/4),
		"notes in notes":       strings.Repeat("<sup><a href=#f>1</a></sup>", n/8) + strings.Repeat("<p id=f><div id=f>", n/8) + distinct("<sup><a href=#fn%d>1</a></sup>", n/8) + distinct("<div id=fn%d>x", n/8),
		"notes":                distinct("<sup><a href=#fn%d>1</a></sup>", n/8) + strings.Repeat("<p></p>", n/4) + distinct("<p id=fn%d>x</p>", n/8),
		"fences":               strings.Repeat("<pre>", 150) + strings.Repeat("`", n),
		"lines of code":        "<pre>" + strings.Repeat("<div></div><br><span class=line></span>", n/2),
		"nested code":          strings.Repeat("<div class=highlight><pre>x</pre><button>", n/8),
		"tiles in tiles":       strings.Repeat("<a href=x><object><h2>a</h2><p>b", n/8),
		"emphasis in emphasis": strings.Repeat("<b>,<i>.<s>", n/4) + "x",
		"adjacent emphasis":    "<p>" + strings.Repeat("<b>a</b>", n/4) + strings.Repeat("<b>.</b>x", n/4),
		"layout tables":        strings.Repeat("<table><tr><td>a<td>", 500) + strings.Repeat("<tr><td>a<td>b", n/4),
		"terms":                strings.Repeat("<dl><dt>a<dd>", n/4),
		"lazy images":          strings.Repeat("<noscript><img src=a></noscript><img data-src=b>", n/8),
		"code":                 strings.Repeat("<code>`</code>", n/4),
	}
}

func TestHostilePages(t *testing.T) {
	t.Parallel()
	for name, input := range hostilePages() {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			begin := time.Now()
			document, err := Page(ctx, []byte(input), Options{BaseURL: testURL})
			took := time.Since(begin)
			if err != nil && !errors.Is(err, ErrTooComplex) {
				t.Fatalf("got %v, want an answer or ErrTooComplex", err)
			}
			size := 0
			if err == nil {
				size = len(document.HTML) + len(document.Markdown) + len(document.Text)
			}
			t.Logf("%d bytes in, %d out, %v, %v", len(input), size, took.Round(time.Millisecond), err)
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if size > 64<<20+20*len(input) {
				t.Errorf("got %d bytes out of %d", size, len(input))
			}
		})
	}
}

func TestDeepTextIsKept(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"divs":       strings.Repeat("<div>", 100_000) + "deep" + strings.Repeat("</div>", 100_000) + "<p>after",
		"formatting": strings.Repeat("<b x=1><i y=2>", 50_000) + "deep<p>after",
		"tables":     strings.Repeat("<table><tr><td>", 5_000) + "deep<p>after",
		"custom":     strings.Repeat("<x-a>", 50_000) + "deep<script>no()</script><p>after",
	} {
		document := mustPage(t, input, Options{})
		for form, got := range map[string]string{"text": document.Text, "markdown": document.Markdown, "html": document.HTML} {
			if !strings.Contains(got, "deep") || !strings.Contains(got, "after") || strings.Contains(got, "no()") {
				t.Errorf("%s: got %s of %d bytes without its text", name, form, len(got))
			}
		}
		if !document.Simplified {
			t.Errorf("%s: got Simplified false, want true", name)
		}
	}
}

func TestTooManyNodes(t *testing.T) {
	t.Parallel()
	_, err := Page(t.Context(), []byte(strings.Repeat("<p>x", 100)), Options{NodesMax: 100})
	if !errors.Is(err, ErrTooComplex) {
		t.Errorf("got %v, want ErrTooComplex", err)
	}
}

// FuzzMarkdown checks any page's markdown and text: they are valid and bounded, show no internal markers, and are the
// same when written again.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"<p>a*b_c`d</p>", "<ul><li><p>a<pre>b</pre><ol start=5><li>c", "<table><tr><th colspan=2>a|b<tr><td rowspan=3><ul><li>c<td><pre>d",
		"<math><semantics><mrow><mfrac><mi>a</mi><mn>2</mn></mfrac></mrow><annotation encoding=application/x-tex>\\frac</annotation></semantics></math>",
		"<script type='math/tex; mode=display'>x</script>", "<script src=mathjax></script>\\(a\\) $$b$$ \\begin{align}c\\end{align}",
		"<sup><a href=#fn1>1</a></sup><ol><li id=fn1>n <a href=#r>^</a></ol>", "<dl><dt>a<dd>b<dl><dt>c<dd>d", "<a href=x><h2>a</h2><img src=b>",
		"<pre class='brush: js'><div>a</div><span class=line>b</span></pre>", "<table class=highlighttable><tr><td class=linenos>1<td><pre>x",
		"<b>a.</b>b<i> c</i><b>d</b><b>e</b>", "<details><summary><h3>a</h3></summary>b", "<img data-srcset='a 1x, b.c 2x'><noscript><img src=d.e></noscript>",
		"<blockquote><cite>a</cite>b<blockquote><ul><li>c", "<h2><a href=#x>#</a>a<button>b</button></h2>", "<iframe src=https://youtu.be/x></iframe><video src=a.b>",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, input []byte, main bool) {
		if !utf8.Valid(input) {
			return
		}
		options := Options{BaseURL: testURL, RemoveSelectors: []string{}, NodesMax: 20_000}
		if main {
			options.Transformer = TransformerPostlight
		}
		document, err := Page(context.Background(), input, options)
		if errors.Is(err, ErrTooComplex) {
			return
		}
		if err != nil {
			t.Fatalf("got %v", err)
		}
		for form, got := range map[string]string{"markdown": document.Markdown, "text": document.Text} {
			if !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
				t.Fatalf("got %s %q, want it valid and without what is meant for inside", form, got)
			}
			// References become absolute, and list items are indented.
			if most := 10_000 + 120*len(input); len(got) > most {
				t.Fatalf("got %d bytes of %s of %d", len(got), form, len(input))
			}
		}
		again, err := Page(context.Background(), input, options)
		if err != nil || again.Markdown != document.Markdown || again.Text != document.Text {
			t.Fatalf("got %q, %v the second time, %q the first", again.Markdown, err, document.Markdown)
		}
	})
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		"<p>a<b>b<p>c", "<table><tr><td>a<table><td>b", "<ul><li>a<ul><li>b", "<svg><style><b>x", "<plaintext><b>", "<pre>\n a</pre>",
		"<a href=x><h1>y</h1></a>", "<base href=//x/><img srcset='a 1x,b'>", "<select><option>a<table>", "<math><mi><p>",
		"<td colspan=3 rowspan=4>x", "<title>a</title><script type=application/ld+json>{\"@graph\":[1]}</script>", "<code>``</code>",
		"<blockquote><pre>x", "&#0;&#xd800;&nbsp", "<template><p>a", "<frameset><frame>", "<noscript><img src=a>",
	} {
		f.Add([]byte(seed), "nav", false)
		f.Add([]byte(seed), ":has(p) ~ *", true)
	}
	f.Fuzz(func(t *testing.T, input []byte, selector string, main bool) {
		if !utf8.Valid(input) {
			return // fetch only returns valid text
		}
		options := Options{BaseURL: testURL, RemoveSelectors: []string{selector}, NodesMax: 20_000}
		if main {
			options.Transformer = TransformerPostlight
		}
		document, err := Page(context.Background(), input, options)
		if err != nil {
			if !errors.Is(err, ErrTooComplex) && !errors.Is(err, ErrInvalidOption) {
				t.Fatalf("got %v", err)
			}
			return
		}
		if !utf8.ValidString(document.HTML) || !utf8.ValidString(document.Markdown) || !utf8.ValidString(document.Text) {
			t.Fatal("got invalid UTF-8")
		}
		for _, link := range document.Links {
			if !strings.HasPrefix(link.URL, "http") {
				t.Fatalf("got link %q", link.URL)
			}
		}
	})
}

// Hostile selectors on hostile pages are given up, and end with their request.
func TestHostileSelectorsAreGivenUp(t *testing.T) {
	t.Parallel()
	const siblings = 100_000
	long := []byte("<ul>" + strings.Repeat("<li></li>", siblings) + "</ul>")
	deep := []byte(strings.Repeat("<div>", 150) + strings.Repeat("<a>x</a>", siblings))
	many := make([]string, selectorsMax)
	for i := range many {
		many[i] = strings.Repeat("*,", 400) + "*"
	}
	for name, tc := range map[string]struct {
		page      []byte
		selectors []string
		want      error
	}{
		"siblings":         {long, []string{"li ~ li ~ li ~ b", "a ~ a ~ a ~ b", "li:nth-last-child(7n+3) ~ b"}, nil},
		"has":              {long, []string{":has(b)"}, nil},
		"text of all":      {deep, []string{"*:contains('q')"}, nil},
		"nested siblings":  {long, []string{"li:not(li:nth-child(2n))"}, ErrTooComplex},
		"very many at all": {long, many, ErrTooComplex},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := Options{RemoveSelectors: tc.selectors}.compile()
			if err != nil {
				t.Fatal(err)
			}
			root, _, err := markup.Parse(tc.page, nodesMaxDefault)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if err := newPage(t.Context(), plan, root).remove(nil); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if took := time.Since(start); took > time.Minute { // two seconds on an idle machine
				t.Errorf("took %s", took)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := newPage(ctx, plan, root).remove(nil); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the context's error", err)
			}
		})
	}
}

func TestHostileMetadata(t *testing.T) {
	t.Parallel()
	const n = 100_000
	for name, input := range map[string]string{
		"nested bylines":  strings.Repeat(`<div class="author">`, 400) + strings.Repeat(`<i class="byline"></i>`, n),
		"nested authors":  strings.Repeat(`<div itemprop="author">`, 400) + strings.Repeat(`<i></i>`, n),
		"many authors":    strings.Repeat(`<meta name="author" content="Ann Bee, Cy Dee">`, n),
		"one long author": `<meta name="author" content="` + strings.Repeat("Ann Bee, ", n) + `">`,
		"many graphs":     strings.Repeat(`<meta property="og:x" content="y">`, n),
		"separators":      `<title>` + strings.Repeat(" | - ", n) + `</title>`,
		"headings":        strings.Repeat(`<h1><a href=x>`, n),
		"classes":         strings.Repeat(`<div class="`+strings.Repeat("nav-x ", 300)+`"><a href=x>y</a>`, 400),
		"deep links":      strings.Repeat(`<div>`, 450) + strings.Repeat(`<a href=x></a>`, n) + "<p>" + sentences(9),
	} {
		begin := time.Now()
		_, err := Page(t.Context(), []byte(input), Options{BaseURL: testURL})
		if took := time.Since(begin); err != nil && !errors.Is(err, ErrTooComplex) || took > 20*time.Second {
			t.Errorf("%s: got %v in %v", name, err, took)
		} else {
			t.Logf("%s: %v in %v", name, err, took)
		}
	}
}
