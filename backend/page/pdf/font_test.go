package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const toUnicodeExample = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfchar <0001> <0048> <0005> <00660066> endbfchar
2 beginbfrange <0002> <0004> <0065> <0010> <0012> [<D83DDE00> <0041> <0042>] endbfrange
endcmap end end`

// font files, by what they show of their one string.
func fontFiles() map[string]func() (*builder, string) {
	simple := func(font, content string) *builder {
		b := newBuilder()
		b.font("F1", "")
		b.fonts = ""
		b.font("F1", font)
		b.page("BT /F1 12 Tf 72 700 Td " + content + " Tj ET")
		return b
	}
	return map[string]func() (*builder, string){
		"WinAnsi": func() (*builder, string) {
			return simple("<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>", `(na\357ve \200 5 \223quoted\224)`), "naïve € 5 “quoted”"
		},
		"MacRoman": func() (*builder, string) {
			return simple("<< /Type /Font /Subtype /TrueType /BaseFont /Arial /Encoding /MacRomanEncoding >>", `(na\225ve \322x\323)`), "naïve “x”"
		},
		"Standard with ligatures": func() (*builder, string) {
			return simple("<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>", `(of\256ce \257oor)`), "office floor"
		},
		"Symbol": func() (*builder, string) {
			return simple("<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>", `(abg \245)`), "αβγ ∞"
		},
		"ZapfDingbats": func() (*builder, string) {
			return simple("<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>", `(4x4)`), "✔❘✔"
		},
		"Differences": func() (*builder, string) {
			return simple("<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Foo /Encoding << /Differences [1 /H /e /l.alt /uni006F /f_f_i 32 /space 65 /u1F600 /a66 /Amacron] >> >>",
				`(\001\002\003\003\004 \005 ABC)`), "Hello ffi 😀BĀ"
		},
		"ToUnicode of a simple font": func() (*builder, string) {
			b := newBuilder()
			cmap := b.stream("", "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <01> <03> <0078> endbfrange")
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /AAAAAA+X /ToUnicode %d 0 R >>", cmap)))
			b.page(`BT /F1 12 Tf 72 700 Td (\001\002\003) Tj ET`)
			return b, "xyz"
		},
		"Identity-H with ToUnicode": func() (*builder, string) {
			b := newBuilder()
			cmap := b.stream("", toUnicodeExample)
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode %d 0 R "+
				"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 600 /W [1 [500 500] 3 5 400] >>] >>", cmap)))
			b.page("BT /F1 12 Tf 72 700 Td <0001000200030004000500100011> Tj ET")
			return b, "Hefgff😀A"
		},
		"Identity-H by the font's own characters": func() (*builder, string) {
			b := newBuilder()
			program := b.stream("/Filter /FlateDecode", deflated(string(exampleTrueType())))
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H "+
				"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 600 /CIDToGIDMap /Identity /FontDescriptor << /FontFile2 %d 0 R >> >>] >>", program)))
			b.page("BT /F1 12 Tf 72 700 Td <000100020003> Tj ET")
			return b, "абв"
		},
		"symbolic TrueType": func() (*builder, string) {
			b := newBuilder()
			program := b.stream("", string(exampleTrueType()))
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+X /FontDescriptor << /Flags 4 /FontFile2 %d 0 R >> >>", program)))
			b.page(`BT /F1 12 Tf 72 700 Td (\041\042\043) Tj ET`)
			return b, "абв"
		},
		"Type 1 with an encoding of its own": func() (*builder, string) {
			b := newBuilder()
			program := b.stream("", "%!PS-AdobeFont-1.0\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 1 /H put\ndup 2 /i put\nreadonly def\ncurrentfile eexec \x80\x81")
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+X /FontDescriptor << /Flags 4 /FontFile %d 0 R >> >>", program)))
			b.page(`BT /F1 12 Tf 72 700 Td (\001\002) Tj ET`)
			return b, "Hi"
		},
		"CFF with an encoding of its own": func() (*builder, string) {
			b := newBuilder()
			program := b.stream("/Subtype /Type1C", string(exampleCFF()))
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+X /FontDescriptor << /Flags 4 /FontFile3 %d 0 R >> >>", program)))
			b.page(`BT /F1 12 Tf 72 700 Td (\007\010) Tj ET`)
			return b, "Aя"
		},
		"UniGB-UCS2-H": func() (*builder, string) {
			return cjk("UniGB-UCS2-H", "<4F60597D>"), "你好"
		},
		"UniJIS-UTF16-H": func() (*builder, string) { return cjk("UniJIS-UTF16-H", "<65E5672CD842DFB7>"), "日本𠮷" },
		"GBK-EUC-H":      func() (*builder, string) { return cjk("GBK-EUC-H", "<C4E3BAC34142>"), "你好AB" },
		"90ms-RKSJ-H":    func() (*builder, string) { return cjk("90ms-RKSJ-H", "<93FA967B41>"), "日本A" },
		"ETen-B5-H":      func() (*builder, string) { return cjk("ETen-B5-H", "<A741A66E>"), "你好" },
		"KSCms-UHC-H":    func() (*builder, string) { return cjk("KSCms-UHC-H", "<C7D1B1DB>"), "한글" },
		"H":              func() (*builder, string) { return cjk("H", "<467C4B5C>"), "日本" },
		"CMap of the file": func() (*builder, string) {
			b := newBuilder()
			encoding := b.stream("/Type /CMap", "2 begincodespacerange <00> <7F> <8000> <FFFF> endcodespacerange 1 begincidrange <41> <42> 1 endcidrange 1 begincidchar <8001> 3 endcidchar")
			program := b.stream("", string(exampleTrueType()))
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding %d 0 R "+
				"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /FontDescriptor << /FontFile2 %d 0 R >> >>] >>", encoding, program)))
			b.page("BT /F1 12 Tf 72 700 Td <41428001> Tj ET")
			return b, "абв"
		},
		"Type 3": func() (*builder, string) {
			b := newBuilder()
			proc := b.stream("", "500 0 d0")
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 0 50 50] /FirstChar 65 /LastChar 67 "+
				"/Widths [50 50 50] /CharProcs << /a66 %d 0 R >> /Encoding << /Differences [65 /a72 /a105 /a12] >> >>", proc)))
			b.page("BT /F1 12 Tf 72 700 Td (ABC) Tj ET")
			return b, "Hifi"
		},
	}
}

func cjk(encoding, content string) *builder {
	b := newBuilder()
	b.fonts = ""
	b.font("F1", fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /%s /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X >>] >>", encoding))
	b.page("BT /F1 12 Tf 72 700 Td " + content + " Tj ET")
	return b
}

func TestFonts(t *testing.T) {
	t.Parallel()
	for name, file := range fontFiles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, want := file()
			wantText(t, mustRead(t, b.plain()), want)
		})
	}
}

// featureFiles are seeds for the fuzzer.
func featureFiles() []*builder {
	var out []*builder
	files := fontFiles()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b, _ := files[name]()
		out = append(out, b)
	}
	return out
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
	c := parseCMap([]byte(toUnicodeExample), newBudget(t.Context(), Limits{}))
	var got bytes.Buffer
	for _, code := range []uint32{1, 2, 4, 5, 0x10, 0x12, 0x13, 0} {
		s, ok := c.textOf(code)
		fmt.Fprintf(&got, "%s/%t ", s, ok)
	}
	if want := "H/true e/true g/true ff/true 😀/true B/true /false /false "; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}
