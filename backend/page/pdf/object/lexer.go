package object

import (
	"bytes"
	"math"
)

// TokenKind is what kind of word a token is.
type TokenKind uint8

// The kinds of tokens; TokenEOF is the end of the data.
const (
	TokenEOF TokenKind = iota
	TokenInt
	TokenReal
	TokenName
	TokenString
	TokenKeyword
	TokenArrayOpen
	TokenArrayClose
	TokenDictOpen
	TokenDictClose
)

// Token is a word of a PDF. Its bytes are part of the input, or a copy where the input escapes something.
type Token struct {
	Kind  TokenKind
	Bytes []byte
	Int   int
	Real  float64
}

// lexer cuts PDF syntax into tokens (ISO 32000-1, 7.2). It takes any bytes and always comes to an end: each call of
// Next moves on, or is at the end.
type lexer struct {
	data []byte
	pos  int
}

const (
	charRegular = iota
	charSpace
	charDelimiter
)

var charClass = func() (classes [256]uint8) {
	for _, c := range []byte("\x00\t\n\f\r ") {
		classes[c] = charSpace
	}
	for _, c := range []byte("()<>[]{}/%") {
		classes[c] = charDelimiter
	}
	return classes
}()

func isSpace(c byte) bool { return charClass[c] == charSpace }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// skipSpace passes white space and comments.
func (l *lexer) skipSpace() {
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		if c == '%' {
			end := bytes.IndexAny(l.data[l.pos:], "\r\n")
			if end < 0 {
				l.pos = len(l.data)
				return
			}
			l.pos += end
			continue
		}
		if !isSpace(c) {
			return
		}
		l.pos++
	}
}

// Next reads the next token.
func (l *lexer) Next() Token {
	l.skipSpace()
	if l.pos >= len(l.data) {
		return Token{Kind: TokenEOF}
	}
	switch c := l.data[l.pos]; c {
	case '[':
		l.pos++
		return Token{Kind: TokenArrayOpen}
	case ']':
		l.pos++
		return Token{Kind: TokenArrayClose}
	case '(':
		l.pos++
		return Token{Kind: TokenString, Bytes: l.literal()}
	case '/':
		l.pos++
		return Token{Kind: TokenName, Bytes: l.name()}
	case '<':
		l.pos++
		if l.pos < len(l.data) && l.data[l.pos] == '<' {
			l.pos++
			return Token{Kind: TokenDictOpen}
		}
		return Token{Kind: TokenString, Bytes: l.hex()}
	case '>':
		l.pos++
		if l.pos < len(l.data) && l.data[l.pos] == '>' {
			l.pos++
			return Token{Kind: TokenDictClose}
		}
		return Token{Kind: TokenKeyword, Bytes: l.data[l.pos-1 : l.pos]}
	case ')', '{', '}':
		l.pos++
		return Token{Kind: TokenKeyword, Bytes: l.data[l.pos-1 : l.pos]}
	}
	return l.word()
}

// word reads a number or a keyword.
func (l *lexer) word() Token {
	start := l.pos
	for l.pos < len(l.data) && charClass[l.data[l.pos]] == charRegular {
		l.pos++
	}
	word := l.data[start:l.pos]
	if c := word[0]; isDigit(c) || c == '+' || c == '-' || c == '.' {
		if t, ok := numeric(word); ok {
			return t
		}
	}
	return Token{Kind: TokenKeyword, Bytes: word}
}

// numeric reads a number as readers do, rather than as the standard says: doubled signs count once, and what follows
// a second sign is dropped.
func numeric(word []byte) (Token, bool) {
	i, negative := 0, false
	for i < len(word) && (word[i] == '+' || word[i] == '-') {
		negative = negative || word[i] == '-'
		i++
	}
	whole, fraction, scale := 0.0, 0.0, 1.0
	digits, point := 0, false
	for ; i < len(word); i++ {
		switch c := word[i]; {
		case isDigit(c) && !point:
			whole = whole*10 + float64(c-'0')
			digits++
		case isDigit(c):
			if scale < 1e15 {
				fraction = fraction*10 + float64(c-'0')
				scale *= 10
			}
			digits++
		case c == '.' && !point:
			point = true
		case c == '-' && digits > 0:
			i = len(word)
		default:
			return Token{}, false
		}
	}
	if digits == 0 && !point {
		return Token{}, false
	}
	value := whole + fraction/scale
	if value > math.MaxFloat32 {
		value = math.MaxFloat32
	}
	if negative {
		value = -value
	}
	if !point && math.Abs(value) < 1<<52 {
		return Token{Kind: TokenInt, Int: int(value), Real: value}, true
	}
	return Token{Kind: TokenReal, Real: value}, true
}

