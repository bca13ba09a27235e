package structured

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"
)

const (
	// jsonDepthMax is how deep JSON of a page may nest; deeper values are skipped.
	jsonDepthMax = 64
	// jsonValuesMax is how many values all JSON of a page may have.
	jsonValuesMax = 100_000
)

// looseJSON reads JSON as pages contain it: in HTML comments or CDATA sections, with comments, with missing or extra
// commas, line breaks and unescaped quotation marks in strings, several values in a row, or cut off at the end. It stops
// where it cannot read on, and keeps what it has read. Time is linear in the input.
type looseJSON struct {
	in   string
	at   int
	left int // values
	fail bool
}

// ReadJSON returns the values in s: of type string, bool, json.Number, []any, map[string]any or nil. It subtracts their
// number from *left.
func ReadJSON(s string, left *int) []any {
	if !strings.Contains(s, `"`) && strings.Contains(s, "&quot;") {
		s = html.UnescapeString(s) // escaped as if scripts contained text
	}
	p := &looseJSON{in: s, left: *left}
	var out []any
	for p.skip(",;]}"); p.at < len(p.in) && !p.fail; p.skip(",;]}") {
		if value, ok := p.value(0); ok {
			out = append(out, value)
		}
	}
	*left = p.left
	return out
}

// fillers may stand between values besides white space.
var fillers = []string{"<!--", "-->", "<![CDATA[", "]]>", "\ufeff", "\u2028", "\u2029", "\u00a0"}

// skip skips white space, comments, and the bytes in also.
func (p *looseJSON) skip(also string) {
next:
	for p.at < len(p.in) {
		switch b := p.in[p.at]; {
		case b == ' ' || b == '\n' || b == '\t' || b == '\r' || b == '\f' || b == '\v', strings.IndexByte(also, b) >= 0:
			p.at++
			continue
		case b == '/' && strings.HasPrefix(p.in[p.at:], "/*"):
			p.to("*/")
			continue
		case b == '/' && strings.HasPrefix(p.in[p.at:], "//"):
			p.lineComment()
			continue
		}
		for _, filler := range fillers {
			if strings.HasPrefix(p.in[p.at:], filler) {
				p.at += len(filler)
				continue next
			}
		}
		return
	}
}

// to moves behind the next mark, or to the end.
func (p *looseJSON) to(mark string) {
	if i := strings.Index(p.in[p.at:], mark); i >= 0 {
		p.at += i + len(mark)
	} else {
		p.at = len(p.in)
	}
}

// lineComment skips "//" and the rest of the line, unless that contains the border of a CDATA section or comment.
func (p *looseJSON) lineComment() {
	head, _, _ := strings.Cut(p.in[p.at:min(p.at+24, len(p.in))], "\n")
	for _, border := range []string{"<![CDATA[", "]]>", "<!--", "-->"} {
		// On one line with what it wraps: //<![CDATA[ {…} //]]>
		if i := strings.Index(head, border); i >= 0 {
			p.at += i + len(border)
			return
		}
	}
	p.to("\n")
}

// value reads one value. It reports false if there is none, or if it is beyond the bounds and was skipped.
func (p *looseJSON) value(depth int) (any, bool) {
	if p.at >= len(p.in) {
		p.fail = true
		return nil, false
	}
	if p.left--; p.left < 0 {
		p.fail = true
		return nil, false
	}
	switch b := p.in[p.at]; b {
	case '{', '[':
		if depth >= jsonDepthMax {
			p.pass()
			return nil, false
		}
		if b == '{' {
			return p.object(depth), true
		}
		return p.array(depth), true
	case '"':
		return p.text(), true
	default:
		return p.word()
	}
}

func (p *looseJSON) array(depth int) any {
	out := []any{}
	for p.at++; ; {
		p.skip(",")
		if p.at >= len(p.in) || p.fail {
			return out
		}
		switch p.in[p.at] {
		case ']':
			p.at++
			return out
		case '}', ':':
			p.fail = true
			return out
		}
		if value, ok := p.value(depth + 1); ok {
			out = append(out, value)
		}
	}
}

