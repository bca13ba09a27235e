package object

import "strings"

const (
	// docAccents and docSigns are what PDFDocEncoding has from 0x18 and from 0x80 on where it differs from Latin-1 (annex D.2).
	docAccents = "˘ˇˆ˙˝˛˚˜"
	docSigns   = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"
)

// docEncoding is PDFDocEncoding; 0 where it has nothing.
var docEncoding = func() (e [256]rune) {
	for c := 0x20; c < 0x100; c++ {
		e[c] = rune(c)
	}
	for i, r := range []rune(docAccents) {
		e[0x18+i] = r
	}
	for i, r := range []rune(docSigns) {
		e[0x80+i] = r
	}
	e['\t'], e['\n'], e['\r'], e[0xa0] = ' ', ' ', ' ', '€'
	e[0x7f], e[0x9f], e[0xad] = 0, 0, 0
	return e
}()

// Text reads a text string: UTF-16 or UTF-8 with a byte order mark, or PDFDocEncoding (7.9.2.2).
func (s String) Text() string {
	switch {
	case len(s) >= 2 && s[0] == 0xfe && s[1] == 0xff:
		return s[2:].UTF16()
	case len(s) >= 2 && s[0] == 0xff && s[1] == 0xfe:
		return utf16Text(s[2:], true)
	case len(s) >= 3 && s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf:
		return strings.ToValidUTF8(string(s[3:]), "\uFFFD")
	}
	out := make([]rune, 0, len(s))
	for _, b := range s {
		if docEncoding[b] != 0 {
			out = append(out, docEncoding[b])
		}
	}
	return string(out)
}

// UTF16 reads big-endian UTF-16.
func (s String) UTF16() string { return utf16Text(s, false) }

func utf16Text(b []byte, little bool) string {
	out := make([]rune, 0, len(b)/2)
	high := rune(0)
	for i := 0; i+1 < len(b); i += 2 {
		unit := rune(b[i])<<8 | rune(b[i+1])
		if little {
			unit = rune(b[i+1])<<8 | rune(b[i])
		}
		switch {
		case unit >= 0xd800 && unit < 0xdc00:
			high = unit
			continue
		case unit >= 0xdc00 && unit < 0xe000:
			if high == 0 {
				continue
			}
			unit = (high-0xd800)<<10 + (unit - 0xdc00) + 0x10000
		}
		high = 0
		if unit != 0 {
			out = append(out, unit)
		}
	}
	return string(out)
}
