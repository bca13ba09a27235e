package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// hostilePages each ask for far more work than their size, in one way.
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
			return // what fetch hands over is valid
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
