package jsonscan

import (
	"errors"
	"fmt"
)

// DepthMax is how deep arrays and objects may be nested.
const DepthMax = 512

type state uint8

const (
	beforeValue      state = iota // a value must come
	beforeFirstValue              // after [: a value or ]
	beforeFirstKey                // after {: a key or }
	beforeKey                     // after a comma in an object
	beforeColon
	afterValue // in an array or object: a comma or the end of it
	afterText  // the top-level value is complete
	inString
	inEscape
	inHex
	inRune // the rest of a multi-byte character
	inLiteral
	afterMinus
	afterZero
	inInteger
	afterPoint
	inFraction
	afterExponent
	afterExponentSign
	inExponent
)

// event is the effect of the last byte on the elements of a top-level array.
type event uint8

const (
	noEvent event = iota
	began
	endedWith   // the byte is the element's last
	endedBefore // the byte is the one after a number
)

type machine struct {
	state state
	// isKey is set in strings that are keys.
	isKey bool
	// hexLeft counts the missing digits of an escape.
	hexLeft uint8
	// runeLeft counts the missing bytes of a character; the next is from runeMin to runeMax.
	runeLeft, runeMin, runeMax uint8
	// literal is the missing rest of true, false or null; word is the whole word.
	literal, word string

	depth  int
	arrays [DepthMax / 64]uint64 // a bit for each level: an array, not an object

	line, column int64 // of the last byte
	started      bool

	topLevel Kind
	items    int64
	event    event
}

func newMachine() *machine { return &machine{line: 1} }

func (m *machine) fail(format string, args ...any) error {
	return &SyntaxError{Line: m.line, Column: m.column, Msg: fmt.Sprintf(format, args...)}
}

// at adds the line to an ElementError; other errors are unchanged.
func (m *machine) at(err error) error {
	if fault, ok := errors.AsType[*ElementError](err); ok {
		fault.Line = m.line
	}
	return err
}

// step processes one byte.
func (m *machine) step(c byte) error {
	m.event = noEvent
	if m.state != inRune || c&0xc0 != 0x80 { // continuation bytes are no further column
		m.column++
	}
	switch m.state {
	case inString:
		return m.stringByte(c)
	case inRune:
		return m.runeByte(c)
	case inEscape:
		return m.escapeByte(c)
	case inHex:
		return m.hexByte(c)
	case inLiteral:
		return m.literalByte(c)
	case afterMinus, afterZero, inInteger, afterPoint, inFraction, afterExponent, afterExponentSign, inExponent:
		return m.numberByte(c)
	case beforeValue, beforeFirstValue, beforeFirstKey, beforeKey, beforeColon, afterValue, afterText:
	}
	return m.structureByte(c)
}

// structureByte processes a byte between values.
func (m *machine) structureByte(c byte) error {
	switch c {
	case '\n':
		m.line, m.column = m.line+1, 0
		return nil
	case ' ', '\t', '\r':
		return nil
	}
	switch {
	case m.state == beforeValue, m.state == beforeFirstValue && c != ']':
		return m.begin(c)
	case m.state == beforeFirstValue, m.state == beforeFirstKey && c == '}':
		m.close()
		return nil
	case (m.state == beforeFirstKey || m.state == beforeKey) && c == '"':
		m.state, m.isKey = inString, true
		return nil
	case m.state == beforeColon && c == ':':
		m.state = beforeValue
		return nil
	case m.state == afterValue && c == ',':
		m.state = beforeKey
		if m.inArray() {
			m.state = beforeValue
		}
		return nil
	case m.state == afterValue && (c == ']' && m.inArray() || c == '}' && !m.inArray()):
		m.close()
		return nil
	}
	return m.fail("expected %s, found %s", m.wanted(), shown(c))
}

// wanted says what is allowed here.
func (m *machine) wanted() string {
	switch m.state {
	case beforeFirstValue:
		return "a value or ]"
	case beforeFirstKey:
		return `a key in double quotes or }`
	case beforeKey:
		return "a key in double quotes"
	case beforeColon:
		return "a colon"
	case afterValue:
		if m.inArray() {
			return "a comma or ]"
		}
		return "a comma or }"
	case afterText:
		return "nothing more after the value"
	default:
		return "a value"
	}
}

// shown formats a byte so that it is readable in one line.
func shown(c byte) string {
	if c < ' ' || c >= 0x7f {
		return fmt.Sprintf("the byte 0x%02x", c)
	}
	return "'" + string(rune(c)) + "'"
}

// begin processes the first byte of a value.
func (m *machine) begin(c byte) error {
	var kind Kind
	switch {
	case c == '{', c == '[':
		kind = Object
		if c == '[' {
			kind = Array
		}
	case c == '"':
		kind, m.state, m.isKey = String, inString, false
	case c == '-':
		kind, m.state = Number, afterMinus
	case c == '0':
		kind, m.state = Number, afterZero
	case '1' <= c && c <= '9':
		kind, m.state = Number, inInteger
	case c == 't', c == 'f':
		kind, m.state, m.word = Boolean, inLiteral, "true"
		if c == 'f' {
			m.word = "false"
		}
		m.literal = m.word[1:]
	case c == 'n':
		kind, m.state, m.word, m.literal = Null, inLiteral, "null", "ull"
	case c == 0xef && !m.started:
		return m.fail("expected a value, found the byte 0xef: a byte order mark must not begin JSON (RFC 8259 section 8.1)")
	default:
		return m.fail("expected %s, found %s", m.wanted(), shown(c))
	}
	m.count(kind)
	if kind == Object || kind == Array {
		return m.open(kind)
	}
	return nil
}

// count records that a value begins.
func (m *machine) count(kind Kind) {
	m.started = true
	switch {
	case m.depth == 0:
		m.topLevel = kind
	case m.depth == 1 && m.topLevel == Array:
		m.items++
		m.event = began
	}
}

func (m *machine) open(kind Kind) error {
	if m.depth == DepthMax {
		return m.fail("arrays and objects are nested deeper than %d", DepthMax)
	}
	word, bit := m.depth/64, uint64(1)<<(m.depth%64)
	if kind == Array {
		m.arrays[word] |= bit
		m.state = beforeFirstValue
	} else {
		m.arrays[word] &^= bit
		m.state = beforeFirstKey
	}
	m.depth++
	return nil
}

func (m *machine) inArray() bool {
	level := m.depth - 1
	return m.arrays[level/64]&(1<<(level%64)) != 0
}

func (m *machine) close() {
	m.depth--
	m.ended(endedWith)
}

// ended records that a value is complete.
func (m *machine) ended(how event) {
	if m.depth == 0 {
		m.state = afterText
		return
	}
	m.state = afterValue
	if m.depth == 1 && m.topLevel == Array {
		m.event = how
	}
}

// end processes the end of the text.
func (m *machine) end() error {
	m.event = noEvent
	m.column++
	if m.numberMayEnd() {
		m.ended(endedBefore)
	}
	if m.state == afterText {
		return nil
	}
	switch m.state {
	case inString, inEscape, inHex, inRune:
		return m.fail("the text ends within a string")
	case inLiteral:
		return m.fail("the text ends within %s", m.word)
	case afterMinus, afterPoint, afterExponent, afterExponentSign:
		return m.fail("the text ends within a number")
	default:
		return m.fail("expected %s, found the end of the text", m.wanted())
	}
}
