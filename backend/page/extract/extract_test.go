package extract

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const testURL = "https://example.com/a/b.html"

func mustPage(t testing.TB, input string, options Options) *Document {
	t.Helper()
	if options.BaseURL == "" {
		options.BaseURL = testURL
	}
	document, err := Page(context.Background(), []byte(input), options)
	if err != nil {
		t.Fatalf("Page: %v", err)
	}
	return document
}

func TestGolden(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("testdata/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("got %d pages, %v", len(pages), err)
	}
	for _, path := range pages {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			input, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			document := mustPage(t, string(input), Options{})
			name := strings.TrimSuffix(path, ".html")
			golden(t, name+".md", document.Markdown)
			golden(t, name+".txt", document.Text)
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	got += "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

func TestMetadataAndLinks(t *testing.T) {
	t.Parallel()
	input, err := os.ReadFile("testdata/article.html")
	if err != nil {
		t.Fatal(err)
	}
	document := mustPage(t, string(input), Options{})
	want := metadata.Fields{
		Title: "How tolls work", Description: "A short history of tolls.", Language: "en-GB",
		CanonicalURL: "https://example.com/articles/tolls", PublishedAt: "2024-05-06T07:08:09Z", Author: "Ann Bee, Cy Dee",
		Authors: []string{"Ann Bee", "Cy Dee"}, OpenGraph: map[string][]string{
			"article:published_time": {"2024-05-06T07:08:09Z"}, "og:image": {"/img/cover.jpg"}, "og:site_name": {"Roads Weekly"},
		},
		SiteName: "Roads Weekly", Image: "https://example.com/img/cover.jpg",
	}
	if !reflect.DeepEqual(document.Metadata, want) {
		t.Errorf("got %+v, want %+v", document.Metadata, want)
	}
	var got []string
	for _, link := range document.Links {
		got = append(got, link.URL+" "+link.Href+" "+link.Text)
	}
	wantLinks := []string{
		"https://example.com/ / Home", "https://example.com/news /news News",
		"https://example.com/a/roads?kind=old#top roads?kind=old#top using a road",
	}
	if strings.Join(got, "\n") != strings.Join(wantLinks, "\n") {
		t.Errorf("got %q, want %q", got, wantLinks)
	}
}

func TestLinkDetails(t *testing.T) {
	t.Parallel()
	document := mustPage(t, `<a href="//EXAMPLE.com/x" rel="NoFollow ugc"> <img alt="logo"> </a><a href="http://other.example">o</a>`+
		`<a href="#here">h</a><a href="tel:1">t</a><a>none</a><a href="//example.com/x">twice</a><a href="" aria-label="self"></a>`, Options{})
	want := []links.Link{
		{URL: "https://example.com/x", Href: "//EXAMPLE.com/x", Text: "logo", Rel: []string{"nofollow", "ugc"}, Internal: true},
		{URL: "http://other.example/", Href: "http://other.example", Text: "o"},
		{URL: testURL + "#here", Href: "#here", Text: "h", Internal: true},
		{URL: testURL, Href: "", Text: "self", Internal: true},
	}
	if len(document.Links) != len(want) {
		t.Fatalf("got %+v, want %+v", document.Links, want)
	}
	for i, link := range document.Links {
		if link.URL != want[i].URL || link.Href != want[i].Href || link.Text != want[i].Text ||
			link.Internal != want[i].Internal || strings.Join(link.Rel, " ") != strings.Join(want[i].Rel, " ") {
			t.Errorf("got %+v, want %+v", link, want[i])
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	const input = `<header>HEAD</header><p class="ad big">AD</p><p id=x>X</p><p>REST</p><img src=i.png alt=IMG>` +
		`<div role=region aria-label="SKIP links">SKIP</div><div aria-modal=true>MODAL</div><script>SCRIPT</script>`
	tests := []struct {
		name    string
		options Options
		gone    string
		kept    string
	}{
		{"default", Options{}, "HEAD SKIP MODAL SCRIPT", "AD X REST IMG"},
		{"none", Options{RemoveSelectors: []string{}}, "", "HEAD AD X REST IMG SKIP MODAL SCRIPT"},
		{"own", Options{RemoveSelectors: []string{"#x", "p:not([id]):not([class])"}}, "X REST", "HEAD AD IMG SKIP"},
		{"classes", Options{RemoveSelectors: []string{}, RemoveClassNames: []string{"ad"}}, "AD", "HEAD REST"},
		{"images", Options{RemoveImages: true}, "IMG", "AD REST"},
		{"everything", Options{RemoveSelectors: []string{"html"}}, "HEAD AD X REST", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document := mustPage(t, input, tt.options)
			for word := range strings.FieldsSeq(tt.gone) {
				if strings.Contains(document.HTML, ">"+word+"<") || strings.Contains(document.HTML, `"`+word+`"`) {
					t.Errorf("got %s, want %s gone", document.HTML, word)
				}
			}
			for word := range strings.FieldsSeq(tt.kept) {
				if !strings.Contains(document.HTML, word) {
					t.Errorf("got %s, want %s kept", document.HTML, word)
				}
			}
		})
	}
}

func TestOptionFaults(t *testing.T) {
	t.Parallel()
	err := CheckSelectors([]string{"p", "a[", "", strings.Repeat("p ", 600)})
	if got := strings.Count(err.Error(), "selector \""); got != 3 {
		t.Errorf("got %d faults in %v, want 3", got, err)
	}
	selectorErr, ok := errors.AsType[*SelectorError](err)
	if !ok || selectorErr.Selector != "a[" || !errors.Is(err, ErrInvalidOption) {
		t.Errorf("got %v, want a SelectorError for a[", err)
	}
	if err := CheckSelectors(DefaultSelectors()); err != nil {
		t.Errorf("got %v, want nil for the default selectors", err)
	}
	for name, options := range map[string]Options{
		"transformer": {Transformer: "mercury"},
		"base":        {BaseURL: "not a url"},
		"selectors":   {RemoveSelectors: make([]string, selectorsMax+1)},
	} {
		for _, mediaType := range []string{"text/html", "text/plain", "application/json"} {
			if _, err := Read(t.Context(), Source{URL: options.BaseURL, MediaType: mediaType}, options); !errors.Is(err, ErrInvalidOption) {
				t.Errorf("%s, %s: got %v, want ErrInvalidOption", name, mediaType, err)
			}
		}
	}
}

func TestMainContent(t *testing.T) {
	t.Parallel()
	paragraph := "<p>" + strings.Repeat("The bridge was built by many hands, and each of them was paid, in time. ", 5) + "</p>"
	input := `<div class=sidebar><a href=1>NOISE</a><a href=2>more</a></div><article><h1>Bridge</h1>` + strings.Repeat(paragraph, 6) +
		`<a href="next">next</a></article><div class=comments>SAYS WHO</div>`
	document := mustPage(t, input, Options{Transformer: TransformerPostlight})
	if !document.MainContent || strings.Contains(document.Text, "NOISE") || !strings.Contains(document.Markdown, "built by many hands") {
		t.Errorf("got main content %v, %q", document.MainContent, document.Text)
	}
	if len(document.Links) != 3 {
		t.Errorf("got %d links, want those of the whole page", len(document.Links))
	}
	none := mustPage(t, "<p>tiny", Options{Transformer: TransformerPostlight})
	if !strings.Contains(none.Text, "tiny") {
		t.Errorf("got %q, want the page where there is no main content", none.Text)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, input, want string }{
		{"folding", "<p>a  b\n c</p>\n\n<p> d </p>", "a b c\n\nd"},
		{"inline", "<p>un<b>brok</b>en <i> x </i>y</p>", "unbroken x y"},
		{"breaks", "a<br>b<br><br><br>c", "a\nb\n\nc"},
		{"lists", "<ul><li>a<li>b<ol><li>c</ol></ul><p>d", "- a\n- b\n  - c\n\nd"},
		{"table", "<table><tr><th>a</th> <td>b</td></tr><tr><td>c</td></tr></table>", "a\tb\nc"},
		{"pre", "<pre>a\n  b\n</pre>c", "a\n  b\n\nc"},
		{"invisible", "<script>x</script><style>x</style><p>a<template>x</template>", "a"},
		{"noscript", "<p>a<noscript> <b>b</b></noscript>", "a b"},
		{"head", "<title>t</title><p>a", "a"},
		{"entities", "a&nbsp;b &lt;c&gt; &#x1F600;", "a b <c> \U0001F600"},
		{"empty", "", ""},
	} {
		if got := mustPage(t, tt.input, Options{RemoveSelectors: []string{}}).Text; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAbsoluteReferences(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{`<img src=x.png srcset="a.png 1x, /b.png 2x,c.png">`, `<img src="https://example.com/a/x.png" srcset="https://example.com/a/a.png 1x, https://example.com/b.png 2x, https://example.com/a/c.png"/>`},
		{`<a href="?q=a b">`, `<a href="https://example.com/a/b.html?q=a%20b">`},
		{`<base href="/deep/"><a href="x">`, `<a href="https://example.com/deep/x">`},
		{`<base href="javascript:0"><a href="x">`, `<a href="https://example.com/a/x">`},
		{`<a href="mailto:a@b.example">`, `<a href="mailto:a@b.example">`},
		{`<a href="http://[x">`, `<a href="http://[x">`},
		{`<form action="go"><p data="kept">`, `<form action="https://example.com/a/go"><p data="kept">`},
	} {
		if got := mustPage(t, tt[0], Options{RemoveSelectors: []string{}}).HTML; !strings.Contains(got, tt[1]) {
			t.Errorf("got %s, want it to hold %s", got, tt[1])
		}
	}
}

func TestMetadataSources(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		input string
		got   func(metadata.Fields) string
		want  string
	}{
		{`<svg><title>icon</title></svg><h1>Head</h1>`, func(m metadata.Fields) string { return m.Title }, "Head"},
		{`<meta property=og:title content=OG>`, func(m metadata.Fields) string { return m.Title }, "OG"},
		{`<meta name=author content="A. N.">`, func(m metadata.Fields) string { return m.Author }, "A. N."},
		{`<meta property=article:author content="https://social.example/a">`, func(m metadata.Fields) string { return m.Author }, ""},
		{`<time datetime="2024-02-03">`, func(m metadata.Fields) string { return m.PublishedAt }, "2024-02-03"},
		{`<meta name=date content="3 February 2024">`, func(m metadata.Fields) string { return m.PublishedAt }, "2024-02-03"},
		{`<meta name=date content="soon">`, func(m metadata.Fields) string { return m.PublishedAt }, ""},
		{`<link rel=canonical href="javascript:0">`, func(m metadata.Fields) string { return m.CanonicalURL }, ""},
		{`<script type=application/ld+json>[{"@type":"Article","datePublished":"2024-02-03T04:05:06+01:00","author":"Bee"}]</script>`, func(m metadata.Fields) string { return m.PublishedAt + m.Author }, "2024-02-03T04:05:06+01:00Bee"},
		{`<script type=application/ld+json>{broken</script><title>t</title>`, func(m metadata.Fields) string { return m.Title }, "t"},
		{`<script type=application/ld+json>{"author":{"name":{"name":{"name":1}}},"image":[{"url":"/i.png"}]}</script>`, func(m metadata.Fields) string { return m.Author + m.Image }, "https://example.com/i.png"},
	} {
		if got := tt.got(mustPage(t, tt.input, Options{}).Metadata); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.input, got, tt.want)
		}
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ mediaType, body, markdown, html string }{
		{"text/plain", "a <b>", "a <b>", "<pre>a &lt;b&gt;</pre>"},
		{"text/markdown", "# a", "# a", "<pre># a</pre>"},
		{"application/json", `{"a":[1]}`, "```json\n{\n  \"a\": [\n    1\n  ]\n}\n```", "<pre>{\n  \"a\": [\n    1\n  ]\n}</pre>"},
		{"application/problem+json", `{broken`, "```json\n{broken\n```", "<pre>{broken</pre>"},
		{"application/json", "\"```\"", "````json\n\"```\"\n````", "<pre>\"```\"</pre>"},
		{"application/rss+xml", "<rss/>", "```xml\n<rss/>\n```", "<pre>&lt;rss/&gt;</pre>"},
		{"text/css", "a{}", "```\na{}\n```", "<pre>a{}</pre>"},
	} {
		document, err := Read(t.Context(), Source{MediaType: tt.mediaType, Body: []byte(tt.body)}, Options{})
		if err != nil || document.Markdown != tt.markdown || document.HTML != tt.html {
			t.Errorf("%s: got %+v, %v, want %q and %q", tt.mediaType, document, err, tt.markdown, tt.html)
		}
	}
	for _, mediaType := range []string{"image/png", "application/pdf", "application/octet-stream", ""} {
		if _, err := Read(t.Context(), Source{MediaType: mediaType}, Options{}); !errors.Is(err, ErrUnsupportedContent) {
			t.Errorf("%s: got %v, want ErrUnsupportedContent", mediaType, err)
		}
	}
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	tricky := `["]]]]",` + strings.Repeat(`[`, 40) + `"\"["` + strings.Repeat("]", 40) + "]"
	for _, body := range []string{deep, tricky} {
		if got := indented([]byte(body)); got != body {
			t.Errorf("got %d bytes, want deep JSON left as it is", len(got))
		}
	}
}

func TestContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Page(ctx, []byte("<p>a"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestStructuredOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	const input = `<div itemscope itemtype="https://schema.org/Thing">`
	if got := mustPage(t, input, Options{}).Structured; got != nil {
		t.Errorf("got %+v, want nil", got)
	}
	if got := mustPage(t, input, Options{Structured: true}).Structured; got == nil || len(got.Microdata) != 1 {
		t.Errorf("got %+v, want the item", got)
	}
}

// TestCallersSelectorsTakeFootnotes: a note that the request's selectors remove is gone. A note in an element that is
// removed by default stays.
func TestCallersSelectorsTakeFootnotes(t *testing.T) {
	t.Parallel()
	input := `<p>a<sup><a href="#fn1">1</a></sup></p><aside><p id=fn1>secret</p></aside>`
	if got := mustPage(t, input, Options{}).Markdown; !strings.Contains(got, "[^1]: secret") {
		t.Errorf("got %s, want the note", got)
	}
	if got := mustPage(t, input, Options{RemoveSelectors: []string{"aside"}}).Markdown; strings.Contains(got, "secret") {
		t.Errorf("got %s, want no note", got)
	}
}
