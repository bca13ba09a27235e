// Package gbdt trains forests of regression trees by gradient boosting. backend/page/extract/maincontent evaluates them.
package gbdt

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// bins is how many ranges of values a feature is divided into.
const bins = 64

// Table is the training data: rows of features, each as the number of its range.
type Table struct {
	Cuts  [][]float32 // by feature, the upper ends of all ranges but the last
	Cells [][]uint8
	Label []float32 // 0–1
	Heavy []float32 // weight
}

const (
	// curveMin prevents divisions by nearly zero for shares close to 0 or 1.
	curveMin = 1e-4
	// gainMin is the least gain of a split.
	gainMin = 1e-4
)

// Settings are the parameters of one forest.
type Settings struct {
	Trees, Leaves  int
	Rate           float32
	Rows, Figures  float64 // share drawn for each tree
	LeafWeight     float32 // least second derivative in a leaf, as a share of the total
	Regularisation float32
	Seed           uint64
}

// CutsOf finds ranges that contain about equal numbers of the sampled rows.
func CutsOf(rows [][]float32, random *rand.Rand) [][]float32 {
	const sampled = 20_000
	order := random.Perm(len(rows))
	order = order[:min(len(order), sampled)]
	cuts := make([][]float32, len(rows[0]))
	values := make([]float32, len(order))
	for figure := range cuts {
		for i, row := range order {
			values[i] = rows[row][figure]
		}
		slices.Sort(values)
		for k := 1; k < bins; k++ {
			v := values[k*(len(values)-1)/bins]
			if n := len(cuts[figure]); n == 0 || v > cuts[figure][n-1] {
				cuts[figure] = append(cuts[figure], v)
			}
		}
	}
	return cuts
}

func CellsOf(rows [][]float32, cuts [][]float32) [][]uint8 {
	flat := make([]uint8, len(rows)*len(cuts))
	cells := make([][]uint8, len(rows))
	for i, row := range rows {
		cells[i] = flat[i*len(cuts) : (i+1)*len(cuts)]
		for figure, v := range row {
			at, _ := slices.BinarySearch(cuts[figure], v)
			cells[i][figure] = uint8(at) //nolint:gosec // fewer than bins
		}
	}
	return cells
}

// grower trains one forest by gradient boosting with logistic loss.
type grower struct {
	*Table
	Settings

	random  *rand.Rand
	sums    []float32 // log odds so far
	slope   []float32 // first derivatives
	curve   []float32 // second derivatives
	builder maincontent.Builder
}

// Train makes a forest from the listed rows of t. The results of several seeds are averaged into one forest.
func Train(t *Table, rows []int32, s Settings, seeds int) *maincontent.Forest {
	var positive, all float64
	for _, i := range rows {
		positive += float64(t.Label[i] * t.Heavy[i])
		all += float64(t.Heavy[i])
	}
	p := min(max(positive/all, 1e-4), 1-1e-4)
	base := float32(math.Log(p / (1 - p)))
	g := &grower{Table: t, Settings: s, slope: make([]float32, len(t.Cells)), curve: make([]float32, len(t.Cells))}
	g.builder.Forest.Width, g.builder.Forest.Base = len(t.Cuts), base
	for seed := range seeds {
		g.random = Seeded(s.Seed, seed)
		g.sums = make([]float32, len(t.Cells))
		for i := range g.sums {
			g.sums[i] = base
		}
		for range s.Trees {
			g.tree(rows, 1/float32(seeds))
		}
	}
	return &g.builder.Forest
}

func (g *grower) tree(rows []int32, part float32) {
	drawn := make([]int32, 0, len(rows))
	Parallel(len(rows), func(begin, end int) {
		for _, i := range rows[begin:end] {
			p := maincontent.Logistic(g.sums[i])
			g.slope[i] = (g.Label[i] - p) * g.Heavy[i]
			g.curve[i] = max(p*(1-p), curveMin) * g.Heavy[i]
		}
	})
	for _, i := range rows {
		if g.random.Float64() < g.Rows {
			drawn = append(drawn, i)
		}
	}
	var figures []int
	for figure := range g.Cuts {
		if g.random.Float64() < g.Figures {
			figures = append(figures, figure)
		}
	}
	root := g.grow(drawn, figures)
	g.builder.Tree()
	g.write(root, part)
	Parallel(len(rows), func(begin, end int) {
		for _, i := range rows[begin:end] {
			g.sums[i] += root.value(g.Cells[i])
		}
	})
}

