package compare

import (
	"slices"
	"strconv"
	"strings"
)

// difference is one between two versions of a page. It may be a change.
type difference struct {
	Change

	order int // in the page
	a, b  []*node
	hunk  hunk // of a block that says something else; of the whole of it where parts say nothing by themselves
	whole bool
	alike float64 // how much of the block stayed
	// was and now are the words that differ.
	was, now string
	// wasValue and nowValue are those with the rest of the number that they are in, and its unit.
	wasValue, nowValue string
	// places are names of where it is, list of the list that it is in. What surrounds a place names it, so that it is known again when
	// something is put above it, or one of its neighbours is edited.
	places []string
	list   string

	cosmetic   bool // of punctuation or capital letters alone
	unstable   bool // some look does not show it
	figures    []float32
	remembered bool
	trust      float32 // that it is an edit that is asked for
	isTold     bool
	isAsked    bool
	reason     string // why it is not told
}

// find lists the differences between two sides, which are aligned.
func find(a, b *side) []*difference {
	var found []*difference
	for i := range b.nodes {
		n := &b.nodes[i]
		switch {
		case n.mate == nil:
		case n.exact && n.mate.links != n.links:
			d := &difference{Change: Change{Kind: Changed, Block: "link"}, a: []*node{n.mate}, b: []*node{n}, order: i, whole: true, alike: 1}
			d.was, d.now = strings.Join(n.mate.Links, " "), strings.Join(n.Links, " ")
			d.name(b, n, n, 1)
			found = append(found, d)
		case !n.exact:
			found = append(found, changed(b, n.mate, n)...)
		}
	}
	for _, cluster := range b.clusters() {
		d := &difference{Change: Change{Kind: Added, Block: string(cluster[0].Kind)}, b: cluster, order: cluster[0].index, whole: true, now: textsOf(cluster)}
		d.name(b, cluster[0], cluster[len(cluster)-1], 2)
		found = append(found, d)
	}
	for _, cluster := range a.clusters() {
		d := &difference{Change: Change{Kind: Removed, Block: string(cluster[0].Kind)}, a: cluster, order: cluster[0].index, whole: true, was: textsOf(cluster)}
		d.name(a, cluster[0], cluster[len(cluster)-1], 2)
		found = append(found, d)
	}
	for _, d := range found {
		if d.wasValue == "" && d.nowValue == "" {
			d.wasValue, d.nowValue = d.was, d.now
		}
	}
	return slices.DeleteFunc(found, func(d *difference) bool { return d.was == "" && d.now == "" })
}

// wholeMax is how much of a block may stay where it is taken to say something else as a whole.
const wholeMax = 0.3

func changed(b *side, x, y *node) []*difference {
	wordsA, wordsB := x.read(), y.read()
	hunks, common := differences(wordsA, wordsB)
	share := float64(2*common) / float64(max(1, len(wordsA)+len(wordsB)))
	if share < wholeMax && len(hunks) > 0 {
		hunks = []hunk{{0, len(wordsA), 0, len(wordsB)}}
	}
	if len(hunks) == 0 {
		return []*difference{{
			Change: Change{Kind: Changed, Block: string(y.Kind)}, a: []*node{x}, b: []*node{y}, order: y.index, was: x.Text, now: y.Text, alike: 1, cosmetic: true,
		}}
	}
	var found []*difference
	for _, h := range hunks {
		d := &difference{
			Change: Change{Kind: Changed, Block: string(y.Kind)}, a: []*node{x}, b: []*node{y}, order: y.index, hunk: h, alike: share, whole: share < wholeMax,
			was: cut(x.Text, wordsA, h.a0, h.a1), now: cut(y.Text, wordsB, h.b0, h.b1),
		}
		context := []uint64{3}
		if !d.whole {
			context = []uint64{4, steadyBefore(y.Text, wordsB, h.b0), steadyAfter(y.Text, wordsB, h.b1)}
		}
		d.name(b, y, y, context...)
		d.wasValue, d.nowValue = valueAround(x.Text, wordsA, h.a0, h.a1), valueAround(y.Text, wordsB, h.b0, h.b1)
		found = append(found, d)
	}
	return found
}

