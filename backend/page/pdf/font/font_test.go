package font

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

const toUnicodeExample = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfchar <0001> <0048> <0005> <00660066> endbfchar
2 beginbfrange <0002> <0004> <0065> <0010> <0012> [<D83DDE00> <0041> <0042>] endbfrange
endcmap end end`

// fontFile is a font, what a string in it shows, and how wide it is in parts of the size.
type fontFile struct {
	name, content, want string
	width               float64
	// objects are the font, and what it refers to from number 2 on.
	objects []string
}

// bytes is a file with nothing but the font.
func (f *fontFile) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	for i, body := range f.objects {
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	return out.Bytes()
}

func stream(data string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(data), data)
}

func cjk(encoding, content, want string, width float64) fontFile {
	return fontFile{encoding, content, want, width, []string{
		"<< /Subtype /Type0 /BaseFont /X /Encoding /" + encoding + " /DescendantFonts [<< /Subtype /CIDFontType0 /BaseFont /X >>] >>",
	}}
}

func fontFiles() []fontFile {
	return []fontFile{
		{"WinAnsi", `(na\357ve \200 5 \223quoted\224)`, "naïve € 5 “quoted”", 0, []string{"<< /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>"}},
		{"MacRoman", `(na\225ve \322x\323)`, "naïve “x”", 0, []string{"<< /Subtype /TrueType /BaseFont /Arial /Encoding /MacRomanEncoding >>"}},
		{"Standard with ligatures", `(of\256ce \257oor)`, "office floor", 0, []string{"<< /Subtype /Type1 /BaseFont /Times-Roman >>"}},
		{"Symbol", `(abg \245)`, "αβγ ∞", 0, []string{"<< /Subtype /Type1 /BaseFont /Symbol >>"}},
		{"ZapfDingbats", `(4x4)`, "✔❘✔", 0, []string{"<< /Subtype /Type1 /BaseFont /ZapfDingbats >>"}},
		{
			"Differences", `(\001\002\003\003\004 \005 ABC)`, "Hello ffi 😀BĀ", 0,
			[]string{"<< /Subtype /Type1 /BaseFont /ABCDEF+Foo /Encoding << /Differences [1 /H /e /l.alt /uni006F /f_f_i 32 /space 65 /u1F600 /a66 /Amacron] >> >>"},
		},
		{"ToUnicode of a simple font", `(\001\002\003)`, "xyz", 1.2, []string{
			"<< /Subtype /Type1 /BaseFont /AAAAAA+X /ToUnicode 2 0 R /FirstChar 1 /Widths [300 400 500] >>",
			stream("1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <01> <03> <0078> endbfrange"),
		}},
		{"Identity-H with ToUnicode", "<0001000200030004000500100011>", "Hefgff😀A", 3.4, []string{
			"<< /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 2 0 R " +
				"/DescendantFonts [<< /Subtype /CIDFontType2 /BaseFont /X /DW 600 /W [1 [500 500] 3 5 400] >>] >>", stream(toUnicodeExample),
		}},
		{"Identity-H by the font's own characters", "<000100020003>", "абв", 1.8, []string{
			"<< /Subtype /Type0 /BaseFont /X /Encoding /Identity-H " +
				"/DescendantFonts [<< /Subtype /CIDFontType2 /BaseFont /X /DW 600 /CIDToGIDMap /Identity /FontDescriptor << /FontFile2 2 0 R >> >>] >>",
			stream(string(exampleTrueType())),
		}},
		{"symbolic TrueType", `(\041\042\043)`, "абв", 0, []string{
			"<< /Subtype /TrueType /BaseFont /ABCDEF+X /FontDescriptor << /Flags 4 /FontFile2 2 0 R >> >>", stream(string(exampleTrueType())),
		}},
		{"Type 1 with an encoding of its own", `(\001\002)`, "Hi", 0, []string{
			"<< /Subtype /Type1 /BaseFont /ABCDEF+X /FontDescriptor << /Flags 4 /FontFile 2 0 R >> >>",
			stream("%!PS-AdobeFont-1.0\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 1 /H put\ndup 2 /i put\nreadonly def\ncurrentfile eexec \x80\x81"),
		}},
		{"CFF with an encoding of its own", `(\007\010)`, "Aя", 0, []string{
			"<< /Subtype /Type1 /BaseFont /ABCDEF+X /FontDescriptor << /Flags 4 /FontFile3 2 0 R >> >>", stream(string(exampleCFF())),
		}},
		cjk("UniGB-UCS2-H", "<4F60597D>", "你好", 2),
		cjk("UniJIS-UTF16-H", "<65E5672CD842DFB7>", "日本𠮷", 3),
		cjk("GBK-EUC-H", "<C4E3BAC34142>", "你好AB", 3),
		cjk("90ms-RKSJ-H", "<93FA967B41>", "日本A", 2.5),
		cjk("ETen-B5-H", "<A741A66E>", "你好", 2),
		cjk("KSCms-UHC-H", "<C7D1B1DB>", "한글", 2),
		cjk("H", "<467C4B5C>", "日本", 2),
		{"CMap of the file", "<41428001>", "абв", 3, []string{
			"<< /Subtype /Type0 /BaseFont /X /Encoding 2 0 R /DescendantFonts [<< /Subtype /CIDFontType2 /BaseFont /X /FontDescriptor << /FontFile2 3 0 R >> >>] >>",
			stream("2 begincodespacerange <00> <7F> <8000> <FFFF> endcodespacerange 1 begincidrange <41> <42> 1 endcidrange 1 begincidchar <8001> 3 endcidchar"),
			stream(string(exampleTrueType())),
		}},
		{"Type 3", "(ABC)", "Hifi", 1.5, []string{
			"<< /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 0 50 50] /FirstChar 65 /LastChar 67 /Widths [50 50 50] " +
				"/CharProcs << /a66 2 0 R >> /Encoding << /Differences [65 /a72 /a105 /a12] >> >>", stream("500 0 d0"),
		}},
	}
}

// open reads the font of a file.
func open(ctx context.Context, body []byte, limits object.Limits) *Font {
	b := object.NewBudget(ctx, limits)
	f, err := object.Open(body, b)
	if err != nil {
		return nil
	}
	return NewReader(f, b).Font(object.Ref(1))
}

// operand is the bytes of a string as content has it.
func (f *fontFile) operand() []byte {
	s, _ := object.NewParser([]byte(f.content), object.NewBudget(context.Background(), object.Limits{})).Value().(object.String)
	return s
}

func TestFonts(t *testing.T) {
	t.Parallel()
	for _, tt := range fontFiles() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			font := open(t.Context(), tt.bytes(), object.Limits{})
			if font == nil {
				t.Fatal("got no font")
			}
			text, width := "", 0.0
			for s := tt.operand(); len(s) > 0; {
				g := font.Next(s)
				text, width, s = text+g.Text, width+g.Width, s[g.Bytes:]
			}
			if text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
			if width <= 0 || tt.width > 0 && math.Abs(width-tt.width) > 1e-9 {
				t.Errorf("got the width %v, want %v", width, tt.width)
			}
		})
	}
}

// exampleTrueType has glyphs 1–3 for а, б, в, in a Unicode subtable, and for the codes 0xf021–0xf023 in a symbol one.
func exampleTrueType() []byte {
	subtable := func(first int) []byte {
		t := []byte{0, 4, 0, 32, 0, 0, 0, 4, 0, 4, 0, 1, 0, 0}
		t = binary.BigEndian.AppendUint16(t, uint16(first+2))
		t = append(t, 0xff, 0xff, 0, 0)
		t = binary.BigEndian.AppendUint16(t, uint16(first))
		t = append(t, 0xff, 0xff)
		t = binary.BigEndian.AppendUint16(t, uint16(0x10000+1-first))
		return append(t, 0, 1, 0, 0, 0, 0)
	}
	cmap := []byte{0, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 20, 0, 3, 0, 1, 0, 0, 0, 52}
	cmap = append(append(cmap, subtable(0xf021)...), subtable(0x0430)...)
	font := []byte{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	font = append(font, "cmap\x00\x00\x00\x00"...)
	font = binary.BigEndian.AppendUint32(font, 28)
	font = binary.BigEndian.AppendUint32(font, uint32(len(cmap)))
	return append(font, cmap...)
}

// exampleCFF has two glyphs: A with the code 7 and one named afii10097 with the code 8.
func exampleCFF() []byte {
	index := func(items ...string) []byte {
		out := []byte{0, byte(len(items))}
		if len(items) == 0 {
			return out
		}
		out = append(out, 1, 1)
		at := 1
		for _, item := range items {
			at += len(item)
			out = append(out, byte(at))
		}
		return append(out, strings.Join(items, "")...)
	}
	build := func(charset, encoding, glyphs int) []byte {
		number := func(v int) string { return string([]byte{28, byte(v >> 8), byte(v)}) }
		out := []byte{1, 0, 4, 1}
		out = append(out, index("X")...)
		out = append(out, index(number(charset)+"\x0f"+number(encoding)+"\x10"+number(glyphs)+"\x11")...)
		out = append(out, index("afii10097")...)
		return append(out, index()...)
	}
	at := len(build(0, 0, 0))
	out := build(at, at+5, at+9)
	out = append(out, 0, 0, 34, 391>>8, 391&0xff) // charset: A, and the first string
	out = append(out, 0, 2, 7, 8)                 // encoding
	return append(out, index("\x0e", "\x0e", "\x0e")...)
}

func TestGlyphNames(t *testing.T) {
	t.Parallel()
	for glyph, want := range map[string]string{
		"A": "A", "eacute": "é", "ff": "ﬀ", "f_i": "fi", "a.sc": "a", "uni0416": "Ж", "uni00410042": "AB", "u1F4A9": "💩", "uniD800": "", "u110000": "",
		"nonsense": "", "": "", ".notdef": "", "afii10097": "я", "uni": "", strings.Repeat("a_", 200): "",
	} {
		if got := glyphText(glyph); got != want {
			t.Errorf("%q: got %q, want %q", glyph, got, want)
		}
	}
}

func TestCMap(t *testing.T) {
	t.Parallel()
	c := parseCMap([]byte(toUnicodeExample), object.NewBudget(t.Context(), object.Limits{}))
	var got bytes.Buffer
	for _, code := range []uint32{1, 2, 4, 5, 0x10, 0x12, 0x13, 0} {
		s, ok := c.textOf(code)
		fmt.Fprintf(&got, "%s/%t ", s, ok)
	}
	if want := "H/true e/true g/true ff/true 😀/true B/true /false /false "; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}

// Small limits let the fuzzer reach them.
var fuzzLimits = object.Limits{DecodedBytesMax: 16 << 20, ObjectsMax: 20_000, ValuesMax: 400_000, OperatorsMax: 400_000}

func FuzzFont(f *testing.F) {
	for _, file := range fontFiles() {
		f.Add(file.bytes(), file.operand())
	}
	f.Fuzz(func(t *testing.T, body, codes []byte) {
		font := open(context.Background(), body, fuzzLimits)
		for font != nil && len(codes) > 0 {
			g := font.Next(codes)
			if g.Bytes < 1 || g.Bytes > len(codes) || !utf8.ValidString(g.Text) {
				t.Fatalf("took %d of %d bytes for %q", g.Bytes, len(codes), g.Text)
			}
			codes = codes[g.Bytes:]
		}
	})
}

func FuzzCMap(f *testing.F) {
	f.Add([]byte(toUnicodeExample), []byte("\x01\x02\x03A\x00\x80"))
	f.Add([]byte("/GBK-EUC-H usecmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 begincidrange <0000> <00ff> 5 endcidrange"), []byte("\x00\x01"))
	f.Add([]byte("1 beginbfrange <00> <FFFFFFFF> <D83DDE00> endbfrange /WMode 1 def"), []byte("\xff\xff"))
	f.Add([]byte("1 beginbfrange <00> <02> [<0041> <0042>] endbfrange 2 beginbfchar <41> /eacute <42> <00660069> endbfchar"), []byte("AB"))
	f.Fuzz(func(t *testing.T, data, codes []byte) {
		c := parseCMap(data, object.NewBudget(context.Background(), fuzzLimits))
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

func FuzzFontPrograms(f *testing.F) {
	f.Add([]byte("%!PS-AdobeFont-1.0\n/Encoding 256 array\ndup 65 /A put\nreadonly def\ncurrentfile eexec"))
	f.Add(exampleCFF())
	f.Add(exampleTrueType())
	f.Fuzz(func(t *testing.T, data []byte) {
		b := object.NewBudget(context.Background(), fuzzLimits)
		type1Names(data, b)
		if c := parseCFF(data); c != nil {
			c.codeNames()
		}
		font := parseSFNT(data, b)
		font.codeTexts()
		embeddedGlyphs(data, b)
	})
}
