package keyless

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// spanMax is how many places a cell of a table may take up.
const spanMax = 30

// spread are the cells of a table by their places: one that spans several stands in each of them.
func spread(rows [][]*html.Node) [][]*html.Node {
	out := make([][]*html.Node, len(rows))
	type held struct {
		cell *html.Node
		left int
	}
	var above []held
	for i, row := range rows {
		var line []*html.Node
		next := 0
		for len(line) < columnsMax {
			if at := len(line); at < len(above) && above[at].left > 0 {
				above[at].left--
				line = append(line, above[at].cell)
				continue
			}
			if next == len(row) {
				break
			}
			cell := row[next]
			next++
			for range min(span(cell, "colspan"), columnsMax-len(line)) {
				for len(above) <= len(line) {
					above = append(above, held{})
				}
				above[len(line)] = held{cell, span(cell, "rowspan") - 1}
				line = append(line, cell)
			}
		}
		out[i] = line
	}
	return out
}

func span(cell *html.Node, name string) int {
	for _, a := range cell.Attr {
		if a.Key == name {
			if n, err := strconv.Atoi(a.Val); err == nil && n > 0 {
				return min(n, spanMax)
			}
		}
	}
	return 1
}

// headRows is how many rows at the beginning are headers: those of header cells only, with an empty corner, or one of short texts behind an
// empty corner or in bold.
func headRows(rows [][]*html.Node) int {
	if len(rows) > 2 && len(rows[0]) > 2 && isPlainHead(rows[0]) && len(rows[1]) == len(rows[0]) {
		return 1
	}
	for i, row := range rows {
		for j, cell := range row {
			if cell.DataAtom != atom.Th && !(j == 0 && len(row) > 2 && textOf(cell) == "") {
				return i
			}
		}
	}
	return len(rows)
}

// isPlainHead reports whether a row of plain cells is a header.
func isPlainHead(row []*html.Node) bool {
	var texts []string
	bold := 0
	for _, cell := range row {
		if cell.DataAtom == atom.Th {
			return false // told by its cells
		}
		text := textOf(cell)
		texts = append(texts, text)
		if text != "" && isBold(cell) {
			bold++
		}
	}
	if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "\n") }) || !isHeader(texts) {
		return false
	}
	return texts[0] == "" || bold == len(row)
}

// isBold reports whether all that an element shows is in one bold element.
func isBold(n *html.Node) bool {
	list, own := elements(n)
	return own == "" && len(list) == 1 && (list[0].DataAtom == atom.B || list[0].DataAtom == atom.Strong)
}

// merged are the headers of columns below each other, the upper first: "Single", "Adult" are "Single Adult".
func merged(rows [][]string) []string {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	out := make([]string, width)
	for _, row := range rows {
		for j, text := range row {
			if text != "" && !strings.HasSuffix(out[j], text) {
				out[j] = strings.TrimSpace(out[j] + " " + text)
			}
		}
	}
	return out
}

// cellTrust is how far a cell is trusted that is found by the headers of its row and its column.
const cellTrust = 0.84

// cells finds values of tables by both their headers: what the field and the task say has to account for each of the two, and both
// together for all that the field says.
func (f *finder) cells(w *want, p placed) []finding {
	if w.field.Type == "array" || p.standing < local {
		return nil
	}
	lists := [][]string{w.name, w.described}
	if len(w.raw) == 0 {
		lists = lists[1:]
	}
	for _, list := range lists {
		if out := f.cellsOf(w, list, p); len(out) > 0 {
			return out
		}
	}
	return nil
}

func (f *finder) cellsOf(w *want, list []string, p placed) []finding {
	var out []finding
	best := 0
	tied := false
	for _, g := range p.tables {
		if len(g.header) < 2 || len(g.quotes) > 0 {
			continue
		}
		around := setOf(append(terms(words(g.around+" "+strings.Join(p.names, " "))), plainWords(g.around)...))
		for _, row := range g.rows {
			score, ok := f.accounts(w, list, row[0], p)
			if !ok {
				continue
			}
			for j := 1; j < len(row); j++ {
				own, ok := f.accounts(w, list, g.header[j], p)
				if !ok || own+score == 0 || !f.complete(w, list, row[0], g.header[j], around, p) && !f.crosses(w, row[0], g.header[j], row[j], p) {
					continue
				}
				value, ok := w.value(row[j], p.page, true)
				if !ok && w.kind == "date" && w.field.Form == "" {
					value, ok = w.as("hours").value(row[j], p.page, true) // "when it closes"
				}
				if !ok {
					continue
				}
				found := finding{value, p.source.URL, strings.Join(row, " "), cellTrust, p.standing}
				switch {
				case score+own > best:
					best, tied, out = score+own, false, []finding{found}
				case score+own == best && keyOf(out[0].value) != keyOf(value):
					tied = true
				}
			}
		}
	}
	if tied {
		return nil
	}
	return out
}

