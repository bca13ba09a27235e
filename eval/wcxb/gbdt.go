package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// bins is how many ranges of values a feature is divided into.
const bins = 64

// table is the training data: rows of features, each as the number of its range.
type table struct {
	cuts  [][]float32 // by feature, the upper ends of all ranges but the last
	cells [][]uint8
	label []float32 // 0–1
	heavy []float32 // weight
}

const (
	// curveMin prevents divisions by nearly zero for shares close to 0 or 1.
	curveMin = 1e-4
	// gainMin is the least gain of a split.
	gainMin = 1e-4
)

// settings are the parameters of one forest.
type settings struct {
	trees, leaves  int
	rate           float32
	rows, figures  float64 // share drawn for each tree
	leafWeight     float32 // least second derivative in a leaf, as a share of the total
	regularisation float32
	seed           uint64
}

// cutsOf finds ranges that contain about equal numbers of the sampled rows.
func cutsOf(rows [][]float32, random *rand.Rand) [][]float32 {
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

func cellsOf(rows [][]float32, cuts [][]float32) [][]uint8 {
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
	*table
	settings

	random  *rand.Rand
	sums    []float32 // log odds so far
	slope   []float32 // first derivatives
	curve   []float32 // second derivatives
	builder maincontent.Builder
}

// train makes a forest from the listed rows of t. The results of several seeds are averaged into one forest.
func train(t *table, rows []int32, s settings, seeds int) *maincontent.Forest {
	var positive, all float64
	for _, i := range rows {
		positive += float64(t.label[i] * t.heavy[i])
		all += float64(t.heavy[i])
	}
	p := min(max(positive/all, 1e-4), 1-1e-4)
	base := float32(math.Log(p / (1 - p)))
	g := &grower{table: t, settings: s, slope: make([]float32, len(t.cells)), curve: make([]float32, len(t.cells))}
	g.builder.Forest.Width, g.builder.Forest.Base = len(t.cuts), base
	for seed := range seeds {
		g.random = seeded(s.seed, seed)
		g.sums = make([]float32, len(t.cells))
		for i := range g.sums {
			g.sums[i] = base
		}
		for range s.trees {
			g.tree(rows, 1/float32(seeds))
		}
	}
	return &g.builder.Forest
}

func (g *grower) tree(rows []int32, part float32) {
	drawn := make([]int32, 0, len(rows))
	parallel(len(rows), func(begin, end int) {
		for _, i := range rows[begin:end] {
			p := maincontent.Logistic(g.sums[i])
			g.slope[i] = (g.label[i] - p) * g.heavy[i]
			g.curve[i] = max(p*(1-p), curveMin) * g.heavy[i]
		}
	})
	for _, i := range rows {
		if g.random.Float64() < g.rows {
			drawn = append(drawn, i)
		}
	}
	var figures []int
	for figure := range g.cuts {
		if g.random.Float64() < g.figures {
			figures = append(figures, figure)
		}
	}
	root := g.grow(drawn, figures)
	g.builder.Tree()
	g.write(root, part)
	parallel(len(rows), func(begin, end int) {
		for _, i := range rows[begin:end] {
			g.sums[i] += root.value(g.cells[i])
		}
	})
}

// write passes a grown tree to the builder.
func (g *grower) write(b *branch, part float32) {
	if b.left == nil {
		g.builder.Leaf(b.leaf * part)
		return
	}
	g.builder.Split(b.figure, g.cuts[b.figure][b.cut])
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
	least := root.curve * g.leafWeight
	g.best(root, figures, least)
	open := []*branch{root}
	for range g.leaves - 1 {
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
	b.leaf = g.rate * b.slope / (b.curve + g.regularisation)
	return b
}

func (g *grower) split(b *branch, figures []int) {
	var left, right []int32
	for _, i := range b.rows {
		if g.cells[i][b.figure] <= b.cut {
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
	parallel(len(figures), func(begin, end int) {
		part := figures[begin:end]
		for _, i := range rows {
			cells, slope, curve := g.cells[i], g.slope[i], g.curve[i]
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
	whole := b.slope * b.slope / (b.curve + g.regularisation)
	for k, figure := range figures {
		var slope, curve float32
		for cut := range len(g.cuts[figure]) {
			d := b.histogram[k*bins+cut]
			slope += d.slope
			curve += d.curve
			rest, restCurve := b.slope-slope, b.curve-curve
			if curve < least || restCurve < least {
				continue
			}
			gain := slope*slope/(curve+g.regularisation) + rest*rest/(restCurve+g.regularisation) - whole
			if gain > b.gain {
				b.gain, b.figure, b.cut = gain, figure, uint8(cut) //nolint:gosec // fewer than bins
			}
		}
	}
}

// seeded returns the same numbers each time, because training must be reproducible.
func seeded(seed uint64, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(stream))) //nolint:gosec // not a secret
}

// workers is how many parts work is divided into.
const workers = 2

// parallel calls do with the parts of 0 to n and waits for all.
func parallel(n int, do func(begin, end int)) {
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() { do(n*w/workers, n*(w+1)/workers) })
	}
	wait.Wait()
}
