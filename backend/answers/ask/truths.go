package ask

import (
	"regexp"
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
	// loose are words in names that do not say what is true or false.
	loose = set("is are has have had does do can be was the a an of for in on at to with and or it its this that whether if " +
		"true false yes no available availability allowed flag boolean there any when one " +
		"accepts accept accepted takes offers offered includes included contains provided possible needed required requires get supports supported support")
)

// weekdays are proved also by their plural: "open on Mondays".
var weekdays = set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")

// saysTruth reports whether the quote states value explicitly: the field's label with yes or no beside it, or a sentence
// with a word of the field's name, negated or not.
func (s statement) saysTruth(value bool) bool {
	text := s.span.text()
	all := words(marksOfTruth.Replace(text))
	if len(all) == 0 || len(all) > truthWordsMax || strings.HasSuffix(strings.TrimSpace(text), "?") {
		return false
	}
	if !s.names(all) {
		return false
	}
	if slices.Contains(telling(s.field.Name), "open") && slices.Contains(all, "closed") {
		return !value && !slices.Contains(all, "open") // if both occur, they are about different times
	}
	if row := truthsOf(all); len(row) > 1 {
		return slices.Contains(row, value) // of several columns; the finder knows which one is meant
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

// truthsOf are the values of a table row that ends in a yes or no for each of several columns.
func truthsOf(all []string) []bool {
	var out []bool
	for _, word := range slices.Backward(all) {
		switch word {
		case "yes", "true":
			out = append(out, true)
		case "no", "false":
			out = append(out, false)
		default:
			return out
		}
	}
	return out
}

// truthWordsMax is how long a quote that proves a boolean may be: in a longer one, "not" may refer to anything.
const truthWordsMax = 40

func isNegation(word string) bool { return negations[word] || word == "false" }

// marksOfTruth replaces symbols of yes and no with words, and adds "not available" to sold-out phrases.
var marksOfTruth = strings.NewReplacer("n't", " not", "✓", " yes ", "✔", " yes ", "✅", " yes ", "✗", " no ", "✘", " no ", "❌", " no ",
	"ut of stock", "ut of stock not available", "old out", "old out not available")

// isState reports whether a word of a field's name only says that the subject is available.
func isState(word string) bool {
	return word == "available" || word == "availability" || word == "stock"
}

// saysState reports whether words say that the subject itself is available or not: "available now", "in stock", "stock: no".
func saysState(all []string) bool {
	for i, word := range all {
		switch {
		case word == "available", word == "availability", word == "unavailable":
			return true
		case word == "stock" && (i == 0 || all[i-1] == "in" || all[i-1] == "on" || all[i-1] == "of"):
			return true
		}
	}
	return false
}

// names reports whether words mention what the field is about: all words of its name, in any inflection, or most of its description.
// For a name that only says "available", words about availability suffice; for "wifi_available" they do not, as it is about wifi.
func (s statement) names(all []string) bool {
	all = withPairs(append(slices.Clone(all), fold(s.span.text())...))
	name := telling(s.field.Name)
	if slices.Contains(all, "closed") {
		name = slices.DeleteFunc(name, func(word string) bool { return word == "open" && len(name) > 1 })
	}
	if len(name) == 0 && slices.ContainsFunc(words(s.field.Name), isState) && saysState(all) {
		return true
	}
	if len(name) > 0 && (spoken(name, all)*3 >= len(name)*2 || isProperty(name, s.span.text())) {
		return true
	}
	described := telling(s.field.Description)
	return len(described) > 0 && spoken(described, all)*2 > len(described)
}

// withPairs adds the concatenations of neighbouring words: "Wi-Fi" also is "wifi", a "tow bar" a "towbar".
func withPairs(all []string) []string {
	out := all
	for i := range len(all) - 1 {
		out = append(out, all[i]+all[i+1])
	}
	return out
}

// isProperty reports whether a quote is a property of structured data whose name ends the field's name. The start of the
// field's name is then an enclosing object's, which the quote lacks.
func isProperty(name []string, quote string) bool {
	m := property.FindStringSubmatch(quote)
	if m == nil {
		return false
	}
	own := words(m[1])
	return len(own) > 0 && len(own) <= len(name) && slices.Equal(own, name[len(name)-len(own):])
}

// property matches a JSON property that is true or false.
var property = regexp.MustCompile(`^"([^"]+)"\s*:\s*(?:true|false)$`)

// telling are the words of a name or description that say what it is about.
func telling(text string) []string {
	return slices.DeleteFunc(words(text), func(word string) bool {
		return loose[word] || isState(word) || len(word) < 3 && !strings.ContainsAny(word, "0123456789")
	})
}

// spoken is how many of some words are among all, in any inflection.
func spoken(some, all []string) int {
	n := 0
	for _, word := range some {
		stem := word[:min(len(word), max(3, len(word)-3))]
		if slices.ContainsFunc(all, func(other string) bool {
			return other == word || len(word) > 3 && (strings.HasPrefix(other, stem) || len(other) > 3 && strings.HasPrefix(word, other))
		}) {
			n++
		}
	}
	return n
}

// Says reports whether a quote states explicitly that what a boolean field is about is so, or is not so.
func Says(field Field, quote string, value bool, language string) bool {
	p := newPiece(quote)
	return statement{span{p, 0, len(p.text)}, language, field}.saysTruth(value)
}
