package compare

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// cards are siblings that look the same: a row of products, of posts, of offers.
type cards struct {
	group int
	forms map[string]bool
}

func (c cards) of(n *html.Node) bool { return c.forms != nil && c.forms[cardForm(n)] }

// cardForm is formOf for what may be a card, else "".
func cardForm(n *html.Node) string {
	switch n.DataAtom {
	case atom.Div, atom.Article, atom.Section, atom.A, atom.Figure:
		return formOf(n)
	}
	if isPlainBlock(n) {
		return n.Data
	}
	return ""
}

// cards finds those among the children of n: at least two of the same classes or articles, or three without a class that are
// built alike. What holds the title of the page, a table or cards itself is none, whatever it looks like.
func (r *reader) cards(n *html.Node) cards {
	if n.DataAtom == atom.Body || n.DataAtom == atom.Html {
		return cards{}
	}
	counts, shapes := map[string]int{}, map[string]map[string]int{}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && r.facts[c].blocky && r.facts[c].bytes > 0 && !isDropped(c) {
			if form := cardForm(c); form != "" {
				counts[form]++
				if shapes[form] == nil {
					shapes[form] = map[string]int{}
				}
				shapes[form][r.shape(c)]++
			}
		}
	}
	out := cards{}
	for form, count := range counts {
		least := 3
		if strings.HasPrefix(form, "article") || strings.Contains(form, ".") && !strings.HasPrefix(form, "section") {
			least = 2
		}
		if count >= least && isUniform(shapes[form], count, strings.Contains(form, ".") || strings.HasPrefix(form, "article")) {
			if out.forms == nil {
				r.groups++
				out = cards{group: r.groups, forms: map[string]bool{}}
			}
			out.forms[form] = true
		}
	}
	return out
}

// shape is how an element is built: its children by name. It is "" for what is but a line of text, and "!" for what cannot be a card.
func (r *reader) shape(n *html.Node) string {
	if r.facts[n].titled || r.facts[n].leaves > 3*cardBlocksMax {
		return "!"
	}
	shape := ""
	for c := n.FirstChild; c != nil && len(shape) < 60; c = c.NextSibling {
		if c.Type == html.ElementNode && !isDropped(c) {
			shape += " " + c.Data
		}
	}
	return shape
}

// isUniform reports whether siblings are built alike. Those with a class may differ, as some have a picture and some have none.
func isUniform(shapes map[string]int, count int, classed bool) bool {
	most, shape := 0, ""
	for s, n := range shapes {
		if n > most || n == most && s < shape {
			most, shape = n, s
		}
	}
	if shapes["!"] > 0 {
		return false
	}
	return classed || shape != "" && 3*most >= 2*count
}

// card makes one block of a small item, and blocks of its own of a large one.
func (r *reader) card(n *html.Node, at around) {
	if n.DataAtom != atom.Li {
		at = r.enter(n, at)
	} else if at.noise == "" {
		at.noise = r.lookOf(n)
		at.form = formOf(n)
	}
	at.kind = KindItem
	f := r.facts[n]
	headings := r.headings
	// Headings of a card are its own: what comes after it does not stand under them.
	defer func() { r.headings = headings }()
	r.headings = slices.Clone(headings)
	if f.bytes > cardBytesMax || f.leaves > cardBlocksMax || f.nested || r.cards(n).forms != nil {
		if n.DataAtom != atom.Li {
			at.kind = KindParagraph
		}
		r.walk(n, at)
		r.flush(at)
		return
	}
	if term, value, ok := r.pair(n); ok {
		r.term(term, value, at)
		return
	}
	outer, bytes, cut := r.blocks, r.bytes, r.page.Cut
	r.blocks = nil
	r.walk(n, at)
	r.flush(at)
	inner := r.blocks
	r.blocks, r.bytes, r.page.Cut, r.headings = outer, bytes, cut, headings
	r.emitCard(inner, at)
}

// emitCard puts the blocks of a card into one. Noise and buttons stay by themselves.
func (r *reader) emitCard(inner []Block, at around) {
	card := Block{Kind: KindItem, Group: at.group, Ordered: at.ordered, Part: at.place(), Form: at.form, Noise: at.noise}
	var apart []Block
	for _, b := range inner {
		if b.Noise != at.noise || b.Kind == KindButton || b.Kind == KindImage {
			apart = append(apart, b)
			continue
		}
		if b.Kind == KindHeading && card.Label == "" {
			card.Label = labelOf(b.Text)
		}
		if len(card.Cells) < cellsMax {
			text := b.Text
			if b.Kind == KindTerm && b.Label != "" {
				text = b.Label + ": " + text
			}
			card.Cells = append(card.Cells, text)
		}
		for _, link := range b.Links {
			if len(card.Links) < linksMax {
				card.Links = append(card.Links, link)
			}
		}
	}
	if len(card.Cells) == 1 {
		card.Label = inner[0].Label
		for _, b := range inner {
			if b.Text == card.Cells[0] {
				card.Label = b.Label
			}
		}
	}
	card.Text = strings.Join(card.Cells, " · ")
	if card.Label == "" && len(card.Cells) > 1 {
		card.Label = titleOfCard(card.Cells)
	}
	if len(card.Cells) < 2 {
		card.Cells = nil
	}
	r.emit(card)
	for _, b := range apart {
		b.Label, b.Under, b.Group, b.Level = card.Label, 0, 0, 0
		if b.Kind == KindHeading {
			b.Kind = KindItem
		}
		r.emit(b)
	}
}

