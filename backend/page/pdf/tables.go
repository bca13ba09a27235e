package pdf

import (
	"math"
	"strings"
	"unicode"
)

const (
	// tableRowsMin is how many lines with several cells make a table.
	tableRowsMin    = 3
	tableColumnsMax = 30
	tableRowsMax    = 500
)

// interval is where a column of a table is.
type interval struct{ u0, u1 float64 }

// tableAt tells whether rows begin with a table, and gives how many of them it takes and its cells.
func tableAt(rows [][]segment) (n int, cells [][]string) {
	if len(rows) < tableRowsMin || len(rows[0]) < 2 || marks(rows[0]) {
		return 0, nil
	}
	several, most := 0, 0
	for n < min(len(rows), tableRowsMax) {
		row := rows[n]
		if n > 0 {
			gap := rows[n-1][0].v - row[0].v
			if gap > 3*max(row[0].size, rows[n-1][0].size) || math.Abs(row[0].size-rows[0][0].size) > 0.25*rows[0][0].size {
				break
			}
		}
		switch {
		case len(row) >= 2 && len(row) <= tableColumnsMax && !mono(row) && !leaders(row):
			several++
			most = max(most, len(row))
		case len(row) == 1 && n > 0 && len(rows[n-1]) >= 2 && n+1 < len(rows) && len(rows[n+1]) >= 2:
			// the second line of a cell, perhaps
		default:
			goto found
		}
		n++
	}
found:
	for n > 0 && len(rows[n-1]) < 2 {
		n--
	}
	if several < tableRowsMin {
		return 0, nil
	}
	columns := columnsOf(rows[:n], most)
	if len(columns) < 2 {
		return 0, nil
	}
	return n, fill(rows[:n], columns)
}

// marks reports whether a row begins with the mark of a list item.
func marks(row []segment) bool {
	if len(row) != 2 || len(row[0].words) != 1 {
		return false
	}
	_, _, ok := marker(row[0].words[0].text + " x")
	return ok
}

// leaders reports whether a row is an entry of a table of contents.
func leaders(row []segment) bool {
	for i := range row {
		dots := 0
		for j := range row[i].words {
			if t := row[i].words[j].text; strings.Trim(t, ".…") == "" {
				dots += len(t)
			}
		}
		if dots >= 4 {
			return true
		}
	}
	return false
}

func mono(row []segment) bool {
	for i := range row {
		for j := range row[i].words {
			if f := row[i].words[j].font; f == nil || !f.Mono {
				return false
			}
		}
	}
	return true
}

// columnsOf finds the columns by the rows that have the most cells. Cells of one column overlap; none overlaps two.
func columnsOf(rows [][]segment, most int) []interval {
	var columns []interval
	for _, row := range rows {
		if len(row) != most {
			continue
		}
		for i := range row {
			if i == len(columns) {
				columns = append(columns, interval{row[i].u0, row[i].u1})
				continue
			}
			columns[i].u0, columns[i].u1 = min(columns[i].u0, row[i].u0), max(columns[i].u1, row[i].u1)
		}
	}
	for i := 1; i < len(columns); i++ {
		if columns[i].u0 < columns[i-1].u1 {
			return nil
		}
	}
	fit, all := 0, 0
	for _, row := range rows {
		if len(row) < 2 {
			continue
		}
		all++
		if fits(row, columns) {
			fit++
		}
	}
	if fit < tableRowsMin || fit*10 < all*7 {
		return nil
	}
	return columns
}

// fits reports whether each segment of a row is of another column.
func fits(row []segment, columns []interval) bool {
	last := -1
	for i := range row {
		at := columnOf(&row[i], columns)
		if at <= last || at+1 < len(columns) && row[i].u1 > columns[at+1].u0+1 {
			return false
		}
		last = at
	}
	return true
}

// columnOf is the column that a segment overlaps most, or is nearest to.
func columnOf(s *segment, columns []interval) int {
	best, most := 0, math.Inf(-1)
	for i, c := range columns {
		if overlap := min(s.u1, c.u1) - max(s.u0, c.u0); overlap > most {
			best, most = i, overlap
		}
	}
	return best
}

// fill puts segments into cells. A row that has nothing in its first column, or one segment alone, goes on with the
// row above where it stands close under it.
func fill(rows [][]segment, columns []interval) [][]string {
	var out [][]string
	for i, row := range rows {
		cells := make([]string, len(columns))
		for j := range row {
			t, _ := joined(row[j].words)
			t, _ = logical(t, nil)
			at := columnOf(&row[j], columns)
			cells[at] = strings.TrimSpace(cells[at] + " " + t)
		}
		near := i > 0 && rows[i-1][0].v-row[0].v < 1.45*row[0].size
		if near && cells[0] == "" && len(out) > 1 && continues(cells, out[len(out)-1]) {
			above := out[len(out)-1]
			for j, cell := range cells {
				above[j] = strings.TrimSpace(above[j] + " " + cell)
			}
			continue
		}
		out = append(out, cells)
	}
	return out
}

// continues reports whether cells read as the second line of those above.
func continues(cells, above []string) bool {
	filled := 0
	for j, cell := range cells {
		if cell == "" {
			continue
		}
		filled++
		if above[j] == "" || unicode.IsDigit([]rune(cell)[0]) {
			return false
		}
	}
	return filled < len(cells)
}
