package maincontent

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

func mustParse(t testing.TB, input string) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(input), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestSegment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		input string
		want  []string
	}{
		{"paragraphs", "<p>One  two\n three<p>four", []string{"One two three", "four"}},
		{"inline elements join", "<p>a<b>b</b> <i>c</i><a href=x>d</a>", []string{"ab cd"}},
		{"breaks part", "<div>one<br>two<div>three</div>four</div>", []string{"one", "two", "three", "four"}},
		{"images and inputs part words", "<p>one<img src=x>two", []string{"one two"}},
		{"code is one block", "<pre><div>a = 1</div><div>b = 2</div></pre>", []string{"a = 1 b = 2"}},
		{"cells", "<table><tr><td>1<td>2<tr><th>3", []string{"1", "2", "3"}},
		{"noscript is text", "<noscript><p>for readers</noscript>", []string{"for readers"}},
		{"no text", "<script>x</script><style>y</style><svg><text>z</text></svg><select><option>o</select><textarea>t</textarea><template>u</template>", nil},
		{"signs are no words", "<p>*** —<p>x", []string{"x"}},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, b := range Segment(mustParse(t, tt.input)).Blocks {
				got = append(got, b.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBlockFigures(t *testing.T) {
	t.Parallel()
	p := Segment(mustParse(t, `<div style="DISPLAY : none"><p>no show</div><p>two <a href=x>linked words</a> here_too 3.5</p><p hidden>x</p>`))
	if len(p.Blocks) != 3 {
		t.Fatalf("got %d blocks, want 3", len(p.Blocks))
	}
	if b := p.Blocks[0]; !b.hidden {
		t.Errorf("got %+v, want it hidden", b)
	}
	if b := p.Blocks[1]; b.Words != 6 || b.linkWords != 2 || b.hidden {
		t.Errorf("got %+v, want 6 words, 2 in links, shown", b)
	}
	if b := p.Blocks[2]; !b.hidden {
		t.Errorf("got %+v, want it hidden", b)
	}
	if got := p.elements[0].words; got != 9 {
		t.Errorf("got %d words in html, want 9", got)
	}
}

func TestClassWords(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":                        "",
		"post-body entry_content": "post body entry content",
		"mainContent":             "main content",
		"PDPTitle col-md-6 x":     "pdptitle col md",
		"css-1abc2":               "css abc",
		"Überschrift":             "berschrift",
		"a b c":                   "",
		"sideBar2Wide":            "side bar wide",
	} {
		if got := strings.Join(slices.Collect(classWords(input)), " "); got != want {
			t.Errorf("%q: got %q, want %q", input, got, want)
		}
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	f := readFacts(mustParse(t, `<html class="js wp-content"><head><title>My Title</title><meta property="og:type" content="Product">`+
		`<meta name=generator content="Discourse 3"><script type="application/ld+json">{"@type": ["QAPage", "WebPage"], "x": {"@type":"Offer"}, broken</script>`+
		`<body itemtype="https://schema.org/Recipe"><p>x<p>y`))
	var got []string
	for i, is := range f.signs {
		if is {
			got = append(got, pageSigns[i].word)
		}
	}
	if want := []string{"offer", "qapage", "recipe", "product", "discourse", "wp-content"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if f.counts[0] != 2 || !f.title["my"] || !f.title["title"] {
		t.Errorf("got %d paragraphs and title %v", f.counts[0], f.title)
	}
}

// FuzzSegment checks every page: the blocks have the words of the elements, the features are finite and of fixed
// number, and keeping all or half of the blocks gives a tree with exactly those texts.
func FuzzSegment(f *testing.F) {
	for _, seed := range []string{
		"<p>a<b>b<p>c", "<table><tr><td>a<table><td>b", "<ul><li>a<ul><li>b<img>", "<svg><style><b>x", "<plaintext><b>",
		"<pre>\n a<div>b</pre>c", "<noscript><p>x<img></noscript>", "<select><option>a<table>", "<template><p>a", "<frameset><frame>",
		"<body hidden><p aria-hidden=true style='display:none'>x", "<math><mi>x<p>y", "<a href=x><h1>y</h1></a><hr>", "&#0;\ufffd é日本",
		`<script type=application/ld+json>{"@type":["a","b"`, "<div class='A-b cD'><time>1</time> © $5</div>", "<br>x<br>y<picture><source><img></picture>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		if !utf8.ValidString(input) {
			return // pages are valid
		}
		root, err := html.ParseWithOptions(strings.NewReader(input), html.ParseOptionEnableScripting(false))
		if err != nil {
			return
		}
		p := Segment(root)
		words := 0
		for i := range p.Blocks {
			if p.Blocks[i].Words < 1 || p.Blocks[i].linkWords > p.Blocks[i].Words {
				t.Fatalf("got block %+v", p.Blocks[i])
			}
			words += p.Blocks[i].Words
		}
		if len(p.elements) > 0 && p.elements[0].parent == -1 && p.elements[0].words != words && len(p.Blocks) > 0 {
			t.Fatalf("got %d words in the root, %d in the blocks", p.elements[0].words, words)
		}
		m, err := Shipped()
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Read(t.Context(), p, "https://example.com/a")
		if err != nil {
			t.Fatal(err)
		}
		if r.Expected < 0 || r.Expected > 1.000001 || r.Confidence < 0 || r.Confidence > 1.000001 {
			t.Fatalf("got %v, %v", r.Expected, r.Confidence)
		}
		half := Choice{Blocks: make([]bool, len(p.Blocks))}
		var want []string
		for i := range half.Blocks {
			if half.Blocks[i] = i%2 == 0; half.Blocks[i] {
				want = append(want, p.Blocks[i].Text)
			}
		}
		node := p.Keep(half)
		if node == nil {
			if len(want) > 0 {
				t.Fatalf("got nothing, want %q", want)
			}
			return
		}
		got := countWords(strings.Join(allTexts(node), " "))
		if least := countWords(strings.Join(want, " ")); got < least {
			t.Fatalf("got %d words, want at least %d", got, least)
		}
	})
}

func allTexts(root *html.Node) []string {
	var texts []string
	if root.Type == html.TextNode {
		texts = append(texts, root.Data)
	}
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			texts = append(texts, n.Data)
		}
	}
	return texts
}
