package reader

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stem is the hash of a word's stem. Words are compared by it.
type stem uint32

// token is a word of a text, with its place in it.
type token struct {
	start, end int32
	stem       stem
}

// stemMost is how many letters of a word count. English and its neighbours inflect at the end.
const stemMost = 6

// endings are cut from words, the first that fits.
var endings = []string{"ings", "ing", "edly", "ies", "ied", "ers", "ors", "er", "or", "ed", "es", "s", "e", "y"}

// stemOf hashes a word without its ending.
func stemOf(word string) stem {
	for _, ending := range endings {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 3 {
			word = rest
			break
		}
	}
	if len(word) > stemMost && !strings.ContainsAny(word, "0123456789") {
		n := stemMost
		for n > 0 && !utf8.RuneStart(word[n]) {
			n--
		}
		word = word[:n]
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(word))
	return stem(h.Sum32())
}

// tokensOf are the words of a text: runs of letters and digits.
func tokensOf(text string) []token {
	var out []token
	start := -1
	add := func(end int) {
		if start >= 0 {
			word := strings.ToLower(text[start:end])
			out = append(out, token{int32(start), int32(end), stemOf(word)}) //nolint:gosec // texts are bounded
			start = -1
		}
	}
	for i, r := range text {
		if is := unicode.IsLetter(r) || unicode.IsDigit(r); is && start < 0 {
			start = i
		} else if !is {
			add(i)
		}
	}
	add(len(text))
	return out
}

func stemsOf(text string) []stem {
	var out []stem
	for _, t := range tokensOf(text) {
		out = append(out, t.stem)
	}
	return out
}

// nameStems are the words of a name of a program: "firstPublished", "first_published" and "first-published" have two each.
func nameStems(name string) []stem { return stemsOf(spaced(name)) }

// labelOf is a name or label as it is compared with others: its words in lower case and in the singular.
func labelOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(spaced(name)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		if len(word) > 3 && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") {
			words[i] = strings.TrimSuffix(word, "s")
		}
	}
	return strings.Join(words, " ")
}

// spaced is a name with a space before each capital that begins a word.
func spaced(name string) string {
	var out strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			out.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		out.WriteRune(r)
	}
	return out.String()
}
