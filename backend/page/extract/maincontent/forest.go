package maincontent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Forest is a sum of regression trees.
type Forest struct {
	// Width is how many features a row has.
	Width int
	// Base is the value to which the trees add.
	Base  float32
	nodes []node
	roots []int32
}

// node is a split, or a leaf.
type node struct {
	// threshold: features up to it lead to the next node, larger ones to right. In a leaf it is the value.
	threshold float32
	figure    uint16
	leaf      bool
	right     int32
}

// Value is the sum for one row.
func (f *Forest) Value(row []float32) float32 {
	sum := f.Base
	for _, at := range f.roots {
		for !f.nodes[at].leaf {
			if n := &f.nodes[at]; row[n.figure] <= n.threshold {
				at++
			} else {
				at = n.right
			}
		}
		sum += f.nodes[at].threshold
	}
	return sum
}

// Logistic turns log odds into a share.
func Logistic(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

var errWeights = errors.New("weights are damaged")

const leafMark = 0xFFFF

// valueScale is the unit of a leaf's stored value: 1/4096.
const valueScale = 4096

// Builder builds a forest, each node before its left and then its right side.
type Builder struct {
	Forest Forest
	patch  []int32
}

// Tree begins a tree.
func (b *Builder) Tree() { b.Forest.roots = append(b.Forest.roots, b.next()) }

func (b *Builder) next() int32 { return number(len(b.Forest.nodes)) }

// number is the number of a node. A forest has some ten thousand.
func number(n int) int32 { return int32(n) } //nolint:gosec // far below the bound

// Split adds a split. The left side follows and then, after Right, the right side.
func (b *Builder) Split(figure int, threshold float32) {
	b.patch = append(b.patch, b.next())
	b.Forest.nodes = append(b.Forest.nodes, node{figure: uint16(figure), threshold: threshold}) //nolint:gosec // there are a few hundred figures
}

// Right begins the right side of the innermost split that has none yet.
func (b *Builder) Right() {
	last := len(b.patch) - 1
	b.Forest.nodes[b.patch[last]].right = b.next()
	b.patch = b.patch[:last]
}

// Leaf adds a value, rounded to the precision of the file.
func (b *Builder) Leaf(value float32) {
	b.Forest.nodes = append(b.Forest.nodes, node{leaf: true, threshold: roundLeaf(value)})
}

func roundLeaf(v float32) float32 {
	scaled := math.Round(float64(v) * valueScale)
	return float32(max(math.MinInt16, min(scaled, math.MaxInt16))) / valueScale
}

// Append appends the forest to out: the sorted thresholds of each feature, then the trees, whose splits refer to a
// threshold by its number.
func (f *Forest) Append(out []byte) []byte {
	thresholds, numbers := f.thresholds()
	out = binary.AppendUvarint(out, uint64(f.Width)) //nolint:gosec // never negative
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f.Base))
	for _, list := range thresholds {
		out = binary.AppendUvarint(out, uint64(len(list)))
		for _, v := range list {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	out = binary.AppendUvarint(out, uint64(len(f.roots)))
	for t, root := range f.roots {
		end := number(len(f.nodes))
		if t+1 < len(f.roots) {
			end = f.roots[t+1]
		}
		out = binary.AppendUvarint(out, uint64(end-root)) //nolint:gosec // never negative
		for at := root; at < end; at++ {
			n := &f.nodes[at]
			if n.leaf {
				out = binary.LittleEndian.AppendUint16(out, leafMark)
				out = binary.LittleEndian.AppendUint16(out, uint16(int16(n.threshold*valueScale))) //nolint:gosec // the bits are kept
				continue
			}
			out = binary.LittleEndian.AppendUint16(out, n.figure)
			out = append(out, numbers[n.figure][n.threshold], byte(n.right-at))
		}
	}
	return out
}

// ReadForest reads what Append wrote, and returns what follows it.
func ReadForest(in []byte) (*Forest, []byte, error) {
	r := reader{in: in}
	f := &Forest{Width: r.count(leafMark - 1), Base: math.Float32frombits(r.uint32())}
	thresholds := make([][]float32, f.Width)
	for i := range thresholds {
		thresholds[i] = make([]float32, r.count(256))
		for k := range thresholds[i] {
			thresholds[i][k] = math.Float32frombits(r.uint32())
		}
	}
	for range r.count(10_000) {
		r.tree(f, thresholds)
	}
	return f, r.in, r.err
}

// tree reads one tree. Every right side must come after its split and within the tree, so that walks terminate.
func (r *reader) tree(f *Forest, thresholds [][]float32) {
	size := r.count(256)
	root := len(f.nodes)
	f.roots = append(f.roots, number(root))
	for at := range size {
		figure := r.uint16()
		if figure == leafMark {
			f.nodes = append(f.nodes, node{leaf: true, threshold: float32(int16(r.uint16())) / valueScale}) //nolint:gosec // the bits are kept
			continue
		}
		which, step := int(r.byte()), int(r.byte())
		if int(figure) >= f.Width || which >= len(thresholds[figure]) || step < 2 || at+step >= size {
			r.failf("tree %d has an invalid split", len(f.roots))
			return
		}
		f.nodes = append(f.nodes, node{figure: figure, threshold: thresholds[figure][which], right: number(root + at + step)})
	}
	if size == 0 || !f.nodes[len(f.nodes)-1].leaf {
		r.failf("tree %d does not end with a leaf", len(f.roots))
	}
}

// reader reads numbers from bytes; after the first error it returns zeros.
type reader struct {
	in  []byte
	err error
}

func (r *reader) failf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{errWeights}, args...)...)
	}
	r.in = nil
}

func (r *reader) take(n int) []byte {
	if len(r.in) < n {
		r.failf("unexpected end")
		return make([]byte, n)
	}
	taken := r.in[:n]
	r.in = r.in[n:]
	return taken
}

func (r *reader) byte() byte     { return r.take(1)[0] }
func (r *reader) uint16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *reader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

func (r *reader) count(most int) int {
	n, size := binary.Uvarint(r.in)
	if size <= 0 || n > uint64(most) { //nolint:gosec // never negative
		r.failf("a number exceeds %d", most)
		return 0
	}
	r.in = r.in[size:]
	return int(n) //nolint:gosec // within its bound
}

// thresholds are the distinct sorted thresholds of each feature, and the number of each.
func (f *Forest) thresholds() ([][]float32, []map[float32]byte) {
	lists, numbers := make([][]float32, f.Width), make([]map[float32]byte, f.Width)
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.leaf {
			continue
		}
		if numbers[n.figure] == nil {
			numbers[n.figure] = map[float32]byte{}
		}
		if _, known := numbers[n.figure][n.threshold]; !known {
			numbers[n.figure][n.threshold] = 0
			lists[n.figure] = append(lists[n.figure], n.threshold)
		}
	}
	for figure, list := range lists {
		slices.Sort(list)
		for i, v := range list {
			numbers[figure][v] = byte(i)
		}
	}
	return lists, numbers
}