// valueAround is the text from one word to before another, with the numbers and currencies beside it.
func valueAround(text string, words []word, from, to int) string {
	isValue := func(w word) bool {
		return strings.ContainsAny(text[w.from:w.to], "0123456789$€£¥₹%") || strings.Contains(currencyCodes, strings.ToUpper(text[w.from:w.to]))
	}
	for limit := 4; from > 0 && limit > 0 && isValue(words[from-1]); limit-- {
		from--
	}
	for limit := 4; to < len(words) && limit > 0 && isValue(words[to]); limit-- {
		to++
	}
	return cut(text, words, from, to)
}

const currencyCodes = "USD EUR GBP CAD AUD CHF INR PLN SEK"

// cut is the text from one word to before another.
func cut(text string, words []word, from, to int) string {
	if from >= to {
		return ""
	}
	return text[words[from].from:words[to-1].to]
}

// steadyBefore is the last word before a place that has no digits.
func steadyBefore(text string, words []word, i int) uint64 {
	for i--; i >= 0; i-- {
		if w := words[i]; !strings.ContainsAny(text[w.from:w.to], "0123456789") {
			return w.hash
		}
	}
	return 0
}

func steadyAfter(text string, words []word, i int) uint64 {
	for ; i < len(words); i++ {
		if w := words[i]; !strings.ContainsAny(text[w.from:w.to], "0123456789") {
			return w.hash
		}
	}
	return 0
}

// anchorsMax is how many neighbours on each side name a place.
const anchorsMax = 2

// name names the place of a difference that reaches from one block to another.
func (d *difference) name(s *side, first, last *node, context ...uint64) {
	base := mix(append(context, first.tags)...)
	for _, way := range []struct {
		from, step int
		side       uint64
	}{{first.index, -1, 1}, {last.index, 1, 3}} {
		at := way.from
		for range anchorsMax {
			anchor, text := s.beside(at, way.step), uint64(0)
			if anchor != nil {
				text, at = anchor.text, anchor.index
			}
			d.places = append(d.places, placeOf(base, text, way.side))
			if anchor == nil {
				break
			}
		}
	}
	d.list = placeOf(first.tags, first.under, 9)
}

func placeOf(hashes ...uint64) string { return strconv.FormatUint(mix(hashes...), 36) }

// clusters are what is on one side alone: the largest elements of which nothing is on the other.
func (s *side) clusters() [][]*node {
	var all [][]*node
	for i := 0; i < len(s.nodes); i++ {
		if s.nodes[i].mate != nil {
			continue
		}
		end := i
		for end < len(s.nodes) && s.nodes[end].mate == nil {
			end++
		}
		all = append(all, s.split(i, end)...)
		i = end
	}
	return all
}

// split parts a run of blocks where the element around two of them has others in it, too.
func (s *side) split(begin, end int) [][]*node {
	after := make([]int, end-begin+1) // least fork from here to behind the end
	for i := end; i >= begin; i-- {
		fork := 0
		if i < len(s.nodes) {
			fork = s.nodes[i].Fork
		}
		if after[i-begin] = fork; i < end {
			after[i-begin] = min(fork, after[i-begin+1])
		}
	}
	var all [][]*node
	before := s.nodes[begin].Fork
	for i := begin; i < end; i++ {
		n := &s.nodes[i]
		if i > begin && before < n.Fork && after[i+1-begin] < n.Fork {
			all[len(all)-1] = append(all[len(all)-1], n)
		} else {
			all = append(all, []*node{n})
		}
		before = min(before, n.Fork)
		if i == begin {
			before = n.Fork
		}
	}
	return all
}

func textsOf(nodes []*node) string {
	var out strings.Builder
	for i, n := range nodes {
		if i > 0 {
			_ = out.WriteByte('\n')
		}
		if out.Len() < blockBytesMax {
			_, _ = out.WriteString(n.Text)
		}
	}
	return out.String()
}

// node is the block that stands for the difference.
func (d *difference) node() *node {
	if len(d.b) > 0 {
		return d.b[0]
	}
	return d.a[0]
}
