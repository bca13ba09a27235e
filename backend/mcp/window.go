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
}

func newRoom(maxChars int) *room { return &room{chars: maxChars, weight: tokensDefault * weightUnit} }

// take returns the beginning of text that fits, of which there is at least one character, and reduces the room. If it
// leaves something out it ends with a line where one ends in its last part.
func (m *room) take(text string) string {
	n, all := 0, true
	for i, r := range text {
		if cost := weigh(r); m.full() || m.chars == 0 && cost > m.weight {
			n, all = i, false
			break
		} else {
			m.spend(cost)
		}
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

// weigh estimates the tokens of a character, rather too many than too few.
func weigh(r rune) int {
	switch {
	case r == ' ':
		return 8
	case r == '\n':
		return 45
	case r < utf8.RuneSelf && unicode.IsLower(r):
		return 29
	case r < utf8.RuneSelf && unicode.IsUpper(r), unicode.Is(unicode.Latin, r):
		return 60
	case r < utf8.RuneSelf && unicode.IsDigit(r):
		return 50
	case r < utf8.RuneSelf:
		return 65
	case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Hangul, unicode.Devanagari, unicode.Thai):
		return 75
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return 110
	}
	return 300
}
