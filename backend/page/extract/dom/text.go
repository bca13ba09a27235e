package dom

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold replaces each run of white space by one space and trims both ends.
func Fold(s string) string {
	if IsFolded(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// IsFolded reports whether s has no white space but single spaces between words. It may be false for folded text.
func IsFolded(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' || c == ' ' && before == ' ' {
			return false
		}
		before = s[i]
	}
	return s == "" || before != ' '
}

// Visible is s without invisible characters.
func Visible(s string) string {
	if !strings.ContainsFunc(s, IsIgnorable) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if IsIgnorable(r) {
			return -1
		}
		return r
	}, s)
}

// IsIgnorable reports whether r is invisible: control characters, soft hyphens, zero-width spaces, and the private
// characters of icon fonts. Joiners and direction marks are kept: words and emoji need them.
func IsIgnorable(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\t' && r != '\n' || r == 0x7f
	}
	switch {
	case r == '\u00ad', r == '\u200b', r == '\u2060', r == '\ufeff', r == '\ufff9', r == '\ufffa', r == '\ufffb', r == '\ufffc':
		return true
	case r < 0xa0, r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000:
		return true
	}
	return false
}

// IsLetter reports whether b is an ASCII letter.
func IsLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// IsCapital reports whether b is an ASCII capital letter.
func IsCapital(b byte) bool { return 'A' <= b && b <= 'Z' }

// IsWordByte reports whether b is an ASCII letter or digit.
func IsWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || IsCapital(b) || '0' <= b && b <= '9'
}

// IsWide reports whether r is of a script without spaces between words.
func IsWide(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

var ignoredInURL = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// HasScheme reports whether a URL has a scheme, as browsers read it: they ignore leading space and control characters,
// and tabs and line breaks anywhere.
func HasScheme(ref, scheme string) bool {
	ref = strings.TrimLeftFunc(ref, func(r rune) bool { return r <= ' ' })
	ref = ignoredInURL.Replace(ref[:min(len(ref), 64)])
	return len(ref) > len(scheme) && strings.EqualFold(ref[:len(scheme)], scheme) && ref[len(scheme)] == ':'
}
