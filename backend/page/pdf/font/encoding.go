package font

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// The names of glyphs are those of the Adobe Glyph List, the encodings and widths those of ISO 32000-1, annex D, and of
// the metrics of the standard fonts.
var (
	//go:embed data/glyphs.txt
	glyphsText string
	//go:embed data/encodings.txt
	encodingsText string
	//go:embed data/cffstrings.txt
	cffStringsText string
)

// encoding is the text of each code of a simple font; 0 where there is none.
type encoding [256]rune

// fontFacts are the tables above, as they are used.
type fontFacts struct {
	glyphs     map[string]string
	dingbats   map[string]rune
	encodings  map[object.Name]*encoding
	widths     map[string]map[rune]float64
	cffStrings []string
}

var facts = sync.OnceValue(func() *fontFacts {
	f := &fontFacts{
		glyphs: make(map[string]string, 4300), dingbats: map[string]rune{}, encodings: map[object.Name]*encoding{},
		widths: map[string]map[rune]float64{}, cffStrings: strings.Fields(cffStringsText),
	}
	for line := range strings.Lines(glyphsText) {
		glyph, codes, _ := strings.Cut(strings.TrimSpace(line), " ")
		var out []rune
		for code := range strings.SplitSeq(codes, "_") {
			out = append(out, hexRune(code))
		}
		f.glyphs[glyph] = string(out)
	}
	var add func(key, value string)
	for line := range strings.Lines(encodingsText) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "encoding":
			e := &encoding{}
			f.encodings[object.Name(value)] = e
			add = func(key, value string) { e[byte(hexRune(key))] = hexRune(value) }
		case "widths":
			widths := map[rune]float64{}
			f.widths[value] = widths
			add = func(key, value string) { widths[hexRune(key)], _ = strconv.ParseFloat(value, 64) }
		case "names":
			add = func(key, value string) { f.dingbats[key] = hexRune(value) }
		default:
			add(key, value)
		}
	}
	return f
})

func hexRune(s string) rune {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || v > utf8.MaxRune || (v >= 0xd800 && v < 0xe000) {
		return 0
	}
	return rune(v)
}

// glyphText is what a glyph's name stands for, by the rules of the Adobe Glyph List: what follows a full stop does not
// count, parts of ligatures are joined by underscores, "uni" and "u" are followed by the code itself.
func glyphText(glyph string) string {
	if len(glyph) > 128 {
		return ""
	}
	if base, _, found := strings.Cut(glyph, "."); found {
		glyph = base
	}
	f := facts()
	if s, ok := f.glyphs[glyph]; ok {
		return s
	}
	if strings.Contains(glyph, "_") {
		var out strings.Builder
		for part := range strings.SplitSeq(glyph, "_") {
			out.WriteString(glyphText(part))
		}
		return out.String()
	}
	if digits, ok := strings.CutPrefix(glyph, "uni"); ok && len(digits) >= 4 && len(digits)%4 == 0 {
		var out strings.Builder
		for ; len(digits) > 0; digits = digits[4:] {
			r := hexRune(digits[:4])
			if r == 0 {
				return ""
			}
			out.WriteRune(r)
		}
		return out.String()
	}
	if digits, ok := strings.CutPrefix(glyph, "u"); ok && len(digits) >= 4 && len(digits) <= 6 {
		if r := hexRune(digits); r != 0 {
			return string(r)
		}
	}
	return ""
}

// glyphTextIn is what a glyph's name stands for in a font. "a1" to "a206" are signs in ZapfDingbats; elsewhere programs
// number glyphs like that.
func glyphTextIn(font, glyph string) string {
	if strings.Contains(font, "Dingbats") {
		if r, ok := facts().dingbats[glyph]; ok {
			return string(r)
		}
	}
	if t := glyphText(glyph); t != "" {
		return t
	}
	return numberedGlyph(glyph)
}

// texCodes are what the codes below 32 stand for in the fonts of TeX, for bitmap fonts whose glyphs are named after
// their codes.
var texCodes = [32]string{
	"Γ", "Δ", "Θ", "Λ", "Ξ", "Π", "Σ", "Υ", "Φ", "Ψ", "Ω", "ff", "fi", "fl", "ffi", "ffl",
	"ı", "ȷ", "`", "´", "ˇ", "˘", "¯", "˚", "¸", "ß", "æ", "œ", "ø", "Æ", "Œ", "Ø",
}

// numberedGlyph reads names like "a65" and "C0065", which some programs make of codes.
func numberedGlyph(glyph string) string {
	digits := strings.TrimLeft(glyph, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if len(digits) == 0 || len(glyph)-len(digits) > 2 {
		return ""
	}
	code, err := strconv.ParseUint(digits, 10, 8)
	switch {
	case err != nil:
		return ""
	case code < 32:
		return texCodes[code]
	case code < 127:
		return string(rune(code))
	}
	if r := facts().encodings["WinAnsiEncoding"][code]; r != 0 {
		return string(r)
	}
	return ""
}
