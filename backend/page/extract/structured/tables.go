package structured

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	dataTablesMax     = 200
	dataRowsMax       = 5000 // of a table
	dataColumnsMax    = 200
	dataCellsMax      = 100_000 // of a page, including filled cells
	dataCellBytesMax  = 4000
	headerRowsMax     = 3
	layoutCellBytes   = 300 // cells longer than this on average contain parts of a page, not data
	tableSectionDepth = 4   // how deep rows are in a table: sections, and forms that browsers allow
)

// tableRow is a row as written.
type tableRow struct {
	cells   []tableCell
	inHead  bool
	section *html.Node
}

type tableCell struct {
	text             string
	columns, rows    int
	isHeader         bool
	linked, controls int // bytes of text in links, form controls
}

// tablesOf are the data tables under root, in the order of the page.
func tablesOf(root *html.Node, left *allowance) []Table {
	var out []Table
	cells := dataCellsMax
	for n := range root.Descendants() {
		if n.DataAtom != atom.Table || n.Type != html.ElementNode {
			continue
		}
		if len(out) == dataTablesMax || cells <= 0 || left.steps < 0 {
			break
		}
		if table := dataTable(n, left, &cells); table != nil {
			out = append(out, *table)
		}
	}
	return out
}

// dataTable reads a table, or returns nil for a layout table.
func dataTable(n *html.Node, left *allowance, cells *int) *Table {
	switch strings.ToLower(strings.TrimSpace(dom.Attr(n, "role"))) {
	case "presentation", "none":
		return nil
	}
	r := &tableReader{left: left, table: n}
	r.rowsOf(n, 0)
	if r.nested || !isData(r.rows, r.caption != nil) {
		return nil
	}
	table := &Table{Rows: [][]string{}}
	headers := headerRows(r.rows)
	grid := fill(r.rows, cells)
	if headers > 0 && len(grid) >= headers {
		table.Header, grid = joinRows(grid[:headers]), grid[headers:]
	}
	for _, row := range grid {
		if slices.ContainsFunc(row, func(cell string) bool { return cell != "" }) {
			table.Rows = append(table.Rows, row)
		}
	}
	if len(table.Rows) == 0 {
		return nil
	}
	table.Caption = r.captionText()
	return table
}

// tableReader reads the rows of one table.
type tableReader struct {
	left    *allowance
	table   *html.Node
	rows    []tableRow
	caption *html.Node
	nested  bool
}

// rowsOf collects the rows in n: those of the sections and, if the markup is broken, a little deeper.
func (r *tableReader) rowsOf(n *html.Node, depth int) {
	for child := n.FirstChild; child != nil && r.left.step() && len(r.rows) < dataRowsMax; child = child.NextSibling {
		switch child.DataAtom {
		case atom.Tr:
			r.row(child)
		case atom.Caption:
			if r.caption == nil {
				r.caption = child
			}
		case atom.Table:
			r.nested = true
		default:
			if depth < tableSectionDepth && child.Type == html.ElementNode {
				r.rowsOf(child, depth+1)
			}
		}
	}
}

func (r *tableReader) row(tr *html.Node) {
	row := tableRow{section: tr.Parent, inHead: tr.Parent.DataAtom == atom.Thead}
	for n := tr.FirstChild; n != nil && len(row.cells) < dataColumnsMax && !r.nested; n = n.NextSibling {
		if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
			row.cells = append(row.cells, r.cell(n))
		}
	}
	if len(row.cells) > 0 {
		r.rows = append(r.rows, row)
	}
}

func (r *tableReader) cell(n *html.Node) tableCell {
	c := tableCell{columns: spanOf(n, "colspan", dataColumnsMax), rows: spanOf(n, "rowspan", dataRowsMax), isHeader: n.DataAtom == atom.Th}
	var alt strings.Builder
	for child := n.FirstChild; child != nil && r.left.step(); child = dom.Next(child, n) {
		switch child.DataAtom {
		case atom.Table:
			r.nested = true
			return c
		case atom.A:
			c.linked += len(shownText(child, r.left))
		case atom.Input, atom.Select, atom.Textarea, atom.Button:
			c.controls++
		case atom.Img:
			alt.WriteString(" " + dom.Attr(child, "alt"))
		}
	}
	if c.text = clip.Bytes(shownText(n, r.left), dataCellBytesMax); c.text == "" {
		c.text = clip.Bytes(dom.Fold(alt.String()), dataCellBytesMax)
	}
	return c
}

