package maincontent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// facts are the features of the whole page.
type facts struct {
	elements, texts int
	counts          [len(countedTags)]int
	title           map[string]bool
	description     map[string]bool
	looks           looks // of the words of both
	signs           [len(pageSigns)]bool
}

// countedTags are the elements whose number helps to tell types of pages apart.
var countedTags = [...]atom.Atom{
	atom.P, atom.Article, atom.Main, atom.Li, atom.Table, atom.Pre, atom.H2, atom.H3, atom.Section, atom.Img, atom.Form, atom.Time,
	atom.Blockquote, atom.Code, atom.Button, atom.Video,
}

// countedTag is the index of a tag in countedTags; -1 if it is not there.
func countedTag(tag atom.Atom) int {
	switch tag {
	case atom.A, atom.Div, atom.Span: // most elements
		return -1
	}
	return slices.Index(countedTags[:], tag)
}

// Where a sign of the page is searched for.
const (
	inSchema    = iota // a schema.org type, in JSON-LD or microdata
	inOpenGraph        // og:type
	inPlatform         // generator, names of scripts and styles, classes of html and body
)

// pageSigns are words that indicate a kind of page or the software that made it.
var pageSigns = [...]struct {
	where int
	word  string
}{
	{inSchema, "product"},
	{inSchema, "offer"},
	{inSchema, "discussionforumposting"},
	{inSchema, "qapage"},
	{inSchema, "question"},
	{inSchema, "newsarticle"},
	{inSchema, "blogposting"},
	{inSchema, "article"},
	{inSchema, "techarticle"},
	{inSchema, "itemlist"},
	{inSchema, "collectionpage"},
	{inSchema, "breadcrumblist"},
	{inSchema, "faqpage"},
	{inSchema, "service"},
	{inSchema, "localbusiness"},
	{inSchema, "organization"},
	{inSchema, "aggregaterating"},
	{inSchema, "recipe"},
	{inSchema, "comment"},
	{inOpenGraph, "article"},
	{inOpenGraph, "website"},
	{inOpenGraph, "product"},
	{inPlatform, "xenforo"},
	{inPlatform, "discourse"},
	{inPlatform, "phpbb"},
	{inPlatform, "vbulletin"},
	{inPlatform, "invision"},
	{inPlatform, "sphinx"},
	{inPlatform, "docusaurus"},
	{inPlatform, "mkdocs"},
	{inPlatform, "vitepress"},
	{inPlatform, "shopify"},
	{inPlatform, "woocommerce"},
	{inPlatform, "magento"},
	{inPlatform, "wp-content"},
	{inPlatform, "mediawiki"},
	{inPlatform, "squarespace"},
	{inPlatform, "wix"},
	{inPlatform, "elementor"},
	{inPlatform, "hubspot"},
	{inPlatform, "webflow"},
}

const (
	// schemaBytesMax is how much of one JSON-LD script is searched for its types.
	schemaBytesMax = 256 << 10
	schemaValueMax = 200
	// platformBytesMax is how much of one attribute is searched.
	platformBytesMax = 300
	// platformNodesMax is how many scripts and styles are examined.
	platformNodesMax = 200
)

func readFacts(root *html.Node) facts {
	var f facts
	platformNodes := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			f.texts++
			continue
		}
		f.elements++
		if i := countedTag(n.DataAtom); i >= 0 {
			f.counts[i]++
		}
		switch n.DataAtom {
		case atom.Title:
			if f.title == nil && n.FirstChild != nil {
				f.title = f.wordSet(n.FirstChild.Data)
			}
		case atom.Meta:
			f.meta(n)
		case atom.Script, atom.Link:
			if n.DataAtom == atom.Script && strings.Contains(dom.Attr(n, "type"), "ld+json") {
				if n.FirstChild != nil {
					f.schema(n.FirstChild.Data)
				}
			} else if platformNodes++; platformNodes <= platformNodesMax {
				f.sign(inPlatform, dom.Attr(n, "src"))
				f.sign(inPlatform, dom.Attr(n, "href"))
			}
		case atom.Html, atom.Body:
			f.sign(inPlatform, dom.Attr(n, "class"))
			f.sign(inPlatform, dom.Attr(n, "id"))
		}
		if len(n.Attr) == 0 {
			continue
		}
		if kind := dom.Attr(n, "itemtype"); kind != "" {
			f.schemaType(kind[strings.LastIndexByte(kind, '/')+1:])
		}
	}
	return f
}

func (f *facts) meta(n *html.Node) {
	name := dom.Attr(n, "name")
	if name == "" {
		name = dom.Attr(n, "property")
	}
	switch strings.ToLower(name) {
	case "description", "og:description":
		if f.description == nil {
			f.description = f.wordSet(dom.Attr(n, "content"))
		}
	case "og:type":
		f.sign(inOpenGraph, dom.Attr(n, "content"))
	case "generator":
		f.sign(inPlatform, dom.Attr(n, "content"))
	}
}

// schema finds the types in JSON-LD without parsing it, so that a page with broken JSON still has types.
func (f *facts) schema(source string) {
	source = source[:min(len(source), schemaBytesMax)]
	for {
		at := strings.Index(source, `"@type"`)
		if at < 0 {
			return
		}
		source = source[at+len(`"@type"`):]
		value := strings.TrimLeft(source[:min(len(source), schemaValueMax)], ": \t\r\n")
		if list, isList := strings.CutPrefix(value, "["); isList {
			value, _, _ = strings.Cut(list, "]")
		} else if _, one, ok := strings.Cut(value, `"`); ok {
			value, _, _ = strings.Cut(one, `"`)
		}
		for kind := range strings.SplitSeq(value, ",") {
			f.schemaType(strings.Trim(kind, "\" \t\r\n"))
		}
	}
}

func (f *facts) schemaType(kind string) {
	kind = strings.ToLower(kind)
	for i, sign := range pageSigns {
		if sign.where == inSchema && sign.word == kind {
			f.signs[i] = true
		}
	}
}

func (f *facts) sign(where int, value string) {
	if value == "" {
		return
	}
	value = strings.ToLower(value[:min(len(value), platformBytesMax)])
	for i, sign := range pageSigns {
		if sign.where == where && !f.signs[i] && strings.Contains(value, sign.word) {
			f.signs[i] = true
		}
	}
}

// looks is a filter that rejects most words without a look-up in a set: a bit for each length, first and last letter.
type looks [16]uint64

func (l *looks) place(word string) (int, uint64) {
	const small = 'a' - 'A' // letters are the same in capitals
	key := 31*int(word[0]|small) + 7*int(word[len(word)-1]|small) + len(word)
	return key >> 6 % len(l), 1 << (key & 63)
}

// mayHave is true for all words with non-ASCII characters.
func (l *looks) mayHave(word string) bool {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return true
		}
	}
	i, bit := l.place(word)
	return l[i]&bit != 0
}

// wordSet returns the words of s in lower case.
func (f *facts) wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for word := range eachWord(s[:min(len(s), 2000)]) {
		word = strings.ToLower(word)
		set[word] = true
		i, bit := f.looks.place(word)
		f.looks[i] |= bit
	}
	return set
}
