package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

const (
	// depthMax is how deep objects are filled: schemas may refer to themselves.
	depthMax = 6
	// stepsMax is how many properties are looked for in total.
	stepsMax = 50_000
	// learnedMax is how many properties of a page are read by what was learned. Others are taken from its structured data only.
	learnedMax = 100
)

// Fill reads a page into an object of the schema. What is not found is null. document should have been read with Options.Structured.
// Errors are the context's.
func (r *Reader) Fill(ctx context.Context, schema *jsonschema.Schema, source extract.Source, document *extract.Document) (json.RawMessage, error) {
	f := &filler{ctx: ctx, model: r.model, document: document, learned: map[string]*Candidate{}, leafs: map[leafKey]*leaf{}}
	f.page = read(&ask.Source{URL: source.URL, Title: document.Metadata.Title, Document: document, Page: source})
	f.base, _ = whatwg.Parse(source.URL)
	if f.page.root != nil && f.base != nil {
		for n := range f.page.root.Descendants() {
			if n.DataAtom == atom.Base {
				if base, err := f.base.Parse(dom.Attr(n, "href")); err == nil {
					f.base = base
				}
				break
			}
		}
	}
	root := schema.Root().View()
	f.learn(root)
	value, _ := f.object(&scope{isPage: true, item: f.subject(root)}, root, "", "", 0)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("filling a schema: %w", err)
	}
	for prune(schema, value) {
	}
	return schema.Encode(value), nil
}

// prune removes what the schema refuses, and reports whether there was anything.
func prune(schema *jsonschema.Schema, value map[string]any) bool {
	faults, ok := errors.AsType[*jsonschema.Error](schema.Validate(value))
	if !ok {
		return false
	}
	pruned := false
	for _, fault := range faults.Faults {
		var at any = value
		var around map[string]any
		name := ""
		for _, step := range fault.Path() {
			switch v := at.(type) {
			case map[string]any:
				key, _ := step.(string)
				around, name, at = v, key, v[key]
			case []any:
				if i, ok := step.(int); ok && i < len(v) {
					at = v[i]
				}
			}
		}
		if _, has := around[name]; has {
			delete(around, name)
			pruned = true
		}
	}
	return pruned
}

// filler fills a schema from one page.
type filler struct {
	ctx      context.Context //nolint:containedctx // lives as long as one call
	model    *Model
	page     *page
	document *extract.Document
	base     *whatwg.Url
	learned  map[string]*Candidate // by path
	leafs    map[leafKey]*leaf
	groups   []group // of the page, nil before they are needed
	steps    int
}

// scope is where the properties of one object are looked for: the page, an item of its structured data, a row of a table or a card.
type scope struct {
	isPage bool
	item   *extract.Item
	row    []fact
	card   *card
	owner  string // the name of the list that this is an entry of
}

// leaf is a property that is looked for.
type leaf struct {
	field   ask.Field
	node    *jsonschema.Node
	want    *want
	names   []string // its own names, the schema's first
	meaning *meaning // nil: its names are all that is known of it
}

// leafKey is a property with the name of the object that it is in.
type leafKey struct {
	property jsonschema.Property
	around   string
}

// leafOf is a property as it is looked for. around is the name of the object that it is in.
func (f *filler) leafOf(p jsonschema.Property, around string) *leaf {
	key := leafKey{p, around}
	if l := f.leafs[key]; l != nil {
		return l
	}
	name, node := p.Name, p.Node.View()
	l := &leaf{field: ask.FieldOf(name, node), node: node}
	f.leafs[key] = l
	if around != "" {
		l.field.Description = around + " " + l.field.Description
	}
	l.want = f.model.want(l.field, nil)
	l.names = []string{labelOf(name)}
	if at := strings.LastIndexAny(name, "_- "); at > 0 {
		code := currencyIn(strings.ToUpper(name[at+1:]))
		if code != "" {
			l.want.currency = code
		}
		if _, isUnit := ask.UnitNames()[strings.ToLower(name[at+1:])]; code != "" || isUnit && l.want.unit != "" {
			l.names = append(l.names, labelOf(name[:at]))
		}
	}
	l.meaning = meaningOf(l.names)
	return l
}

