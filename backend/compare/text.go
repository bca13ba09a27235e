package compare

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// cleanText is a text in canonical form: valid UTF-8 in NFC, white space folded, and without what does not show.
func cleanText(text string) string {
	plain := true
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' || c == 0x7f || c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	text = norm.NFC.String(strings.ToValidUTF8(text, "\ufffd"))
	var out strings.Builder
	out.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case r == '\u00a0' || r == '\u202f' || r == '\u2009':
			// It parts the thousands of a number.
			if !space && out.Len() > 0 {
				_, _ = out.WriteRune('\u00a0')
			}
			continue
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.Is(unicode.Cf, r) && r != '\u200d' || unicode.IsControl(r):
			continue
		}
		if space && out.Len() > 0 {
			_ = out.WriteByte(' ')
		}
		space = false
		_, _ = out.WriteRune(typed(r))
	}
	return strings.Trim(out.String(), " \u00a0")
}

// typed is how a sign is typed that typography has finer forms of.
func typed(r rune) rune {
	switch r {
	case '‘', '’', '‛', '`', '´':
		return '\''
	case '“', '”', '„', '‟', '«', '»':
		return '"'
	case '‐', '‑', '‒', '–', '—', '−':
		return '-'
	}
	return r
}

// cutText is the beginning of a text, of at most bytesMax bytes and of whole characters.
func cutText(text string, bytesMax int) string {
	if len(text) <= bytesMax {
		return strings.ToValidUTF8(text, "?")
	}
	end := bytesMax - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.ToValidUTF8(text[:end], "?") + "…"
}
