package keyless

import (
	"strings"
	"unicode"
)

// word is one of a sentence, with its place in bytes.
type word struct {
	start, end int
	lower      string
	ideas      []string
	capital    bool
	// little is a word that says nothing by itself.
	little bool
	// breaks is a mark that ends a clause between the word before and this: one of , ; : ( ) – or 0.
	breaks rune
}

// wordsIn are the words of a sentence.
func wordsIn(text string) []word {
	var out []word
	start, breaks := -1, rune(0)
	for i, r := range text + " " {
		isWord := i < len(text) && (unicode.IsLetter(r) || unicode.IsDigit(r) || (r == '\'' || r == '’') && start >= 0)
		switch {
		case isWord && start < 0:
			start = i
		case !isWord && start >= 0:
			lower := strings.TrimSuffix(strings.TrimSuffix(strings.Join(plainWords(text[start:i]), ""), "’s"), "'s")
			first := []rune(text[start:i])[0]
			if lower != "" {
				out = append(out, word{start, i, lower, ideas(stem(lower)), unicode.IsUpper(first), little[lower], breaks})
				breaks = 0
			}
			start = -1
		}
		if !isWord && strings.ContainsRune(",;:()–—\"“”", r) {
			if r != ',' || i+1 >= len(text) || i == 0 || !isDigitByte(text[i-1]) || !isDigitByte(text[i+1]) {
				breaks = r
			}
		}
	}
	return out
}

func isDigitByte(b byte) bool { return b >= '0' && b <= '9' }
