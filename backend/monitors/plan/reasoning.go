package plan

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// reasoning extracts the first "reasoning" value of a JSON object while the object is still being streamed. Text that is
// not JSON yields nothing, or text that is shown but never trusted.
type reasoning struct {
	tell func(token string)
	// state is the position within the JSON.
	state reasoningState
	key   strings.Builder
	// escape holds the digits of an escape, high the first half of a surrogate pair.
	escape string
	high   rune
	// partial holds the bytes of an incomplete character.
	partial []byte
	told    int
}

type reasoningState int

const (
	outside reasoningState = iota // looking for the key
	inKey
	afterKey
	inValue
	escaped
	inUnicode
	ended
)

// toldBytesMax is how much of a reasoning is passed on.
const toldBytesMax = 16 << 10

func newReasoning(tell func(token string)) *reasoning { return &reasoning{tell: tell} }

// write takes the next piece of the object's text.
func (r *reasoning) write(delta string) {
	text := string(r.partial) + delta
	r.partial = nil
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				r.partial, text = []byte(text[i:]), text[:i]
			}
			break
		}
	}
	var out strings.Builder
	for _, c := range text {
		if r.state == ended {
			break
		}
		r.next(c, &out)
	}
	if token := out.String(); token != "" && r.told < toldBytesMax {
		r.told += len(token)
		r.tell(token)
	}
}

func (r *reasoning) next(c rune, out *strings.Builder) {
	switch r.state {
	case outside:
		if c == '"' {
			r.state = inKey
			r.key.Reset()
		}
	case inKey:
		switch {
		case c == '"' && r.key.String() == "reasoning":
			r.state = afterKey
		case c == '"':
			r.state = outside
		case r.key.Len() < 64:
			r.key.WriteRune(c)
		}
	case afterKey:
		switch {
		case c == '"':
			r.state = inValue
		case c != ':' && !unicode.IsSpace(c):
			r.state = ended
		}
	case inValue:
		switch c {
		case '"':
			r.state = ended
		case '\\':
			r.state = escaped
		default:
			r.put(c, out)
		}
	case escaped:
		r.state = inValue
		switch c {
		case 'u':
			r.state, r.escape = inUnicode, ""
		case 'n', 't', 'r', 'b', 'f':
			r.put(' ', out)
		default:
			r.put(c, out)
		}
	case inUnicode:
		r.digit(c, out)
	case ended:
	}
}

// digit takes the next digit of \uXXXX.
func (r *reasoning) digit(c rune, out *strings.Builder) {
	const hexDigits = "0123456789abcdef"
	if !strings.ContainsRune(hexDigits, unicode.ToLower(c)) {
		r.state = ended
		return
	}
	if r.escape += string(unicode.ToLower(c)); len(r.escape) < 4 {
		return
	}
	value := rune(0)
	for _, digit := range r.escape {
		value = value<<4 | rune(strings.IndexRune(hexDigits, digit))
	}
	r.state = inValue
	high := r.high
	r.high = 0
	switch pair := utf16.DecodeRune(high, value); {
	case pair != utf8.RuneError:
		r.put(pair, out)
	case utf16.IsSurrogate(value):
		r.high = value
	default:
		r.put(value, out)
	}
}

// put passes a visible character on; white space becomes a space.
func (r *reasoning) put(c rune, out *strings.Builder) {
	switch {
	case unicode.IsSpace(c), unicode.IsControl(c):
		out.WriteByte(' ')
	case c == utf8.RuneError, unicode.In(c, unicode.Cf):
	default:
		out.WriteRune(c)
	}
}
