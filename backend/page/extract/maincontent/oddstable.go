package maincontent

import "strings"

// oddsTables are a Dictionary's lists in a form for fast look-ups, since a page needs thousands. They store 64-bit hashes
// instead of the words, of which there are some thousand.
type oddsTables struct{ classes, words oddsTable }

// Class returns the log odds of a word of class names.
func (t *oddsTables) Class(word string) float32 { return t.classes.of(word) }

// Word returns the log odds of a word of text.
func (t *oddsTables) Word(word string) float32 { return t.words.of(word) }

func newOddsTables(d *Dictionary) *oddsTables {
	return &oddsTables{classes: newOddsTable(d.Classes), words: newOddsTable(d.Words)}
}

// oddsTable is a hash table with open addressing, at most half full.
type oddsTable struct{ slots []oddsSlot }

type oddsSlot struct {
	hash uint64 // 0: empty
	odds float32
}

func newOddsTable(odds map[string]float32) oddsTable {
	size := 16
	for size < 2*len(odds) {
		size *= 2
	}
	t := oddsTable{slots: make([]oddsSlot, size)}
	for word, v := range odds {
		h := wordHash(word)
		at := h & uint64(size-1) //nolint:gosec // never negative
		for t.slots[at].hash != 0 {
			at = (at + 1) & uint64(size-1) //nolint:gosec // never negative
		}
		t.slots[at] = oddsSlot{h, v}
	}
	return t
}

func (t oddsTable) of(word string) float32 {
	h := wordHash(word)
	mask := uint64(len(t.slots) - 1) //nolint:gosec // never negative
	for at := h & mask; ; at = (at + 1) & mask {
		if s := &t.slots[at]; s.hash == h || s.hash == 0 {
			return s.odds
		}
	}
}

// wordHash is never 0 (FNV-1a, its upper half folded into the lower).
func wordHash(word string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * prime
	}
	h ^= h >> 32
	return h | 1<<63
}

// hasCurrency reports whether a text has the sign of a currency.
func hasCurrency(text string) bool {
	ascii := true
	for i := range len(text) {
		if text[i] == '$' {
			return true
		}
		ascii = ascii && text[i] < 0x80
	}
	return !ascii && strings.ContainsAny(text, "€£¥₹")
}
