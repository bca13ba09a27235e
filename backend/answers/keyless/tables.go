package keyless

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	rowsMax    = 2000
	columnsMax = 60
)

// table reads a table, and reports whether it is one of data: one that holds headings, tables or long texts is there for the
// layout.
func (p *page) table(n *html.Node) bool {
	var rows [][]*html.Node
	caption := ""
	for inner := range n.Descendants() {
		switch inner.DataAtom {
		case atom.Table:
			if inner != n {
				return false
			}
		case atom.H1, atom.H2, atom.P, atom.Ul:
			if len(textOf(inner)) > 200 || headingLevel(inner) > 0 {
				return false
			}
		case atom.Caption:
			caption = squeeze(textOf(inner))
		case atom.Tr:
			var cells []*html.Node
			for cell := range inner.ChildNodes() {
				if (cell.DataAtom == atom.Td || cell.DataAtom == atom.Th) && len(cells) < columnsMax {
					cells = append(cells, cell)
				}
			}
			p.chosen(inner)
			if len(cells) > 0 && len(rows) < rowsMax {
				rows = append(rows, cells)
			}
		}
	}
	if len(rows) == 0 {
		return true
	}
	rows = spread(rows)
	text := textOfRows(rows)
	if n := headRows(rows); n > 0 && n < len(rows) && len(rows[0]) > 1 {
		p.grid(merged(text[:n]), text[n:], caption)
		return true
	}
	if transposed := len(rows) > 1 && len(rows[0]) > 2 && rows[0][0].DataAtom == atom.Th && rows[1][0].DataAtom == atom.Th; transposed {
		for _, row := range text {
			for _, value := range row[1:] {
				p.add(fact{label: row[0], value: value, quote: strings.Join(row, " "), around: caption, isRow: true, trust: 0.9})
			}
		}
		return true
	}
	p.bareRows(text, caption)
	for i, row := range text {
		if len(row) == 2 && len(rows[i][0].Data) > 0 && !p.isCard(rows[i][0]) {
			p.add(fact{label: row[0], value: row[1], quote: row[0] + " " + row[1], around: caption, trust: 1})
			p.sentencesOf(row[1])
			continue
		}
		if p.pairs(row, rows[i], caption) {
			continue
		}
		for _, cell := range rows[i] {
			p.block(cell) // each is a label with its value
		}
	}
	return true
}

// textOfRows are the texts of the cells of a table, each on one line.
func textOfRows(rows [][]*html.Node) [][]string {
	text := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			text[i] = append(text[i], strings.ReplaceAll(textOf(cell), "\n", " "))
		}
	}
	return text
}

// isCard reports whether a cell holds a label and its value, one below the other.
func (p *page) isCard(cell *html.Node) bool {
	label, _, ok := strings.Cut(textOf(cell), "\n")
	return ok && p.isLabel(label)
}

// naming are the words that tables have above the names of what their rows say.
var naming = set("item detail details property feature fact field key attribute parameter specification characteristic what label particulars subject topic entry data")

// grid reads a table with a header.
func (p *page) grid(header []string, rows [][]string, around string) {
	g := grid{header: header, around: around}
	for _, row := range rows {
		if len(row) != len(header) {
			continue
		}
		g.rows = append(g.rows, row)
		quote := strings.Join(row, " ")
		for j, cell := range row {
			p.add(fact{label: header[j], value: cell, quote: quote, around: around + " " + quote, row: row, isRow: len(rows) > 1, trust: 0.95})
		}
		if first := squeeze(strings.ToLower(header[0])); len(row) == 2 || len(row) > 2 && naming[first] && p.isLabel(row[0]) {
			p.add(fact{label: row[0], value: row[1], quote: quote, around: around + " " + header[1] + " " + header[0], trust: 0.9})
		}
	}
	p.tables = append(p.tables, g)
}

// structured reads the page's data for machines: things that bear the page's name, or that are the only one.
func (p *page) structured(d *extract.Document) {
	if d.Structured == nil {
		return
	}
	if len(p.sentences)+len(p.facts) == 0 || !strings.Contains(p.source.Page.MediaType, "html") && p.source.Page.MediaType != "" {
		for _, table := range d.Structured.Tables {
			if len(table.Header) > 0 {
				p.grid(table.Header, table.Rows, table.Caption)
			}
		}
	}
	var things []*extract.Item
	for _, list := range [][]*extract.Item{d.Structured.JSONLD, d.Structured.Microdata, d.Structured.RDFa} {
		for _, item := range list {
			if !structural(item) {
				things = append(things, item)
			}
		}
	}
	for _, item := range things {
		name := itemName(item)
		if len(things) > 1 && !slices.ContainsFunc(p.names, func(own string) bool { return slices.Equal(plainWords(own), plainWords(name)) }) {
			continue
		}
		p.item(item, "", 0)
	}
}

