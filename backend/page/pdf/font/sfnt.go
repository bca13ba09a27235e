package font

import (
	"encoding/binary"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// sfntMappingsMax is how many characters of an embedded font are read.
const sfntMappingsMax = 70_000

// sfnt is an embedded TrueType or OpenType font, of which the mapping of characters is read (OpenType specification,
// cmap, post). Reads beyond the data are zero.
type sfnt struct {
	tables map[string][]byte
	budget *object.Budget
}

func be16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.BigEndian.Uint16(b[at:]))
}

func be32(b []byte, at int) int {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int(binary.BigEndian.Uint32(b[at:]))
}

// from is b from an offset on; empty where that is beyond it.
func from(b []byte, at int) []byte {
	if at < 0 || at > len(b) {
		return nil
	}
	return b[at:]
}

func parseSFNT(data []byte, b *object.Budget) *sfnt {
	s := &sfnt{tables: map[string][]byte{}, budget: b}
	if len(data) < 12 {
		return s
	}
	if string(data[:4]) == "ttcf" {
		data = from(data, be32(data, 12))
	}
	for i := range min(be16(data, 4), 64) {
		record := from(data, 12+16*i)
		if len(record) < 16 {
			break
		}
		table := from(data, be32(record, 8))
		s.tables[string(record[:4])] = table[:min(len(table), be32(record, 12))]
	}
	return s
}

// mapping calls each with the characters and glyphs of the subtable for a platform and encoding, if there is one.
func (s *sfnt) mapping(platform, encodingID int, each func(char, glyph int)) bool {
	t := s.tables["cmap"]
	for i := range min(be16(t, 2), 32) {
		at := 4 + 8*i
		if be16(t, at) == platform && be16(t, at+2) == encodingID {
			s.mapSubtable(from(t, be32(t, at+4)), each)
			return true
		}
	}
	return false
}

func (s *sfnt) mapSubtable(t []byte, each func(char, glyph int)) {
	left := sfntMappingsMax
	put := func(char, glyph int) bool {
		if glyph != 0 {
			each(char, glyph)
		}
		left--
		return left > 0 && s.budget.Take(&s.budget.Values, 1, "values")
	}
	switch be16(t, 0) {
	case 0:
		for c, glyph := range from(t, 6)[:min(256, max(len(t)-6, 0))] {
			put(c, int(glyph))
		}
	case 4:
		mapSegments(t, put)
	case 6:
		first := be16(t, 6)
		for i := range be16(t, 8) {
			if !put(first+i, be16(t, 10+2*i)) {
				return
			}
		}
	case 12:
		for i := range min(be32(t, 12), len(t)/12) {
			at := 16 + 12*i
			low, high, glyph := be32(t, at), be32(t, at+4), be32(t, at+8)
			for c := low; c <= high; c++ {
				if !put(c, glyph+c-low) {
					return
				}
			}
		}
	}
}

// mapSegments reads a subtable of format 4.
func mapSegments(t []byte, put func(char, glyph int) bool) {
	segments := be16(t, 6) / 2
	for i := range segments {
		end, start := be16(t, 14+2*i), be16(t, 16+2*segments+2*i)
		delta, offset := be16(t, 16+4*segments+2*i), be16(t, 16+6*segments+2*i)
		for c := start; c <= end && c != 0xffff; c++ {
			glyph := c
			if offset != 0 {
				glyph = be16(t, 16+6*segments+2*i+offset+2*(c-start))
			}
			if glyph != 0 || offset == 0 {
				glyph = (glyph + delta) & 0xffff
			}
			if !put(c, glyph) {
				return
			}
		}
	}
}

// glyphTexts is what each glyph shows, by the Unicode subtables, else by the names of the glyphs.
func (s *sfnt) glyphTexts() map[int]string {
	out := map[int]string{}
	for _, id := range [][2]int{{3, 10}, {0, 4}, {0, 6}, {3, 1}, {0, 3}, {0, 1}, {0, 0}} {
		s.mapping(id[0], id[1], func(char, glyph int) {
			if _, ok := out[glyph]; !ok && char >= 32 {
				out[glyph] = string(rune(char)) // what is no character becomes U+FFFD
			}
		})
	}
	for glyph, glyphName := range s.names() {
		if _, ok := out[glyph]; !ok {
			if t := glyphText(glyphName); t != "" {
				out[glyph] = t
			}
		}
	}
	if len(out) == 0 {
		s.mapping(1, 0, func(char, glyph int) {
			if r := facts().encodings["MacRomanEncoding"][char&0xff]; r != 0 {
				out[glyph] = string(r)
			}
		})
	}
	return out
}

// names are the names of glyphs that are not Macintosh's own, of a post table of version 2.
func (s *sfnt) names() map[int]string {
	t := s.tables["post"]
	out := map[int]string{}
	if be32(t, 0) != 0x00020000 {
		return out
	}
	n := be16(t, 32)
	var strings []string
	for at := 34 + 2*n; at < len(t) && len(strings) < 65536; {
		length := int(t[at])
		strings = append(strings, string(t[at+1:min(at+1+length, len(t))]))
		at += 1 + length
	}
	for glyph := range n {
		if i := be16(t, 34+2*glyph) - 258; i >= 0 && i < len(strings) {
			out[glyph] = strings[i]
		}
	}
	return out
}

// codeTexts is what the codes of a simple font show that has no other encoding (ISO 32000-1, 9.6.6.4): codes lead to
// glyphs by the symbol or the Macintosh subtable.
func (s *sfnt) codeTexts() (out [256]string) {
	texts := s.glyphTexts()
	found := s.mapping(3, 0, func(char, glyph int) {
		if base := char & 0xff00; base == 0xf000 || base == 0xf100 || base == 0xf200 || base == 0 {
			out[char&0xff] = texts[glyph]
		}
	})
	if !found {
		s.mapping(1, 0, func(char, glyph int) {
			if out[char&0xff] == "" {
				out[char&0xff] = texts[glyph]
			}
		})
	}
	for code, t := range out {
		// A symbol font says nothing but its codes.
		if r := []rune(t); len(r) == 1 && r[0] >= 0xf000 && r[0] <= 0xf2ff {
			out[code] = ""
		}
	}
	return out
}