// captionText is the table's caption, or that of a figure that contains nothing else.
func (r *tableReader) captionText() string {
	caption := r.caption
	for n := r.table.Parent; caption == nil && n != nil && n.DataAtom != atom.Body; n = n.Parent {
		if n.DataAtom != atom.Figure {
			continue
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			if child.DataAtom == atom.Figcaption {
				caption = child
			}
		}
		break
	}
	if caption == nil {
		return ""
	}
	return clip.Bytes(shownText(caption, r.left), nameBytesMax)
}

// isData tells data from layout: at least two rows and columns, not mostly links or form controls, not mostly empty, no
// cells as long as parts of a page. Headers count as a sign of data.
func isData(rows []tableRow, hasCaption bool) bool {
	columns, cells, empty, bytes, linked, controls := 0, 0, 0, 0, 0, 0
	for _, row := range rows {
		width := 0
		for _, c := range row.cells {
			width += c.columns
			cells++
			bytes += len(c.text)
			linked += min(c.linked, len(c.text))
			controls += c.controls
			if c.text == "" {
				empty++
			}
		}
		columns = max(columns, width)
	}
	if len(rows) < 2 || columns < 2 || cells < 3 || bytes == 0 {
		return false
	}
	headed := headerRows(rows) > 0 && !isLayoutHeader(rows[0])
	switch {
	case controls*2 >= cells:
		return false
	case headed || hasCaption:
		return empty < cells
	case linked*10 > bytes*7, empty*10 > cells*7, bytes > cells*layoutCellBytes:
		return false
	}
	return true
}

// isLayoutHeader reports whether an apparent header is one cell across the table: the title of a box.
func isLayoutHeader(row tableRow) bool { return len(row.cells) < 2 }

// headerRows is how many of the first rows are headers: those of the head, else those with only header cells.
func headerRows(rows []tableRow) int {
	inHead := 0
	for inHead < len(rows) && rows[inHead].inHead {
		inHead++
	}
	if inHead > 0 && inHead < len(rows) {
		return min(inHead, headerRowsMax)
	}
	headers := 0
	for headers < len(rows) && headers < headerRowsMax && isHeaderRow(rows[headers]) {
		headers++
	}
	if headers == len(rows) {
		return 1
	}
	return headers
}

// isHeaderRow reports whether all cells are headers, except an empty one in the corner.
func isHeaderRow(row tableRow) bool {
	headers := 0
	for i, c := range row.cells {
		switch {
		case c.isHeader:
			headers++
		case i == 0 && c.text == "" && len(row.cells) > 1:
		default:
			return false
		}
	}
	return headers > 0 && (len(row.cells) > 1 || row.cells[0].columns > 1)
}

// fill puts the content of spanning cells into each row and column, and makes all rows as long as the longest. It takes
// the cells from *left and stops when there are none.
func fill(rows []tableRow, left *int) [][]string {
	width := 0
	var grid [][]string
	pending := map[int]tableCell{} // cells that continue in the rows below, by column
	for i, row := range rows {
		if i > 0 && row.section != rows[i-1].section {
			clear(pending) // no cell spans two sections (HTML standard 4.9.12)
		}
		filled := fillRow(row, pending)
		width = max(width, len(filled))
		if (len(grid)+1)*width > *left {
			break
		}
		grid = append(grid, filled)
	}
	*left -= len(grid) * width
	for i := range grid {
		for len(grid[i]) < width {
			grid[i] = append(grid[i], "")
		}
	}
	return grid
}

func fillRow(row tableRow, pending map[int]tableCell) []string {
	var out []string
	above := func() bool {
		c, ok := pending[len(out)]
		if !ok || len(out) >= dataColumnsMax {
			return false
		}
		if c.rows--; c.rows > 1 {
			pending[len(out)] = c
		} else {
			delete(pending, len(out))
		}
		out = append(out, c.text)
		return true
	}
	for _, c := range row.cells {
		for above() {
		}
		for range c.columns {
			if len(out) == dataColumnsMax {
				break
			}
			if c.rows > 1 {
				pending[len(out)] = c
			} else {
				delete(pending, len(out))
			}
			out = append(out, c.text)
		}
	}
	for above() {
	}
	return out
}

// joinRows joins several header rows into one: the differing texts, from top to bottom.
func joinRows(rows [][]string) []string {
	out := slices.Clone(rows[0])
	for _, row := range rows[1:] {
		for i, text := range row {
			if text != "" && text != out[i] && !strings.HasSuffix(out[i], " "+text) {
				out[i] = strings.TrimSpace(out[i] + " " + text)
			}
		}
	}
	return out
}

// spanOf is how far a cell spans, within bounds. A rowspan of 0 is for the rest of its section.
func spanOf(cell *html.Node, name string, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(dom.Attr(cell, name)))
	switch {
	case err == nil && n == 0 && name == "rowspan":
		return most
	case err != nil || n < 1:
		return 1
	}
	return min(n, most)
}
