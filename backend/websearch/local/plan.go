package local

import (
	"cmp"
	"slices"
)

const (
	// queryTermsMax is how many terms of a query are searched for: the rarest.
	queryTermsMax = 12
	// clauseTermsMax is how many terms one clause combines.
	clauseTermsMax = 6
	// clausePages is the target number of pages of a clause, clausePagesMax how many are examined.
	clausePages, clausePagesMax = 200, 300
	// rareMax is how many terms are searched for alone.
	rareMax = 4
)

// lookup is a term of a query in one scope, with its number of pages at each level.
type lookup struct {
	text  string
	pages [levels]int64
}

// clause is a conjunction of terms, each at a level, that a page must match.
type clause struct {
	terms  []int // indexes of the plan's terms
	levels []int
}

// plan is the search in one scope.
type plan struct {
	scope string
	all   int64 // pages of the scope
	terms []lookup
}

// estimate returns how many pages a clause would have if its terms were independent.
func (p *plan) estimate(c *clause) float64 {
	n := float64(p.all)
	for i, t := range c.terms {
		n *= float64(p.terms[t].pages[c.levels[i]]) / float64(max(p.all, 1))
	}
	return n
}

// most returns the upper bound of a clause's pages.
func (p *plan) most(c *clause) int64 {
	least := p.all
	for i, t := range c.terms {
		least = min(least, p.terms[t].pages[c.levels[i]])
	}
	return least
}

// raise raises the levels of a clause's terms, in turns or one after the other, until the estimate is at most pages, or no
// higher level has pages.
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

// clauses returns what is searched for: all terms together, all but one, each alone, at levels that few pages have. A
// conjunction whose terms may often occur together, and so match more pages, is added at higher levels, too.
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

// literals returns clauses in the form of the statement, each with the further keys.
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
