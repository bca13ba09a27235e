package compare

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a word of a text: from and to are where it is.
type word struct {
	hash     uint64
	from, to int
}

// wordsOf are the words of a text, without punctuation around them. Where a script has no spaces each letter is a word.
func wordsOf(text string) []word {
	words := make([]word, 0, len(text)/6+1)
	from := -1
	end := func(to int) {
		if from >= 0 {
			if w, ok := wordAt(text, from, to); ok {
				words = append(words, w)
			}
			from = -1
		}
	}
	for i, r := range text {
		switch {
		case r == ' ' || r == '|' || r == '\u00a0':
			end(i)
		case r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end(i)
			size := utf8.RuneLen(r)
			words = append(words, word{hashOf(text[i : i+size]), i, i + size})
		case from < 0:
			from = i
		}
	}
	end(len(text))
	return words
}

// wordAt is a run of signs without those around it that say nothing.
func wordAt(text string, from, to int) (word, bool) {
	isIdle := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSymbol(r) && r != '%' && r != '#' && r != '@'
	}
	trimmed := strings.TrimLeftFunc(text[from:to], isIdle)
	if start := to - len(trimmed); start > from && text[start-1] == '-' && trimmed != "" && '0' <= trimmed[0] && trimmed[0] <= '9' {
		trimmed = text[start-1 : to] // a sign
	}
	from = to - len(trimmed)
	trimmed = strings.TrimRightFunc(trimmed, isIdle)
	if trimmed == "" {
		return word{}, false
	}
	return word{hashOf(strings.ToLower(trimmed)), from, from + len(trimmed)}, true
}

func hashOf(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// mix is a hash of hashes in their order.
func mix(hashes ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, next := range hashes {
		h = (h ^ next) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// hunk is where two texts differ: words from a0 to a1 were replaced by those from b0 to b1.
type hunk struct{ a0, a1, b0, b1 int }

const (
	// lcsMax bounds the table of the longest common subsequence; beyond, all between what is the same at both ends differs.
	lcsMax = 1 << 20
	// joinMax is how many words may be the same within one hunk.
	joinMax = 2
)

// differences finds where two lists of words differ, and how many they have in common.
func differences(a, b []word) (hunks []hunk, common int) {
	start, endA, endB := 0, len(a), len(b)
	for start < endA && start < endB && a[start].hash == b[start].hash {
		start++
	}
	for endA > start && endB > start && a[endA-1].hash == b[endB-1].hash {
		endA--
		endB--
	}
	common = len(a) - (endA - start)
	n, m := endA-start, endB-start
	switch {
	case n+m == 0:
		return nil, common
	case n == 0 || m == 0 || n*m > lcsMax:
		return []hunk{{start, endA, start, endB}}, common
	}
	lengths := make([]int32, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[start+i].hash == b[start+j].hash {
				lengths[i*(m+1)+j] = lengths[(i+1)*(m+1)+j+1] + 1
			} else {
				lengths[i*(m+1)+j] = max(lengths[(i+1)*(m+1)+j], lengths[i*(m+1)+j+1])
			}
		}
	}
	common += int(lengths[0])
	i, j := 0, 0
	for i < n || j < m {
		if i < n && j < m && a[start+i].hash == b[start+j].hash {
			i++
			j++
			continue
		}
		h := hunk{a0: start + i, b0: start + j}
		for (i < n || j < m) && (i >= n || j >= m || a[start+i].hash != b[start+j].hash) {
			if j >= m || i < n && lengths[(i+1)*(m+1)+j] >= lengths[i*(m+1)+j+1] {
				i++
			} else {
				j++
			}
		}
		h.a1, h.b1 = start+i, start+j
		if last := len(hunks) - 1; last >= 0 && h.a0-hunks[last].a1 <= joinMax {
			hunks[last].a1, hunks[last].b1 = h.a1, h.b1
		} else {
			hunks = append(hunks, h)
		}
	}
	return hunks, common
}