// literal reads a string in parentheses, whose first one is behind (7.3.4.2).
func (l *lexer) literal() []byte {
	start, depth := l.pos, 1
	for ; l.pos < len(l.data); l.pos++ {
		switch l.data[l.pos] {
		case '\\', '\r':
			return l.escaped(start, depth)
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return l.data[start : l.pos-1]
			}
		}
	}
	return l.data[start:l.pos]
}

// escaped goes on with a literal that cannot be a part of the input.
func (l *lexer) escaped(start, depth int) []byte {
	out := append(make([]byte, 0, 2*(l.pos-start)+32), l.data[start:l.pos]...)
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		l.pos++
		switch c {
		case '\\':
			out = l.escape(out)
			continue
		case '\r':
			if l.pos < len(l.data) && l.data[l.pos] == '\n' {
				l.pos++
			}
			c = '\n'
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return out
			}
		}
		out = append(out, c)
	}
	return out
}

// escape reads what follows a backslash.
func (l *lexer) escape(out []byte) []byte {
	if l.pos >= len(l.data) {
		return out
	}
	c := l.data[l.pos]
	l.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if l.pos < len(l.data) && l.data[l.pos] == '\n' {
			l.pos++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	octal := int(c - '0')
	for i := 0; i < 2 && l.pos < len(l.data) && l.data[l.pos] >= '0' && l.data[l.pos] <= '7'; i++ {
		octal = octal<<3 | int(l.data[l.pos]-'0')
		l.pos++
	}
	return append(out, byte(octal))
}

// hex reads a string of hexadecimal digits up to ">" (7.3.4.3).
func (l *lexer) hex() []byte {
	end := bytes.IndexByte(l.data[l.pos:], '>')
	after := l.pos + end + 1
	if end < 0 {
		end, after = len(l.data)-l.pos, len(l.data)
	}
	digits := l.data[l.pos : l.pos+end]
	l.pos = after
	return unhex(make([]byte, 0, len(digits)/2+1), digits)
}

// unhex appends what digits say, passing over what is none.
func unhex(out, digits []byte) []byte {
	high, half := byte(0), false
	for _, c := range digits {
		d, ok := hexDigit(c)
		if !ok {
			continue
		}
		if half {
			out = append(out, high<<4|d)
		}
		high, half = d, !half
	}
	if half {
		out = append(out, high<<4)
	}
	return out
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// name reads a name, whose slash is behind (7.3.5).
func (l *lexer) name() []byte {
	start, escapes := l.pos, false
	for l.pos < len(l.data) && charClass[l.data[l.pos]] == charRegular {
		escapes = escapes || l.data[l.pos] == '#'
		l.pos++
	}
	raw := l.data[start:l.pos]
	if !escapes {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			high, ok1 := hexDigit(raw[i+1])
			low, ok2 := hexDigit(raw[i+2])
			if ok1 && ok2 {
				out = append(out, high<<4|low)
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return out
}

// SkipInlineImage passes over an inline image (8.9.7), whose BI is behind, up to an EI that stands alone and is followed by what looks like content.
func (l *lexer) SkipInlineImage() {
	for {
		t := l.Next()
		if t.Kind == TokenEOF {
			return
		}
		if t.Kind == TokenKeyword && string(t.Bytes) == "ID" {
			break
		}
	}
	for i := l.pos + 1; i+1 < len(l.data); i++ {
		if l.data[i] != 'E' || l.data[i+1] != 'I' || !isSpace(l.data[i-1]) {
			continue
		}
		after := i + 2
		if after < len(l.data) && !isSpace(l.data[after]) {
			continue
		}
		plain := true
		for _, c := range l.data[after:min(after+12, len(l.data))] {
			plain = plain && (c >= 32 && c < 127 || isSpace(c) && c != 0)
		}
		if plain {
			l.pos = after
			return
		}
	}
	l.pos = len(l.data)
}
