package local

import (
	"strings"
)

// Plain returns the text of markdown without its markup, and its headings, one per line. It supports the markdown that
// scrapes write; of other markdown some markup may remain, which is not indexed as words.
func Plain(markdown string) (text, headings string) {
	var all, heads strings.Builder
	for line := range strings.Lines(markdown) {
		body := strings.TrimSpace(line)
		rest := strings.TrimLeft(body, "#")
		isHeading := len(rest) < len(body) && strings.HasPrefix(rest, " ")
		if isHeading {
			body = strings.TrimSpace(rest)
		}
		if body = unmarked(body); body == "" {
			all.WriteByte('\n')
			continue
		}
		all.WriteString(body)
		all.WriteByte('\n')
		if isHeading {
			heads.WriteString(body)
			heads.WriteByte('\n')
		}
	}
	return strings.TrimSpace(all.String()), strings.TrimSpace(heads.String())
}

// unmarked returns a line without emphasis, code marks, table rules and the targets of links and images.
func unmarked(line string) string {
	if strings.Trim(line, "-|:=_* ") == "" {
		return ""
	}
	line = strings.TrimLeft(line, ">-+* ")
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '\\':
			if i+1 < len(line) && strings.IndexByte("\\`*_{}[]<>()#+-.!|~", line[i+1]) >= 0 {
				i++
			}
			b.WriteByte(line[i])
		case '!':
			if i+1 < len(line) && line[i+1] == '[' {
				continue
			}
			b.WriteByte(c)
		case '*', '`', '[', '~':
		case '|':
			b.WriteByte(' ')
		case ']':
			i += targetBytes(line[i+1:])
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}

// targetBytes returns the length of the link target at the start of rest, with its parentheses; 0 if there is none.
func targetBytes(rest string) int {
	if !strings.HasPrefix(rest, "(") {
		return 0
	}
	depth := 0
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
