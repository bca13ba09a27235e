package maincontent

import (
	"math"
	"math/bits"
)

const (
	// sieveRows is how many rows go through a forest at once: one for each bit.
	sieveRows = 64
	// sieveNodesMax is the greatest number of nodes of a tree, given by the file format.
	sieveNodesMax = 256
	// sieveSearchMin is the number of thresholds from which on binary search is faster than comparing each row with all.
	sieveSearchMin = 4
)

// sieve is a forest prepared to evaluate many rows at once. Walking each row down each tree is a chain of branches, half
// of which a processor mispredicts. Instead all comparisons of any tree are computed for all rows first, one bit per row,
// and the trees only split sets of rows: a hundred bit operations instead of hundreds of walks.
type sieve struct {
	// cuts are the sorted thresholds of all features, as converted by ordered; those of a feature begin at first[figure].
	cuts  []int64
	first []int32

	questions []question
	leaves    []float32
	trees     []sieveTree
}

// question splits the rows at its place in the tree between two later places.
type question struct {
	cut         int32
	left, right uint8
}

// sieveTree is the number of a tree's questions and leaves. Questions have the places of their number, each before the
// two places it leads to; leaves follow.
type sieveTree struct{ questions, leaves int }

func newSieve(f *Forest) *sieve {
	s := &sieve{}
	thresholds, numbers := f.thresholds()
	for _, list := range thresholds {
		s.first = append(s.first, number(len(s.cuts)))
		for _, cut := range list {
			s.cuts = append(s.cuts, ordered(cut))
		}
	}
	s.first = append(s.first, number(len(s.cuts)))
	for t, root := range f.roots {
		end := len(f.nodes)
		if t+1 < len(f.roots) {
			end = int(f.roots[t+1])
		}
		s.tree(f.nodes[root:end], int(root), numbers)
	}
	return s
}

func (s *sieve) tree(nodes []node, root int, numbers []map[float32]byte) {
	var t sieveTree
	for _, n := range nodes {
		if !n.leaf {
			t.questions++
		}
	}
	places := make([]uint8, len(nodes))
	asked := 0
	for i, n := range nodes {
		if n.leaf {
			places[i] = uint8(t.questions + t.leaves) //nolint:gosec // at most sieveNodesMax
			t.leaves++
			s.leaves = append(s.leaves, n.threshold)
			continue
		}
		places[i] = uint8(asked) //nolint:gosec // at most sieveNodesMax
		asked++
	}
	for i, n := range nodes {
		if !n.leaf {
			cut := s.first[n.figure] + int32(numbers[n.figure][n.threshold])
			s.questions = append(s.questions, question{cut: cut, left: places[i+1], right: places[int(n.right)-root]})
		}
	}
	s.trees = append(s.trees, t)
}

// answers has for each threshold of a sieve the rows whose feature is larger.
type answers []uint64

// share fills in the answers for features that are the same in all rows: those from figure on.
func (s *sieve) share(out answers, figure int, values []float32) {
	for i, v := range values {
		begin, end := s.first[figure+i], s.first[figure+i+1]
		for k, cut := range s.cuts[begin:end] {
			if ordered(v) <= cut {
				out[int(begin)+k] = 0
			} else {
				out[int(begin)+k] = ^uint64(0)
			}
		}
	}
}

// answer computes the answers for the features of rows, which are stored one after the other with equal width.
func (s *sieve) answer(out answers, flat []float32, rows int) {
	all := ^uint64(0) >> (sieveRows - rows)
	width := len(flat) / rows
	var room [sieveRows]int64
	column := room[:rows]
	for figure := range width {
		begin, end := s.first[figure], s.first[figure+1]
		if begin == end {
			continue
		}
		if isSame(flat[figure:], width) {
			s.share(out, figure, flat[figure:figure+1])
			continue
		}
		least := ordered(flat[figure])
		most := least
		for r, at := 0, figure; r < len(column) && at < len(flat); r, at = r+1, at+width {
			v := ordered(flat[at])
			column[r] = v
			least, most = min(least, v), max(most, v)
		}
		// Thresholds below all rows, or above all rows, need no comparisons.
		cuts, beyond := s.cuts[begin:end], out[begin:end]
		for len(cuts) > 0 && cuts[0] < least {
			beyond[0] = all
			cuts, beyond = cuts[1:], beyond[1:]
		}
		for last := len(cuts) - 1; last >= 0 && cuts[last] >= most; last-- {
			beyond[last] = 0
			cuts, beyond = cuts[:last], beyond[:last]
		}
		if len(cuts) < sieveSearchMin {
			hold(beyond, cuts, column)
		} else {
			search(beyond, cuts, column)
		}
	}
}

// isSame reports whether a feature, at the beginning of flat and in steps of width, is the same in all rows.
func isSame(flat []float32, width int) bool {
	first := flat[0]
	for at := width; at < len(flat); at += width {
		if flat[at] != first {
			return false
		}
	}
	return true
}

// hold compares each row with each threshold.
func hold(beyond answers, cuts, column []int64) {
	const top = 1 << 63
	for k, cut := range cuts {
		var mask uint64
		for _, v := range column {
			mask = mask>>1 | uint64(cut-v)&top //nolint:gosec // the sign is wanted
		}
		beyond[k] = mask >> (sieveRows - len(column))
	}
}

// search finds each row's place among the thresholds by binary search.
func search(beyond answers, cuts, column []int64) {
	clear(beyond)
	for r, v := range column {
		at := 0 // how many thresholds are smaller
		for n := len(cuts); n > 0; {
			half := (n + 1) >> 1
			at += int((cuts[at+half-1]-v)>>(sieveRows-1)) & half // all bits set if v is larger
			n -= half
		}
		if at > 0 {
			beyond[at-1] |= 1 << (r & (sieveRows - 1))
		}
	}
	for k := len(beyond) - 2; k >= 0; k-- {
		beyond[k] |= beyond[k+1]
	}
}

// ordered maps numbers to integers in the same order: processors compare integers without branches.
func ordered(v float32) int64 {
	b := int32(math.Float32bits(v + 0)) //nolint:gosec // the bits are wanted; 0 and -0 are one
	return int64(b ^ b>>31&math.MaxInt32)
}

// add adds the value of each row's leaf, tree by tree.
func (s *sieve) add(beyond answers, sums []float32) {
	var at [sieveNodesMax]uint64
	var room [sieveRows]float32
	copy(room[:], sums)
	questions, leaves := s.questions, s.leaves
	for _, t := range s.trees {
		at[0] = ^uint64(0) >> (sieveRows - len(sums))
		for i, q := range questions[:t.questions] {
			rows, over := at[uint8(i)], beyond[q.cut] //nolint:gosec // at most sieveNodesMax
			at[q.left] = rows &^ over
			at[q.right] = rows & over
		}
		for i, value := range leaves[:t.leaves] {
			for rows := at[uint8(t.questions+i)]; rows != 0; rows &= rows - 1 { //nolint:gosec // at most sieveNodesMax
				room[bits.TrailingZeros64(rows)&(sieveRows-1)] += value
			}
		}
		questions, leaves = questions[t.questions:], leaves[t.leaves:]
	}
	copy(sums, room[:])
}
