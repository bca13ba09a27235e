package local

import (
	"strings"
)

// Plain is what markdown says, without its marks, and its headings, a line each. It reads what scrapes write; of other
// markdown some marks may be left, which are no words.
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

// unmarked is a line without emphasis, code marks, table rules and the targets of links and pictures.
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

// targetBytes is how long the target of a link is that begins rest, with its parentheses; 0 where there is none.
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
