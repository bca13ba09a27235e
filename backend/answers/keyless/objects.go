package keyless

import (
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// records fills a list of objects from a table whose columns are the fields of its entries.
func (f *finder) records(field ask.Field) []ask.Value {
	var best []ask.Value
	for _, p := range f.pages {
		if p.standing <= local {
			continue
		}
		for _, g := range p.tables {
			values := f.rows(field, g, p)
			if len(values) > len(best) {
				best = values
			}
		}
	}
	if len(best) == 0 {
		best = f.grouped(field)
	}
	return best
}

// firstNames gives the first column of a table to the one entry of its records that no header names, where that is a text; it reports false
// where an entry is left without a column.
func firstNames(columns []int, items []ask.Field, g grid) bool {
	at := slices.Index(columns, -1)
	if at < 0 {
		return true
	}
	isText := items[at].Type == "" || items[at].Type == "string"
	if !isText || len(items) < 2 || slices.Contains(columns, 0) || slices.Contains(columns[at+1:], -1) || len(g.quotes) > 0 {
		return false
	}
	if slices.ContainsFunc(g.rows, func(row []string) bool { return !hasLetter(row[0]) }) {
		return false
	}
	columns[at] = 0
	return true
}

func (f *finder) rows(field ask.Field, g grid, p placed) []ask.Value {
	columns := make([]int, len(field.Items))
	wants := make([]*want, len(field.Items))
	for i, item := range field.Items {
		wants[i] = newWant(item, f.asked, ask.KindExample)
		columns[i] = slices.IndexFunc(g.header, func(h string) bool { return len(wants[i].raw) > 0 && slices.Equal(words(h), wants[i].raw) })
	}
	for i, w := range wants {
		best := trustMin
		for j, h := range g.header {
			if columns[i] >= 0 && best == trustMin || slices.Contains(columns, j) {
				continue // its own name, or another's
			}
			if m := w.match(terms(words(h)), terms(words(g.around+" "+h))); m > best {
				columns[i], best = j, m
			}
		}
	}
	p.soleOfKind(columns, wants, g)
	if !firstNames(columns, field.Items, g) {
		return nil
	}
	var out []ask.Value
	for n, row := range g.rows {
		quote := strings.Join(row, " ")
		for i, item := range field.Items {
			if len(g.quotes) > 0 {
				quote = g.quotes[n][columns[i]]
			}
			value, ok := wants[i].value(row[columns[i]], p.page, true)
			if !ok && wants[i].field.Type != "number" && wants[i].field.Type != "integer" {
				value, ok = wants[i].as("").value(row[columns[i]], p.page, true)
			}
			if !ok {
				continue
			}
			v := ask.Value{Path: field.Path + "/" + strconv.Itoa(n) + item.Path, JSON: ask.MarshalValue(value), URL: p.source.URL, Quote: quote}
			if f.checker.Check(v) == nil {
				out = append(out, v)
			}
		}
	}
	return out
}
