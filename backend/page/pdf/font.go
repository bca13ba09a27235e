package pdf

import (
	"strings"
	"unicode/utf8"
)

const (
	// fontsHeldMax is how much the fonts that are kept may weigh, in bytes, roughly.
	fontsHeldMax = 16 << 20
	// pageFontsMax is how much the fonts of one page may weigh, which are all held until it is done.
	pageFontsMax = 48 << 20
	// fontCost is how many operators reading a font counts for.
	fontCost = 5000
	// differencesMax is how many entries an encoding's differences have at most.
	differencesMax = 4096
)

// font gives the text and the widths of codes (ISO 32000-1, 9.5–9.10).
type font struct {
	name                 string
	bold, mono, vertical bool

	// Simple fonts.
	texts  [256]string
	widths [256]float64 // in thousandths of the size

	// Composite fonts.
	composite *composite

	toUnicode *cmap
	// scale is what widths are multiplied by, to be in parts of the size.
	scale float64
	// weight is about how many bytes it takes.
	weight int
}

// glyphOf is one code of a string: what it shows, how far it moves, and how many bytes it takes.
type glyphOf struct {
	text  string
	width float64 // in parts of the size
	bytes int
}

// next takes the first code of s, which has one at least.
func (f *font) next(s []byte) glyphOf {
	if f.composite != nil {
		return f.composite.next(f, s)
	}
	return glyphOf{text: f.texts[s[0]], width: f.widths[s[0]] * f.scale, bytes: 1}
}

// fontReader reads the fonts of a file.
type fontReader struct {
	file   *file
	budget *budget
	fonts  map[ref]*font
	// held is what the fonts that are kept weigh, page what those of the page at hand do.
	held, page int
	// cut reports that a font was left out, because a page's fonts weigh too much.
	cut bool
}

func newFontReader(f *file, b *budget) *fontReader {
	return &fontReader{file: f, budget: b, fonts: map[ref]*font{}}
}

// nextPage begins a page, whose fonts count anew.
func (r *fontReader) nextPage() { r.page = 0 }

// font reads a font of the resources, or has it already. It is nil where there is none.
func (r *fontReader) font(v any) *font {
	key, isRef := v.(ref)
	if isRef {
		if f, ok := r.fonts[key]; ok {
			return f
		}
	}
	d := r.file.dict(v)
	if d == nil || !r.budget.take(&r.budget.operators, fontCost, "fonts") {
		return nil
	}
	if r.page > pageFontsMax {
		r.cut = true
		return nil
	}
	f := r.readFont(d)
	r.page += f.weight
	if isRef {
		if r.held += f.weight; r.held > fontsHeldMax {
			r.fonts, r.held = map[ref]*font{}, f.weight
		}
		r.fonts[key] = f
	}
	return f
}

func (r *fontReader) readFont(d dict) *font {
	f := &font{name: string(r.file.name(d["BaseFont"])), scale: 0.001, weight: 16 << 10}
	if s, ok := r.file.resolve(d["ToUnicode"]).(*stream); ok {
		if data, err := r.file.decode(s); err == nil {
			f.toUnicode = parseCMap(data, r.budget)
			f.weight += len(data) + 96*len(f.toUnicode.texts)
		}
	}
	descriptor := r.file.dict(d["FontDescriptor"])
	if r.file.name(d["Subtype"]) == "Type0" {
		r.readComposite(f, d)
	} else {
		r.readSimple(f, d, descriptor)
	}
	if descriptor == nil && f.composite != nil {
		descriptor = f.composite.descriptor
	}
	f.describe(r, descriptor)
	return f
}

// describe tells bold and fixed-pitch fonts, mostly by their names, as few descriptors do.
func (f *font) describe(r *fontReader, descriptor dict) {
	lower := strings.ToLower(f.name)
	if i := strings.IndexByte(lower, '+'); i == 6 {
		lower = lower[7:]
	}
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(lower, word) {
				return true
			}
		}
		return false
	}
	flags, _ := r.file.int(descriptor["Flags"])
	weight, _ := r.file.number(descriptor["FontWeight"])
	f.bold = has("bold", "black", "heavy", "cmbx", "cmssbx", "sfbx", "ecbx", "-demi", "-semi", "medi-", "nimbusromno9l-medi") ||
		strings.HasPrefix(lower, "sfrb") || weight >= 600 || flags&(1<<18) != 0
	f.mono = flags&1 != 0 && !has("cjk", "gothic", "mincho", "ming", "song") ||
		has("courier", "mono", "cmtt", "sftt", "ectt", "consol", "typewriter", "lmtt", "cmsltt", "cmtex", "inconsolata", "menlo", "beramono", "fixed")
	if f.composite == nil && f.mono {
		f.mono = f.samePitch()
	}
}

