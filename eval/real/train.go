package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/answers/reader"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
	"github.com/turnpike-edge/turnpike/eval/gbdt"
)

// query is a field of a task about a page, with what was found for it out of fold.
type query struct {
	page  *page
	field *field
	ask   ask.Field
	task  string
	// isBare is that of a schema without task and descriptions: the name of the field is all that is known.
	isBare bool

	format            *ask.Format
	kind              string
	first, all, final []*reader.Candidate
	best              *reader.Candidate // nil if there is none
	got               any
	right             map[*reader.Candidate]bool
}

// found notes the candidates that were found, and which of them are right.
func (q *query) found(all []*reader.Candidate) {
	q.first, q.right = all, map[*reader.Candidate]bool{}
	for _, c := range all {
		if q.field.Value != nil && q.field.isRight(c.Value) {
			q.right[c] = true
		}
	}
}

func (q *query) isRight(c *reader.Candidate) bool { return q.right[c] }

func (q *query) has(all []*reader.Candidate) bool { return slices.ContainsFunc(all, q.isRight) }

// given is the value that is given at a least trust.
func (q *query) given(least float32) any {
	if q.best == nil || q.best.Trust < least {
		return nil
	}
	return q.best.Value
}

// rarity are the weights of words by the number of pages that have them, in sixteenths.
func rarity(pages []*page) map[uint32]uint8 {
	in := map[uint32]int{}
	for _, p := range pages {
		for _, w := range p.read.Words() {
			in[w]++
		}
	}
	out := map[uint32]uint8{}
	for w, n := range in {
		if n > 1 {
			out[w] = uint8(min(255, 16*math.Log(1+float64(len(pages))/float64(n))))
		}
	}
	return out
}

const (
	precisionMin = 0.923
	absencesMin  = 0.982
)

// threshold is the least trust at which precision and absences hold.
func threshold(queries []*query) float32 {
	order := slices.DeleteFunc(slices.Clone(queries), func(q *query) bool { return q.best == nil })
	slices.SortStableFunc(order, func(a, b *query) int { return cmp.Compare(b.best.Trust, a.best.Trust) })
	absent := 0
	for _, q := range queries {
		if q.field.Value == nil {
			absent++
		}
	}
	least := float32(1)
	right, wrongly := 0, 0
	for i, q := range order {
		if q.isRight(q.best) {
			right++
		}
		if q.field.Value == nil {
			wrongly++
		}
		if part(right, i+1) >= precisionMin && part(wrongly, absent) <= 1-absencesMin {
			least = q.best.Trust
		}
	}
	return least
}

// kindModel learns which words of fields speak for which kind, by a softmax regression.
func kindModel(queries []*query) map[uint32][15]float32 {
	names := reader.Kinds()
	weights := map[uint32][15]float32{}
	words := make([][]uint32, len(queries))
	for i, q := range queries {
		words[i] = reader.KindWords(q.ask)
	}
	random := gbdt.Seeded(1, 2)
	for epoch := range 12 {
		rate := 0.15 / float32(1+epoch/3)
		for _, i := range random.Perm(len(queries)) {
			var sums [15]float64
			total := 0.0
			for k := range sums {
				for _, w := range words[i] {
					sums[k] += float64(weights[w][k])
				}
				sums[k] = math.Exp(sums[k])
				total += sums[k]
			}
			for _, w := range words[i] {
				v := weights[w]
				for k := range v {
					target := float32(0)
					if names[k] == queries[i].field.Kind {
						target = 1
					}
					v[k] += rate * (target - float32(sums[k]/total) - 0.004*v[k])
				}
				weights[w] = v
			}
		}
	}
	return weights
}

// linkModel learns which words beside a candidate go with which words of a field, by a logistic regression.
func linkModel(queries []*query) []int8 {
	weights := make([]float32, 1<<reader.LinkBits)
	squares := make([]float32, 1<<reader.LinkBits)
	random := gbdt.Seeded(3, 4)
	bias := float32(-3)
	for range 3 {
		for _, i := range random.Perm(len(queries)) {
			q := queries[i]
			for _, c := range q.first {
				isRight := q.isRight(c)
				if !isRight && random.Float32() < 0.5 {
					continue
				}
				hashes := c.Hashes()
				sum := bias
				for _, h := range hashes {
					sum += weights[h]
				}
				target, heavy := float32(0), float32(1)
				if isRight {
					target, heavy = 1, 3
				}
				slope := heavy * (target - maincontent.Logistic(sum))
				for _, h := range hashes {
					g := slope - 0.002*weights[h]
					squares[h] += g * g
					weights[h] += 0.03 * g / float32(math.Sqrt(float64(squares[h])+1))
				}
				bias += 0.002 * slope
			}
		}
	}
	out := make([]int8, len(weights))
	for i, w := range weights {
		out[i] = int8(max(-127, min(127, math.Round(float64(w*reader.LinkScale)))))
	}
	return out
}

var (
	rankSettings  = gbdt.Settings{Trees: 130, Leaves: 22, Rate: 0.08, Rows: 0.5, Figures: 0.25, LeafWeight: 0.0005, Regularisation: 2, Seed: 1}
	trustSettings = gbdt.Settings{Trees: 120, Leaves: 10, Rate: 0.05, Rows: 0.6, Figures: 0.2, LeafWeight: 0.005, Regularisation: 4, Seed: 2}
)

func forest(rows [][]float32, label, heavy []float32, s gbdt.Settings, seeds int) *maincontent.Forest {
	t := &gbdt.Table{Cuts: gbdt.CutsOf(rows, gbdt.Seeded(s.Seed, 0)), Label: label, Heavy: heavy}
	t.Cells = gbdt.CellsOf(rows, t.Cuts)
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // far fewer
	}
	return gbdt.Train(t, order, s, seeds)
}

// ranker learns from all candidates which are right.
func ranker(queries []*query) *maincontent.Forest {
	var rows [][]float32
	var label, heavy []float32
	for _, q := range queries {
		n := 0
		for _, c := range q.all {
			if q.isRight(c) {
				n++
			}
		}
		for _, c := range q.all {
			is, weight := float32(0), float32(1)
			if q.isRight(c) {
				is, weight = 1, 4/float32(n)+0.5
			}
			rows, label, heavy = append(rows, c.Row), append(label, is), append(heavy, weight)
		}
	}
	return forest(rows, label, heavy, rankSettings, 2)
}

// truster learns from the best candidates which are right.
func truster(queries []*query) *maincontent.Forest {
	var rows [][]float32
	var label, heavy []float32
	for _, q := range queries {
		for _, c := range q.final {
			is := float32(0)
			if q.isRight(c) {
				is = 1
			}
			rows, label, heavy = append(rows, c.Final), append(label, is), append(heavy, 1)
		}
	}
	return forest(rows, label, heavy, trustSettings, 4)
}
