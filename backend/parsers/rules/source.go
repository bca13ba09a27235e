package rules

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/selector"
)

// source finds values: *html.Node, *extract.Item, row, or a plain value (string, bool, json.Number). scope is where it searches,
// of the same kinds; sources of the whole page ignore it. If all is false, one match is enough, and more may be returned.
type source interface {
	find(r *run, scope any, all bool) ([]any, error)
}

// element returns the element to search in: the page if the scope is not an element.
func (r *run) element(scope any) *html.Node {
	if n, ok := scope.(*html.Node); ok && n != nil {
		return n
	}
	return r.root
}

type selfSource struct{}

func (selfSource) find(_ *run, scope any, _ bool) ([]any, error) { return []any{scope}, nil }

type cssSource struct{ list *selector.List }

func (s cssSource) find(r *run, scope any, all bool) ([]any, error) {
	root := r.element(scope)
	if root == nil {
		return nil, nil
	}
	want := selector.First
	if all {
		want = selector.All
	}
	nodes, err := s.list.Match(root, want, r.budget.step)
	found := make([]any, len(nodes))
	for i, n := range nodes {
		found[i] = n
	}
	return found, err
}

type xpathSource struct{ expr *pooledXPath }

func (s xpathSource) find(r *run, scope any, all bool) ([]any, error) {
	root := r.element(scope)
	if root == nil {
		return nil, nil
	}
	found, err := s.expr.find(root, all, r.budget)
	for i, value := range found {
		if f, ok := value.(float64); ok {
			found[i] = numberOf(f)
		}
	}
	return found, err
}

// taken takes an attribute or a form of the elements that its source finds.
type taken struct {
	source source
	attr   string
	take   string
}

// The forms of an element that can be taken.
const (
	takeText      = "text"
	takeLines     = "lines"
	takeHTML      = "html"
	takeOuterHTML = "outer_html"
)

var takes = []string{takeText, takeLines, takeHTML, takeOuterHTML}

func (t taken) find(r *run, scope any, all bool) ([]any, error) {
	found, err := t.source.find(r, scope, true) // all, because the first may lack the attribute
	if err != nil {
		return nil, err
	}
	var out []any
	for _, one := range found {
		value := one
		if n, ok := one.(*html.Node); ok {
			if value, err = r.take(n, t.attr, t.take); err != nil {
				return nil, err
			}
		}
		if isEmpty(value) {
			continue
		}
		if out = append(out, value); !all {
			break
		}
	}
	return out, nil
}

type metaSource string

func (s metaSource) find(r *run, _ any, all bool) ([]any, error) {
	var found []any
	if r.root == nil {
		return nil, nil
	}
	for n := range r.root.Descendants() {
		if err := r.budget.step(1); err != nil {
			return nil, err
		}
		if n.DataAtom != atom.Meta {
			continue
		}
		if err := r.budget.look(attrBytes(n)); err != nil {
			return nil, err
		}
		if !s.names(n) {
			continue
		}
		if content := strings.TrimSpace(attrOf(n, "content")); content != "" {
			if found = append(found, content); !all {
				break
			}
		}
	}
	return found, nil
}

func (s metaSource) names(n *html.Node) bool {
	for _, key := range []string{"name", "property", "itemprop", "http-equiv"} {
		for word := range strings.FieldsSeq(strings.ToLower(attrOf(n, key))) {
			if word == string(s) {
				return true
			}
		}
	}
	return false
}

// pageValues are the values of pageSource.
var pageValues = []string{
	"url", "title", "description", "language", "canonical_url", "published_at", "modified_at", "author", "site_name", "image",
	"type", "text", "markdown", "html",
}

type pageSource string

func (s pageSource) find(r *run, _ any, _ bool) ([]any, error) {
	d, m := r.document, r.document.Metadata
	value := map[string]string{
		"url": r.source.URL, "title": m.Title, "description": m.Description, "language": m.Language, "canonical_url": m.CanonicalURL,
		"published_at": m.PublishedAt, "modified_at": m.ModifiedAt, "author": m.Author, "site_name": m.SiteName, "image": m.Image,
		"type": d.Type, "text": d.Text, "markdown": d.Markdown, "html": d.HTML,
	}[string(s)]
	if value == "" {
		return nil, nil
	}
	return []any{value}, r.budget.take(len(value))
}

// itemSource finds items in structured data, at any depth.
type itemSource struct {
	kind string // json_ld, microdata, rdfa or structured
	typ  string // In lower case; "": any
	path []pathStep
}

type pathStep struct {
	name  string
	index int // -1: all
}

