package local

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// Words of other lengths are neither corrected nor offered.
	spellRunesMin, spellRunesMax = 4, 24
	// farRunes is the length of a word from which two mistakes are corrected instead of one.
	farRunes = 7
	// similarMax is how many words with a common trigram are examined.
	similarMax = 20_000
)

// isSpellable reports whether a word can be corrected: only letters, neither too short nor too long.
func isSpellable(w string) bool {
	n := 0
	for _, r := range w {
		if r >= '0' && r <= '9' || isWide(r) {
			return false
		}
		n++
	}
	return n >= spellRunesMin && n <= spellRunesMax
}

// gramsOf returns the hashes of a word's trigrams, including its ends, for words of a length.
func gramsOf(scope, w string, length int) []int64 {
	runes := append([]rune{' ', ' '}, []rune(w)...)
	runes = append(runes, ' ')
	grams := make([]int64, 0, len(runes))
	for i := range len(runes) - 2 {
		grams = append(grams, keyOf(scope, kindGram, length, string(runes[i:i+3])))
	}
	return grams
}

// mend returns the closest known word to an unknown one, by missing, added, wrong or swapped letters; of equally close
// words the more frequent; "" if there is none.
func (p *Provider) mend(ctx context.Context, q finder, scope, w string) (string, error) {
	if !isSpellable(w) {
		return "", nil
	}
	length := utf8.RuneCountInString(w)
	most := 1
	if length >= farRunes {
		most = 2
	}
	var grams []int64
	for n := length - most; n <= length+most; n++ {
		grams = append(grams, gramsOf(scope, w, n)...)
	}
	rows, err := q.SimilarWords(ctx, db.SimilarWordsParams{Grams: grams, WordsMax: similarMax})
	if err != nil {
		return "", fmt.Errorf("looking for similar words: %w", err)
	}
	nearest := map[int64]string{}
	var keys []int64
	for _, row := range rows {
		d := distance(w, row.Word)
		if d < most {
			keys, most = keys[:0], d
		}
		if d == most {
			nearest[row.Key] = row.Word
			keys = append(keys, row.Key)
		}
	}
	return mostFrequent(ctx, q, nearest, keys)
}

// mostFrequent returns the word that is on the most pages, or "" if there is none.
func mostFrequent(ctx context.Context, q finder, words map[int64]string, keys []int64) (string, error) {
	if len(keys) == 0 {
		return "", nil
	}
	counted, err := q.SearchKeyPages(ctx, keys)
	if err != nil {
		return "", fmt.Errorf("counting pages of similar words: %w", err)
	}
	best, bestPages := "", int64(0)
	for _, row := range counted {
		if w := words[row.Key]; row.Pages > bestPages || row.Pages == bestPages && bestPages > 0 && w < best {
			best, bestPages = w, row.Pages
		}
	}
	return best, nil
}

// distance returns how many letters are missing, added, wrong or swapped with the next (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var rows [3][]int
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
	}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, now := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		now[0] = i
		for j := 1; j <= len(y); j++ {
			wrong := 1
			if x[i-1] == y[j-1] {
				wrong = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(x)+1)%3][len(y)]
}
