package font

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	textencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

const (
	// widthRangesMax is how many ranges of widths a composite font has at most.
	widthRangesMax = 100_000
	// decodedMax is how many characters of a font in an older character set are kept.
	decodedMax = 30_000
)

// composite is what a Type 0 font has beside a font (ISO 32000-1, 9.7).
type composite struct {
	descriptor object.Dict
	// One of these says how codes are cut and what they mean: a CMap of the file's own, one of the predefined ones of
	// Unicode or of an older character set, or neither where codes are character ids of two bytes.
	own     *cmap
	utf16   bool
	charset *charset

	defaultWidth float64
	widths       []widthRange
	// glyphs is what the glyphs of the embedded font show, for fonts that do not say it themselves.
	glyphs map[int]string
	// toGlyph maps character ids to glyphs, by two bytes each; nil: they are the same.
	toGlyph []byte
}

type widthRange struct {
	low, high int
	width     float64
}

// charset is an older character set of one and two bytes.
type charset struct {
	encoding textencoding.Encoding
	// raw codes have two bytes and lack the high bits of EUC.
	raw bool
	// shiftJIS has single bytes above 0xa0.
	shiftJIS bool
	known    map[uint32]string
}

// charsetOf is the character set of a predefined CMap (9.7.5.2, table 118), or nil.
func charsetOf(cmapName string) *charset {
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.HasPrefix(cmapName, part) {
				return true
			}
		}
		return false
	}
	c := &charset{known: map[uint32]string{}}
	switch {
	case has("GBK", "GB-EUC", "GBpc-EUC", "GBT", "GB-"):
		c.encoding = simplifiedchinese.GB18030
		c.raw = cmapName == "GB-H" || cmapName == "GB-V"
	case has("B5pc", "HKscs", "ETen-B5", "ETenms-B5", "CNS"):
		c.encoding = traditionalchinese.Big5
	case strings.Contains(cmapName, "RKSJ"):
		c.encoding, c.shiftJIS = japanese.ShiftJIS, true
	case has("EUC-"):
		c.encoding = japanese.EUCJP
	case cmapName == "H" || cmapName == "V":
		c.encoding, c.raw = japanese.EUCJP, true
	case has("KSC"):
		c.encoding = korean.EUCKR
		c.raw = cmapName == "KSC-H" || cmapName == "KSC-V"
	default:
		return nil
	}
	return c
}

// next takes the first code of s.
func (c *charset) next(s []byte) (t string, code uint32, n int) {
	n = 2
	if b := s[0]; !c.raw && (b < 0x80 || (c.shiftJIS && b >= 0xa0 && b <= 0xdf)) {
		n = 1
	}
	n = min(n, len(s))
	code = codeOf(s[:n])
	t, ok := c.known[code]
	if ok {
		return t, code, n
	}
	raw := append([]byte(nil), s[:n]...)
	if c.raw {
		for i := range raw {
			raw[i] |= 0x80
		}
	}
	out, err := c.encoding.NewDecoder().Bytes(raw)
	if t = string(out); err != nil || strings.Contains(t, "\uFFFD") {
		t = ""
	}
	if len(c.known) < decodedMax {
		c.known[code] = t
	}
	return t, code, n
}

func (r *Reader) readComposite(f *Font, d object.Dict) {
	c := &composite{defaultWidth: 1000}
	f.composite = c
	var descendant object.Dict
	if list := r.file.Array(d["DescendantFonts"]); len(list) > 0 {
		descendant = r.file.Dict(list[0])
	}
	c.descriptor = r.file.Dict(descendant["FontDescriptor"])
	if f.name == "" {
		f.name = string(r.file.Name(descendant["BaseFont"]))
	}
	r.readEncoding(f, d["Encoding"])
	if w, ok := r.file.Number(descendant["DW"]); ok {
		c.defaultWidth = w
	}
	c.widths = r.cidWidths(descendant["W"])
	f.weight += 24 * len(c.widths)
	if s, ok := r.file.Resolve(descendant["CIDToGIDMap"]).(*object.Stream); ok {
		c.toGlyph, _ = r.file.Decode(s)
		f.weight += len(c.toGlyph)
	}
	if c.utf16 || c.charset != nil || (f.toUnicode != nil && len(f.toUnicode.texts) > 0) {
		return
	}
	for _, key := range []object.Name{"FontFile2", "FontFile3"} {
		s, ok := r.file.Resolve(c.descriptor[key]).(*object.Stream)
		if !ok {
			continue
		}
		if data, err := r.file.Decode(s); err == nil {
			c.glyphs = embeddedGlyphs(data, r.budget)
			f.weight += 64 * len(c.glyphs)
		}
	}
}

