package markup

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

var tokenSeeds = []string{
	"a<b c=d e='f>' g=\"h'>\" i>j</b k>l<br/>", "<a href=x>y</a>", "x < y <> z </ w", "</>", "<", "</", "<!", "<!-", "<!-->", "<!--->", "<!-- a -- > --!> b", "<!--a--!-->b",
	"<!DOCTYPE html><p>", "<!x>y", "<?xml a?>b", "<title>a<b>&amp;\x00</title >c", "<TITLE>a</TITLEx></title", "<textarea>&lt;</textarea>", "<style>a</b></style>",
	"<script>a</script>b", "<script><!--<script></script></script>--></script>c", "<script><!-- <script </script> - --> <b></script>", "<script><!--a--><script></script>d",
	"<script><!-<!--->a<b></script", "<script><!--<x</script>", "<script><!--<script-</script>--></script>e", "<plaintext><b>", "<noscript><b>x</noscript>", "<iframe><a></iframe>f",
	"<a b=c/d/e f/ =g = h>i", "<a/b=c>", "<a b='c", "<a b", "<p\x00q r\x00=s\x00>t\x00\r\nu\rv", "<a b=&amp&copy=1&copy;2&notit;&notit&#65;&#x41&#&fjlig;&semi;&a&lt=3&lt>&notit; &copy=",
	"<a b=1 B=2 b=3>", "<script/>x</script>", "<svg><style><b></style>", "&nbsp;&zwj;&NotEqualTilde;", "<xmp></xm</xmp\f>g", "<script><!----></script>h", "<script><!--<script>--><b></script>i",
	"<script><!--<script></scriptx</script/--></script>", "<script>-<!--->--</script>", "<a ='b'=c>", "<a b = \"c\"d='e'>", "<script><!--<</script>", "<script><!-- < </script> --></script>j", "<sCript><!-\r",
}

// theirTokens reads HTML with the parser's own tokenizer.
type theirTokens struct {
	z     *html.Tokenizer
	name  string
	raw   string
	kind  html.TokenType
	text  string
	attrs []html.Attribute
}

func (t *theirTokens) next() bool {
	t.kind = t.z.Next()
	t.raw, t.name, t.text, t.attrs = string(t.z.Raw()), "", "", nil
	switch t.kind {
	case html.ErrorToken:
		return false
	case html.DoctypeToken:
		t.kind = html.CommentToken
	case html.TextToken:
		t.text = string(t.z.Text())
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		name, more := t.z.TagName()
		t.name = string(name)
		for more {
			var key, value []byte
			key, value, more = t.z.TagAttr()
			t.attrs = append(t.attrs, html.Attribute{Key: string(key), Val: string(value)})
		}
		if t.kind == html.SelfClosingTagToken {
			t.kind = html.StartTagToken
		}
		if t.name == "noscript" {
			t.z.NextIsNotRawText()
		}
	case html.CommentToken:
	}
	return true
}

// smallLetters lowers ASCII letters and keeps all other bytes.
func smallLetters(s string) string {
	out := []byte(s)
	for i, c := range out {
		if dom.IsCapital(c) {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// sameTokens compares our tokens with those of the parser.
func sameTokens(t *testing.T, input string) {
	t.Helper()
	ours, theirs := NewTokens(input), &theirTokens{z: html.NewTokenizer(strings.NewReader(input))}
	for theirs.next() {
		if !ours.Next() {
			t.Fatalf("%.300q: got no %v %q", input, theirs.kind, theirs.raw)
		}
		if ours.Kind != theirs.kind || ours.raw() != theirs.raw || ours.Name != atom.Lookup([]byte(theirs.name)) {
			t.Fatalf("%.300q: got %v %q, want %v %q", input, ours.Kind, ours.raw(), theirs.kind, theirs.raw)
		}
		switch ours.Kind {
		case html.TextToken:
			if got := ours.Text(); got != theirs.text {
				t.Fatalf("%.300q: got text %q, want %q", input, got, theirs.text)
			}
		case html.StartTagToken:
			var got []html.Attribute
			seen := map[string]bool{}
			for a := ours.Attributes(); a.Next(); {
				key := smallLetters(strings.ReplaceAll(a.Key, "\x00", "\ufffd"))
				if !seen[key] {
					got = append(got, html.Attribute{Key: key, Val: AttributeValue(a.Value)})
				}
				seen[key] = true
			}
			for i := range max(len(got), len(theirs.attrs)) {
				if i >= len(got) || i >= len(theirs.attrs) || got[i].Val != theirs.attrs[i].Val || got[i].Key != theirs.attrs[i].Key {
					t.Fatalf("%.300q: got attributes %q, want %q", input, got, theirs.attrs)
				}
			}
		}
	}
	if ours.Next() {
		t.Fatalf("%.300q: got %v %q, want an end", input, ours.Kind, ours.raw())
	}
}

func TestTokensAreTheParsers(t *testing.T) {
	t.Parallel()
	for _, input := range tokenSeeds {
		sameTokens(t, input)
	}
	for _, seed := range tokenSeeds {
		sameTokens(t, strings.Repeat(seed, 1000))
	}
	sameTokens(t, strings.Join(tokenSeeds, "</script></style></title></textarea>"))
}

func FuzzTokens(f *testing.F) {
	for _, seed := range tokenSeeds {
		f.Add(seed)
	}
	f.Fuzz(sameTokens)
}

func BenchmarkScan(b *testing.B) {
	input := strings.Repeat("<div class=\"a note\"><p>One <a href='/x'>link</a> &amp; <b>more</b></p></div>\n", 2000)
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		scan(input)
	}
}
