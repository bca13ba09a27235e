package reader

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// Kind is what sort of value a field wants. It is inferred from the field.
type Kind uint8

// The kinds.
const (
	Price Kind = iota
	Date
	Phone
	Email
	Address
	Hours
	Number
	Duration
	Person
	Name
	Boolean
	List
	Text
	URL
	ID
	kinds
)

// Kinds are the names of all kinds, in order.
func Kinds() []string {
	return []string{"price", "date", "phone", "email", "address", "hours", "number", "duration", "person", "name", "boolean", "list", "text", "url", "id"}
}

// termsMax is how many words of a field and its task are compared.
const termsMax = 64

// want is a field as it is looked for.
type want struct {
	field    ask.Field
	bit      map[stem]uint8
	weight   [termsMax]float32
	name     uint64 // the words of the name
	said     uint64 // those of the description
	task     uint64 // those of the task
	own      []stem // of the name and description, without those that most pages have
	total    [3]float32
	kinds    [kinds]float32
	kind     Kind
	unit     string
	currency string
}

// commonBelow is the weight of words that are in most pages, such as "the".
const commonBelow = 1.0

func (m *Model) want(field ask.Field, task []stem) *want {
	w := &want{field: field, bit: map[stem]uint8{}}
	set := func(mask *uint64, all []stem) {
		for _, s := range all {
			weight := m.rarity(s)
			if weight < commonBelow {
				continue
			}
			at, known := w.bit[s]
			if !known {
				if len(w.bit) >= termsMax {
					continue
				}
				at = uint8(len(w.bit)) //nolint:gosec // at most 64
				w.bit[s], w.weight[at] = at, weight
			}
			*mask |= 1 << at
		}
	}
	name, said := nameStems(strings.ReplaceAll(field.Name, "_", " ")), stemsOf(field.Description)
	set(&w.name, name)
	set(&w.said, said)
	set(&w.task, task)
	for _, s := range slices.Concat(name, said) {
		if m.rarity(s) >= commonBelow && !slices.Contains(w.own, s) {
			w.own = append(w.own, s)
		}
	}
	for i, mask := range []uint64{w.name, w.name | w.said, w.task &^ (w.name | w.said)} {
		w.total[i] = w.sum(mask)
	}
	w.kinds = m.kindsOf(field)
	for k, share := range w.kinds {
		if share > w.kinds[w.kind] {
			w.kind = Kind(k) //nolint:gosec // few
		}
	}
	w.unit, _ = ask.UnitOf(field)
	w.currency = currencyIn(field.Name + " " + field.Description)
	return w
}

func (w *want) sum(mask uint64) float32 {
	sum := float32(0)
	for ; mask != 0; mask &= mask - 1 {
		sum += w.weight[bits.TrailingZeros64(mask)]
	}
	return sum
}

// cover is the share of the weight of the field's words that a mask has: of its name, of name and description, of the rest of the task.
func (w *want) cover(mask uint64) [3]float32 {
	var out [3]float32
	for i, part := range []uint64{w.name, w.name | w.said, w.task &^ (w.name | w.said)} {
		if w.total[i] > 0 {
			out[i] = w.sum(mask&part) / w.total[i]
		}
	}
	return out
}

func (w *want) mask(all []stem) uint64 {
	out := uint64(0)
	for _, s := range all {
		if at, ok := w.bit[s]; ok {
			out |= 1 << at
		}
	}
	return out
}

func (w *want) maskOf(all []token) uint64 {
	out := uint64(0)
	for _, t := range all {
		if at, ok := w.bit[t.stem]; ok {
			out |= 1 << at
		}
	}
	return out
}

// signs are the signs of currencies with their codes.
var signs = map[string]string{
	"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "¥": "JPY", "₹": "INR", "Rs": "INR", "Rs.": "INR", "zł": "PLN",
	"Kč": "CZK", "R$": "BRL", "NZ$": "NZD", "S$": "SGD", "HK$": "HKD", "KSH": "KES", "RM": "MYR", "Rp": "IDR", "₩": "KRW", "₽": "RUB",
}

func codeOf(sign string) string {
	if code := signs[sign]; code != "" {
		return code
	}
	return strings.ToUpper(strings.TrimRight(sign, "."))
}

// currencyIn is the code of a currency that a text names; "" if it names none.
func currencyIn(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.()_", r) }) {
		if len(word) == 3 && strings.ToUpper(word) == word {
			switch word {
			case "USD", "EUR", "GBP", "CAD", "AUD", "NZD", "CHF", "JPY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "ZAR", "KES", "SGD", "HKD", "BRL", "MXN", "CNY":
				return word
			}
		}
		if code := signs[word]; code != "" && !isASCII(word) {
			return code
		}
	}
	return ""
}