// samePitch reports whether all letters have one width, as they have in a font that is really fixed in pitch.
func (f *font) samePitch() bool {
	first := 0.0
	for code := '0'; code <= 'z'; code++ {
		w := f.widths[code]
		switch {
		case w == 0:
		case first == 0:
			first = w
		case w != first:
			return false
		}
	}
	return first > 0
}

func (r *fontReader) readSimple(f *font, d, descriptor dict) {
	texts := r.baseTexts(f, d, descriptor)
	if e, ok := r.file.resolve(d["Encoding"]).(dict); ok {
		code := 0
		for i, v := range r.file.array(e["Differences"]) {
			if i >= differencesMax {
				break
			}
			switch v := r.file.resolve(v).(type) {
			case int:
				code = v
			case name:
				if code >= 0 && code < 256 {
					if t := glyphTextIn(f.name, string(v)); t != "" || v == ".notdef" {
						texts[code] = t
					}
				}
				code++
			}
		}
	}
	for code := range texts {
		if f.toUnicode != nil {
			if t, ok := f.toUnicode.textOf(uint32(code)); ok && usable(t) { //nolint:gosec // below 256
				texts[code] = t
			}
		}
		f.texts[code] = normalized(texts[code])
	}
	r.readWidths(f, d, descriptor)
}

// usable reports whether a text is what somebody would read: some programs map codes to nothing, or to themselves.
func usable(t string) bool {
	r, _ := utf8.DecodeRuneInString(t)
	return t != "" && r != 0 && r != utf8.RuneError && (r >= 32 || r == '\t' || r == '\n')
}

// baseTexts is the encoding that differences are differences from (9.6.6.1).
func (r *fontReader) baseTexts(f *font, d, descriptor dict) (texts [256]string) {
	fill := func(e *encoding) {
		for code, c := range e {
			if c != 0 {
				texts[code] = string(c)
			}
		}
	}
	encodings := facts().encodings
	base := r.file.name(d["Encoding"])
	if e, ok := r.file.resolve(d["Encoding"]).(dict); ok {
		base = r.file.name(e["BaseEncoding"])
	}
	trueType := r.file.name(d["Subtype"]) == "TrueType"
	plain := f.name
	if i := strings.IndexByte(plain, '+'); i == 6 {
		plain = plain[7:]
	}
	switch e, ok := encodings[base]; {
	case strings.HasPrefix(plain, "ZapfDingbats"):
		fill(encodings["ZapfDingbats"])
		return texts
	case plain == "Symbol" || strings.HasPrefix(plain, "Symbol,") || plain == "SymbolMT":
		fill(encodings["Symbol"])
		return texts
	case ok:
		fill(e)
		return texts
	case trueType:
		fill(encodings["WinAnsiEncoding"])
	default:
		fill(encodings["StandardEncoding"])
	}
	r.builtIn(f, &texts, descriptor)
	return texts
}

// builtIn puts the encoding of an embedded font program over texts.
func (r *fontReader) builtIn(f *font, texts *[256]string, descriptor dict) {
	var names [256]string
	for _, key := range []name{"FontFile", "FontFile2", "FontFile3"} {
		s, ok := r.file.resolve(descriptor[key]).(*stream)
		if !ok {
			continue
		}
		data, err := r.file.decode(s)
		if err != nil {
			continue
		}
		switch {
		case key == "FontFile":
			names = type1Names(data, r.budget)
		case key == "FontFile2" || len(data) > 4 && (string(data[:4]) == "OTTO" || be32(data, 0) == 0x00010000):
			font := parseSFNT(data, r.budget)
			if c := parseCFF(font.tables["CFF "]); c != nil {
				names = c.codeNames()
				break
			}
			for code, t := range font.codeTexts() {
				if t != "" {
					texts[code] = t
				}
			}
		default:
			if c := parseCFF(data); c != nil {
				names = c.codeNames()
			}
		}
	}
	for code, glyph := range names {
		if t := glyphTextIn(f.name, glyph); glyph != "" && t != "" {
			texts[code] = t
		}
	}
}
