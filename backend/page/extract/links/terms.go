package links

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// termsOf splits text into terms: words in lower case without accents and endings, and pairs of characters in scripts
// without spaces between words.
func termsOf(text string) []string {
	if !isASCII(text) {
		text = withoutAccents(text)
	}
	var out []string
	start, wide := -1, false
	end := func(i int) {
		if start < 0 {
			return
		}
		if word := text[start:i]; wide {
			out = appendPairs(out, word)
		} else {
			out = append(out, stem(strings.ToLower(word)))
		}
		start = -1
	}
	previous := rune(0)
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			end(i)
			continue
		}
		isWideHere := dom.IsWide(r)
		if start >= 0 && (isWideHere != wide || unicode.IsUpper(r) && unicode.IsLower(previous)) {
			end(i)
		}
		if start < 0 {
			start, wide = i, isWideHere
		}
		previous = r
	}
	end(len(text))
	return out
}

// withoutAccents removes marks from Latin, Greek and Cyrillic letters, and gives equivalent forms one spelling.
func withoutAccents(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if 0x0300 <= r && r <= 0x036f {
			return -1
		}
		return r
	}, norm.NFKD.String(text)))
}

func appendPairs(out []string, word string) []string {
	previous, pairs := -1, 0
	for i, r := range word {
		if previous >= 0 {
			out = append(out, word[previous:i+utf8.RuneLen(r)])
			pairs++
		}
		previous = i
	}
	if pairs == 0 {
		out = append(out, word)
	}
	return out
}

// endingLetters are the usual letters of endings of Cyrillic and Greek words.
const endingLetters = "аеёиоуыэюяйьъмхіїєαεηιουωςν"

// inflected removes up to three letters of an ending from a word that is not in plain Latin letters, and leaves at least
// four. Scripts that write vowels as marks lose those.
func inflected(word string) string {
	word = strings.TrimPrefix(word, "ال") // the article in Arabic
	for range 3 {
		last, size := utf8.DecodeLastRuneInString(word)
		if utf8.RuneCountInString(word) <= 4 || !strings.ContainsRune(endingLetters, last) && !unicode.IsMark(last) {
			break
		}
		word = word[:len(word)-size]
	}
	return word
}

// stem removes common endings from a lower-case word, so that forms of one word match; the result need not be a word.
func stem(word string) string {
	if !isASCII(word) {
		return inflected(word)
	}
	if len(word) <= 3 || word[0] <= '9' {
		return word
	}
	switch {
	case strings.HasSuffix(word, "sses"):
		word = word[:len(word)-2]
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		word = word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		word = word[:len(word)-1]
	}
	for _, ending := range []string{"ing", "ed"} {
		rest, ok := strings.CutSuffix(word, ending)
		if ok && len(rest) >= 3 && strings.ContainsAny(rest, "aeiouy") {
			if n := len(rest); rest[n-1] == rest[n-2] && !strings.ContainsRune("lsz", rune(rest[n-1])) {
				rest = rest[:n-1]
			}
			return strings.TrimSuffix(rest, "e")
		}
	}
	if len(word) > 4 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