// write passes a grown tree to the builder.
func (g *grower) write(b *branch, part float32) {
	if b.left == nil {
		g.builder.Leaf(b.leaf * part)
		return
	}
	g.builder.Split(b.figure, g.Cuts[b.figure][b.cut])
	g.write(b.left, part)
	g.builder.Right()
	g.write(b.right, part)
}

// branch is a node of a growing tree.
type branch struct {
	figure      int
	cut         uint8
	left, right *branch
	leaf        float32

	rows         []int32
	histogram    []derivatives
	slope, curve float32
	gain         float32
}

type derivatives struct{ slope, curve float32 }

func (b *branch) value(cells []uint8) float32 {
	for b.left != nil {
		if cells[b.figure] <= b.cut {
			b = b.left
		} else {
			b = b.right
		}
	}
	return b.leaf
}

// grow repeatedly splits the leaf with the largest gain.
func (g *grower) grow(rows []int32, figures []int) *branch {
	root := g.branch(rows, g.histogram(rows, figures))
	least := root.curve * g.LeafWeight
	g.best(root, figures, least)
	open := []*branch{root}
	for range g.Leaves - 1 {
		at := 0
		for i, b := range open {
			if b.gain > open[at].gain {
				at = i
			}
		}
		b := open[at]
		if b.gain <= gainMin {
			break
		}
		open = slices.Delete(open, at, at+1)
		g.split(b, figures)
		for _, side := range []*branch{b.left, b.right} {
			g.best(side, figures, least)
			open = append(open, side)
		}
	}
	for _, b := range open {
		b.rows, b.histogram = nil, nil
	}
	return root
}

func (g *grower) branch(rows []int32, histogram []derivatives) *branch {
	b := &branch{rows: rows, histogram: histogram}
	for _, i := range rows {
		b.slope += g.slope[i]
		b.curve += g.curve[i]
	}
	b.leaf = g.Rate * b.slope / (b.curve + g.Regularisation)
	return b
}

func (g *grower) split(b *branch, figures []int) {
	var left, right []int32
	for _, i := range b.rows {
		if g.Cells[i][b.figure] <= b.cut {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	small, large := left, right
	if len(left) > len(right) {
		small, large = right, left
	}
	// The larger side's histogram is the difference.
	h := g.histogram(small, figures)
	for i := range h {
		b.histogram[i].slope -= h[i].slope
		b.histogram[i].curve -= h[i].curve
	}
	one, other := g.branch(small, h), g.branch(large, b.histogram)
	if b.left, b.right = one, other; len(left) > len(right) {
		b.left, b.right = other, one
	}
	b.rows, b.histogram = nil, nil
}

func (g *grower) histogram(rows []int32, figures []int) []derivatives {
	h := make([]derivatives, len(figures)*bins)
	Parallel(len(figures), func(begin, end int) {
		part := figures[begin:end]
		for _, i := range rows {
			cells, slope, curve := g.Cells[i], g.slope[i], g.curve[i]
			for k, figure := range part {
				d := &h[(begin+k)*bins+int(cells[figure])]
				d.slope += slope
				d.curve += curve
			}
		}
	})
	return h
}

// best finds the split with the largest gain.
func (g *grower) best(b *branch, figures []int, least float32) {
	whole := b.slope * b.slope / (b.curve + g.Regularisation)
	for k, figure := range figures {
		var slope, curve float32
		for cut := range len(g.Cuts[figure]) {
			d := b.histogram[k*bins+cut]
			slope += d.slope
			curve += d.curve
			rest, restCurve := b.slope-slope, b.curve-curve
			if curve < least || restCurve < least {
				continue
			}
			gain := slope*slope/(curve+g.Regularisation) + rest*rest/(restCurve+g.Regularisation) - whole
			if gain > b.gain {
				b.gain, b.figure, b.cut = gain, figure, uint8(cut) //nolint:gosec // fewer than bins
			}
		}
	}
}

// Seeded returns the same numbers each time, because training must be reproducible.
func Seeded(seed uint64, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(stream))) //nolint:gosec // not a secret
}

// workers is how many parts work is divided into.
const workers = 2

// Parallel calls do with the parts of 0 to n and waits for all.
func Parallel(n int, do func(begin, end int)) {
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() { do(n*w/workers, n*(w+1)/workers) })
	}
	wait.Wait()
}
