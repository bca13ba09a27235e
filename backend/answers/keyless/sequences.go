package keyless

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// sequenceMax is how many children an element has to be read as labels and values in turn, leafBytes how long each may be.
	sequenceMax = 200
	leafBytes   = 120
	// matrixRows is how many rows of cells make a table of elements that are none.
	matrixRows = 3
)

// leaf is the text of an element that holds one line of text and nothing else.
func leaf(n *html.Node) (string, bool) {
	if hasBlocks(n) {
		return "", false
	}
	text := textOf(n)
	return text, text != "" && len(text) <= leafBytes && !strings.Contains(text, "\n")
}

// partsOf is the text of an element, its parts on lines where it holds nothing but several.
func partsOf(n *html.Node) string {
	list, own := elements(n)
	if strings.Trim(own, " ,·|/•;") != "" || len(list) < 2 || slices.ContainsFunc(list, func(child *html.Node) bool { return child.DataAtom == atom.Br || hasBlocks(child) }) {
		return textOf(n)
	}
	var out []string
	for _, child := range list {
		if text := squeeze(textOf(child)); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// leaves are the texts of the children of an element that holds nothing but leaves.
func leavesOf(n *html.Node) (nodes []*html.Node, texts []string, ok bool) {
	nodes, own := elements(n)
	if own != "" || len(nodes) < 2 || len(nodes) > sequenceMax {
		return nil, nil, false
	}
	for _, child := range nodes {
		text, isLeaf := leaf(child)
		if !isLeaf || headingLevel(child) > 0 {
			return nil, nil, false
		}
		texts = append(texts, text)
	}
	return nodes, texts, true
}

// sequence reads an element whose children are labels and values in turn, or rows of cells, which style sheets show as tables.
func (p *page) sequence(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Table, atom.Tbody, atom.Tr, atom.Dl, atom.Ul, atom.Ol, atom.A, atom.Body, atom.Html, atom.Span, atom.Label:
		return false
	}
	if p.matrixOf(n) {
		return true
	}
	nodes, texts, ok := leavesOf(n)
	if !ok || len(texts) < 4 || len(texts)%2 != 0 {
		return false
	}
	label, value := 0, 1
	switch {
	case allSigns(texts, 0) && !allSigns(texts, 1):
		label, value = 1, 0
	case allSigns(texts, 1):
	case alternates(nodes) && p.mostlyLabels(texts, 0, 1):
	case p.mostlyLabels(texts, 0, 2) && !p.mostlyLabels(texts, 1, 2):
	default:
		return false
	}
	for i := 0; i < len(texts); i += 2 {
		if isVerdict(texts[i+label]) {
			return false
		}
	}
	for i := 0; i < len(texts); i += 2 {
		if !mayLabel(texts[i+label]) {
			continue
		}
		p.add(fact{label: texts[i+label], value: texts[i+value], quote: texts[i] + " " + texts[i+1], trust: 0.93})
		p.sentencesOf(texts[i+value])
	}
	return true
}

// allSigns reports whether each second text, from one on, is a yes or a no and nothing else.
func allSigns(texts []string, from int) bool {
	for i := from; i < len(texts); i += 2 {
		if !isVerdict(texts[i]) {
			return false
		}
	}
	return true
}

// isVerdict reports whether a text is a yes or a no and nothing else.
func isVerdict(text string) bool {
	all := plainWords(signs.Replace(text))
	return len(all) == 1 && (all[0] == "yes" || all[0] == "no")
}

// alternates reports whether the elements are of two sorts in turn, by their names or classes.
func alternates(nodes []*html.Node) bool {
	sortOf := func(n *html.Node) string { return n.Data + " " + strings.Join(classWords(n), " ") }
	first, second := sortOf(nodes[0]), sortOf(nodes[1])
	if first == second {
		return false
	}
	for i, n := range nodes {
		if want := []string{first, second}[i%2]; sortOf(n) != want {
			return false
		}
	}
	return true
}

// mostlyLabels reports whether of each second text, from one on, at least one in so many is a label that the lexicon knows.
func (p *page) mostlyLabels(texts []string, from, least int) bool {
	n, all := 0, 0
	for i := from; i < len(texts); i += 2 {
		all++
		if p.isLabel(texts[i]) {
			n++
		}
	}
	if least == 1 {
		return n > 0
	}
	return n*least >= all && n > 1
}

// matrixOf reads rows of elements with as many cells each as a table: a comparison of several things.
func (p *page) matrixOf(n *html.Node) bool {
	rows, own := elements(n)
	if own != "" || len(rows) < matrixRows || len(rows) > rowsMax {
		return false
	}
	text := make([][]string, len(rows))
	for i, row := range rows {
		cells, own := elements(row)
		if own != "" || len(cells) < 2 || len(cells) > columnsMax {
			return false
		}
		for _, cell := range cells {
			said, ok := leaf(cell)
			if !ok && strings.TrimSpace(textOf(cell)) != "" || headingLevel(cell) > 1 {
				return false
			}
			text[i] = append(text[i], said)
		}
	}
	width := len(text[1])
	if len(text[0]) == width-1 {
		text[0] = append([]string{""}, text[0]...)
	}
	if width < 3 || slices.ContainsFunc(text, func(row []string) bool { return len(row) != width }) {
		return false
	}
	if !isHeader(text[0]) {
		return false
	}
	p.grid(text[0], text[1:], "")
	return true
}

// isHeader reports whether the cells of a row may be the headers of columns: they are short, differ, and are no values.
func isHeader(cells []string) bool {
	for i, cell := range cells {
		if i > 0 && (cell == "" || !hasLetter(cell) || len(cell) > 50 || isVerdict(cell) || moneyText.MatchString(cell) || slices.Contains(cells[:i], cell)) {
			return false
		}
	}
	return true
}

// pairs reads a row of a table that has labels and values beside each other, and reports whether it is one.
func (p *page) pairs(row []string, cells []*html.Node, caption string) bool {
	found := p.pairsIn(row, cells)
	for _, pair := range found {
		p.add(fact{label: pair[0], value: pair[1], quote: pair[0] + " " + pair[1], around: caption, trust: 0.95})
	}
	return len(found) > 0
}

// pairsIn are the label and value pairs of a row of a table that has several beside each other; none where it has not.
func (p *page) pairsIn(row []string, cells []*html.Node) [][2]string {
	if len(row) < 4 || len(row)%2 != 0 || slices.ContainsFunc(cells, func(cell *html.Node) bool { return strings.Contains(textOf(cell), "\n") }) {
		return nil
	}
	var out [][2]string
	labels := 0
	for i := 0; i < len(row); i += 2 {
		if row[i] == "" && row[i+1] == "" {
			continue
		}
		if !mayLabel(row[i]) || row[i+1] == "" || isVerdict(row[i]) {
			return nil
		}
		if p.isLabel(row[i]) || cells[i].DataAtom == atom.Th || hasBold(cells[i]) || isVerdict(row[i+1]) {
			labels++
		}
		out = append(out, [2]string{row[i], row[i+1]})
	}
	if labels*2 < len(out) {
		return nil
	}
	return out
}

func hasBold(n *html.Node) bool {
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.B || inner.DataAtom == atom.Strong {
			return true
		}
	}
	return false
}
