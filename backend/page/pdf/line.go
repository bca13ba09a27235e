package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// segmentGap is the gap that parts a line into segments, which may be of different columns, in parts of the size.
const segmentGap = 1.0

// segment is a piece of a line without a wide gap.
type segment struct {
	words  []word
	u0, u1 float64
	v      float64
	size   float64
	chars  int
	row    int // segments of one line have one row
	// tall is how high above the baseline the largest word reaches, deep how far below the lowest.
	top, bottom float64
}

// row is the words of a line while lines are made.
type row struct {
	words       []word
	top, bottom float64 // of its largest word
	size        float64
}

const (
	ascent  = 0.72
	descent = 0.2
)

// rowsOf makes lines of words: those that overlap by half across the direction stand on one line.
func rowsOf(words []word) []*row {
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Or(cmp.Compare(b.v, a.v), cmp.Compare(a.u0, b.u0)) })
	var rows []*row
	for _, w := range words {
		top, bottom := w.v+ascent*w.size, w.v-descent*w.size
		var best *row
		most := 0.5
		for i := len(rows) - 1; i >= max(len(rows)-4, 0); i-- {
			r := rows[i]
			overlap := (min(top, r.top) - max(bottom, r.bottom)) / min(top-bottom, r.top-r.bottom)
			if overlap > most {
				best, most = r, overlap
			}
		}
		if best == nil {
			best = &row{top: top, bottom: bottom, size: w.size}
			rows = append(rows, best)
		}
		best.words = append(best.words, w)
		if w.size > 1.05*best.size {
			best.top, best.bottom, best.size = top, bottom, w.size
		}
	}
	return rows
}

// segmentsOf cuts lines at wide gaps, from top to bottom and from left to right.
func segmentsOf(words []word) []segment {
	var out []segment
	for i, r := range rowsOf(words) {
		slices.SortStableFunc(r.words, func(a, b word) int { return cmp.Compare(a.u0, b.u0) })
		start, end := 0, math.Inf(-1)
		for j, w := range r.words {
			if j > start && (w.u0-end > segmentGap*max(min(w.size, r.size), 0.6*r.size) || w.tag.cell != r.words[j-1].tag.cell) {
				out = append(out, newSegment(r.words[start:j], i))
				start = j
			}
			end = max(end, w.u1)
		}
		out = append(out, newSegment(r.words[start:], i))
	}
	return out
}

func newSegment(words []word, row int) segment {
	s := segment{words: words, u0: words[0].u0, u1: words[0].u1, row: row, top: math.Inf(-1), bottom: math.Inf(1)}
	weight := map[float64]float64{}
	for i := range words {
		w := &words[i]
		s.u1 = max(s.u1, w.u1)
		s.chars += len(w.text) + 1
		s.top, s.bottom = max(s.top, w.v+ascent*w.size), min(s.bottom, w.v-descent*w.size)
		size := math.Round(w.size*4) / 4
		weight[size] += float64(len(w.text))
	}
	most := -1.0
	for size, n := range weight {
		if n > most || n == most && size > s.size {
			most, s.size = n, size
		}
	}
	// The baseline is that of the first word of this size; a raised number does not move it.
	s.v = words[0].v
	for i := range words {
		if math.Abs(words[i].size-s.size) < 0.3 {
			s.v = words[i].v
			break
		}
	}
	return s
}

// span is a part of a line's text that is a link.
type span struct {
	start, end int
	link       int32
}

// line is a finished line of a region.
type line struct {
	text       string
	u0, u1, v  float32
	size       float32
	first      float32 // the width of its first word
	bold, mono bool
	// gaps is whether there are wide ones within it.
	gaps bool
	// edge lines are the first and the last of a page, which may be its header and footer.
	edge  bool
	tag   tag
	spans []span
	// cells are those of a row of a table; text is empty then.
	cells []string
	// column is the width of a character of fixed-pitch text.
	column float32
}

// joined is the text of words that stand in one line, with the links in it.
func joined(words []word) (string, []span) {
	var out strings.Builder
	var spans []span
	for i := range words {
		w := &words[i]
		if i > 0 && spaceBetween(&words[i-1], w) {
			out.WriteByte(' ')
		}
		start := out.Len()
		out.WriteString(w.text)
		if w.link < 0 {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].link == w.link && start-spans[n-1].end <= 1 {
			spans[n-1].end = out.Len()
		} else {
			spans = append(spans, span{start, out.Len(), w.link})
		}
	}
	return out.String(), spans
}

// softHyphens makes hyphens of soft ones: where one is drawn within a line, it is a hyphen that the font gives the wrong
// name. That at the end of a line stays, as a sign that the word goes on.
func softHyphens(words []word) {
	const soft = "\u00ad"
	for i := range words {
		w := &words[i]
		if !strings.Contains(w.text, soft) {
			continue
		}
		end := ""
		if i == len(words)-1 && strings.HasSuffix(w.text, soft) {
			end = soft
		}
		w.text = strings.ReplaceAll(strings.TrimSuffix(w.text, end), soft, "-") + end
	}
}

func spaceBetween(a, b *word) bool {
	gap := b.u0 - a.u1
	if b.spaced {
		return gap > -0.3*a.size
	}
	return gap > wordGap*max(a.size, b.size)
}
