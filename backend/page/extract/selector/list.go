package selector

import (
	"github.com/andybalholm/cascadia"
)

const (
	// BytesMax is the greatest length of a list's text.
	BytesMax = 1000
	// partsMax is the greatest number of compounds of one selector: those of a word are stored as bits of one integer.
	partsMax = 64
)

// List is a list of selectors. It is safe for concurrent use.
type List struct {
	selectors [][]part
	words     []word
}

// part is a compound selector and its relation to the one before.
type part struct {
	compound   cascadia.Sel
	name       string // of the element, if the compound consists only of it
	positions  []position
	combinator byte // 0: it begins a selector; else ' ', '>', '+' or '~'
	cost       cost
}

// word is a group of selectors that are matched in one walk.
type word struct {
	parts []part
	ends  uint64 // the parts that end a selector
	needs needs
}

// needs is what a walk must know about the surroundings of elements.
type needs struct {
	totals, types bool // how many elements a parent has; the same by name
	subtrees      bool // how much an element contains
}

// Join returns a list that selects what any of lists does.
func Join(lists ...*List) *List {
	joined := &List{}
	for _, l := range lists {
		joined.selectors = append(joined.selectors, l.selectors...)
	}
	joined.pack()
	return joined
}

// pack groups the selectors into words.
func (l *List) pack() {
	l.words = nil
	for _, parts := range l.selectors {
		last := len(l.words) - 1
		if last < 0 || len(l.words[last].parts)+len(parts) > partsMax {
			l.words = append(l.words, word{})
			last++
		}
		l.words[last].add(parts)
	}
}

func (w *word) add(parts []part) {
	w.parts = append(w.parts, parts...)
	w.ends |= 1 << (len(w.parts) - 1)
	for i := range parts {
		w.needs.subtrees = w.needs.subtrees || parts[i].cost.subtree > 0
		for _, p := range parts[i].positions {
			w.needs.totals = w.needs.totals || p.last
			w.needs.types = w.needs.types || p.ofType
		}
	}
}
