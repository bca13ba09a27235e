package font

import (
	"bytes"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// cff is what is read of a Compact Font Format font (Adobe Technical Note 5176): names of glyphs and the encoding.
type cff struct {
	names []string // by glyph
	codes [256]int // glyphs by code
}

// cffIndex reads an INDEX and gives its items and what follows it.
func cffIndex(data []byte) (items [][]byte, rest []byte) {
	count := be16(data, 0)
	if count == 0 || len(data) < 3 {
		return nil, from(data, 2)
	}
	size := int(data[2])
	if size < 1 || size > 4 || len(data) < 3+(count+1)*size {
		return nil, nil
	}
	offset := func(i int) int {
		v := 0
		for _, b := range data[3+i*size : 3+(i+1)*size] {
			v = v<<8 | int(b)
		}
		return v
	}
	body := data[3+(count+1)*size-1:] // offsets count from 1
	items = make([][]byte, 0, count)
	for i := range count {
		a, b := offset(i), offset(i+1)
		if a < 1 || b < a || b > len(body) {
			return items, nil
		}
		items = append(items, body[a:b])
	}
	return items, from(body, offset(count))
}

// cffDict reads the integer operands of a DICT by operator; two-byte operators count from 0x0c00.
func cffDict(data []byte) map[int][]int {
	out := map[int][]int{}
	var operands []int
	for i := 0; i < len(data); {
		b := int(data[i])
		switch {
		case b <= 21:
			if b == 12 {
				i++
				if i >= len(data) {
					return out
				}
				b = 0x0c00 | int(data[i])
			}
			out[b] = operands
			operands = nil
			i++
		case b == 28:
			operands = append(operands, int(int16(be16(data, i+1)))) //nolint:gosec // 16 bits, signed
			i += 3
		case b == 29:
			operands = append(operands, int(int32(be32(data, i+1)))) //nolint:gosec // 32 bits, signed
			i += 5
		case b == 30: // a real, up to the nibble 0xf; none of ours is one
			for i++; i < len(data) && data[i]&0x0f != 0x0f && data[i]>>4 != 0x0f; i++ {
			}
			operands = append(operands, 0)
			i++
		case b >= 32 && b <= 246:
			operands = append(operands, b-139)
			i++
		case b >= 247 && b <= 250 && i+1 < len(data):
			operands = append(operands, (b-247)*256+int(data[i+1])+108)
			i += 2
		case b >= 251 && b <= 254 && i+1 < len(data):
			operands = append(operands, -(b-251)*256-int(data[i+1])-108)
			i += 2
		default:
			i++
		}
	}
	return out
}

// parseCFF reads a font, or gives nil where it is none.
func parseCFF(data []byte) *cff {
	if len(data) < 4 || data[0] != 1 {
		return nil
	}
	_, rest := cffIndex(from(data, int(data[2])))
	tops, rest := cffIndex(rest)
	strings, _ := cffIndex(rest)
	if len(tops) == 0 {
		return nil
	}
	top := cffDict(tops[0])
	at := func(operator int) int {
		if v := top[operator]; len(v) > 0 {
			return v[0]
		}
		return 0
	}
	_, isCID := top[0x0c1e]
	c := &cff{}
	glyphs := be16(from(data, at(17)), 0)
	if glyphs == 0 || at(17) == 0 || glyphs > len(from(data, at(17))) {
		return nil
	}
	sids := cffCharset(data, at(15), glyphs)
	if isCID {
		return c
	}
	standard := facts().cffStrings
	c.names = make([]string, glyphs)
	for glyph, sid := range sids {
		switch {
		case sid < len(standard):
			c.names[glyph] = standard[sid]
		case sid-len(standard) < len(strings):
			c.names[glyph] = string(strings[sid-len(standard)])
		}
	}
	c.encode(data, at(16))
	return c
}

// cffCharset gives the string ids of the glyphs.
func cffCharset(data []byte, offset, glyphs int) []int {
	sids := make([]int, 1, min(glyphs, 65536))
	if offset <= 2 { // predefined; the ids of ISOAdobe are the glyphs' own numbers
		for i := 1; i < glyphs; i++ {
			sids = append(sids, i)
		}
		return sids
	}
	t := from(data, offset)
	if len(t) == 0 {
		return sids
	}
	format, at := t[0], 1
	for len(sids) < glyphs && at+1 < len(t) {
		first, left := be16(t, at), 0
		at += 2
		switch format {
		case 1:
			left = be16(t, at) >> 8
			at++
		case 2:
			left = be16(t, at)
			at += 2
		}
		for i := 0; i <= left && len(sids) < glyphs; i++ {
			sids = append(sids, first+i)
		}
	}
	return sids
}

// encode reads the font's own encoding.
func (c *cff) encode(data []byte, offset int) {
	if offset <= 1 {
		byText := map[string]int{}
		for glyph, glyphName := range c.names {
			byText[glyphText(glyphName)] = glyph
		}
		for code, r := range facts().encodings["StandardEncoding"] {
			if r != 0 {
				c.codes[code] = byText[string(r)]
			}
		}
		return
	}
	t := from(data, offset)
	if len(t) < 2 {
		return
	}
	glyph := 1
	for i := range int(t[1]) {
		if t[0]&0x7f == 0 {
			if 2+i < len(t) {
				c.codes[t[2+i]] = glyph
				glyph++
			}
			continue
		}
		if 3+2*i >= len(t) {
			return
		}
		for left := 0; left <= int(t[3+2*i]); left++ {
			c.codes[byte(int(t[2+2*i])+left)] = glyph
			glyph++
		}
	}
}

// codeNames are the names of the glyphs by code.
func (c *cff) codeNames() (out [256]string) {
	for code, glyph := range c.codes {
		if glyph > 0 && glyph < len(c.names) {
			out[code] = c.names[glyph]
		}
	}
	return out
}

// type1Names reads the encoding in the clear part of a Type 1 font program: "dup 65 /A put".
func type1Names(data []byte, b *object.Budget) (out [256]string) {
	if end := bytes.Index(data, []byte("eexec")); end >= 0 {
		data = data[:end]
	}
	at := bytes.Index(data, []byte("/Encoding"))
	if at < 0 {
		return out
	}
	found := false
	p := object.NewParser(data[at+len("/Encoding"):], b)
	if t := p.Next(); t.Kind == object.TokenKeyword && string(t.Bytes) == "StandardEncoding" {
		return out
	}
	for b.Take(&b.Values, 1, "values") {
		t := p.Next()
		if t.Kind == object.TokenEOF {
			break
		}
		if t.Kind != object.TokenKeyword || string(t.Bytes) != "dup" {
			if found && t.Kind == object.TokenKeyword && (string(t.Bytes) == "def" || string(t.Bytes) == "readonly") {
				break
			}
			continue
		}
		code, glyph := p.Next(), p.Next()
		if code.Kind == object.TokenInt && code.Int >= 0 && code.Int < 256 && glyph.Kind == object.TokenName {
			out[code.Int], found = string(glyph.Bytes), true
		}
	}
	return out
}
