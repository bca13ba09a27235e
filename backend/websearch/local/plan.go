package local

import (
	"cmp"
	"slices"
)

const (
	// queryTermsMax is how many terms of a query are looked for: the rarest.
	queryTermsMax = 12
	// clauseTermsMax is how many are asked for together.
	clauseTermsMax = 6
	// clausePages is how many pages a clause is to have, about, and clausePagesMax how many are looked at.
	clausePages, clausePagesMax = 200, 300
	// rareMax is how many terms are asked for alone.
	rareMax = 4
)

// lookup is a term of a query in one scope: on how many pages it is, at each level.
type lookup struct {
	text  string
	pages [levels]int64
}

// clause is what a page must have, all of it: the levels of terms.
type clause struct {
	terms  []int // indexes of the plan's terms
	levels []int
}

// plan is what is asked for in one scope.
type plan struct {
	scope string
	all   int64 // pages of the scope
	terms []lookup
}

// estimate is how many pages a clause would have if its terms had nothing to do with one another.
func (p *plan) estimate(c *clause) float64 {
	n := float64(p.all)
	for i, t := range c.terms {
		n *= float64(p.terms[t].pages[c.levels[i]]) / float64(max(p.all, 1))
	}
	return n
}

// most is how many pages a clause can have at most.
func (p *plan) most(c *clause) int64 {
	least := p.all
	for i, t := range c.terms {
		least = min(least, p.terms[t].pages[c.levels[i]])
	}
	return least
}

// raise goes up with terms of a clause, in turns or one after the other, until it has no more than about so many pages, or
// there is no higher level that any page has.
func (p *plan) raise(c *clause, inTurns bool, pages float64) {
	for raised := true; raised && p.estimate(c) > pages; {
		raised = false
		for i, t := range c.terms {
			for c.levels[i]+1 < levels && p.terms[t].pages[c.levels[i]+1] > 0 && p.estimate(c) > pages {
				c.levels[i]++
				raised = true
				if inTurns {
					break
				}
			}
		}
	}
}

// clauses are what is asked for: all terms together, all but one, each alone, always at levels that few pages have. Where
// a conjunction may have more pages than that, since terms keep company, it is asked for at higher levels, too.
func (p *plan) clauses() []clause {
	order := make([]int, len(p.terms))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.terms[a].pages[0], p.terms[b].pages[0]) })
	var all []clause
	add := func(terms []int, inTurns bool, pages float64) {
		c := clause{slices.Clone(terms), make([]int, len(terms))}
		p.raise(&c, inTurns, pages)
		if p.most(&c) > 0 && !slices.ContainsFunc(all, c.equals) {
			all = append(all, c)
		}
	}
	present := slices.DeleteFunc(order, func(t int) bool { return p.terms[t].pages[0] == 0 })
	together := present[:min(len(present), clauseTermsMax)]
	if len(together) > 1 {
		add(together, true, clausePages)
		add(together, false, clausePages)
		if p.most(&all[0]) > clausePagesMax {
			add(together, true, clausePages/16)
		}
	}
	if len(together) > 2 {
		for i := range together {
			add(slices.Delete(slices.Clone(together), i, i+1), true, clausePages)
		}
	}
	if len(together) > 3 {
		add(together[:2], true, clausePages)
	}
	for _, t := range present[:min(len(present), rareMax)] {
		add([]int{t}, true, clausePages)
	}
	return all
}

func (c clause) equals(other clause) bool {
	return slices.Equal(c.terms, other.terms) && slices.Equal(c.levels, other.levels)
}

// literals are clauses as the statement takes them, each with further keys.
func (p *plan) literals(clauses []clause, further ...int64) []string {
	out := make([]string, 0, len(clauses))
	for _, c := range clauses {
		keys := slices.Clone(further)
		for i, t := range c.terms {
			keys = append(keys, keyOf(p.scope, kindTerm, c.levels[i], p.terms[t].text))
		}
		out = append(out, literal(keys))
	}
	return out
}
