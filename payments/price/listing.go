package price

import (
	"slices"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Catalogue is a [Pricer] that can say what it sells.
type Catalogue interface {
	Pricer

	// Book returns the rules in force, nil if there are none yet. As long as they
	// stay the same it is the same book.
	Book() *Book
}

var (
	_ Catalogue = (*Book)(nil)
	_ Catalogue = (*Remote)(nil)
	_ Catalogue = (*quotingRemote)(nil)
)

// Book implements [Catalogue].
func (b *Book) Book() *Book { return b }

// Book implements [Catalogue].
func (r *quotingRemote) Book() *Book { return r.remote.Book() }

// Listing is a rule as somebody reads it who wants to know what is sold.
type Listing struct {
	// Rule is the rule as it was given.
	Rule Rule
	// Terms are what a request under the rule is quoted, but for an amount that
	// depends on the request: that is 0 here.
	Terms Quote
}

// Listings returns all rules for a unit, in the order in which they hold. Those
// that are free are among them: they keep later rules from a path.
func (b *Book) Listings(unit edgewire.Unit) []Listing {
	var all []Listing
	for _, c := range b.rules {
		if c.coversUnit(unit) {
			terms := c.quote
			terms.Unit = unit
			rule := c.rule
			rule.Methods = slices.Clone(rule.Methods)
			all = append(all, Listing{Rule: rule, Terms: terms})
		}
	}
	return all
}
