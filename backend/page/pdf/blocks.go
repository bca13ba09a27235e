package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	headingCharsMax = 200
	headingLinesMax = 4
)

// headings tells which pieces are headings, and their levels: by the outline where it names them, else by their size.
func (c *composer) headings() {
	type style struct {
		size float64
		bold bool
	}
	var styles []style
	candidate := make([]int, len(c.pieces)) // depth by the outline; -1 by style
	for i := range c.pieces {
		p := &c.pieces[i]
		if p.kind != Paragraph || len(p.lines) > headingLinesMax {
			continue
		}
		t, _ := c.flow(p.lines)
		n := utf8.RuneCountInString(t)
		if tagged := p.first().tag; tagged.level > 0 {
			candidate[i] = int(tagged.level)
			continue
		} else if c.tagged && tagged.block != 0 {
			continue
		}
		if mark, _, ok := marker(t); ok && mark == "" {
			continue
		}
		if n < 2 || n > headingCharsMax || leader(t) || !strings.ContainsFunc(t, unicode.IsLetter) {
			continue
		}
		large := p.size() >= 1.12*c.body && p.size() >= c.body+1
		if depth := c.titled(t); depth > 0 && (large || p.bold() || p.size() >= c.body) && len(p.lines) <= 3 {
			candidate[i] = min(depth, 6)
			continue
		}
		strong := p.bold() && p.size() >= 0.95*c.body && n <= 120 && len(p.lines) <= 2 && !strings.HasSuffix(t, ".") && !strings.HasSuffix(t, ",")
		if begin, _ := utf8.DecodeRuneInString(t); !unicode.IsLetter(begin) && !unicode.IsDigit(begin) {
			strong = false // options of a program, in its manual
		}
		if !large && !strong {
			continue
		}
		candidate[i] = -1
		s := style{p.size(), p.bold()}
		if large {
			s.bold = false // among large ones the size alone counts
		}
		if !slices.Contains(styles, s) {
			styles = append(styles, s)
		}
	}
	slices.SortFunc(styles, func(a, b style) int {
		switch {
		case a.size > b.size:
			return -1
		case a.size < b.size:
			return 1
		case a.bold && !b.bold:
			return -1
		}
		return 1
	})
	for i, depth := range candidate {
		p := &c.pieces[i]
		if depth == 0 {
			continue
		}
		p.kind, p.level = Heading, depth
		if depth < 0 {
			large := p.size() >= 1.12*c.body && p.size() >= c.body+1
			p.level = min(slices.Index(styles, style{p.size(), p.bold() && !large})+1, 6)
		}
	}
}

// titled is how deep the outline has a title, with or without a number before it; 0 where it has not.
func (c *composer) titled(t string) int {
	if len(c.outline) == 0 {
		return 0
	}
	if depth := c.outline[letters(t)]; depth > 0 {
		return depth
	}
	head, rest, ok := strings.Cut(t, " ")
	if ok && strings.ContainsAny(head, "0123456789") || strings.EqualFold(head, "chapter") || strings.EqualFold(head, "appendix") {
		return c.outline[letters(rest)]
	}
	return 0
}

// lists tells which pieces are items of lists. A number alone makes no item: one before or after it must count on.
func (c *composer) lists() {
	for i := range c.pieces {
		p := &c.pieces[i]
		if p.kind != Paragraph {
			continue
		}
		mark, rest, ok := marker(p.first().text)
		if item := p.first().tag.item; item != 0 {
			if c.items[item] {
				continue
			}
			c.items[item] = true
			p.level = int(max(p.first().tag.depth, 1))
			if !ok {
				p.kind = ListItem
				continue
			}
			c.unmark(p, mark, rest)
			continue
		}
		if !ok || mark == "" && strings.HasPrefix(p.first().text, "—") {
			continue
		}
		if mark != "" {
			p.number = ordinal(mark)
			if !c.neighbour(i, p.number) {
				p.number = 0
				continue
			}
		}
		c.unmark(p, mark, rest)
	}
	c.listLevels()
}

// unmark makes an item of a piece that begins with a mark, which it takes off.
func (c *composer) unmark(p *piece, mark, rest string) {
	cut := len(p.first().text) - len(rest)
	first := *p.first()
	first.text = rest
	first.spans = nil
	for _, s := range p.first().spans {
		if s.start >= cut {
			first.spans = append(first.spans, span{s.start - cut, s.end - cut, s.link})
		}
	}
	p.lines = append([]line{first}, p.lines[1:]...)
	p.kind, p.marker = ListItem, mark
}

func ordinal(mark string) int {
	inner := strings.Trim(mark, "().")
	n := 0
	for _, r := range inner {
		switch {
		case unicode.IsDigit(r & 0x7f):
			n = n*10 + int(r-'0')
		case len(inner) == 1 && r >= 'a' && r <= 'z':
			n = int(r-'a') + 1
		}
	}
	return n
}