// titleOfCard is the first of its parts that is made of words.
func titleOfCard(cells []string) string {
	for _, cell := range cells {
		letters := 0
		for i := range len(cell) {
			if isLetter(cell[i]) || cell[i] >= 0x80 {
				letters++
			}
		}
		if letters >= 3 && letters*2 > len(cell) {
			return labelOf(cell)
		}
	}
	return ""
}

// table makes a block of each row of a data table. A table that is there for the layout is read as what it contains.
func (r *reader) table(n *html.Node, at around) {
	rows := rowsOf(n)
	if !isData(r, n, rows) {
		r.walk(n, at)
		return
	}
	r.groups++
	at.group, at.kind = r.groups, KindRow
	var columns []string
	for i, row := range rows {
		if row.DataAtom == atom.Caption {
			in := r.enter(row, at)
			in.kind = KindParagraph
			r.walk(row, in)
			r.flush(in)
			continue
		}
		if columns == nil && isHeaderRow(row, i == 0 || rows[0].DataAtom == atom.Caption && i == 1) {
			for cell := range cellsOf(row) {
				columns = append(columns, labelOf(textOf(cell)))
			}
			in := at
			in.kind = KindParagraph
			r.row(row, in, nil)
			continue
		}
		r.row(row, at, columns)
	}
}

func rowsOf(table *html.Node) []*html.Node {
	var rows []*html.Node
	for c := table.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr, atom.Caption:
			rows = append(rows, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			for row := c.FirstChild; row != nil; row = row.NextSibling {
				if row.DataAtom == atom.Tr {
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

// isData reports whether a table's cells are small: no tables, lists or paragraphs of text in them.
func isData(r *reader, table *html.Node, rows []*html.Node) bool {
	if role := attribute(table, "role"); role == "presentation" || role == "none" || len(rows) == 0 {
		return false
	}
	for c := range table.Descendants() {
		if c.DataAtom == atom.Table || headingLevel(c) > 0 || c.DataAtom == atom.Td && (r.facts[c].bytes > 600 || r.facts[c].leaves > 6) {
			return false
		}
	}
	return true
}

func isHeaderRow(row *html.Node, first bool) bool {
	heads, cells := 0, 0
	for cell := range cellsOf(row) {
		cells++
		if cell.DataAtom == atom.Th {
			heads++
		}
	}
	return cells > 1 && heads == cells || first && row.Parent != nil && row.Parent.DataAtom == atom.Thead
}

func cellsOf(row *html.Node) func(func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			if (c.DataAtom == atom.Td || c.DataAtom == atom.Th) && !isDropped(c) && !yield(c) {
				return
			}
		}
	}
}

// row makes a block of a row. Its label is its header, else its first cell.
func (r *reader) row(n *html.Node, at around, columns []string) {
	at = r.enter(n, at)
	b := Block{Kind: at.kind, Group: at.group, Part: at.place(), Form: at.form, Noise: at.noise, Columns: columns}
	var apart []Block
	for cell := range cellsOf(n) {
		in := r.enter(cell, at)
		outer, bytes, cut := r.blocks, r.bytes, r.page.Cut
		r.blocks = nil
		r.walk(cell, in)
		r.flush(in)
		inner := r.blocks
		r.blocks, r.bytes, r.page.Cut = outer, bytes, cut
		var texts []string
		for _, part := range inner {
			if part.Noise != at.noise || part.Kind == KindButton || part.Kind == KindImage {
				apart = append(apart, part)
				continue
			}
			texts = append(texts, part.Text)
			for _, link := range part.Links {
				if len(b.Links) < linksMax {
					b.Links = append(b.Links, link)
				}
			}
		}
		if len(b.Cells) < cellsMax {
			b.Cells = append(b.Cells, strings.Join(texts, " "))
			if b.Label == "" && (len(b.Cells) == 1 || cell.DataAtom == atom.Th) {
				b.Label = labelOf(strings.Join(texts, " "))
			}
		}
	}
	b.Text = strings.Trim(strings.Join(b.Cells, " | "), " |")
	r.emit(b)
	for _, part := range apart {
		part.Label, part.Under, part.Group, part.Level = b.Label, 0, 0, 0
		r.emit(part)
	}
}
