package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// table writes a data table; polishing has made blocks of layout tables.
func (w *writer) table(n *html.Node, s style) {
	rows := tableRows(n)
	if tableCells(rows) > tableCellsMax {
		w.block(n, s)
		return
	}
	if caption := captionOf(n); caption != nil {
		in := w.inline(style{strong: true})
		in.between = " "
		in.children(caption)
		w.paragraph(in, s)
	}
	g := w.grid(w.preface(rows, s))
	g.trim()
	if len(g.cells) == 0 {
		return
	}
	header, body := g.header()
	var out strings.Builder
	writeRow(&out, header)
	out.WriteString("\n|")
	for _, align := range g.aligns {
		out.WriteString(align + "|")
	}
	for _, row := range body {
		out.WriteByte('\n')
		writeRow(&out, row)
	}
	w.lines(out.String())
}

// preface writes rows at the top that are no part of the grid, such as an image above a fact box, and returns the others.
func (w *writer) preface(rows []*html.Node, s style) []*html.Node {
	for len(rows) > 1 {
		cells := elements(rows[0])
		if len(cells) != 1 || cells[0].DataAtom != atom.Td || span(cells[0], "colspan") < 2 {
			break
		}
		w.block(cells[0], s)
		rows = rows[1:]
	}
	return rows
}

func writeRow(out *strings.Builder, cells []string) {
	out.WriteByte('|')
	for _, cell := range cells {
		if cell == "" {
			out.WriteString("  |")
			continue
		}
		out.WriteString(" " + cell + " |")
	}
}

// grid is a table with its spans filled up.
type grid struct {
	cells  [][]string
	aligns []string
	// heads is the number of header rows at the top.
	heads int
	// rowHeads reports that rows have headers and columns have none.
	rowHeads bool
}

// grid builds the cells of rows.
func (w *writer) grid(rows []*html.Node) *grid {
	g := &grid{heads: headRows(rows)}
	g.rowHeads = g.heads == 0 && haveRowHeads(rows)
	var taken []int // for each column, the number of next rows in which a cell from above fills it
	for y, row := range rows {
		var cells []string
		place := func(content string) {
			cells = append(cells, content)
			if len(taken) < len(cells) {
				taken = append(taken, 0)
			}
		}
		skip := func() {
			for len(cells) < len(taken) && taken[len(cells)] > 0 {
				taken[len(cells)]--
				place("")
			}
		}
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
				continue
			}
			skip()
			in := w.line()
			in.between, in.cell = "<br>", true
			in.children(cell)
			content := w.written(in)
			if y < g.heads || y == 0 && g.heads == 0 && !g.rowHeads {
				content = plainHead(content)
			} else if cell.DataAtom == atom.Th && len(cells) == 0 && content != "" && !strings.Contains(content, "**") && len(elements(row)) == 1 {
				content = "**" + content + "**" // the heading of the rows below
			}
			columns, rowspan := w.spans(cell)
			for x := range columns {
				g.align(len(cells), cell)
				if x > 0 && (y >= g.heads || g.heads < 2) {
					content = "" // unless in one of several header rows, where it goes before each header below
				}
				place(content)
				taken[len(cells)-1] = rowspan - 1
			}
		}
		skip()
		g.cells = append(g.cells, cells)
	}
	return g
}

// plainHead removes bold marks from a header, because headers are bold anyway.
func plainHead(content string) string {
	inner, found := strings.CutPrefix(content, "**")
	if inner, closed := strings.CutSuffix(inner, "**"); found && closed && !strings.Contains(inner, "**") {
		return inner
	}
	return content
}

// spans reads a cell's spans, within the rest of the page's allowance.
func (w *writer) spans(cell *html.Node) (columns, rows int) {
	columns, rows = span(cell, "colspan"), span(cell, "rowspan")
	if w.spanned+columns*rows-1 > spannedCellsMax {
		return 1, 1
	}
	w.spanned += columns*rows - 1
	return columns, rows
}

// span reads a span within bounds.
func span(cell *html.Node, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(dom.Attr(cell, name)))
	if err != nil || n < 1 || n > spanMax {
		return 1
	}
	return n
}

// align sets a column's alignment, from the first cell that has one.
func (g *grid) align(column int, cell *html.Node) {
	for len(g.aligns) <= column {
		g.aligns = append(g.aligns, "---")
	}
	if g.aligns[column] != "---" || span(cell, "colspan") > 1 {
		return
	}
	switch alignment(cell) {
	case "left", "start":
		g.aligns[column] = ":--"
	case "right", "end":
		g.aligns[column] = "--:"
	case "center":
		g.aligns[column] = ":-:"
	}
}

// alignment is the value of a cell's align or style attribute or class.
func alignment(cell *html.Node) string {
	if align := strings.ToLower(dom.Attr(cell, "align")); align != "" {
		return align
	}
	if _, after, found := strings.Cut(strings.ToLower(dom.Attr(cell, "style")), "text-align"); found && len(after) < 2000 {
		value := strings.TrimLeft(after, ": ")
		end := strings.IndexAny(value, "; !")
		if end < 0 {
			end = len(value)
		}
		return value[:end]
	}
	class := dom.Attr(cell, "class")
	for _, align := range []string{"right", "center", "left"} {
		if strings.Contains(class, "text-"+align) || strings.Contains(class, "has-text-align-"+align) || strings.Contains(class, "align-"+align) {
			return align
		}
	}
	return ""
}