func structural(item *extract.Item) bool {
	for _, kind := range item.Types {
		switch kind {
		case "BreadcrumbList", "WebSite", "WebPage", "SearchAction", "ImageObject", "ItemList", "ListItem", "SiteNavigationElement":
			return true
		}
	}
	return len(item.Types) == 0
}

func itemName(item *extract.Item) string {
	for _, key := range []string{"name", "headline"} {
		for _, value := range item.Properties[key] {
			if s, ok := value.(string); ok {
				return s
			}
		}
	}
	return ""
}

// schemaLabels are what properties of schema.org are called, where their own words say something else.
var schemaLabels = map[string]string{
	"startDate": "date", "jobTitle": "position", "numberOfEmployees": "employees", "foundingDate": "founded", "recipeYield": "servings", "cookTime": "cooking time",
	"prepTime": "preparation time", "recipeIngredient": "ingredients", "datePublished": "published", "dateModified": "updated", "telephone": "phone",
	"sku": "sku", "brand": "manufacturer", "price": "price", "organizer": "organiser", "location": "venue", "postalCode": "postcode", "streetAddress": "street address",
	"openingHours": "opening hours", "vatID": "vat id", "isbn": "isbn", "ratingValue": "rating", "reviewCount": "number of reviews", "availability": "availability",
	"addressLocality": "town", "legalName": "legal name",
}

// item recurses a few levels into what a thing has.
func (p *page) item(item *extract.Item, outer string, depth int) {
	if depth > 3 {
		return
	}
	if p.property(item, outer) || p.asked(item) {
		return
	}
	if name := itemName(item); name != "" && !slices.ContainsFunc(p.names, func(own string) bool { return slices.Equal(plainWords(own), plainWords(name)) }) {
		around := p.inside
		p.inside = name
		defer func() { p.inside = around }()
	}
	for _, name := range slices.Sorted(maps.Keys(item.Properties)) {
		label := name
		if known := schemaLabels[name]; known != "" {
			label = known
		}
		if name == "url" || name == "sameAs" || name == "image" || name == "@id" || name == "logo" {
			continue
		}
		values := item.Properties[name]
		p.several(name, label, values, outer)
		for _, value := range values {
			if inner, ok := value.(*extract.Item); ok {
				if n := itemName(inner); n != "" && inner.Properties["value"] == nil {
					p.add(fact{label: label, value: n, quote: ask.Statement("name", n), trust: 0.8})
				}
				if name != "review" && name != "comment" && name != "author" {
					p.item(inner, label, depth+1)
				}
				continue
			}
			statement := ask.Statement(name, value)
			_, text, _ := strings.Cut(statement, ": ")
			if len(values) == 1 && name != "name" {
				text = strings.TrimPrefix(strings.TrimPrefix(text, "https://schema.org/"), "http://schema.org/")
				p.add(fact{label: label, value: text, quote: statement, around: outer, trust: 0.85})
			}
		}
	}
}

// several reads a property with a list of texts.
func (p *page) several(name, label string, values []any, outer string) {
	var texts, statements []string
	for _, value := range values {
		if text, ok := value.(string); ok {
			texts, statements = append(texts, text), append(statements, ask.Statement(name, text))
		}
	}
	if len(texts) > 1 && len(texts) == len(values) {
		p.add(fact{label: label, value: strings.Join(texts, "\n"), quote: strings.Join(statements, "\n"), around: outer, trust: 0.85})
	}
}

// asked reads a question with its answer.
func (p *page) asked(item *extract.Item) bool {
	if !slices.Contains(item.Types, "Question") || len(item.Properties["acceptedAnswer"]) == 0 {
		return false
	}
	answer, ok := item.Properties["acceptedAnswer"][0].(*extract.Item)
	if !ok || len(answer.Properties["text"]) == 0 {
		return false
	}
	if text, ok := answer.Properties["text"][0].(string); ok {
		p.add(fact{label: itemName(item), value: text, quote: text, trust: 0.85, question: true})
	}
	return true
}

// property reads a property that has a name and a value of its own, as schema.org has them for what it has no word for.
func (p *page) property(item *extract.Item, outer string) bool {
	names, values := item.Properties["name"], item.Properties["value"]
	if len(names) != 1 || len(values) != 1 {
		return false
	}
	name, ok := names[0].(string)
	if _, inner := values[0].(*extract.Item); !ok || inner {
		return false
	}
	statement := ask.Statement("value", values[0])
	_, text, _ := strings.Cut(statement, ": ")
	quote := statement
	if len(item.Properties) == 2 {
		quote = ask.Statement("name", name) + " " + statement
	}
	p.add(fact{label: name, value: text, quote: quote, around: outer, trust: 0.9})
	return true
}
