package feeds

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

const (
	xmlNodesMax = 400_000
	xmlDepthMax = 40
	// prefixesMax is how many prefixes of namespaces a feed may declare.
	prefixesMax = 100
)

// xmlNode is an element of a feed.
type xmlNode struct {
	name     string // in lower case, with the usual prefix of its namespace: "dc:creator"
	attrs    []xml.Attr
	text     strings.Builder
	children []*xmlNode
	// from and to are the position of its content in the input.
	from, to int64
}

// vocabularies are the usual prefixes of namespaces. Feeds that do not declare a prefix mean the usual namespace.
var vocabularies = []struct{ part, prefix string }{
	{"w3.org/2005/Atom", "atom"},
	{"purl.org/atom", "atom"},
	{"purl.org/dc/", "dc"},
	{"purl.org/rss/1.0/modules/content", "content"},
	{"itunes.com/dtds", "itunes"},
	{"search.yahoo.com/mrss", "media"},
	{"w3.org/1999/xhtml", "xhtml"},
	{"rdf-syntax-ns", "rdf"},
	{"purl.org/rss/1.0/", ""},
	{"netscape.com/rdf/simple", ""},
	{"backend.userland.com", ""},
}

// xmlReader reads a feed into a tree. It tolerates unclosed elements, undeclared entities and truncated documents. It
// ignores entities that the document declares, so none can multiply.
type xmlReader struct {
	input    string
	decoder  *xml.Decoder
	prefixes map[string]string
	stack    []*xmlNode
	isAtom   bool // the root is Atom's, by a prefix
	passed   int  // open elements beyond the depth
	nodes    int
}

// readXML returns a feed's root element and the input as it was read, or nil if there is none.
func readXML(body []byte) (*xmlNode, string) {
	r := &xmlReader{input: markup.CleanXML(body), prefixes: map[string]string{}}
	r.decoder = xml.NewDecoder(strings.NewReader(r.input))
	r.decoder.Strict = false
	r.decoder.Entity = xml.HTMLEntity
	// The body is already in UTF-8, whatever it declares.
	r.decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	document := &xmlNode{}
	r.stack = []*xmlNode{document}
	for r.nodes < xmlNodesMax {
		before := r.decoder.InputOffset()
		token, err := r.decoder.RawToken()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			r.start(t)
		case xml.EndElement:
			r.end(t, before)
		case xml.CharData:
			if top := r.stack[len(r.stack)-1]; len(r.stack) > 1 {
				top.text.Write(t)
			}
		}
	}
	for _, open := range r.stack[1:] {
		open.to = int64(len(r.input))
	}
	for _, root := range document.children {
		switch root.name {
		case "rss", "rdf:rdf", "rdf", "feed":
			return root, r.input
		}
	}
	return nil, ""
}

func (r *xmlReader) start(t xml.StartElement) {
	for _, a := range t.Attr {
		if a.Name.Space != "xmlns" || len(r.prefixes) == prefixesMax {
			continue
		}
		for _, v := range vocabularies {
			if strings.Contains(a.Value, v.part) {
				r.prefixes[a.Name.Local] = v.prefix
				break
			}
		}
	}
	if len(r.stack) > xmlDepthMax {
		r.passed++
		return
	}
	r.nodes++
	r.closeOpen(r.name(t.Name))
	r.isAtom = r.isAtom || len(r.stack) == 1 && r.name(t.Name) == "atom:feed"
	n := &xmlNode{name: r.name(t.Name), attrs: t.Copy().Attr, from: r.decoder.InputOffset()}
	top := r.stack[len(r.stack)-1]
	top.children = append(top.children, n)
	r.stack = append(r.stack, n)
}

// plainElements contain only text: if one begins within another, the other was not closed.
var plainElements = map[string]bool{"title": true, "link": true, "guid": true, "pubdate": true}

// closeOpen closes elements that must have ended before an element of this name begins.
func (r *xmlReader) closeOpen(name string) {
	top := len(r.stack) - 1
	for i := top; i > 0 && (name == "item" || name == "entry"); i-- { // at most xmlDepthMax
		if r.stack[i].name == name {
			top = i - 1
			break
		}
	}
	if (plainElements[name] || name == "description") && plainElements[r.stack[top].name] {
		top--
	}
	for _, n := range r.stack[top+1:] {
		n.to = n.from
	}
	r.stack = r.stack[:top+1]
}

// name is an element's name with the usual prefix, or without one if it belongs to the feed's own vocabulary.
func (r *xmlReader) name(n xml.Name) string {
	local := strings.ToLower(n.Local)
	prefix, ok := r.prefixes[n.Space]
	if !ok {
		prefix = strings.ToLower(n.Space)
	}
	if prefix == "" || n.Space == "" || prefix == "atom" && r.isAtom {
		return local
	}
	return prefix + ":" + local
}

func (r *xmlReader) end(t xml.EndElement, at int64) {
	if r.passed > 0 {
		r.passed--
		return
	}
	name := r.name(t.Name)
	for i := len(r.stack) - 1; i > 0; i-- { // at most xmlDepthMax
		if r.stack[i].name == name {
			for _, n := range r.stack[i:] {
				n.to = at
			}
			r.stack = r.stack[:i]
			return
		}
	}
}

// child is the first child by any of the names, in the order of the names.
func (n *xmlNode) child(names ...string) *xmlNode {
	for _, name := range names {
		for _, child := range n.children {
			if child.name == name {
				return child
			}
		}
	}
	return nil
}

func (n *xmlNode) childText(names ...string) string {
	for _, name := range names {
		if child := n.child(name); child != nil {
			if text := strings.TrimSpace(child.text.String()); text != "" {
				return text
			}
		}
	}
	return ""
}

func (n *xmlNode) attr(name string) string {
	for _, a := range n.attrs {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}
