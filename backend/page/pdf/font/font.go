package font

import (
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
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

// Font gives the text and the widths of codes (ISO 32000-1, 9.5–9.10).
type Font struct {
	name                 string
	Bold, Mono, Vertical bool

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

// Glyph is one code of a string: what it shows, how far it moves, and how many bytes it takes.
type Glyph struct {
	Text  string
	Width float64 // in parts of the size
	Bytes int
}

// Next takes the first code of s, which has one at least.
func (f *Font) Next(s []byte) Glyph {
	if f.composite != nil {
		return f.composite.next(f, s)
	}
	return Glyph{Text: f.texts[s[0]], Width: f.widths[s[0]] * f.scale, Bytes: 1}
}

// Reader reads the fonts of a file.
type Reader struct {
	file   *object.File
	budget *object.Budget
	fonts  map[object.Ref]*Font
	// held is what the fonts that are kept weigh, page what those of the page at hand do.
	held, page int
	// Cut reports that a font was left out, because a page's fonts weigh too much.
	Cut bool
}

// NewReader reads fonts of a file, within a budget.
func NewReader(f *object.File, b *object.Budget) *Reader {
	return &Reader{file: f, budget: b, fonts: map[object.Ref]*Font{}}
}

// NextPage begins a page, whose fonts count anew.
func (r *Reader) NextPage() { r.page = 0 }

// Font reads a font of the resources, or has it already. It is nil where there is none.
func (r *Reader) Font(v any) *Font {
	key, isRef := v.(object.Ref)
	if isRef {
		if f, ok := r.fonts[key]; ok {
			return f
		}
	}
	d := r.file.Dict(v)
	if d == nil || !r.budget.Take(&r.budget.Operators, fontCost, "fonts") {
		return nil
	}
	if r.page > pageFontsMax {
		r.Cut = true
		return nil
	}
	f := r.readFont(d)
	r.page += f.weight
	if isRef {
		if r.held += f.weight; r.held > fontsHeldMax {
			r.fonts, r.held = map[object.Ref]*Font{}, f.weight
		}
		r.fonts[key] = f
	}
	return f
}

func (r *Reader) readFont(d object.Dict) *Font {
	f := &Font{name: string(r.file.Name(d["BaseFont"])), scale: 0.001, weight: 16 << 10}
	if s, ok := r.file.Resolve(d["ToUnicode"]).(*object.Stream); ok {
		if data, err := r.file.Decode(s); err == nil {
			f.toUnicode = parseCMap(data, r.budget)
			f.weight += len(data) + 96*len(f.toUnicode.texts)
		}
	}
	descriptor := r.file.Dict(d["FontDescriptor"])
	if r.file.Name(d["Subtype"]) == "Type0" {
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
func (f *Font) describe(r *Reader, descriptor object.Dict) {
	lower := strings.ToLower(f.plainName())
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(lower, word) {
				return true
			}
		}
		return false
	}
	flags, _ := r.file.Int(descriptor["Flags"])
	weight, _ := r.file.Number(descriptor["FontWeight"])
	f.Bold = has("bold", "black", "heavy", "cmbx", "cmssbx", "sfbx", "ecbx", "-demi", "-semi", "medi-", "nimbusromno9l-medi") ||
		strings.HasPrefix(lower, "sfrb") || weight >= 600 || flags&(1<<18) != 0
	f.Mono = flags&1 != 0 && !has("cjk", "gothic", "mincho", "ming", "song") ||
		has("courier", "mono", "cmtt", "sftt", "ectt", "consol", "typewriter", "lmtt", "cmsltt", "cmtex", "inconsolata", "menlo", "beramono", "fixed")
	if f.composite == nil && f.Mono {
		f.Mono = f.samePitch()
	}
}

// plainName is the name without the tag of a subset (9.6.4).
func (f *Font) plainName() string {
	if strings.IndexByte(f.name, '+') == 6 {
		return f.name[7:]
	}
	return f.name
}

// samePitch reports whether all letters have one width, as they have in a font that is really fixed in pitch.
func (f *Font) samePitch() bool {
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

func (r *Reader) readSimple(f *Font, d, descriptor object.Dict) {
	texts := r.baseTexts(f, d, descriptor)
	if e, ok := r.file.Resolve(d["Encoding"]).(object.Dict); ok {
		code := 0
		for i, v := range r.file.Array(e["Differences"]) {
			if i >= differencesMax {
				break
			}
			switch v := r.file.Resolve(v).(type) {
			case int:
				code = v
			case object.Name:
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
		f.texts[code] = Normalize(texts[code])
	}
	r.readWidths(f, d, descriptor)
}

// usable reports whether a text is what somebody would read: some programs map codes to nothing, or to themselves.
func usable(t string) bool {
	r, _ := utf8.DecodeRuneInString(t)
	return t != "" && r != 0 && r != utf8.RuneError && (r >= 32 || r == '\t' || r == '\n')
}

// baseTexts is the encoding that differences are differences from (9.6.6.1).
func (r *Reader) baseTexts(f *Font, d, descriptor object.Dict) (texts [256]string) {
	fill := func(e *encoding) {
		for code, c := range e {
			if c != 0 {
				texts[code] = string(c)
			}
		}
	}
	encodings := facts().encodings
	base := r.file.Name(d["Encoding"])
	if e, ok := r.file.Resolve(d["Encoding"]).(object.Dict); ok {
		base = r.file.Name(e["BaseEncoding"])
	}
	trueType := r.file.Name(d["Subtype"]) == "TrueType"
	plain := f.plainName()
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
func (r *Reader) builtIn(f *Font, texts *[256]string, descriptor object.Dict) {
	var names [256]string
	for _, key := range []object.Name{"FontFile", "FontFile2", "FontFile3"} {
		s, ok := r.file.Resolve(descriptor[key]).(*object.Stream)
		if !ok {
			continue
		}
		data, err := r.file.Decode(s)
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
