package markup

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// Text is the text of a text token with decoded character references.
func (t *Tokens) Text() string {
	text := t.raw()
	if t.InRawText {
		text = strings.ReplaceAll(text, "\x00", "\ufffd")
		if t.RawIn != atom.Title && t.RawIn != atom.Textarea {
			return unixLines(text)
		}
	}
	return unescape(text, false)
}

// AttributeValue is an attribute's value with decoded character references.
func AttributeValue(value string) string {
	return unescape(strings.ReplaceAll(value, "\x00", "\ufffd"), true)
}

// unescape decodes character references (HTML standard 13.2.5.72 to 80).
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

// unixLines converts line breaks to those of Unix (13.2.3.5).
func unixLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return lineBreaks.Replace(s)
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// referenceEnd is the end of a possible character reference that begins at offset at.
func referenceEnd(s string, at int) int {
	at++
	if at < len(s) && s[at] == '#' {
		at++
	}
	for at < len(s) && dom.IsWordByte(s[at]) {
		at++
	}
	if at < len(s) && s[at] == ';' {
		at++
	}
	return at
}

// isWholeReference reports whether a reference in an attribute is decoded: names that only begin with a reference, and
// names without a semicolon before an equals sign, are parts of queries there (13.2.5.73).
func isWholeReference(reference, after string) bool {
	if strings.HasPrefix(reference, "&#") {
		return true
	}
	closed := strings.HasSuffix(reference, ";")
	if !closed && strings.HasPrefix(after, "=") {
		return false
	}
	// A name stands for one or two characters. If only its beginning is known, the rest and the semicolon remain.
	meaning := utf8.RuneCountInString(html.UnescapeString(reference))
	return closed && meaning <= 2 || meaning == 1
}
