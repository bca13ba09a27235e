package structured

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// valuesMax is how many values each kind of structured data may have on a page, including those of nested
	// items and of resolved references.
	valuesMax = 20_000
	// bytesMax is how many bytes these values may have together.
	bytesMax = 4 << 20
	// depthMaxOfItems is how deep items nest in items.
	depthMaxOfItems = 24
	// nameBytesMax truncates each name.
	nameBytesMax = 2000
	// valueBytesMax truncates each value.
	valueBytesMax = 64 << 10
	// typesMax is how many types an item may have, and how many names a property.
	typesMax = 10
)

// allowance is the rest of the bounds of one kind of structured data. Each kind has its own, so that a hostile or huge
// one does not use up those of the others.
type allowance struct {
	values, bytes int
	// steps is the number of nodes that may be visited.
	steps int
}

// newAllowance bounds the walk over a tree: nested items need several visits of a node, but not one for each item.
func newAllowance(nodes int) *allowance {
	return &allowance{values: valuesMax, bytes: bytesMax, steps: 8*nodes + 10_000}
}

// value uses up one value of n bytes, and reports whether that is within the bounds.
func (a *allowance) value(n int) bool {
	if a.values <= 0 || a.bytes < n {
		a.values = 0
		return false
	}
	a.values--
	a.bytes -= n
	return true
}

// step uses up one visit of a node, and reports whether that is within the bounds.
func (a *allowance) step() bool {
	a.steps--
	return a.steps >= 0
}

// Read returns the structured data under root, once references are absolute. jsonLD are the values of the page's
// scripts. The error is the context's.
func Read(ctx context.Context, root *html.Node, references *links.References, jsonLD []any) (*Data, error) {
	nodes := 0
	for range root.Descendants() {
		nodes++
	}
	// Never nil: clients that ask for them get lists.
	s := &Data{JSONLD: []*Item{}, Microdata: []*Item{}, RDFa: []*Item{}, Tables: []Table{}}
	for _, read := range []func(){
		func() { s.JSONLD = append(s.JSONLD, jsonLDItems(jsonLD, references)...) },
		func() { s.Microdata = append(s.Microdata, microdata(root, references, newAllowance(nodes))...) },
		func() { s.RDFa = append(s.RDFa, rdfa(root, references, newAllowance(nodes))...) },
		func() { s.Tables = append(s.Tables, tablesOf(root, newAllowance(nodes))...) },
	} {
		read()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add appends a value to a property.
func (i *Item) add(name string, value any) {
	if i.Properties == nil {
		i.Properties = map[string][]any{}
	}
	i.Properties[name] = append(i.Properties[name], value)
}

// UnmarshalJSON reads an item as it is written: every object within it is an item, too.
func (i *Item) UnmarshalJSON(text []byte) error {
	var written struct {
		Types      []string                     `json:"types"`
		ID         string                       `json:"id"`
		Properties map[string][]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	*i = Item{Types: written.Types, ID: written.ID}
	for name, values := range written.Properties {
		for _, raw := range values {
			var value any
			if raw[0] == '{' {
				value = &Item{}
			}
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.UseNumber()
			if err := decoder.Decode(&value); err != nil {
				return err
			}
			i.add(name, value)
		}
	}
	return nil
}

// WithoutSchema removes the prefix of schema.org from a type or name, for any scheme, and reports whether it had one.
func WithoutSchema(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(name, "http://")
	}
	if !ok {
		return name, false
	}
	rest = strings.TrimPrefix(rest, "www.")
	if rest, ok = strings.CutPrefix(rest, "schema.org"); !ok {
		return name, false
	}
	rest = strings.TrimLeft(rest, "/#")
	if rest == "" {
		return name, false
	}
	return rest, true
}

// isSchema reports whether an IRI is the vocabulary of schema.org.
func isSchema(iri string) bool {
	rest, ok := WithoutSchema(strings.TrimRight(strings.TrimSpace(iri), "/#") + "/x")
	return ok && rest == "x"
}

// names are the tokens of an attribute, without the prefix of schema.org, bounded.
func names(attribute string) []string {
	out := []string{}
	for token := range strings.FieldsSeq(attribute) {
		if len(out) == typesMax {
			break
		}
		token, _ = WithoutSchema(token)
		out = append(out, clip.Bytes(token, nameBytesMax))
	}
	return out
}

// shownText is the text under n, with its white space folded, up to valueBytesMax. Unlike textContent in the DOM
// standard, it puts a space between separate blocks.
func shownText(n *html.Node, left *allowance) string {
	var out strings.Builder
	for child := n.FirstChild; child != nil && left.step() && out.Len() < valueBytesMax; {
		switch {
		case child.Type == html.TextNode:
			out.WriteString(child.Data)
		case child.Type == html.ElementNode && dom.IsInvisible(child):
			child = dom.After(child, n)
			continue
		case child.DataAtom == atom.Br || child.DataAtom == atom.Td || child.DataAtom == atom.Th || dom.Apart(child) > 0:
			out.WriteByte(' ')
		}
		if child.FirstChild == nil && child.NextSibling == nil && child.Parent != n {
			// Leaving a block on the way up.
			out.WriteString(borderAfter(child, n))
		}
		child = dom.Next(child, n)
	}
	return clip.Bytes(dom.Fold(out.String()), valueBytesMax)
}

// borderAfter is a space if the walk leaves a block on its way up from n.
func borderAfter(n, root *html.Node) string {
	for n = n.Parent; n != nil && n != root; n = n.Parent {
		if dom.Apart(n) > 0 {
			return " "
		}
		if n.NextSibling != nil {
			return ""
		}
	}
	return ""
}

// Data is the page's structured data and its tables. All of it is bounded in depth and count.
type Data struct {
	JSONLD    []*Item `json:"json_ld"`
	Microdata []*Item `json:"microdata"`
	RDFa      []*Item `json:"rdfa"`
	Tables    []Table `json:"tables"`
}

// Item is a thing that structured data describes.
type Item struct {
	// Types are as written, without the prefix of schema.org: "Product".
	Types []string `json:"types"`
	// ID is its identifier, mostly a URL; empty if it has none.
	ID string `json:"id,omitempty"`
	// Properties are its values by name, without the prefix of schema.org. A value is a string, a bool, a json.Number or
	// an *Item.
	Properties map[string][]any `json:"properties"`
}

// Table is a data table, not one for layout. Rows have as many cells as Header, if there is one.
type Table struct {
	Caption string     `json:"caption,omitempty"`
	Header  []string   `json:"header,omitempty"`
	Rows    [][]string `json:"rows"`
}
