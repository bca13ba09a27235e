package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// words writes text with folded white space, and escapes only what markdown would take for markup.
func (in *inline) words(s string) {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if isWhite(r) {
			in.space = true
			s = s[size:]
			continue
		}
		end := strings.IndexFunc(s, isWhite)
		if end < 0 {
			end = len(s)
		}
		word := s[:end]
		s = s[end:]
		if dom.IsIgnorable(r) || strings.ContainsFunc(word, dom.IsIgnorable) {
			if word = dom.Visible(word); word == "" {
				continue
			}
			r, _ = utf8.DecodeRuneInString(word)
		}
		if in.atLineStart() || in.brk {
			if word = strings.TrimLeft(word, "\u3000"); word == "" {
				continue // Chinese and Japanese pages indent paragraphs with it
			}
			r, _ = utf8.DecodeRuneInString(word)
		}
		in.settle(r)
		in.word(word, s == "")
		in.text = true
	}
}

// word writes a word. last says that it is the last of its text, so what follows is unknown.
func (in *inline) word(word string, last bool) {
	if isAddress(word) && in.inLink == 0 && !in.cell {
		in.buf = append(in.buf, word...) // shown as a link by itself, where an escape would be part of it
		return
	}
	if in.atLineStart() {
		word = in.lineStart(word)
	}
	for i := range len(word) {
		b := word[i]
		if !special[b] {
			in.buf = append(in.buf, b)
			continue
		}
		if in.needsEscape(word, i, last) {
			in.buf = append(in.buf, '\\')
		}
		in.buf = append(in.buf, b)
		if b == ']' && i == len(word)-1 {
			in.bracket = len(in.buf)
		}
	}
}

// special are the bytes that may need an escape anywhere in a line.
var special = func() (table [256]bool) {
	for _, b := range []byte("\\`*_[](<&~$|:") {
		table[b] = true
	}
	return table
}()

// needsEscape decides on one special byte.
func (in *inline) needsEscape(word string, i int, last bool) bool {
	var next byte = ' '
	if i+1 < len(word) {
		next = word[i+1]
	} else if last {
		next = 0 // not known
	}
	var prev byte = ' '
	if n := len(in.buf); n > 0 {
		prev = in.buf[n-1]
	}
	switch word[i] {
	case '`':
		return true
	case '\\':
		return next == 0 || isASCIIPunct(next)
	case '*':
		return prev != ' ' && prev != '\n' || next != ' '
	case '_':
		r, _ := utf8.DecodeRuneInString(word[i+1:])
		before, _ := utf8.DecodeLastRune(in.buf)
		inWord := i+1 < len(word) && isWordRune(r) && isWordRune(before) && i > 0
		return !inWord && (prev != ' ' || next != ' ')
	case '[':
		return in.inLink > 0 || next == '^'
	case ']':
		return in.inLink > 0 || next == '(' || next == '[' || next == ':'
	case '(', ':':
		return in.bracket > 0 && in.bracket == len(in.buf)
	case '<':
		return next == 0 || next == '/' || next == '!' || next == '?' || dom.IsLetter(next)
	case '&':
		return isEntity(word[i:])
	case '~':
		return next == '~' || prev == '~'
	case '$':
		return in.dollars
	case '|':
		return in.cell
	}
	return false
}

// lineStart escapes what would turn the line into a block. It writes what it has escaped and returns the rest.
func (in *inline) lineStart(word string) string {
	digits := 0
	for digits < len(word) && digits < 10 && word[digits] >= '0' && word[digits] <= '9' {
		digits++
	}
	switch {
	case strings.Trim(word, "#") == "" && len(word) <= 6,
		(word == "-" || word == "+" || word == "*"),
		strings.HasPrefix(word, "---"), strings.HasPrefix(word, "===") && strings.Trim(word, "=") == "",
		word == "=", word == "--", word[0] == '>', strings.HasPrefix(word, "~~~"):
		if word[0] == '~' {
			return word // escaped as everywhere
		}
		in.buf = append(in.buf, '\\', word[0])
		return word[1:]
	case word == "[", word == "[x]", word == "[X]":
		in.buf = append(in.buf, '\\', '[')
		return word[1:]
	case digits > 0 && digits < 10 && len(word) == digits+1 && (word[digits] == '.' || word[digits] == ')'):
		in.buf = append(in.buf, word[:digits]...)
		in.buf = append(in.buf, '\\', word[digits])
		return ""
	}
	return word
}

// isAddress reports whether a word is a URL.
func isAddress(word string) bool {
	return (strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")) && !strings.ContainsAny(word, "<`*")
}

// isEntity reports whether s begins with a character reference (CommonMark 2.5).
func isEntity(s string) bool {
	end := strings.IndexByte(s[:min(len(s), 34)], ';')
	if end < 2 {
		return false
	}
	for i := 1; i < end; i++ {
		if !dom.IsLetter(s[i]) && (s[i] < '0' || s[i] > '9') && s[i] != '#' {
			return false
		}
	}
	return true
}

func isASCIIPunct(b byte) bool {
	return '!' <= b && b <= '/' || ':' <= b && b <= '@' || '[' <= b && b <= '`' || '{' <= b && b <= '~'
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// isWhite reports whether r is white space to a reader. The ideographic space is kept.
func isWhite(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || '\t' <= r && r <= '\r'
	}
	return r != '\u3000' && unicode.IsSpace(r)
}

var (
	labelEscapes     = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "`", "\\`", "*", `\*`, "<", `\<`)
	cellLabelEscapes = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "`", "\\`", "*", `\*`, "<", `\<`, "|", `\|`)
)

// escapeLabel escapes an image's description.
func escapeLabel(s string, cell bool) string {
	if cell {
		return cellLabelEscapes.Replace(s)
	}
	return labelEscapes.Replace(s)
}

var destinationEscapes = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "[", "%5B", "]", "%5D", "\n", "%0A", "\r",
	"%0D", "\t", "%09", "|", "%7C", `\`, "%5C", "`", "%60")

// destination escapes a URL for parentheses.
func destination(url string) string {
	return destinationEscapes.Replace(strings.TrimSpace(dom.Visible(url)))
}

// isLinkable reports whether a reader can follow a reference.
func isLinkable(href string) bool {
	return strings.TrimSpace(href) != "" && !dom.HasScheme(href, "javascript") && !dom.HasScheme(href, "vbscript") &&
		!dom.HasScheme(href, "data") && !dom.HasScheme(href, "blob") && strings.Trim(href, "# ") != ""
}
