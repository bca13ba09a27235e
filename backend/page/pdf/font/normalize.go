package font

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsRightToLeft reports whether a character is of a script that is written from right to left.
func IsRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// Normalize gives the text of a glyph as it is searched for and copied: ligatures and shapes of Arabic letters are the
// letters, odd spaces are spaces, and what shows nothing is nothing. Everything else stays as it is.
func Normalize(t string) string {
	ascii := true
	for i := range len(t) {
		if t[i] < 0x20 || t[i] >= 0x7f {
			ascii = false
			break
		}
	}
	if ascii {
		return t
	}
	var out strings.Builder
	for _, r := range t {
		switch {
		case r >= 0xfb00 && r <= 0xfdcf || r >= 0xfdf0 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc:
			out.WriteString(norm.NFKC.String(string(r)))
		case r == 0xa0 || r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == '\t' || r == '\n' || r == '\r':
			out.WriteByte(' ')
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0x200b, r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e,
			r >= 0x2066 && r <= 0x2069, r == '\uFFFD', r >= 0xfff0 && r < 0xfffd:
		case r == 0xf0b7 || r == 0xf0a7 || r == 0xf0d8 || r == 0xf076 || r == 0xf0fc:
			out.WriteString("•") // the bullets of Symbol and Wingdings, as word processors write them
		case r >= 0xe000 && r <= 0xf8ff: // private: nobody else knows what it shows
		default:
			out.WriteRune(r)
		}
	}
	t = out.String()
	if r, n := utf8.DecodeRuneInString(t); n < len(t) && IsRightToLeft(r) {
		// What stands side by side is turned round as a line, and so must be what stands in one glyph.
		runes := []rune(t)
		slices.Reverse(runes)
		return string(runes)
	}
	return t
}
