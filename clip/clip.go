// Package clip shortens text to a limit, and cuts only between characters. It is for words that people read and for bounds
// on what is kept; it does not split at grapheme clusters (UAX #29).
package clip

import (
	"strings"
	"unicode/utf8"
)

// Bytes returns s, or the whole characters within its first most bytes. What is cut has no invalid UTF-8.
func Bytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// Chars returns s, or its beginning of at most so many characters, of which the last is an ellipsis.
func Chars(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s[:min(len(s), utf8.UTFMax*(most+1))]) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == most {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}
