package frontier

import "strings"

// overlapMin is which part of their words texts have in common that say the same, but for a name or a number.
const overlapMin = 0.85

// Overlap reports whether two texts have nearly all of their words in common, however often and wherever each is there. A
// Simhash cannot say so of a few sentences: of those, two words more change a third of it.
func Overlap(a, b string) bool {
	words := map[string]bool{} // whether it is in b, too
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