func (s itemSource) find(r *run, _ any, _ bool) ([]any, error) {
	lists := map[string][][]*extract.Item{
		"json_ld": {r.structured.JSONLD}, "microdata": {r.structured.Microdata}, "rdfa": {r.structured.RDFa},
		"structured": {r.structured.JSONLD, r.structured.Microdata, r.structured.RDFa},
	}[s.kind]
	for _, list := range lists {
		items, err := r.items(list, s.typ)
		if err != nil {
			return nil, err
		}
		var found []any
		for _, item := range items {
			values, err := r.follow([]any{item}, s.path)
			if err != nil {
				return nil, err
			}
			found = append(found, values...)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// items returns the items of a type, outer ones before nested ones.
func (r *run) items(list []*extract.Item, typ string) ([]*extract.Item, error) {
	var found []*extract.Item
	seen := map[*extract.Item]bool{}
	queue := slices.Clone(list)
	for len(queue) > 0 {
		item := queue[0]
		queue = queue[1:]
		if item == nil || seen[item] {
			continue
		}
		seen[item] = true
		if err := r.budget.step(1 + len(item.Types) + len(item.Properties)); err != nil {
			return nil, err
		}
		if typ == "" || hasType(item, typ) {
			found = append(found, item)
		}
		for _, name := range sortedKeys(item.Properties) {
			for _, value := range item.Properties[name] {
				if inner, ok := value.(*extract.Item); ok {
					queue = append(queue, inner)
				}
			}
		}
	}
	return found, nil
}

func hasType(item *extract.Item, typ string) bool {
	return slices.ContainsFunc(item.Types, func(t string) bool { return strings.EqualFold(bareType(t), typ) })
}

// follow follows a path from each of found.
func (r *run) follow(found []any, path []pathStep) ([]any, error) {
	for _, step := range path {
		var next []any
		for _, one := range found {
			values := valuesOf(one, step.name)
			if err := r.budget.step(1 + len(values)); err != nil {
				return nil, err
			}
			switch {
			case step.index < 0:
				next = append(next, values...)
			case step.index < len(values):
				next = append(next, values[step.index])
			}
		}
		found = next
	}
	return found, nil
}

func valuesOf(value any, name string) []any {
	item, ok := value.(*extract.Item)
	if !ok {
		return nil
	}
	switch name {
	case "@id":
		if item.ID == "" {
			return nil
		}
		return []any{item.ID}
	case "@type":
		types := make([]any, len(item.Types))
		for i, t := range item.Types {
			types[i] = t
		}
		return types
	}
	return item.Properties[name]
}

type pathSource []pathStep

func (s pathSource) find(r *run, scope any, _ bool) ([]any, error) { return r.follow([]any{scope}, s) }

// row is a table's row.
type row struct {
	header []string
	cells  []string
}

// tableSource finds a table and returns its rows.
type tableSource struct {
	caption string // folded, in lower case
	header  []string
	index   int
}

func (s tableSource) find(r *run, _ any, _ bool) ([]any, error) {
	left := s.index
	for i := range r.structured.Tables {
		t := &r.structured.Tables[i]
		if err := r.budget.step(1 + len(t.Rows)); err != nil {
			return nil, err
		}
		if err := r.budget.look(len(t.Caption) + (1+len(s.header))*headerBytes(t.Header)); err != nil {
			return nil, err
		}
		if !s.fits(t) {
			continue
		}
		if left > 0 {
			left--
			continue
		}
		rows := make([]any, len(t.Rows))
		for i, cells := range t.Rows {
			rows[i] = row{t.Header, cells}
		}
		return rows, nil
	}
	return nil, nil
}

func (s tableSource) fits(t *extract.Table) bool {
	if !strings.Contains(strings.ToLower(fold(t.Caption)), s.caption) {
		return false
	}
	for _, want := range s.header {
		if !slices.ContainsFunc(t.Header, func(h string) bool { return strings.Contains(strings.ToLower(fold(h)), want) }) {
			return false
		}
	}
	return true
}

// columnSource is a cell: by equal header, else by a header that contains the text, else by number.
type columnSource string

func (s columnSource) find(run *run, scope any, _ bool) ([]any, error) {
	r, ok := scope.(row)
	if !ok {
		return nil, nil
	}
	if err := run.budget.look(2 * headerBytes(r.header)); err != nil {
		return nil, err
	}
	want := strings.ToLower(fold(string(s)))
	i := slices.IndexFunc(r.header, func(h string) bool { return strings.ToLower(fold(h)) == want })
	if i < 0 {
		i = slices.IndexFunc(r.header, func(h string) bool { return strings.Contains(strings.ToLower(fold(h)), want) })
	}
	if i < 0 {
		if n, err := strconv.Atoi(want); err == nil {
			i = n
		}
	}
	if i < 0 || i >= len(r.cells) {
		return nil, nil
	}
	return []any{r.cells[i]}, nil
}

// plain is the plain value of a found thing, for fields without subfields.
func (r *run) plain(found any) (any, error) {
	switch v := found.(type) {
	case *html.Node:
		if v == nil {
			return nil, nil
		}
		return r.take(v, "", takeText)
	case *extract.Item:
		found = itemText(v)
	case row:
		found = rowValue(v)
	case string:
		found = strings.TrimSpace(v)
	}
	return found, r.budget.put(found)
}

// itemText is the text that stands for an item: in schema.org, a brand may be a name or an item with a name.
func itemText(item *extract.Item) any {
	for _, name := range []string{"name", "value", "@value", "url", "contentUrl"} {
		for _, value := range item.Properties[name] {
			if _, nested := value.(*extract.Item); !nested && !isEmpty(value) {
				return value
			}
		}
	}
	if item.ID == "" {
		return nil
	}
	return item.ID
}

// rowValue is a row as an object by header, or the list of its cells.
func rowValue(r row) any {
	if len(r.header) != len(r.cells) || !slices.ContainsFunc(r.header, func(h string) bool { return h != "" }) {
		list := make([]any, len(r.cells))
		for i, cell := range r.cells {
			list[i] = cell
		}
		return list
	}
	object := make(map[string]any, len(r.cells))
	for i, cell := range r.cells {
		name := fold(r.header[i])
		if _, taken := object[name]; taken || name == "" {
			name = strings.TrimSpace(name + " " + strconv.Itoa(i))
		}
		object[name] = cell
	}
	return object
}

// numberOf converts an XPath number; NaN and infinity, which JSON lacks, become nil.
func numberOf(f float64) any {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if strings.ContainsAny(text, "NI") {
		return nil
	}
	return json.Number(text)
}

// headerBytes is the cost of scanning a header, in bytes.
func headerBytes(header []string) int {
	size := bytesPerStep * len(header)
	for _, name := range header {
		size += len(name)
	}
	return size
}

func attrBytes(n *html.Node) int {
	size := 0
	for i := range n.Attr {
		size += len(n.Attr[i].Val)
	}
	return size
}

func attrOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}
