package feeds

import (
	"encoding/xml"
	"io"
	"strings"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	xmlNodesMax    = 400_000
	xmlDepthMax    = 40
	attachmentsMax = 20
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

// xmlFeed makes a feed of a tree.
type xmlFeed struct {
	input string
	draft *Draft
	// base and author are the defaults for entries without their own.
	base, author string
}

// readXMLFeed reads RSS 0.9x, 1.0 and 2.0 and Atom 0.3 and 1.0, or returns nil if body is none.
func readXMLFeed(body []byte) *Draft {
	root, input := readXML(body)
	if root == nil {
		return nil
	}
	f := &xmlFeed{input: input, draft: &Draft{}}
	channel := root
	if root.name != "feed" {
		if channel = root.child("channel"); channel == nil {
			return nil
		}
	}
	f.channel(channel)
	f.base = channel.attr("base")
	if channel.name != "channel" { // RSS names the publisher, Atom the author of the entries
		f.author = authorOf(channel)
	}
	// In RSS 1.0 the items stand beside the channel.
	for _, in := range []*xmlNode{channel, root} {
		for _, n := range in.children {
			switch n.name {
			case "item", "entry":
				if len(f.draft.entries) < entriesMax {
					f.draft.entries = append(f.draft.entries, f.entry(n))
				}
			}
		}
		if channel == root {
			break
		}
	}
	return f.draft
}

func (f *xmlFeed) channel(n *xmlNode) {
	d := f.draft
	d.Title = textOfHTML(f.content(n.child("title")))
	d.Description = f.content(n.child("description", "subtitle", "tagline", "itunes:summary"))
	d.URL = f.linkOf(n)
	d.Language = n.childText("language", "dc:language")
	if d.Language == "" {
		d.Language = n.attr("lang")
	}
	if image := n.child("image"); image != nil {
		d.Icon = image.childText("url")
	}
	if d.Icon == "" {
		d.Icon = n.childText("logo", "icon")
	}
}

func (f *xmlFeed) entry(n *xmlNode) entryDraft {
	e := entryDraft{
		base:      firstOf(n.attr("base"), f.base),
		published: n.childText("pubdate", "published", "issued", "dc:date", "created", "date"),
		updated:   n.childText("updated", "modified", "dcterms:modified"),
	}
	e.ID = clip.Bytes(n.childText("guid", "id"), links.ReferenceBytesMax)
	e.URL = f.linkOf(n)
	if e.URL == "" && (strings.HasPrefix(e.ID, "http://") || strings.HasPrefix(e.ID, "https://")) {
		if guid := n.child("guid"); guid == nil || guid.attr("ispermalink") != "false" {
			e.URL = e.ID
		}
	}
	if e.URL == "" {
		e.URL = n.attr("about")
	}
	e.Title = f.content(n.child("title", "media:title"))
	e.Author = firstOf(authorOf(n), f.author)
	e.Content = f.content(n.child("content:encoded", "content", "xhtml:body", "body"))
	e.summary = f.content(n.child("description", "summary", "atom:summary", "itunes:summary", "media:description"))
	e.summaryIsHTML = isMarkup(e.summary)
	for _, child := range n.children {
		if len(e.attachments) == attachmentsMax {
			break
		}
		if child.name == "enclosure" || child.name == "link" && child.attr("rel") == "enclosure" {
			e.attachments = append(e.attachments, attachment{url: firstOf(child.attr("url"), child.attr("href")), mediaType: child.attr("type")})
		}
	}
	return e
}

// linkOf is the address of a channel or entry: the text in RSS, or Atom's alternate link.
func (f *xmlFeed) linkOf(n *xmlNode) string {
	other := ""
	for _, child := range n.children {
		if child.name != "link" && child.name != "atom:link" {
			continue
		}
		if href := child.attr("href"); href != "" {
			switch child.attr("rel") {
			case "", "alternate":
				return href
			case "self", "hub", "enclosure", "replies", "edit", "next", "via", "license":
			default:
				other = firstOf(other, href)
			}
		} else if text := strings.TrimSpace(child.text.String()); text != "" {
			return text
		}
	}
	return other
}

// authorOf joins the names of the authors. RSS 2.0 has addresses there: "a@b.example (Ann Bee)".
func authorOf(n *xmlNode) string {
	var out []string
	for _, child := range n.children {
		switch child.name {
		case "author", "dc:creator", "itunes:author", "atom:author":
		default:
			continue
		}
		name := child.childText("name")
		if name == "" {
			name = strings.TrimSpace(child.text.String())
		}
		if before, after, ok := strings.Cut(name, "("); ok && strings.Contains(before, "@") {
			name = strings.TrimSuffix(strings.TrimSpace(after), ")")
		}
		if name = dom.Fold(name); name != "" && len(out) < metadata.AuthorsMax && !containsFold(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// inPlace turns XML markup of a feed into HTML.
var inPlace = strings.NewReplacer("<![CDATA[", "", "]]>", "", "<xhtml:", "<", "</xhtml:", "</")

// content is the content of an element, as HTML or text: escaped, or as markup in place.
func (f *xmlFeed) content(n *xmlNode) string {
	if n == nil {
		return ""
	}
	if len(n.children) > 0 && n.from <= n.to {
		return inPlace.Replace(f.input[n.from:n.to])
	}
	text := n.text.String()
	if kind := n.attr("type"); kind == "text" && strings.ContainsAny(text, "<&") {
		// In Atom's plain text (RFC 4287, 3.1.1.1), what looks like markup is none.
		return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text)
	}
	return text
}

// isMarkup reports whether text is likely HTML.
func isMarkup(s string) bool {
	for i := 0; i < len(s); {
		at := strings.IndexByte(s[i:], '<')
		if at < 0 {
			break
		}
		i += at + 1
		if i < len(s) && (dom.IsCapital(s[i]) || 'a' <= s[i] && s[i] <= 'z' || s[i] == '/' || s[i] == '!') {
			return true
		}
	}
	return strings.Contains(s, "&") && html.UnescapeString(s) != s
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

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func containsFold(list []string, s string) bool {
	for _, other := range list {
		if strings.EqualFold(other, s) {
			return true
		}
	}
	return false
}
