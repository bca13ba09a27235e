package jsonscan

// stringByte processes a byte of a string, outside of escapes and multi-byte characters.
func (m *machine) stringByte(c byte) error {
	switch {
	case c == '"':
		if m.isKey {
			m.state = beforeColon
			return nil
		}
		m.ended(endedWith)
	case c == '\\':
		m.state = inEscape
	case c < ' ':
		return m.fail("the byte 0x%02x must be escaped in a string, as \\u%04x", c, c)
	case c >= 0x80:
		return m.firstRuneByte(c)
	}
	return nil
}

// firstRuneByte processes the first byte of a multi-byte character, by the table of RFC 3629 section 4: no overlong
// forms, no surrogates, nothing beyond U+10FFFF.
func (m *machine) firstRuneByte(c byte) error {
	m.runeMin, m.runeMax = 0x80, 0xbf
	switch {
	case 0xc2 <= c && c <= 0xdf:
		m.runeLeft = 1
	case 0xe0 <= c && c <= 0xef:
		m.runeLeft = 2
		switch c {
		case 0xe0:
			m.runeMin = 0xa0
		case 0xed:
			m.runeMax = 0x9f
		}
	case 0xf0 <= c && c <= 0xf4:
		m.runeLeft = 3
		switch c {
		case 0xf0:
			m.runeMin = 0x90
		case 0xf4:
			m.runeMax = 0x8f
		}
	default:
		return m.fail("the byte 0x%02x is not UTF-8 here", c)
	}
	m.state = inRune
	return nil
}

func (m *machine) runeByte(c byte) error {
	if c < m.runeMin || c > m.runeMax {
		return m.fail("the byte 0x%02x is not UTF-8 here", c)
	}
	m.runeMin, m.runeMax = 0x80, 0xbf
	if m.runeLeft--; m.runeLeft == 0 {
		m.state = inString
	}
	return nil
}

func (m *machine) escapeByte(c byte) error {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		m.state = inString
	case 'u':
		m.state, m.hexLeft = inHex, 4
	default:
		return m.fail(`expected one of "\/bfnrtu after a backslash, found %s`, shown(c))
	}
	return nil
}

func (m *machine) hexByte(c byte) error {
	if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
		return m.fail("expected four hexadecimal digits after \\u, found %s", shown(c))
	}
	if m.hexLeft--; m.hexLeft == 0 {
		m.state = inString
	}
	return nil
}

func (m *machine) literalByte(c byte) error {
	if c != m.literal[0] {
		return m.fail("expected %s, found %s in it", m.word, shown(c))
	}
	if m.literal = m.literal[1:]; m.literal == "" {
		m.ended(endedWith)
	}
	return nil
}

func (m *machine) numberMayEnd() bool {
	switch m.state {
	case afterZero, inInteger, inFraction, inExponent:
		return true
	default:
		return false
	}
}

// numberByte processes a byte of a number, or the one after it.
func (m *machine) numberByte(c byte) error {
	digit := '0' <= c && c <= '9'
	switch {
	case digit && m.state == afterZero:
		return m.fail("a number must not begin with 0 before another digit")
	case digit && m.state == afterMinus && c == '0':
		m.state = afterZero
	case digit:
		m.state = m.afterDigit()
	case c == '.' && (m.state == afterZero || m.state == inInteger):
		m.state = afterPoint
	case (c == 'e' || c == 'E') && (m.state == afterZero || m.state == inInteger || m.state == inFraction):
		m.state = afterExponent
	case (c == '+' || c == '-') && m.state == afterExponent:
		m.state = afterExponentSign
	case m.numberMayEnd():
		m.ended(endedBefore)
		return m.structureByte(c)
	default:
		return m.fail("expected a digit, found %s", shown(c))
	}
	return nil
}

// afterDigit returns the state after an allowed digit.
func (m *machine) afterDigit() state {
	switch m.state {
	case afterMinus:
		return inInteger
	case afterPoint:
		return inFraction
	case afterExponent, afterExponentSign:
		return inExponent
	default:
		return m.state
	}
}
