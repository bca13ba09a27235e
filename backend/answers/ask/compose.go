package ask

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// citationBytesMax is how much of a quote a citation shows.
const citationBytesMax = 2000

// Compose builds the answer from values that Check has accepted. Values that the schema refuses are left out, fields without a value
// are NotFound, and lists have no gaps. Of several values of one path the first is used, and others that equal it are cited, too.
func Compose(format *Format, values []Value) (Answer, error) {
	b := &builder{format: format, values: map[string][]Value{}}
	for _, v := range values {
		if _, ok := format.Field(v.Path); ok {
			b.values[v.Path] = append(b.values[v.Path], v)
		}
	}
	// Each pass removes at least one value that the schema refuses, until it refuses none.
	for {
		tree, err := b.object(format.Schema.Root().View(), "", "", 0)
		if err != nil {
			return Answer{}, err
		}
		fault := format.Schema.Validate(tree)
		if fault == nil {
			return b.answer(tree), nil
		}
		if !b.drop(fault) {
			return Answer{}, fmt.Errorf("composing an answer: %w", fault)
		}
	}
}

// builder builds the answer's value.
type builder struct {
	format *Format
	// values are the values by path, the used one first.
	values map[string][]Value
	// cited are the values in the tree, with their paths there.
	cited []cited
}

type cited struct{ at, path string }

// object builds an object: at is its path in the answer, path that of its values.
func (b *builder) object(node *jsonschema.Node, at, path string, depth int) (map[string]any, error) {
	if at == "" {
		b.cited = nil
	}
	if depth > FormatDepthMax+2 {
		return nil, errors.New("composing an answer: the schema nests deeper than its check allows")
	}
	out := map[string]any{}
	for _, p := range node.Properties {
		view := p.Node.View()
		name := "/" + escape(p.Name)
		switch {
		case view.Const && len(view.Enum) == 1:
			out[p.Name] = view.Enum[0]
		case len(view.Properties) > 0 && view.Is("object"):
			inner, err := b.object(view, at+name, path+name, depth+1)
			if err != nil {
				return nil, err
			}
			out[p.Name] = inner
		default:
			value, err := b.leaf(view, at+name, path+name, depth)
			if err != nil {
				return nil, err
			}
			out[p.Name] = value
		}
	}
	return out, nil
}

func (b *builder) leaf(view *jsonschema.Node, at, path string, depth int) (any, error) {
	if values := b.values[path]; len(values) > 0 {
		value, err := jsonschema.Parse(values[0].JSON)
		if err != nil {
			return nil, fmt.Errorf("composing an answer: %w", err)
		}
		b.cited = append(b.cited, cited{at, path})
		return value, nil
	}
	if typeOf(view) != "array" || view.Items == nil {
		return nil, nil //nolint:nilnil // JSON's null
	}
	item := view.Items.View()
	isObject := len(item.Properties) > 0 && item.Is("object")
	var list []any
	for _, i := range b.indexes(path) {
		from, to := path+"/"+strconv.Itoa(i), at+"/"+strconv.Itoa(len(list))
		if isObject {
			entry, err := b.object(item, to, from, depth+2)
			if err != nil {
				return nil, err
			}
			list = append(list, entry)
			continue
		}
		value, err := b.leaf(item, to, from, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	if len(list) == 0 {
		return nil, nil //nolint:nilnil // JSON's null
	}
	return list, nil
}

// indexes are the list indexes that have values, in order.
func (b *builder) indexes(path string) []int {
	var out []int
	for p := range b.values {
		rest, ok := strings.CutPrefix(p, path+"/")
		if !ok {
			continue
		}
		place, _, _ := strings.Cut(rest, "/")
		if n, ok := index(place); ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// drop removes a value that the schema refuses, and reports whether there was one.
func (b *builder) drop(err error) bool {
	var faults *jsonschema.Error
	if !errors.As(err, &faults) {
		return false
	}
	for _, fault := range faults.Faults {
		// The value itself, else one within the faulty value, else one of the list or object around it.
		for at := fault.Pointer; ; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
			for _, c := range slices.Backward(b.cited) {
				if c.at == at || strings.HasPrefix(c.at, at+"/") {
					delete(b.values, c.path)
					return true
				}
			}
			if at == "" {
				break
			}
		}
	}
	return false
}

// answer encodes the tree, with NotFound for null, and its citations.
func (b *builder) answer(tree map[string]any) Answer {
	a := Answer{JSON: b.format.Schema.Encode(missing(tree))}
	counts := map[string]int{}
	for _, c := range b.cited {
		values := b.values[c.path]
		for i, v := range values {
			if i > 0 && string(v.JSON) != string(values[0].JSON) {
				continue
			}
			a.Citations = append(a.Citations, Citation{Field: c.at, URL: v.URL, Quote: clip(v.Quote)})
			if counts[v.URL]++; counts[v.URL] == 1 {
				a.Sources = append(a.Sources, v.URL)
			}
		}
	}
	slices.SortStableFunc(a.Sources, func(x, y string) int { return cmp.Compare(counts[y], counts[x]) })
	return a
}

func clip(quote string) string {
	if len(quote) <= citationBytesMax {
		return quote
	}
	return strings.ToValidUTF8(quote[:citationBytesMax], "") + "…"
}

// missing replaces null with NotFound. It recurses as deep as the tree, which object bounds.
func missing(value any) any {
	switch v := value.(type) {
	case nil:
		return NotFound
	case map[string]any:
		for name, member := range v {
			v[name] = missing(member)
		}
	case []any:
		for i, item := range v {
			v[i] = missing(item)
		}
	}
	return value
}

// MarshalValue encodes a value for Value.JSON: a string, bool, json.Number, or a list of these.
func MarshalValue(value any) json.RawMessage { return marshal(value) }
