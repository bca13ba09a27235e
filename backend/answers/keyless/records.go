package keyless

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	treeDepthMax = 20
	// namesMax is how many of the texts of a JSON document may be what it is about, namesDepth how deep they stand.
	namesMax, namesDepth = 40, 3
)

// readJSON reads a source whose content is JSON.
func (p *page) readJSON(source *ask.Source, d *extract.Document) bool {
	raw := []byte(source.JSON)
	if len(raw) == 0 && strings.Contains(source.Page.MediaType, "json") {
		if raw = source.Page.Body; len(raw) == 0 {
			raw = []byte(d.Text)
		}
	}
	if len(raw) == 0 {
		return false
	}
	value, err := jsonschema.Parse(raw)
	if err != nil {
		return false
	}
	if object, ok := value.(map[string]any); ok {
		p.called(object, 0)
		for key := range object {
			for _, word := range words(key) {
				p.context[word] = true
			}
		}
	}
	p.tree(value, nil, nil, false, 0)
	return true
}

// called notes what the objects of a document, but for entries of lists, say that they are. It recurses namesDepth deep.
func (p *page) called(object map[string]any, depth int) {
	if depth > 0 && isTable(object) {
		return
	}
	for _, text := range scalars(object) {
		if len(text) <= 60 && len(p.names) < namesMax && !isYear(text) && (depth == 0 || hasLetter(text)) {
			p.names = append(p.names, text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if inner, ok := object[key].(map[string]any); ok && depth < namesDepth && !isTable(object) {
			p.called(inner, depth+1)
		}
	}
}

// isTable reports whether an object is a dictionary of records: all that it holds are objects that share most of their keys.
func isTable(object map[string]any) bool {
	if len(object) < 2 {
		return false
	}
	shared := map[string]int{}
	for _, value := range object {
		inner, ok := value.(map[string]any)
		if !ok || len(inner) == 0 {
			return false
		}
		for key := range inner {
			shared[key]++
		}
	}
	common := 0
	for _, n := range shared {
		if n*3 >= len(object)*2 {
			common++
		}
	}
	return common >= 2 && common*2 >= len(shared) || common == 1 && len(shared) == 1
}

// tree recurses as deep as the value nests, which jsonschema.Parse bounds. path are the names that lead here, record the values
// of the entry of a list that this is in.
func (p *page) tree(value any, path, record []string, isRow bool, depth int) {
	if depth > treeDepthMax {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		p.object(v, path, record, isRow, depth)
	case []any:
		p.list(v, path, record, isRow, depth)
	case nil:
	default:
		if len(path) == 0 {
			return
		}
		name := path[len(path)-1]
		_, text, _ := strings.Cut(ask.Statement(name, v), ": ")
		quote := string(jsonschema.Encode(name)) + ":" + string(jsonschema.Encode(v))
		f := fact{label: name, value: text, quote: quote, around: strings.Join(path, " ") + " " + strings.Join(record, " "), row: record, isRow: isRow, trust: 0.95}
		p.add(f)
		if outer := len(path) - 2; outer >= 0 && len(terms(words(name))) == 0 && len(terms(words(path[outer]))) > 0 {
			f.label = path[outer] + " " + name // "customer": {"fullName"}
			p.add(f)
		}
	}
}

func (p *page) object(v map[string]any, path, record []string, isRow bool, depth int) {
	if header, rows, ok := matrixOf(v); ok {
		p.matrix(header, rows, strings.Join(path, " "))
		return
	}
	if isTable(v) && !isRow {
		var all []any
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner, _ := v[key].(map[string]any)
			p.tree(inner, path, append(slices.Clone(record), key), true, depth+1)
			all = append(all, inner)
		}
		p.records(all, path)
		return
	}
	if isRow {
		record = append(slices.Clone(record), scalars(v)...)
	}
	if name, ok := v["name"].(string); ok && depth <= 1 && !isRow {
		p.names = append(p.names, name)
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		p.tree(v[key], append(slices.Clone(path), key), record, isRow, depth+1)
	}
}

func (p *page) list(v []any, path, record []string, isRow bool, depth int) {
	plain := !slices.ContainsFunc(v, func(item any) bool { _, isText := item.(string); return !isText })
	if plain && len(v) > 0 && len(path) > 0 {
		var all []string
		for _, item := range v {
			s, _ := item.(string)
			all = append(all, s)
		}
		text := string(jsonschema.Encode(v))
		p.add(fact{label: path[len(path)-1], value: strings.Join(all, "\n"), quote: text, around: strings.Join(path, " "), row: record, isRow: isRow, trust: 0.95})
		return
	}
	if header, rows, ok := matrixOfList(v); ok {
		p.matrix(header, rows, strings.Join(path, " "))
		return
	}
	p.records(v, path)
	for _, item := range v {
		p.tree(item, path, record, true, depth+1)
	}
}

// matrixOf reads an object that keeps the names of its columns apart from its rows.
func matrixOf(object map[string]any) ([]string, []any, bool) {
	var header []string
	var rows []any
	for _, key := range []string{"columns", "header", "headers", "fields"} {
		if list, ok := object[key].([]any); ok {
			header = textsOf(list)
		}
	}
	for _, key := range []string{"rows", "data", "values", "records"} {
		if list, ok := object[key].([]any); ok {
			rows = list
		}
	}
	return header, rows, isMatrix(header, rows)
}

// matrixOfList reads a list of lists whose first has the names of the columns.
func matrixOfList(list []any) ([]string, []any, bool) {
	if len(list) < 2 {
		return nil, nil, false
	}
	first, ok := list[0].([]any)
	if !ok {
		return nil, nil, false
	}
	header := textsOf(first)
	return header, list[1:], isMatrix(header, list[1:])
}

func textsOf(list []any) []string {
	var out []string
	for _, item := range list {
		switch v := item.(type) {
		case string:
			out = append(out, v)
		case map[string]any:
			name, _ := v["name"].(string)
			out = append(out, name)
		default:
			return nil
		}
	}
	return out
}

func isMatrix(header []string, rows []any) bool {
	return len(header) > 1 && len(rows) > 0 && !slices.ContainsFunc(rows, func(row any) bool {
		list, ok := row.([]any)
		return !ok || len(list) != len(header)
	})
}

// matrix reads rows of values under the names of their columns.
func (p *page) matrix(header []string, rows []any, around string) {
	for _, item := range rows {
		list, _ := item.([]any)
		var cells []string
		for i, value := range list {
			_, text, _ := strings.Cut(ask.Statement(header[i], value), ": ")
			cells = append(cells, text)
		}
		quote := strings.Trim(string(jsonschema.Encode(list)), "[]")
		for i, text := range cells {
			p.add(fact{label: header[i], value: text, quote: quote, around: around + " " + strings.Join(cells, " "), row: cells, isRow: true, trust: 0.95})
		}
	}
}

// records keeps a list of objects as a table, for those who want all of them.
func (p *page) records(list []any, path []string) {
	g := grid{around: strings.Join(path, " ")}
	shared := map[string]int{}
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return
		}
		for key, value := range object {
			switch value.(type) {
			case map[string]any, []any, nil:
			default:
				shared[key]++
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(shared)) {
		if shared[key] == len(list) {
			g.header = append(g.header, key)
		}
	}
	if len(g.header) == 0 {
		return
	}
	for _, item := range list {
		object, _ := item.(map[string]any)
		var row, quotes []string
		for _, key := range g.header {
			_, text, _ := strings.Cut(ask.Statement(key, object[key]), ": ")
			row = append(row, text)
			quotes = append(quotes, string(jsonschema.Encode(key))+":"+string(jsonschema.Encode(object[key])))
		}
		g.rows, g.quotes = append(g.rows, row), append(g.quotes, quotes)
	}
	p.tables = append(p.tables, g)
}

func scalars(object map[string]any) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch v := object[key].(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, v.String())
		}
	}
	return out
}
