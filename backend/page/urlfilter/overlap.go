package urlfilter

import "strings"

// overlapMin is the share of common words from which texts say the same, apart from a name or a number.
const overlapMin = 0.85

// Overlap reports whether two texts have nearly all words in common, whatever their number and order. A Simhash cannot tell
// this for a few sentences: there, two additional words change a third of its bits.
func Overlap(a, b string) bool {
	words := map[string]bool{} // the value says whether it is in b, too
	for word := range strings.FieldsSeq(a) {
		words[word] = false
	}
	all, common := len(words), 0
	for word := range strings.FieldsSeq(b) {
		met, known := words[word]
		switch {
		case !known:
			all++
			words[word] = true // counted
		case !met:
			common++
			words[word] = true
		}
	}
	return all > 0 && float64(common) >= overlapMin*float64(all)
}
