package pdf

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// small limits let the fuzzer reach them.
var fuzzLimits = Limits{
	PagesMax: 50, TextBytesMax: 1 << 20, DecodedBytesMax: 16 << 20, ObjectsMax: 20_000, ValuesMax: 400_000, OperatorsMax: 400_000, GlyphsMax: 200_000,
}

func FuzzRead(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.pdf")
	for _, path := range paths {
		if body, err := os.ReadFile(path); err == nil && len(body) < 50_000 {
			f.Add(body)
		}
	}
	f.Add(hello().plain())
	f.Add(hello().packed(false))
	f.Add(hello().packed(true))
	for _, b := range featureFiles() {
		f.Add(b.plain())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := Read(context.Background(), body, fuzzLimits)
		if (doc == nil) == (err == nil) {
			t.Fatalf("got %v, %v", doc, err)
		}
		if err != nil {
			return
		}
		if doc.Quality < 0 || doc.Quality > 1 {
			t.Errorf("quality %v", doc.Quality)
		}
		for _, s := range []string{doc.Text(), doc.Markdown(), doc.HTML(), doc.Title, doc.Author} {
			if !utf8.ValidString(s) {
				t.Errorf("invalid UTF-8 in %.200q", s)
			}
		}
		for _, b := range doc.Blocks {
			for _, s := range b.Spans {
				if s.Start < 0 || s.End > len(b.Text) || s.Start >= s.End {
					t.Errorf("span %v of %q", s, b.Text)
				}
			}
			for _, row := range b.Rows {
				if len(row) != len(b.Rows[0]) {
					t.Errorf("rows of %d and %d cells", len(row), len(b.Rows[0]))
				}
			}
		}
	})
}

func FuzzLexer(f *testing.F) {
	for _, s := range []string{
		"<< /A#20B [1 -2.5 +3 4. .5 --6 1-2 true null 12 0 R] /S (a\\(b\\)\\101\\\r\nc) /H <48656C6C6F> >>", "[[[[[", "<<<<<<", "((((", "<</A<</B<</C", "%c\r1",
		"(\\777\\8)", "/ /#/#zz", "<4 8 z>", "1 0 obj << >> stream", ">", ")", "}{",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := lexer{data: data}
		for n := 0; ; n++ {
			before := l.pos
			token := l.next()
			if token.kind == tokenEOF {
				break
			}
			if l.pos <= before || l.pos > len(data) {
				t.Fatalf("went from %d to %d of %d", before, l.pos, len(data))
			}
		}
		b := newBudget(context.Background(), fuzzLimits)
		p := newParser(data, 0, b)
		for p.pos < len(data) && b.alive() {
			before := p.pos
			if p.value(0); p.pos <= before && p.pos < len(data) {
				t.Fatalf("stays at %d of %d", p.pos, len(data))
			}
			p.left = 1000
		}
	})
}

func FuzzCMap(f *testing.F) {
	f.Add([]byte(toUnicodeExample), []byte("\x01\x02\x03A\x00\x80"))
	f.Add([]byte("/GBK-EUC-H usecmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 begincidrange <0000> <00ff> 5 endcidrange"), []byte("\x00\x01"))
	f.Add([]byte("1 beginbfrange <00> <FFFFFFFF> <D83DDE00> endbfrange /WMode 1 def"), []byte("\xff\xff"))
	f.Add([]byte("1 beginbfrange <00> <02> [<0041> <0042>] endbfrange 2 beginbfchar <41> /eacute <42> <00660069> endbfchar"), []byte("AB"))
	f.Fuzz(func(t *testing.T, data, codes []byte) {
		c := parseCMap(data, newBudget(context.Background(), fuzzLimits))
		for len(codes) > 0 {
			code, n := c.next(codes)
			if n < 1 || n > len(codes) {
				t.Fatalf("took %d of %d bytes", n, len(codes))
			}
			codes = codes[n:]
			c.textOf(code)
			c.cidOf(code)
		}
	})
}

func FuzzFilters(f *testing.F) {
	for i, data := range []string{deflated("hello hello hello"), "80 0B 60 50", "87cURD]i,\"Ebo80~>", "48656C6C6F>", "\x04hello\xfea\x80", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01"} {
		f.Add(byte(i), byte(i), []byte(data))
	}
	names := []name{"FlateDecode", "LZWDecode", "ASCII85Decode", "ASCIIHexDecode", "RunLengthDecode"}
	f.Fuzz(func(t *testing.T, which, parameters byte, data []byte) {
		parms := dict{"Predictor": int(parameters & 15), "Colors": int(parameters >> 6), "BitsPerComponent": 8, "Columns": int(parameters >> 2), "EarlyChange": int(parameters & 1)}
		b := newBudget(context.Background(), Limits{DecodedBytesMax: 1 << 20})
		out, _ := applyFilter(b, names[int(which)%len(names)], parms, data)
		if len(out) > 1<<20 {
			t.Errorf("gave %d bytes", len(out))
		}
	})
}

func FuzzFontPrograms(f *testing.F) {
	f.Add([]byte("%!PS-AdobeFont-1.0\n/Encoding 256 array\ndup 65 /A put\nreadonly def\ncurrentfile eexec"))
	f.Add(exampleCFF())
	f.Add(exampleTrueType())
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBudget(context.Background(), fuzzLimits)
		type1Names(data, b)
		if c := parseCFF(data); c != nil {
			c.codeNames()
		}
		font := parseSFNT(data, b)
		font.codeTexts()
		embeddedGlyphs(data, b)
	})
}

func ExampleRead() {
	b := newBuilder()
	b.page(show(72, 700, 24, "Roads") + show(72, 660, 12, "A toll is paid for the use of a road.") + show(72, 646, 12, "It keeps the road in repair."))
	doc, err := Read(context.Background(), b.plain(), Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Markdown())
	// Output:
	// # Roads
	//
	// A toll is paid for the use of a road. It keeps the road in repair.
}
