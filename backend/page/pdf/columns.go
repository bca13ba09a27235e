package pdf

import (
	"math"
	"slices"
)

const (
	// regionSegmentsMax is beyond how many segments columns are not looked for: no page that is read has that many.
	regionSegmentsMax = 6000
	// regionDepthMax is how often regions are parted.
	regionDepthMax = 8
	// columnLinesMin is how many lines a column has at least.
	columnLinesMin = 3
)

// layout puts the segments of a page into reading order.
type layout struct {
	r       *reader
	height  float64
	upright bool
	regions []region
}

// region orders segments, given from top to bottom: what stands above columns, the columns from left to right, what is below.
func (l *layout) region(segments []segment, depth int, apart bool) {
	if len(segments) == 0 {
		return
	}
	c, ok := findColumns(segments)
	if !ok || depth >= regionDepthMax || !l.r.budget.Alive() {
		l.flat(segments, apart)
		return
	}
	var left, right []segment
	for _, s := range segments[c.from:c.to] {
		if s.u1 <= c.u {
			left = append(left, s)
		} else {
			right = append(right, s)
		}
	}
	l.region(segments[:c.from], depth+1, apart)
	l.region(left, depth+1, c.from > 0)
	l.region(right, depth+1, false)
	l.region(segments[c.to:], depth+1, true)
}

// gutter is a place without text between columns: at u, from one segment to before another.
type gutter struct {
	u        float64
	from, to int
	score    float64
}

// findColumns looks for the gutter that parts most lines into two columns of running text.
func findColumns(segments []segment) (gutter, bool) {
	if len(segments) < 2*columnLinesMin || len(segments) > regionSegmentsMax {
		return gutter{}, false
	}
	u0, u1 := math.Inf(1), math.Inf(-1)
	for i := range segments {
		u0, u1 = min(u0, segments[i].u0), max(u1, segments[i].u1)
	}
	width := u1 - u0
	if width < 50 || width > 100_000 {
		return gutter{}, false
	}
	step := max(3, width/250)
	var best gutter
	for u := u0 + 0.1*width; u < u1-0.1*width; u += step {
		start := 0
		for i := 0; i <= len(segments); i++ {
			if i < len(segments) && (segments[i].u0 >= u || segments[i].u1 <= u) {
				continue
			}
			if i-start >= 2*columnLinesMin {
				if g, ok := evaluate(segments[start:i], u); ok && g.score > best.score {
					g.from, g.to = g.from+start, g.to+start
					best = g
				}
			}
			start = i + 1
		}
	}
	return best, best.score > 0
}

// side is what is known of one side of a gutter.
type side struct {
	lines       int
	chars       int
	u0, u1      float64
	widths      float64
	top, bottom float64
}

func newSide() side {
	return side{u0: math.Inf(1), u1: math.Inf(-1), top: math.Inf(-1), bottom: math.Inf(1)}
}

func (s *side) add(seg *segment) {
	s.lines++
	s.chars += seg.chars
	s.u0, s.u1 = min(s.u0, seg.u0), max(s.u1, seg.u1)
	s.widths += seg.u1 - seg.u0
	s.top, s.bottom = max(s.top, seg.v), min(s.bottom, seg.v)
}

// independentLinesMin is how many lines columns have at least that are recognized by their lines being at different heights.
const independentLinesMin = 10

// independent reports whether the lines of two sides stand at heights of their own, as those of a table's rows do not.
func independent(left, right *side, aligned int) bool {
	fewer := min(left.lines, right.lines)
	return fewer >= independentLinesMin && aligned*10 < fewer*6 && left.chars >= 6*left.lines && right.chars >= 6*right.lines
}

// prose reports whether the lines are those of running text, rather than cells of a table or marks of a list.
func (s *side) prose() bool {
	return s.lines >= columnLinesMin && float64(s.chars)/float64(s.lines) >= 15 && s.widths/float64(s.lines) >= 0.35*(s.u1-s.u0)
}