// readEncoding reads the CMap of a composite font.
func (r *Reader) readEncoding(f *Font, v any) {
	c := f.composite
	cmapName := ""
	switch v := r.file.Resolve(v).(type) {
	case object.Name:
		cmapName = string(v)
	case *object.Stream:
		if data, err := r.file.Decode(v); err == nil {
			c.own = parseCMap(data, r.budget)
			f.Vertical = c.own.vertical
			f.weight += len(data) + 96*len(c.own.cids)
			cmapName = string(c.own.base)
			if n := r.file.Name(v.Dict["UseCMap"]); n != "" {
				cmapName = string(n)
			}
		}
	}
	f.Vertical = f.Vertical || strings.HasSuffix(cmapName, "-V") || cmapName == "V"
	if strings.Contains(cmapName, "UCS2") || strings.Contains(cmapName, "UTF16") {
		c.utf16 = true
	} else {
		c.charset = charsetOf(cmapName)
	}
	if c.own != nil && len(c.own.cids) > 0 {
		c.utf16, c.charset = false, nil // what it adds is not known apart from what it adds to
	}
}

// cidWidths reads "c [w1 w2 …] first last w" (9.7.4.3).
func (r *Reader) cidWidths(v any) []widthRange {
	var out []widthRange
	list := r.file.Array(v)
	for i := 0; i+1 < len(list) && len(out) < widthRangesMax; {
		first, ok := r.file.Int(list[i])
		if !ok {
			return out
		}
		switch second := r.file.Resolve(list[i+1]).(type) {
		case object.Array:
			for j, v := range second[:min(len(second), 65536)] {
				if w, ok := r.file.Number(v); ok {
					out = append(out, widthRange{first + j, first + j, w})
				}
			}
			i += 2
		default:
			last, ok := r.file.Int(second)
			if !ok || i+2 >= len(list) {
				return out
			}
			if w, ok := r.file.Number(list[i+2]); ok {
				out = append(out, widthRange{first, last, w})
			}
			i += 3
		}
	}
	slices.SortStableFunc(out, func(a, b widthRange) int { return cmp.Compare(a.low, b.low) })
	return out
}

func (c *composite) width(cid int) float64 {
	after := sort.Search(len(c.widths), func(i int) bool { return c.widths[i].low > cid })
	if after > 0 && cid <= c.widths[after-1].high {
		return c.widths[after-1].width
	}
	return c.defaultWidth
}

// next takes the first code of a composite font.
func (c *composite) next(f *Font, s []byte) Glyph {
	g := Glyph{Bytes: min(2, len(s))}
	code := codeOf(s[:g.Bytes])
	cid := int(code)
	guess := c.defaultWidth
	switch {
	case c.own != nil && len(c.own.spaces) > 0:
		code, g.Bytes = c.own.next(s)
		cid = int(code)
		if id, ok := c.own.cidOf(code); ok {
			cid = id
		}
		if c.utf16 {
			g.Text = object.String(s[:g.Bytes]).UTF16()
		}
	case c.utf16:
		if s[0] >= 0xd8 && s[0] < 0xdc && len(s) >= 4 {
			g.Bytes = 4
		}
		g.Text = object.String(s[:g.Bytes]).UTF16()
	case c.charset != nil:
		g.Text, code, g.Bytes = c.charset.next(s)
	}
	if c.utf16 || c.charset != nil {
		// Character ids are not known here, so widths are not: Latin letters are about half as wide as the others.
		cid = -1
		if g.Text != "" && g.Text[0] < 0x80 {
			guess = c.defaultWidth / 2
		}
	}
	if f.toUnicode != nil {
		if t, ok := f.toUnicode.textOf(code); ok && usable(t) {
			g.Text = t
		}
	}
	if g.Text == "" && c.glyphs != nil {
		glyph := cid
		if c.toGlyph != nil {
			glyph = be16(c.toGlyph, 2*cid)
		}
		g.Text = c.glyphs[glyph]
	}
	g.Text = Normalize(g.Text)
	g.Width = guess * f.scale
	if cid >= 0 {
		g.Width = c.width(cid) * f.scale
	}
	if f.Vertical {
		g.Width = f.scale * 1000 // W2 is rarely given, and hardly ever another
	}
	return g
}

// embeddedGlyphs is what the glyphs of a font program show, as far as it says.
func embeddedGlyphs(data []byte, b *object.Budget) map[int]string {
	out := map[int]string{}
	program := parseCFF(data)
	if program == nil {
		font := parseSFNT(data, b)
		out = font.glyphTexts()
		program = parseCFF(font.tables["CFF "])
	}
	if program != nil {
		for glyph, glyphName := range program.names {
			if t := glyphText(glyphName); t != "" && out[glyph] == "" {
				out[glyph] = t
			}
		}
	}
	return out
}
