package markdown

import "strings"

// level is the prefix of a list item's, quotation's or footnote's lines.
type level struct {
	first string // before its first line; empty once written
	rest  string
}

// open begins a level; it writes nothing by itself.
func (w *writer) open(first, rest string) {
	w.levels = append(w.levels, level{first: first, rest: rest})
}

// close ends the innermost level, and reports whether anything was written in it.
func (w *writer) close() bool {
	last := w.levels[len(w.levels)-1]
	w.levels = w.levels[:len(w.levels)-1]
	return last.first == ""
}

// lines writes lines after the levels' markers.
func (w *writer) lines(s string) {
	if w.rule {
		w.rule = false
		w.writeLine("---")
		w.gap = 2
	}
	for line := range strings.SplitSeq(s, "\n") {
		w.writeLine(line)
		w.gap = 1
	}
	w.gap = 2
}

func (w *writer) writeLine(s string) {
	if w.out.Len() > 0 {
		w.out.WriteByte('\n')
		if w.gap > 1 {
			w.margin(false)
			w.out.WriteByte('\n')
		}
	}
	w.gap = 0
	w.margin(s != "")
	w.out.WriteString(s)
}

// margin writes the levels' markers. On an empty line they have no trailing space, and those that have not begun are left
// out.
func (w *writer) margin(begin bool) {
	if len(w.levels) == 0 {
		return
	}
	var margin strings.Builder
	for i := range w.levels {
		l := &w.levels[i]
		if l.first == "" {
			margin.WriteString(l.rest)
			continue
		}
		if !begin {
			break
		}
		margin.WriteString(l.first)
		l.first = ""
	}
	if begin {
		w.out.WriteString(margin.String())
		return
	}
	w.out.WriteString(strings.TrimRight(margin.String(), " "))
}