// leaves are the properties of the page itself, with their paths.
func (f *filler) leaves(node *jsonschema.Node, path, around string, depth int, each func(path string, l *leaf)) {
	if depth > depthMax {
		return
	}
	for _, p := range node.Properties {
		if f.steps++; f.steps > stepsMax {
			return
		}
		at, view := path+"\x00"+p.Name, p.Node.View()
		switch {
		case view.Const, isRecords(view):
		case len(view.Properties) > 0 && view.Is("object"):
			f.leaves(view, at, p.Name, depth+1, each)
		default:
			each(at, f.leafOf(p, around))
		}
	}
}

// learn finds the values of the page's own properties that what was learned trusts.
func (f *filler) learn(root *jsonschema.Node) {
	var paths []string
	var ranked [][]*Candidate
	f.leaves(root, "", "", 0, func(path string, l *leaf) {
		if len(paths) < learnedMax && f.ctx.Err() == nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
			ranked = append(ranked, f.model.Rank(f.model.Finish(f.model.candidates(l.want, f.page))))
		}
	})
	f.steps = 0
	Contest(ranked)
	for i, all := range ranked {
		if best := f.model.Choose(all); best != nil && best.Trust >= f.model.TrustMin {
			f.learned[paths[i]] = best
		}
	}
}

// object fills an object, and reports whether anything was found for it.
func (f *filler) object(s *scope, node *jsonschema.Node, path, around string, depth int) (map[string]any, bool) {
	out := map[string]any{}
	found := false
	for _, p := range node.Properties {
		if f.steps++; f.steps > stepsMax || f.ctx.Err() != nil {
			break
		}
		view := p.Node.View()
		value, ok := any(nil), false
		at := path + "\x00" + p.Name
		switch {
		case view.Const:
		case len(view.Properties) > 0 && view.Is("object"):
			value, ok = f.inner(s, p, at, depth)
		case isRecords(view):
			value, ok = f.records(s, f.leafOf(p, around), depth)
		default:
			value, ok = f.value(s, f.leafOf(p, around), at)
		}
		switch {
		case ok:
			out[p.Name], found = value, true
		case view.Const && len(view.Enum) == 1:
			out[p.Name] = view.Enum[0]
		case view.HasDefault:
			out[p.Name] = view.Default
		}
	}
	return out, found
}

// inner fills an object within an object, from the item of structured data that is its value or has its name as its type.
func (f *filler) inner(s *scope, p jsonschema.Property, path string, depth int) (any, bool) {
	if depth >= depthMax {
		return nil, false
	}
	within := *s
	if s.item != nil {
		l := f.leafOf(p, "")
		if item, ok := firstItem(l.in(s.item)); ok {
			within.item = item
		} else if !slices.ContainsFunc(s.item.Types, func(kind string) bool { return labelOf(kind) == l.names[0] }) {
			within.item = nil
		}
	}
	value, ok := f.object(&within, p.Node.View(), path, p.Name, depth+1)
	if !ok {
		return nil, false
	}
	return value, true
}

func isRecords(node *jsonschema.Node) bool {
	if node.Items == nil || !node.Is("array") {
		return false
	}
	item := node.Items.View()
	return len(item.Properties) > 0 && item.Is("object")
}

// value is the value of a property that is no object and no list of objects.
func (f *filler) value(s *scope, l *leaf, path string) (any, bool) {
	if l.node.Names("object") {
		return nil, false
	}
	if s.item != nil {
		if l.inOtherCurrency(s.item) {
			return nil, false
		}
		isAuthor := s.isPage && l.want.kind == Person // of the persons that pages state, too many are organizations
		if value, ok := f.stated(l, l.in(s.item)); ok && !isAuthor {
			return value, true
		}
	}
	switch {
	case s.isPage:
		if c := f.learned[path]; c != nil && !l.isReference() && !l.isOfOther(c) {
			if value, ok := f.typed(l, c.Value); ok {
				return value, true
			}
		}
		return f.stated(l, f.headOf(l))
	case s.card != nil:
		return f.ofCard(s, l)
	}
	for _, cell := range s.row {
		isName := l.means("name") && cell.label == s.owner // the column "Room" of the list "rooms"
		if (isName || l.isCalled(cell.label, s.owner)) && l.fits(cell.unit) {
			return f.convert(l, cell.text)
		}
	}
	return nil, false
}