// accounts reports whether a header says nothing but what the field or the task says, and how much of it the field says itself.
func (f *finder) accounts(w *want, list []string, header string, p placed) (int, bool) {
	all := words(header)
	if len(all) == 0 || len(all) > labelWords+3 {
		return 0, false
	}
	if len(w.raw) > 0 && (slices.Equal(all, w.raw) || slices.Equal(words(withoutBrackets(header)), w.raw)) {
		return 4 + len(all), true
	}
	described := plainWords(w.field.Description)
	if n := w.spells(header); n > 0 {
		return 2 * n, true
	}
	n := 0
	for _, term := range terms(all) {
		if slices.Contains(list, term) {
			n += 2
			continue
		}
		if _, known := kindOf[term]; known && (slices.Contains(w.described, term) || slices.Contains(w.name, term) || f.asked.senses()[term]) {
			n++
			continue
		}
		if f.asked.has(term) || slices.Contains(described, term) {
			n++
			continue
		}
		if _, known := kindOf[term]; !known && !digits(term) && p.context[term] {
			continue
		}
		return 0, false
	}
	if len(terms(all)) == 0 {
		// Words that say nothing of a thing: "Value", "Total", and names of generic words.
		for _, word := range all {
			if !f.asked.has(word) && !slices.Contains(described, word) && !slices.Contains(w.raw, word) && !generic[word] && !little[word] && !unitWords[word] {
				return 0, false
			}
		}
	}
	return n, true
}

// complete reports whether both headers together say all that the field does, and name the subject of the task where the page does
// not.
func (f *finder) complete(w *want, list []string, row, column string, around map[string]bool, p placed) bool {
	said := setOf(append(terms(words(row)), terms(words(column))...))
	for _, word := range append(words(row), words(column)...) {
		said[word], said[singular(word)] = true, true
	}
	shared := 0
	for _, term := range list {
		switch {
		case said[term]:
			shared++
		case around[term], p.context[term], soft[term]:
		default:
			return false
		}
	}
	raw := len(w.raw) > 0 && (slices.Equal(words(row), w.raw) || slices.Equal(words(column), w.raw))
	if shared == 0 && !raw {
		return false
	}
	if w.spells(row) > 1 || w.spells(column) > 1 {
		return true // the field says itself of whom
	}
	for _, name := range f.asked.subjects(p.page) {
		for _, word := range name {
			if !said[word] && !little[word] && !linking[word] && !p.context[word] && !around[word] {
				return false
			}
		}
	}
	return true
}

// spells is how many words of a header that say something a field's name and description have, 0 where they do not have all.
func (w *want) spells(header string) int {
	own := mapped(append(slices.Clone(w.raw), plainWords(w.field.Description)...), stem)
	n := 0
	for _, word := range plainWords(header) {
		switch {
		case little[word] || linking[word]:
		case !slices.Contains(own, stem(word)):
			return 0
		default:
			n++
		}
	}
	return n
}

// crosses reports whether the task names both a row and a column, and what stands where they meet is a value of the kind that is wanted
// and nothing else: the time of a train at a station.
func (f *finder) crosses(w *want, row, column, cell string, p placed) bool {
	if w.spells(row) > 0 && w.spells(column) > 0 {
		return true
	}
	if !typed[w.kind] || w.kind == "number" {
		return false
	}
	for _, header := range []string{row, column} {
		all, named := plainWords(header), false
		for _, word := range all {
			if !f.asked.has(word) {
				return false
			}
			named = named || !little[word] && !generic[word]
		}
		if !named {
			return false
		}
	}
	found := parts(cell, w.kind, p.language, w)
	return len(found) == 1 && len(found[0].text) >= len(strings.TrimSpace(cell))-1
}

// senses are what the words of the task speak of.
func (a *asked) senses() map[string]bool {
	if a.spoken == nil {
		a.spoken = setOf(terms(a.list))
	}
	return a.spoken
}

// as is the want with another kind of value.
func (w *want) as(kind string) *want {
	other := *w
	other.kind = kind
	return &other
}

func withoutBrackets(s string) string {
	before, _, _ := strings.Cut(s, "(")
	return before
}
