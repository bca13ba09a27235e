package price

import (
	"slices"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Catalogue is a [Pricer] that can list its rules.
type Catalogue interface {
	Pricer

	// Book returns the rules in force, nil if there are none yet. It returns the same book until the rules change.
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

// Listing is a rule as shown to readers who want to know what is offered.
type Listing struct {
	// Rule is the rule as it was given.
	Rule Rule
	// Terms are the quote for a request under the rule. An amount that depends on the request is 0 here.
	Terms Quote
}

// Listings returns all rules for a unit, in their order of precedence. They include free rules, because those override
// later rules for the same path.
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
