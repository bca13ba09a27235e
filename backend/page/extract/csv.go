package extract

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"strings"
)

const (
	csvRowsMax    = 20_000
	csvColumnsMax = 500
	// csvCellsMax is how many cells are shown, including those that fill up short rows.
	csvCellsMax = 200_000
	// csvBytesMax is how much of the body is shown as a table.
	csvBytesMax = 4 << 20
	// csvHeadBytes is how much of the body is examined to find the separator.
	csvHeadBytes = 4096
)

// readCSV reads values separated by commas, tabs or similar: as a table in HTML and markdown, and unchanged as text.
func readCSV(ctx context.Context, source Source, options Options) (*Document, error) {
	rows, more := csvRows(source)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	document := &Document{Text: string(source.Body)}
	if len(rows) == 0 {
		return plainDocument(document.Text), nil
	}
	table := Table{Header: rows[0], Rows: rows[1:]}
	document.HTML, document.Markdown = tableHTML(table), tableMarkdown(table)
	if more {
		const note = "The table continues; text contains all of it."
		document.HTML += "<p>" + note + "</p>"
		document.Markdown += "\n" + note
	}
	if options.Structured {
		document.Structured = &Structured{JSONLD: []*Item{}, Microdata: []*Item{}, RDFa: []*Item{}, Tables: []Table{table}}
	}
	return document, nil
}

// csvRows returns the rows within the bounds, all of one length, and whether there are more.
func csvRows(source Source) (rows [][]string, more bool) {
	body := bytes.TrimPrefix(source.Body, []byte("\ufeff"))
	if len(body) > csvBytesMax {
		body, more = body[:csvBytesMax], true
		if i := bytes.LastIndexByte(body, '\n'); i >= 0 {
			body = body[:i]
		}
	}
	comma, body := separator(source.MediaType, body)
	r := csv.NewReader(bytes.NewReader(body))
	r.Comma = comma
	r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = true, -1, true
	width := 0
	for len(rows) < csvRowsMax {
		record, err := r.Read()
		if err != nil {
			break // the end: lazy quotes leave no other error
		}
		if len(record) > csvColumnsMax {
			record, more = record[:csvColumnsMax], true
		}
		width = max(width, len(record))
		if (len(rows)+1)*width > csvCellsMax {
			return levelled(rows, width), true
		}
		row := make([]string, len(record), max(width, len(record)))
		copy(row, record)
		rows = append(rows, row)
	}
	return levelled(rows, width), more || len(rows) == csvRowsMax
}

// levelled fills rows up to a width.
func levelled(rows [][]string, width int) [][]string {
	if len(rows) > 0 && len(rows)*width > csvCellsMax {
		rows = rows[:max(csvCellsMax/width, 1)]
	}
	for i := range rows {
		for len(rows[i]) < width {
			rows[i] = append(rows[i], "")
		}
	}
	return rows
}

// separator detects the separator of the values: the most frequent candidate in the first lines, outside of quotes. Some
// files declare it in a first line, "sep=;".
func separator(mediaType string, body []byte) (rune, []byte) {
	if rest, ok := bytes.CutPrefix(body, []byte("sep=")); ok && len(rest) > 1 && strings.IndexByte(",;\t|", rest[0]) >= 0 {
		_, after, _ := bytes.Cut(rest, []byte("\n"))
		return rune(rest[0]), after
	}
	if mediaType == "text/tab-separated-values" {
		return '\t', body
	}
	best, most := ',', 0
	for _, candidate := range ",;\t|" {
		count, quoted := 0, false
		for _, b := range body[:min(len(body), csvHeadBytes)] {
			if b == '"' {
				quoted = !quoted
			} else if !quoted && rune(b) == candidate {
				count++
			}
		}
		if count > most {
			best, most = candidate, count
		}
	}
	return best, body
}

func tableHTML(table Table) string {
	var out strings.Builder
	out.WriteString("<table><thead><tr>")
	for _, cell := range table.Header {
		fmt.Fprintf(&out, "<th>%s</th>", html.EscapeString(cell))
	}
	out.WriteString("</tr></thead><tbody>")
	for _, row := range table.Rows {
		out.WriteString("<tr>")
		for _, cell := range row {
			out.WriteString("<td>" + html.EscapeString(cell) + "</td>")
		}
		out.WriteString("</tr>")
	}
	out.WriteString("</tbody></table>")
	return out.String()
}

// cellMarkdown escapes characters that would end a cell or begin markup in it.
var cellMarkdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r\n", " ", "\n", " ", "\r", " ", "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "~", `\~`)

func tableMarkdown(table Table) string {
	var out strings.Builder
	row := func(cells []string) {
		for _, cell := range cells {
			out.WriteString("| " + strings.TrimSpace(cellMarkdown.Replace(cell)) + " ")
		}
		out.WriteString("|\n")
	}
	row(table.Header)
	out.WriteString(strings.Repeat("| --- ", len(table.Header)) + "|\n")
	for _, cells := range table.Rows {
		row(cells)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