// trim removes rows and columns without content, and makes rows equally long.
func (g *grid) trim() {
	width := 0
	used := make([]bool, len(g.aligns))
	var rows [][]string
	heads := g.heads
	for y, row := range g.cells {
		empty := true
		for x, cell := range row {
			if cell != "" {
				empty, used[x] = false, true
			}
		}
		if !empty {
			rows = append(rows, row)
			width = max(width, len(row))
		} else if y < g.heads {
			heads--
		}
	}
	g.cells, g.heads = rows, heads
	var aligns []string
	for x := range min(width, len(g.aligns)) {
		if used[x] {
			aligns = append(aligns, g.aligns[x])
		}
	}
	for y, row := range g.cells {
		kept := make([]string, 0, len(aligns))
		for x := range used {
			if used[x] && x < len(row) {
				kept = append(kept, row[x])
			} else if used[x] {
				kept = append(kept, "")
			}
		}
		g.cells[y] = kept
	}
	g.aligns = aligns
}

// header returns the header row: the only one, several joined, or the first row if no cell is a header. If only rows have
// headers, it is empty.
func (g *grid) header() (header []string, body [][]string) {
	switch {
	case g.heads == 0 && g.rowHeads:
		return make([]string, len(g.aligns)), g.cells
	case g.heads == 0 || len(g.cells) == 1:
		return g.cells[0], g.cells[1:]
	}
	header = append([]string{}, g.cells[0]...)
	for _, row := range g.cells[1:g.heads] {
		for x, cell := range row {
			if cell != "" && cell != header[x] {
				header[x] = strings.TrimSpace(header[x] + " " + cell)
			}
		}
	}
	return header, g.cells[g.heads:]
}

// tableRows are a table's own rows, in the order in which they are shown.
func tableRows(t *html.Node) []*html.Node {
	var head, body, foot []*html.Node
	for n := t.FirstChild; n != nil; n = n.NextSibling {
		switch n.DataAtom {
		case atom.Tr:
			body = append(body, n)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			for row := n.FirstChild; row != nil; row = row.NextSibling {
				switch {
				case row.DataAtom != atom.Tr:
				case n.DataAtom == atom.Thead:
					head = append(head, row)
				case n.DataAtom == atom.Tfoot:
					foot = append(foot, row)
				default:
					body = append(body, row)
				}
			}
		}
	}
	return append(append(head, body...), foot...)
}

func captionOf(t *html.Node) *html.Node {
	for n := t.FirstChild; n != nil; n = n.NextSibling {
		if n.DataAtom == atom.Caption {
			return n
		}
	}
	return nil
}

// tableCells is the size of a table whose rows are filled up to the longest.
func tableCells(rows []*html.Node) int {
	longest := 0
	for _, row := range rows {
		cells := 0
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				cells += span(cell, "colspan")
			}
		}
		longest = max(longest, cells)
	}
	return len(rows) * longest
}

// headRows counts the rows at the top that contain only headers.
func headRows(rows []*html.Node) int {
	const most = 3
	heads := 0
	for heads < min(len(rows), most) {
		row := rows[heads]
		inHead := row.Parent != nil && row.Parent.DataAtom == atom.Thead
		ths, tds := 0, 0
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			switch {
			case cell.DataAtom == atom.Th:
				ths++
			case cell.DataAtom == atom.Td && dom.HasText(cell):
				tds++
			}
		}
		if !inHead && (ths == 0 || tds > 0 || heads > 0 && ths < 2) {
			break
		}
		heads++
	}
	return heads
}

// haveRowHeads reports whether most rows begin with a header.
func haveRowHeads(rows []*html.Node) bool {
	heads := 0
	for _, row := range rows {
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			if cell.DataAtom == atom.Th {
				heads++
			}
			if cell.DataAtom == atom.Th || cell.DataAtom == atom.Td {
				break
			}
		}
	}
	return 2*heads > len(rows)
}

// isLayout reports whether a table is for layout: it says so, contains what no data cell does, or is a single row or
// column without headers.
func isLayout(t *html.Node) bool {
	switch dom.Attr(t, "role") {
	case "presentation", "none":
		return true
	case "table", "grid":
		return false
	}
	rows := tableRows(t)
	headed := captionOf(t) != nil || headRows(rows) > 0 || haveRowHeads(rows)
	columns, cells, bytes, blocks := 0, 0, 0, 0
	for _, row := range rows {
		inRow := 0
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
				continue
			}
			inRow++
			cells++
			for n := range cell.Descendants() {
				switch {
				case n.Type == html.TextNode:
					bytes += len(strings.TrimSpace(n.Data))
				case n.DataAtom == atom.Table, dom.IsHeading(n), n.DataAtom == atom.Form, n.DataAtom == atom.Article, n.DataAtom == atom.Blockquote:
					blocks++
				}
			}
		}
		columns = max(columns, inRow)
	}
	switch {
	case columns < 2:
		return !headed || blocks > 0
	case headed && headRows(rows) > 0:
		return blocks > len(rows)
	case blocks > 0:
		return true
	case headed:
		return false
	}
	const proseBytes = 400
	return len(rows) < 2 || bytes > proseBytes*cells
}
