package reader

import (
	"math"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// Model is what was learned from pages and labels.
type Model struct {
	// Rarity is how rare words are among pages, in sixteenths.
	Rarity map[uint32]uint8
	// Kinds are for each word of fields how much it speaks for each kind.
	Kinds map[uint32][kinds]float32
	// Links are how much a word of a field and one beside a value speak for it, by their common hash.
	Links []int8
	// Ranker estimates whether a candidate is the value, as log odds. Trust does so for the best one.
	Ranker, Trust *maincontent.Forest
	// TrustMin is how far a candidate must be trusted to be given.
	TrustMin float32
}

const (
	rarityScale = 16
	raritySeen  = 7.5 // of words that were never seen
)

func (m *Model) rarity(s stem) float32 {
	if n, ok := m.Rarity[uint32(s)]; ok {
		return float32(n) / rarityScale
	}
	return raritySeen
}

// typeStem stands for the type of a field among its words.
func typeStem(field ask.Field) stem { return stemOf("type:" + field.Type + ":" + field.Form) }

// KindWords are the hashes of the words by which the kind of a field is inferred.
func KindWords(field ask.Field) []uint32 {
	var out []uint32
	add := func(s stem) {
		if !slices.Contains(out, uint32(s)) {
			out = append(out, uint32(s))
		}
	}
	add(typeStem(field))
	name := nameStems(field.Name)
	for i, s := range name {
		add(s*31 + 7)
		if i == len(name)-1 {
			add(s*17 + 3)
		}
	}
	said := stemsOf(field.Description)
	for i, s := range said {
		add(s)
		if i == 0 {
			add(s*13 + 5)
		}
	}
	return out
}

// kindsOf are the probabilities of the kinds of a field.
func (m *Model) kindsOf(field ask.Field) [kinds]float32 {
	var sums [kinds]float64
	for _, word := range KindWords(field) {
		w := m.Kinds[word]
		for k := range sums {
			sums[k] += float64(w[k])
		}
	}
	allowed := func(k Kind) bool {
		switch field.Type {
		case "boolean":
			return k == Boolean
		case "array":
			return k == List
		case "number", "integer":
			return k == Price || k == Number || k == Duration
		case "string":
			switch field.Form {
			case "date", "date-time":
				return k == Date
			case "email", "idn-email":
				return k == Email
			case "uri", "url", "iri", "uri-reference":
				return k == URL
			}
			return k != Boolean && k != List
		}
		return k != List
	}
	var out [kinds]float32
	total := 0.0
	for k := range sums {
		if allowed(Kind(k)) { //nolint:gosec // few
			total += math.Exp(sums[k])
		}
	}
	for k := range sums {
		if allowed(Kind(k)) { //nolint:gosec // few
			out[k] = float32(math.Exp(sums[k]) / total)
		}
	}
	return out
}
