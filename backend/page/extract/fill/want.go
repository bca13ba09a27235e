package fill

import (
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// want is a property to be filled.
type want struct {
	node  *jsonschema.Node // as View returns it
	names [][]string       // possible names, the schema's name first
	keys  []string         // of the names, as far as they are computed
	// concepts are its possible meanings, the likeliest first.
	concepts []concept
	unit     string // the unit that its name prescribes, "kg" in "weight_kg"
	bound    bound
	parent   *want // the property whose object contains this one; nil at the root and in records
}

// bound is the end of a range that a name asks for: "salary_min".
type bound int

const (
	boundNone bound = iota
	boundMin
	boundMax
)

var bounds = map[string]bound{
	"min": boundMin, "minimum": boundMin, "from": boundMin, "lowest": boundMin, "low": boundMin,
	"max": boundMax, "maximum": boundMax, "to": boundMax, "highest": boundMax, "high": boundMax,
}

// units are the units that may end a name, with the dimension that they measure.
var units = map[string]string{
	"eur": "money", "usd": "money", "gbp": "money", "chf": "money",
	"kg": "mass", "g": "mass", "mg": "mass", "lb": "mass", "lbs": "mass", "oz": "mass",
	"km": "length", "m": "length", "cm": "length", "mm": "length", "inch": "length", "inches": "length", "ft": "length", "miles": "length",
	"sqm": "area", "m2": "area", "km2": "area", "sqkm": "area", "qm": "area", "sqft": "area", "ha": "area",
	"l": "volume", "ml": "volume", "cl": "volume",
	"min": "time", "mins": "time", "minute": "time", "minutes": "time", "h": "time", "hour": "time", "hours": "time", "hr": "time", "hrs": "time",
	"day": "time", "days": "time", "week": "time", "weeks": "time", "month": "time", "months": "time", "year": "time", "years": "time",
	"sec": "time", "second": "time", "seconds": "time", "s": "time",
	"w": "power", "kw": "power", "kwh": "energy", "kcal": "energy", "kj": "energy", "gb": "data", "tb": "data", "mb": "data",
	"percent": "share", "pct": "share",
}

func newWant(name string, node *jsonschema.Node, parent *want) *want {
	w := &want{node: node.View(), parent: parent}
	all := words(name)
	w.names = [][]string{all}
	numeric := w.node.Is("number") || w.node.Is("integer")
	if last := len(all) - 1; last > 0 {
		if b := bounds[all[last]]; b != boundNone && numeric && !strings.Contains(name, "minutes") {
			w.bound = b
			w.names = append(w.names, all[:last])
		} else if b := bounds[all[0]]; b != boundNone && numeric {
			w.bound = b
			w.names = append(w.names, all[1:])
		} else if units[all[last]] != "" && numeric {
			w.unit = all[last]
			w.names = append(w.names, slices.DeleteFunc(slices.Clone(all[:last]), func(word string) bool { return word == "in" }))
		}
		if stripped := telling(all)[1:]; entities[all[0]] && len(stripped) > 0 && !entities[name] {
			w.names = append(w.names, stripped)
		}
	}
	if w.node.Title != "" {
		w.names = append(w.names, words(w.node.Title))
	}
	for _, n := range w.names {
		w.mean(n)
	}
	if len(w.concepts) == 0 {
		// A description that is only a label, in other words.
		if said := telling(words(w.node.Description)); len(said) > 0 && len(said) <= 4 {
			w.mean(said)
		}
	}
	return w
}

func (w *want) mean(name []string) {
	known := conceptsByLabel[key(name)]
	if rest := telling(name); len(known) == 0 && len(rest) > 1 && entities[rest[0]] {
		known = conceptsByLabel[key(rest[1:])]
	}
	for _, c := range known {
		if !slices.Contains(w.concepts, c) {
			w.concepts = append(w.concepts, c)
		}
	}
}

func (w *want) means(concepts ...concept) bool {
	return slices.ContainsFunc(concepts, func(c concept) bool { return slices.Contains(w.concepts, c) })
}

// The trust in evidence by its label.
const (
	sameWords   = 1.0
	sameThing   = 0.9
	almost      = 0.7
	described   = 0.55
	notAtAll    = 0.0
	leastTrust  = 0.4
	labelsWords = 6 // of a label at most
)

// match is how well a label names the wanted property.
func (w *want) match(label []string) float64 {
	return w.matchKey(label, key(label))
}

// matchKey is match for a label whose key is known.
func (w *want) matchKey(label []string, own string) float64 {
	if len(label) == 0 || len(label) > labelsWords+3 {
		return notAtAll
	}
	if len(w.keys) != len(w.names) {
		w.keys = make([]string, len(w.names))
		for i, name := range w.names {
			w.keys[i] = key(name)
		}
	}
	if slices.Contains(w.keys, own) {
		return sameWords
	}
	for i, c := range w.concepts {
		if slices.Contains(conceptsByLabel[own], c) {
			return sameThing - 0.01*float64(min(i, 5))
		}
	}
	if w.unit != "" && strings.Join(label, "") == w.unit {
		return sameThing // "1,780 sq ft"
	}
	if slices.ContainsFunc(label, isGeneric) || slices.ContainsFunc(w.names, func(name []string) bool { return slices.ContainsFunc(name, isGeneric) }) {
		bare := withoutGeneric(label)
		for _, name := range w.names {
			if n := withoutGeneric(name); len(n) > 0 && len(bare) > 0 && key(n) == key(bare) {
				return almost
			}
		}
	}
	if len(telling(label)) >= 2 && w.node.Description != "" && strings.Contains(" "+key(words(w.node.Description))+" ", " "+own+" ") {
		return described
	}
	return notAtAll
}

func isGeneric(word string) bool { return generic[word] }

func withoutGeneric(name []string) []string {
	return slices.DeleteFunc(slices.Clone(telling(name)), isGeneric)
}

// vague are names that mean nothing without their context.
func (w *want) vague() bool {
	return w.means("name", "url", "description", "image", "published", "category", "quantity", "message") || len(w.names[0]) == 1 && vague[w.names[0][0]]
}

var vague = set("id value type unit key label code text status count min max date number kind amount")

// conflicts reports whether a unit differs from the prescribed one but measures the same dimension.
func (w *want) conflicts(unit string) bool {
	return w.unit != "" && unit != "" && units[unit] == units[w.unit] && singular(unit) != singular(w.unit) && !(meters[unit] && meters[w.unit])
}
