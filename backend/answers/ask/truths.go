package ask

import (
	"slices"
	"strings"
)

func set(s string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		out[word] = true
	}
	return out
}

var (
	negations   = set("no not non never none without nor cannot unavailable prohibited forbidden excluded kein keine nicht ohne pas sans ni sin")
	affirmative = set("yes true ja oui si y on ✓ ✔ available included allowed permitted welcome provided")
	negative    = set("no false nein non n off ✗ ✘ unavailable excluded prohibited forbidden")
	// loose are words of names that do not say what is true or false.
	loose = set("is are has have had does do can be was the a an of for in on at to with and or it its this that whether if " +
		"true false yes no available availability allowed flag boolean there any when one")
)

// weekdays are those whose plural is as good a proof: "open on Mondays".
var weekdays = set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")

// saysTruth reports whether the quote says outright that something is so, or that it is not: a label of the field with yes or no
// beside it, or a sentence with a word of the field's name that has a negation or has none.
func (s statement) saysTruth(value bool) bool {
	text := s.span.text()
	all := fold(strings.NewReplacer("n't", " not", "✓", " yes ", "✔", " yes ", "✅", " yes ", "✗", " no ", "✘", " no ", "❌", " no ").Replace(text))
	if len(all) == 0 || len(all) > truthWordsMax || strings.HasSuffix(strings.TrimSpace(text), "?") {
		return false
	}
	if !s.names(all) {
		return false
	}
	last := all[len(all)-1]
	switch {
	case affirmative[last] && !slices.ContainsFunc(all[:len(all)-1], isNegation):
		return value
	case negative[last]:
		return !value
	}
	return value == !slices.ContainsFunc(all, isNegation)
}

// truthWordsMax is how long a quote may be that proves a truth: in a longer one a "not" may belong to anything.
const truthWordsMax = 40

func isNegation(word string) bool { return negations[word] || word == "false" }

// names reports whether words have one that tells what the field is about, be it with another ending.
func (s statement) names(all []string) bool {
	for _, source := range []string{s.field.Name, s.field.Description} {
		for _, word := range words(source) {
			if loose[word] || len(word) < 3 {
				continue
			}
			stem := word[:max(3, len(word)-3)]
			if slices.ContainsFunc(all, func(other string) bool { return other == word || len(word) > 3 && strings.HasPrefix(other, stem) }) {
				return true
			}
		}
	}
	return false
}
