package reader

import (
	"cmp"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// finalists is how many values are compared at the end.
const finalists = 8

// Rank returns the best candidates of a field, one for each value, with the rows for their trust.
func (m *Model) Rank(all []*Candidate) []*Candidate {
	mass, agree := map[string]float32{}, map[string]int{}
	total := float32(0)
	for _, c := range all {
		c.Chance = m.Ranker.Value(c.Row)
		p := maincontent.Logistic(c.Chance)
		mass[c.Key] += p
		agree[c.Key]++
		total += p
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *Candidate) int { return cmp.Compare(b.Chance, a.Chance) })
	var best []*Candidate
	seen := map[string]bool{}
	for _, c := range order {
		if !seen[c.Key] && len(best) < finalists {
			seen[c.Key] = true
			best = append(best, c)
		}
	}
	for rank, c := range best {
		rival := float32(-12)
		for _, o := range best {
			if o != c {
				rival = max(rival, o.Chance)
			}
		}
		c.Final = append(slices.Clone(c.Row), c.Chance, rival, c.Chance-rival, float32(rank), float32(agree[c.Key]), mass[c.Key], total-mass[c.Key], mass[c.Key]/max(total, 1e-6))
	}
	return best
}

// Contest adds to the rows of the ranked candidates of all fields of a task what other fields make of the same value: one of two prices is
// the price of one thing only.
func Contest(fields [][]*Candidate) {
	for i, ranked := range fields {
		for _, c := range ranked {
			rival, others := float32(-12), 0
			for k, other := range fields {
				if k == i {
					continue
				}
				for _, o := range other {
					if o.Key == c.Key {
						rival = max(rival, o.Chance)
						others++
					}
				}
			}
			c.Final = append(c.Final, rival, c.Chance-rival, float32(others), float32(len(fields)))
		}
	}
}

// Choose sets the trust of ranked candidates, and returns the one that is trusted most; nil if there is none.
func (m *Model) Choose(ranked []*Candidate) *Candidate {
	var best *Candidate
	for _, c := range ranked {
		if c.Trust = maincontent.Logistic(m.Trust.Value(c.Final)); best == nil || c.Trust > best.Trust {
			best = c
		}
	}
	return best
}
