package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// tokensDefault is how much of a text a result has without max_chars, by weight. Counted by OpenAI's o200k, it is at most
	// 8,000 tokens with what surrounds it (test/interop measures texts of many kinds).
	tokensDefault = 7_200
	// weightUnit is the weight of a token.
	weightUnit = 100
)

// room is how much text fits a result.
type room struct {
	chars  int // 0: as tokens say
	weight int
	word   int  // the classes of the word so far
	odd    bool // it is none of a language
}

func newRoom(maxChars int) *room { return &room{chars: maxChars, weight: tokensDefault * weightUnit} }

// take returns the beginning of text that fits, of which there is at least one character, and reduces the room. If it
// leaves something out it ends with a line where one ends in its last part.
func (m *room) take(text string) string {
	n, all := 0, true
	for i, r := range text {
		cost := m.weigh(r)
		if m.full() || m.chars == 0 && cost > m.weight {
			n, all = i, false
			break
		}
		m.spend(cost)
	}
	if all {
		return text
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(text)
	}
	if line := strings.LastIndexByte(text[:n], '\n') + 1; line > n-n/5 {
		n = line
	}
	return text[:n]
}

func (m *room) full() bool { return m.chars < 0 || m.chars == 0 && m.weight <= 0 }

func (m *room) spend(weight int) {
	if m.weight -= weight; m.chars > 0 {
		if m.chars--; m.chars == 0 {
			m.chars = -1
		}
	}
}

// Classes of characters in a word.
const (
	classLower = 1 << iota
	classUpper
	classDigit
)

// weigh estimates the tokens of a character, rather too many than too few. A word of letters and digits, or with capitals
// inside, is probably none of a language.
func (m *room) weigh(r rune) int {
	var class int
	switch {
	case r >= 'a' && r <= 'z':
		class = classLower
	case r >= 'A' && r <= 'Z':
		class = classUpper
	case r >= '0' && r <= '9':
		class = classDigit
	default:
		m.word, m.odd = 0, false
		return weighOther(r)
	}
	m.odd = m.odd || class == classUpper && m.word&classLower != 0 || class == classDigit != (m.word&classDigit != 0) && m.word != 0
	m.word |= class
	switch {
	case m.odd:
		return 75
	case class == classLower:
		return 29
	}
	return 60
}

func weighOther(r rune) int {
	switch {
	case r == ' ':
		return 8
	case r == '\n':
		return 45
	case r < utf8.RuneSelf:
		return 65
	case unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Thai):
		return 60
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 100
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 140
	}
	return 300
}