// evaluate tells whether segments that do not cross u are two columns there.
func evaluate(segments []segment, u float64) (gutter, bool) {
	left, right := newSide(), newSide()
	size := 0.0
	aligned, last := 0, -1
	for i := range segments {
		s := &segments[i]
		size += s.size
		if s.u1 <= u {
			left.add(s)
			last = i
			continue
		}
		right.add(s)
		if last >= 0 && segments[last].row == s.row && math.Abs(segments[last].v-s.v) < 0.5 {
			aligned++
		}
	}
	size /= float64(len(segments))
	if right.u0-left.u1 < 0.7*size || !(left.prose() && right.prose() || independent(&left, &right, aligned)) {
		return gutter{}, false
	}
	overlap := min(left.top, right.top) - max(left.bottom, right.bottom)
	if overlap < 0.4*min(left.top-left.bottom, right.top-right.bottom) {
		return gutter{}, false
	}
	g := gutter{u: u, from: 0, to: len(segments)}
	g.score = float64(left.lines+right.lines) + min(right.u0-left.u1, 3*size)/size
	return g, true
}

// flat makes the lines of a region that has no columns.
func (l *layout) flat(segments []segment, apart bool) {
	slices.SortStableFunc(segments, func(a, b segment) int {
		if a.row != b.row {
			return a.row - b.row
		}
		if a.u0 < b.u0 {
			return -1
		}
		return 1
	})
	out := region{apart: apart}
	var rows [][]segment
	for start := 0; start < len(segments); {
		end := start + 1
		for end < len(segments) && segments[end].row == segments[start].row {
			end++
		}
		rows = append(rows, segments[start:end])
		start = end
	}
	for start := 0; start < len(rows); {
		if n, cells := tableAt(rows[start:]); n > 0 {
			for i, row := range cells {
				ln := l.line(rows[start+min(i, n-1)])
				ln.text, ln.spans, ln.cells, ln.mono = "", nil, row, false
				out.add(l, ln)
			}
			start += n
			continue
		}
		out.add(l, l.line(rows[start]))
		start++
	}
	if len(out.lines) > 0 {
		l.regions = append(l.regions, out)
	}
}

// lineCost is what a line counts for beside its text.
const lineCost = 64

func (o *region) add(l *layout, ln line) {
	n := len(ln.text)
	for _, cell := range ln.cells {
		n += len(cell) + 16
	}
	if l.r.budget.Take(&l.r.budget.Text, n+lineCost, "bytes of text") {
		o.lines = append(o.lines, ln)
	}
}

// line makes a line of the segments of a row.
func (l *layout) line(segments []segment) line {
	words := segments[0].words
	if len(segments) > 1 {
		words = nil
		for i := range segments {
			words = append(words, segments[i].words...)
		}
	}
	softHyphens(words)
	whole := newSegment(words, 0)
	first := &words[0]
	ln := line{
		u0: float32(whole.u0), u1: float32(whole.u1), v: float32(whole.v), size: float32(whole.size),
		first: float32(first.u1 - first.u0), bold: true, mono: true, gaps: len(segments) > 1, tag: first.tag,
	}
	pitch := 0.0
	for i := range words {
		w := &words[i]
		ln.bold = ln.bold && w.font != nil && w.font.Bold
		ln.mono = ln.mono && w.font != nil && w.font.Mono
		pitch = max(pitch, w.pitch)
	}
	if ln.mono && l.upright {
		ln.column = float32(pitch)
		ln.text = spread(words, pitch)
	} else {
		ln.mono = false
		ln.text, ln.spans = joined(words)
		ln.text, ln.spans = logical(ln.text, ln.spans)
	}
	ln.edge = l.upright && (whole.v > 0.85*l.height || whole.v < 0.15*l.height)
	return ln
}

// spread is a line of fixed-pitch text with the spaces that it is shown with.
func spread(words []word, pitch float64) string {
	var out []byte
	for i := range words {
		w := &words[i]
		if i > 0 {
			gap := w.u0 - words[i-1].u1
			n := 0
			if pitch > 0 {
				n = int(math.Round(gap / pitch))
			}
			if w.spaced || gap > wordGap*w.size {
				n = max(n, 1)
			}
			for range min(max(n, 0), 200) {
				out = append(out, ' ')
			}
		}
		out = append(out, w.text...)
	}
	return string(out)
}
