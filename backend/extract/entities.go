package extract

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// text is the text of a text token, its character references read.
func (t *tokens) text() string {
	text := t.raw()
	if t.inRawText {
		text = strings.ReplaceAll(text, "\x00", "\ufffd")
		if t.rawIn != atom.Title && t.rawIn != atom.Textarea {
			return unixLines(text)
		}
	}
	return unescape(text, false)
}

// attributeValue is an attribute's value as written, its character references read.
func attributeValue(value string) string {
	return unescape(strings.ReplaceAll(value, "\x00", "\ufffd"), true)
}

// unescape reads character references (HTML standard 13.2.5.72 to 80).
func unescape(s string, inAttribute bool) string {
	s = unixLines(s)
	at := strings.IndexByte(s, '&')
	if at < 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for ; at >= 0; at = strings.IndexByte(s, '&') {
		out.WriteString(s[:at])
		end := referenceEnd(s, at)
		reference := s[at:end]
		switch {
		case reference == "&amp;":
			out.WriteByte('&')
		case inAttribute && !isWholeReference(reference, s[end:]):
			out.WriteString(reference)
		default:
			out.WriteString(html.UnescapeString(reference))
		}
		s = s[end:]
	}
	out.WriteString(s)
	return out.String()
}

// unixLines makes line breaks what they are on Unix (13.2.3.5).
func unixLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return lineBreaks.Replace(s)
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// referenceEnd is where what may be a character reference ends that begins at at.
func referenceEnd(s string, at int) int {
	at++
	if at < len(s) && s[at] == '#' {
		at++
	}
	for at < len(s) && isWordByte(s[at]) {
		at++
	}
	if at < len(s) && s[at] == ';' {
		at++
	}
	return at
}

// isWholeReference reports whether a reference in an attribute is one: names that only begin with one, and names without a
// semicolon before an equals sign, are parts of queries there (13.2.5.73).
func isWholeReference(reference, after string) bool {
	if strings.HasPrefix(reference, "&#") {
		return true
	}
	closed := strings.HasSuffix(reference, ";")
	if !closed && strings.HasPrefix(after, "=") {
		return false
	}
	// What a name means is a character or two. Where only its beginning means one, the rest and the semicolon are left.
	meaning := utf8.RuneCountInString(html.UnescapeString(reference))
	return closed && meaning <= 2 || meaning == 1
}