// neighbour reports whether a piece near by has the next number, or the one before.
func (c *composer) neighbour(i, n int) bool {
	for j := max(i-6, 0); j < min(i+7, len(c.pieces)); j++ {
		p := &c.pieces[j]
		if j == i || p.kind == Table || p.kind == Code || p.kind == Heading {
			continue
		}
		other := p.number
		if mark, _, ok := marker(p.first().text); ok && mark != "" {
			other = ordinal(mark)
		}
		if other > 0 && (j > i && other == n+1 || j < i && other == n-1) {
			return true
		}
	}
	return false
}

// listLevels gives items their depth by how far they are indented.
func (c *composer) listLevels() {
	var indents []float32
	for i := range c.pieces {
		p := &c.pieces[i]
		if p.kind == ListItem && p.level > 0 {
			continue // the file says it
		}
		if p.kind != ListItem {
			if p.kind != Paragraph || len(indents) > 0 && p.first().u0 < indents[0]+0.5*p.first().size {
				indents = indents[:0]
			}
			continue
		}
		u := p.first().u0
		for len(indents) > 0 && u < indents[len(indents)-1]-0.6*p.first().size {
			indents = indents[:len(indents)-1]
		}
		if len(indents) == 0 || u > indents[len(indents)-1]+0.6*p.first().size {
			indents = append(indents, u)
		}
		p.level = min(len(indents), 6)
	}
}

// blocks makes the blocks, and joins paragraphs that a column or a page broke.
func (c *composer) blocks() {
	lastPiece := -1
	for i := range c.pieces {
		p := &c.pieces[i]
		if p.kind == Table && len(p.rows) < 2 {
			p.kind, p.lines[0].text = Paragraph, strings.Join(p.rows[0], " ")
			p.rows = nil
		}
		b := Block{Kind: p.kind, Level: p.level, Marker: p.marker, Rows: p.rows, Page: p.page}
		switch p.kind {
		case Table:
		case Code:
			b.Text = codeText(p.lines)
			if lastPiece >= 0 && c.pieces[lastPiece].kind == Code && c.pieces[lastPiece].page != p.page && !p.apart {
				c.doc.Blocks[len(c.doc.Blocks)-1].Text += "\n" + b.Text
				lastPiece = i
				continue
			}
		case Paragraph, Heading, ListItem:
			b.Text, b.Spans = c.flow(p.lines)
			b.Text, b.Spans = tidy(b.Text, b.Spans)
			if b.Text == "" {
				continue
			}
			if lastPiece >= 0 && p.kind == Paragraph && c.goesOn(&c.pieces[lastPiece], p, b.Text) {
				c.join(b)
				lastPiece = i
				continue
			}
		}
		if b.Kind == Code && strings.TrimSpace(b.Text) == "" {
			continue
		}
		c.doc.Blocks = append(c.doc.Blocks, b)
		lastPiece = i
	}
}

// goesOn reports whether b is the rest of a paragraph that ended with a column or a page.
func (c *composer) goesOn(a, b *piece, text string) bool {
	if a.region == b.region || a.kind != Paragraph && a.kind != ListItem || len(a.lines) < 2 && len(b.lines) < 2 || b.apart && a.page == b.page {
		return false
	}
	if a.size() != b.size() || a.bold() != b.bold() {
		return false
	}
	before := c.doc.Blocks[len(c.doc.Blocks)-1].Text
	if _, ok := c.hyphen(before, text); ok {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text)
	return !ended(before) && (unicode.IsLower(r) || ideographic(r))
}

// join puts a block's text after that of the last block.
func (c *composer) join(b Block) {
	last := &c.doc.Blocks[len(c.doc.Blocks)-1]
	if cut, ok := c.hyphen(last.Text, b.Text); ok {
		last.Text = last.Text[:len(last.Text)-cut]
	} else if !wide(last.Text, b.Text) {
		last.Text += " "
	}
	for _, s := range b.Spans {
		last.Spans = append(last.Spans, Span{s.Start + len(last.Text), s.End + len(last.Text), s.URI})
	}
	last.Text += b.Text
}

// codeText is fixed-pitch text with its indentation and its empty lines.
func codeText(lines []line) string {
	left, column := lines[0].u0, lines[0].column
	for _, ln := range lines {
		left = min(left, ln.u0)
	}
	var out strings.Builder
	for i, ln := range lines {
		if i > 0 {
			out.WriteByte('\n')
			if gap := gapOf(lines, i); gap > 1.75*ln.size && gap < 4*ln.size {
				out.WriteByte('\n')
			}
		}
		if column > 0 {
			if n := int((ln.u0-left)/column + 0.5); n > 0 {
				out.WriteString(strings.Repeat(" ", min(n, 200)))
			}
		}
		out.WriteString(ln.text)
	}
	return out.String()
}

// tidy shortens the leaders of a table of contents.
func tidy(t string, spans []Span) (string, []Span) {
	if len(spans) == 0 && leader(t) {
		t = strings.ReplaceAll(t, ". . ", "..")
		for strings.Contains(t, ".....") {
			t = strings.ReplaceAll(t, ".....", "....")
		}
		t = strings.Replace(t, "....", "…", 1)
	}
	return strings.TrimRight(t, " "), spans
}
