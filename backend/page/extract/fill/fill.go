package fill

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	// depthMax is how deep objects are filled: schemas may refer to themselves.
	depthMax = 6
	// recordsMax is the greatest number of items in a list.
	recordsMax = 1000
	// stepsMax is the greatest number of properties that are searched for in total.
	stepsMax = 50_000
)

// Fill reads a page into an object of the schema. What cannot be found is null. The source's body is HTML; for other
// bodies only the document is read. document should have been read with Options.Structured. Errors are the context's,
// extract.ErrTooComplex, or of a schema that describes no object.
func Fill(ctx context.Context, schema *jsonschema.Schema, source extract.Source, document *extract.Document) (json.RawMessage, error) {
	f := &filler{ctx: ctx, source: source, document: document, inCard: map[*html.Node]*facts{}}
	if err := f.prepare(); err != nil {
		return nil, fmt.Errorf("filling a schema: %w", err)
	}
	root := schema.Root().View()
	page, err := f.page(root)
	if err != nil {
		return nil, fmt.Errorf("filling a schema: %w", err)
	}
	value, _ := f.object(page, root, nil, 0)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("filling a schema: %w", err)
	}
	return schema.Encode(value), nil
}

// filler is the state of filling from one page.
type filler struct {
	ctx      context.Context //nolint:containedctx // lives as long as one call
	source   extract.Source
	document *extract.Document
	root     *html.Node
	metas    []meta
	convert  converter
	facts    *facts
	groups   []group // cards, found when they are first needed
	grouped  bool
	inCard   map[*html.Node]*facts
	steps    int
}

type meta struct{ name, content string }

func (f *filler) prepare() error {
	body := f.source.Body
	if f.source.MediaType != "" && f.source.MediaType != "text/html" && f.source.MediaType != "application/xhtml+xml" {
		body = nil
	}
	root, err := extract.Parse(body)
	if err != nil {
		return err
	}
	f.root = root
	f.convert.base, _ = whatwg.Parse(f.source.URL)
	f.convert.speak(f.document.Metadata.Language)
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Meta:
			name := attr(n, "property") + attr(n, "name")
			if content := attr(n, "content"); name != "" && content != "" && len(f.metas) < 200 {
				f.metas = append(f.metas, meta{strings.ToLower(name), content})
			}
		case atom.Base:
			if base, err := f.convert.base.Parse(attr(n, "href")); f.convert.base != nil && err == nil {
				f.convert.base = base
			}
		}
	}
	f.facts, err = collect(f.ctx, root, true)
	return err
}

// page is the scope of the whole page, with its subject.
func (f *filler) page(root *jsonschema.Node) (*scope, error) {
	s := &scope{filler: f, facts: f.facts, isPage: true}
	s.item, s.second = f.subject(root)
	return s, f.ctx.Err()
}

// object fills an object, and reports whether anything was found for it.
func (f *filler) object(s *scope, node *jsonschema.Node, parent *want, depth int) (map[string]any, bool) {
	out := map[string]any{}
	found := false
	for _, p := range node.Properties {
		if f.steps++; f.steps > stepsMax || f.ctx.Err() != nil {
			break
		}
		value, ok := f.property(s, newWant(p.Name, p.Node, parent), depth)
		if ok {
			out[p.Name] = value
			found = true
			continue
		}
		if view := p.Node.View(); view.Const && len(view.Enum) == 1 {
			out[p.Name] = view.Enum[0]
		} else if view.HasDefault {
			out[p.Name] = view.Default
		}
	}
	return out, found
}

// property fills one property, and reports whether it was found.
func (f *filler) property(s *scope, w *want, depth int) (any, bool) {
	if w.node.Const {
		return nil, false
	}
	switch {
	case len(w.node.Properties) > 0 && w.node.Is("object"):
		return f.inner(s, w, depth)
	case w.node.Items != nil && w.node.Is("array"):
		if item := w.node.Items.View(); len(item.Properties) > 0 && item.Is("object") {
			return f.records(s, w, item, depth)
		}
		return f.list(s, w)
	case w.node.Names("object"), w.node.Names("array"):
		return nil, false
	}
	return f.scalar(s, w)
}

// scalar takes the best find of the right type.
func (f *filler) scalar(s *scope, w *want) (any, bool) {
	for _, found := range f.owned(s, w) {
		if value, ok := f.value(w, found); ok {
			return value, true
		}
	}
	return nil, false
}

// owned are the finds for a property. Within an object that has no scope of its own, a vague name counts only together
// with the object's name.
func (f *filler) owned(s *scope, w *want) []find {
	if w.parent == nil {
		return s.finds(w)
	}
	qualified := *w
	qualified.names, qualified.keys, qualified.concepts = nil, nil, nil
	for _, outer := range w.parent.names {
		for _, inner := range w.names {
			qualified.names = append(qualified.names, append(append([]string{}, outer...), inner...), append(append([]string{}, inner...), outer...))
		}
		if w.means("name") || w.vague() && len(w.names[0]) == 1 && (w.names[0][0] == "value" || w.names[0][0] == "amount") {
			qualified.names = append(qualified.names, outer)
			qualified.concepts = append(qualified.concepts, w.parent.concepts...)
		}
	}
	for _, n := range qualified.names {
		qualified.mean(n)
	}
	out := s.finds(&qualified)
	if !w.vague() {
		out = append(out, s.finds(w)...)
	}
	return out
}

func (f *filler) value(w *want, found find) (any, bool) {
	if isReference(w) && found.node != nil {
		if ref := reference(found.node); ref != "" {
			return f.convert.address(ref)
		}
	}
	if found.node != nil && w.node.Format != "" && strings.HasPrefix(w.node.Format, "date") {
		if at := attr(found.node, "datetime"); at != "" {
			if value, ok := f.convert.scalar(w, at); ok {
				return value, true
			}
		}
	}
	if b, ok := found.value.(bool); ok {
		return b, w.node.Is("boolean")
	}
	return f.convert.scalar(w, simple(found.value, w))
}

// inner fills an object within an object: from an item of structured data that is its value, else by labels that contain
// both names.
func (f *filler) inner(s *scope, w *want, depth int) (any, bool) {
	if depth >= depthMax {
		return nil, false
	}
	for _, found := range s.finds(w) {
		item, ok := found.value.(*extract.Item)
		if !ok {
			continue
		}
		if value, ok := f.object(&scope{filler: f, item: item}, w.node, nil, depth+1); ok {
			return value, true
		}
	}
	if s.isPage {
		if item := f.kindred(w); item != nil {
			if value, ok := f.object(&scope{filler: f, item: item}, w.node, nil, depth+1); ok {
				return value, true
			}
		}
	}
	outer := *w
	if w.parent != nil {
		outer.parent = nil
	}
	value, ok := f.object(s, w.node, &outer, depth+1)
	if !ok {
		return nil, false
	}
	return value, true
}