func (p *looseJSON) object(depth int) any {
	out := map[string]any{}
	for p.at++; ; {
		p.skip(",;")
		if p.at >= len(p.in) || p.fail {
			return out
		}
		switch p.in[p.at] {
		case '}':
			p.at++
			return out
		case '"':
		default:
			p.fail = true
			return out
		}
		key := p.text()
		p.skip("")
		if p.at >= len(p.in) || p.in[p.at] != ':' {
			p.fail = true
			return out
		}
		p.at++
		p.skip("")
		if p.at < len(p.in) && strings.IndexByte(",}", p.in[p.at]) >= 0 {
			continue // a key without a value
		}
		if value, ok := p.value(depth + 1); ok {
			out[key] = value
		}
	}
}

// pass skips an array or object.
func (p *looseJSON) pass() {
	depth := 0
	for ; p.at < len(p.in); p.at++ {
		switch p.in[p.at] {
		case '"':
			for p.at++; p.at < len(p.in) && p.in[p.at] != '"'; p.at++ {
				if p.in[p.at] == '\\' {
					p.at++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				p.at++
				return
			}
		}
	}
}

// word reads a number or a literal.
func (p *looseJSON) word() (any, bool) {
	start := p.at
	for p.at < len(p.in) && isJSONWord(p.in[p.at]) {
		p.at++
	}
	switch word := p.in[start:p.at]; word {
	case "":
		p.fail = true
		return nil, false
	case "true", "True":
		return true, true
	case "false", "False":
		return false, true
	case "null", "undefined", "NaN", "None":
		return nil, true
	default:
		if number := json.Number(word); isJSONNumber(word) {
			return number, true
		}
		return word, true
	}
}

func isJSONWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '-' || b == '+' || b == '.' || b == '_'
}

// isJSONNumber checks s against RFC 8259, section 6: a json.Number must be valid.
func isJSONNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	s = strings.TrimPrefix(s, "-")
	if rest, ok := strings.CutPrefix(s, "0"); ok {
		s = rest
	} else if !digits() {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "."); ok {
		if s = rest; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}

// text reads a string, whose quotation mark is next.
func (p *looseJSON) text() string {
	p.at++
	start := p.at
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case '"':
			if p.closes() {
				s := p.in[start:p.at]
				p.at++
				return s
			}
			p.at++
		case '\\':
			return p.escaped(start)
		default:
			p.at++
		}
	}
	return p.in[start:]
}

// closes reports whether this quotation mark ends its string; an unescaped one within a string is followed by more text.
func (p *looseJSON) closes() bool {
	for i := p.at + 1; i < len(p.in); i++ {
		switch p.in[i] {
		case ' ', '\n', '\t', '\r':
		case ',', ':', '}', ']', ';', '"', '/', '<', '-':
			return true
		default:
			return false
		}
	}
	return true
}

// escaped continues with a string that began at start, whose first escape is next.
func (p *looseJSON) escaped(start int) string {
	var out strings.Builder
	out.WriteString(p.in[start:p.at])
	for p.at < len(p.in) {
		switch b := p.in[p.at]; b {
		case '"':
			if p.closes() {
				p.at++
				return out.String()
			}
			out.WriteByte(b)
			p.at++
		case '\\':
			p.escape(&out)
		default:
			out.WriteByte(b)
			p.at++
		}
	}
	return out.String()
}

func (p *looseJSON) escape(out *strings.Builder) {
	if p.at+1 >= len(p.in) {
		p.at = len(p.in)
		return
	}
	b := p.in[p.at+1]
	p.at += 2
	switch b {
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	case 'r':
		out.WriteByte('\r')
	case 'b', 'f':
		out.WriteByte(' ')
	case 'u':
		r := p.unit()
		if utf16.IsSurrogate(r) && strings.HasPrefix(p.in[p.at:], `\u`) {
			p.at += 2
			r = utf16.DecodeRune(r, p.unit())
		}
		out.WriteRune(r) // half a pair becomes U+FFFD
	default:
		out.WriteByte(b)
	}
}

// unit reads the four digits of a UTF-16 unit.
func (p *looseJSON) unit() rune {
	if p.at+4 > len(p.in) {
		return utf8.RuneError
	}
	unit, err := strconv.ParseUint(p.in[p.at:p.at+4], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	p.at += 4
	return rune(unit)
}
