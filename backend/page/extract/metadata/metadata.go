package metadata

import (
	"net/http"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
	"github.com/turnpike-edge/turnpike/backend/page/extract/structured"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// FieldBytesMax truncates each field.
	FieldBytesMax = 2000
	// fieldNodesMax is how many nodes are read for one field: elements that may be fields can be nested.
	fieldNodesMax = 1000
	// openGraphMax is how many values of Open Graph and similar vocabularies are kept.
	openGraphMax = 200
	// AuthorsMax is how many authors are kept.
	AuthorsMax = 20
	// ownTypeMin is the confidence that a page lists others' items from which on visible dates and authors are theirs.
	ownTypeMin = 0.5
)

// Fields is the page's description of itself, from its title, meta elements, Open Graph, JSON-LD, visible text, and the
// response's header. Unknown fields are empty. URLs are absolute.
type Fields struct {
	// Title is the page's own, without the name of the site if that is known.
	Title       string
	Description string
	// Language is a BCP 47 tag, as written; if the page declares none, the language of its text if that is clear.
	Language     string
	CanonicalURL string
	// PublishedAt and ModifiedAt are in RFC 3339, or only a date if the page gives no time or no zone.
	PublishedAt string
	ModifiedAt  string
	// Author joins Authors.
	Author   string
	Authors  []string
	SiteName string
	Image    string
	Favicon  string
	// OpenGraph are the values of meta elements by name, in the order of the page: "og:title", "twitter:card",
	// "article:tag". They are as written.
	OpenGraph map[string][]string
}

// Claims are the page's statements about itself, by source and name: "meta:description", "og:title", "ld:author".
type Claims struct {
	// one has the first claim of each name.
	one map[string]string
	// authors has all claims of each source.
	authors map[string][]string
	graph   map[string][]string
	graphed int
	// Links is how many links the page has.
	Links   int
	Scripts structured.Scripts
}

func (c *Claims) add(name, value string) {
	if c.one[name] != "" {
		return
	}
	if value = dom.Fold(value); value != "" {
		c.one[name] = clip.Bytes(value, FieldBytesMax)
	}
}

func (c *Claims) addAuthor(source, name string) {
	if name = dom.Fold(name); name != "" && len(c.authors[source]) < AuthorsMax {
		c.authors[source] = append(c.authors[source], clip.Bytes(name, FieldBytesMax))
	}
}

// first returns the first claim that exists.
func (c *Claims) first(names ...string) string {
	for _, name := range names {
		if value := c.one[name]; value != "" {
			return value
		}
	}
	return ""
}

// Read collects the claims of the page under root, as written.
func Read(root *html.Node) *Claims {
	c := &Claims{one: map[string]string{}, authors: map[string][]string{}, graph: map[string][]string{}}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if dom.IsLink(n) {
			c.Links++
		}
		if n.DataAtom == atom.Script {
			c.Scripts.Add(n)
		}
		c.read(n)
	}
	c.readJSONLD(c.Scripts.Values)
	return c
}

// Page is what besides its claims tells about a page.
type Page struct {
	// Root is the page's tree.
	Root       *html.Node
	References *links.References
	// Address is nil if it is not known.
	Address *whatwg.Url
	// Header is that of the response; nil if there was none.
	Header http.Header
	// Blocks and content are the page's text and what was found to be its main content.
	Blocks  *maincontent.Page
	Content maincontent.Result
}

// Settle decides between claims, once the type of the page is known: on a page that lists other items, visible dates and
// authors are theirs.
func (c *Claims) Settle(p Page) Fields {
	var m Fields
	own := true
	switch p.Content.Type {
	case "listing", "collection", "product":
		own = p.Content.Confidence < ownTypeMin
	}
	m.SiteName = c.first("og:site_name", "ld:website", "meta:application-name", "ld:site")
	m.Title = c.title(m.SiteName, p.hostname())
	m.Description = c.first("meta:description", "og:description", "meta:twitter:description", "ld:description", "meta:dc.description", "meta:dcterms.description")
	m.Language = c.language(p)
	m.Authors = c.namedAuthors(p.Root, own)
	m.Author = strings.Join(m.Authors, ", ")
	c.settleDates(&m, p.Address, own)
	if ref := links.Canonical(p.Header); ref != "" && p.Address != nil {
		if u, err := p.Address.Parse(ref); err == nil && links.IsWeb(u) {
			m.CanonicalURL = u.Href(false)
		}
	}
	if m.CanonicalURL == "" {
		m.CanonicalURL = p.References.Web(c.first("canonical"))
	}
	if m.CanonicalURL == "" {
		m.CanonicalURL = p.References.Web(c.first("og:url"))
	}
	m.Image = p.References.Web(c.first("og:image", "og:image:url", "og:image:secure_url", "meta:twitter:image", "meta:twitter:image:src", "ld:image", "link:image_src"))
	m.Favicon = p.References.Web(c.first("link:icon", "link:apple-touch-icon"))
	if len(c.graph) > 0 {
		m.OpenGraph = c.graph
	}
	return m
}

func (p Page) hostname() string {
	if p.Address == nil {
		return ""
	}
	return p.Address.Hostname()
}

func (c *Claims) read(n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		c.add("lang", dom.Attr(n, "lang"))
		c.add("lang", dom.Attr(n, "xml:lang"))
	case atom.Title:
		if n.Namespace == "" { // an svg has a title too
			c.add("title", dom.PlainText(n))
		}
	case atom.H1:
		c.add("h1", dom.PlainText(n))
	case atom.Meta:
		c.readMeta(n)
	case atom.Link:
		c.readLink(n)
	case atom.Time:
		c.readTime(n)
	case atom.A:
		if rel := dom.Attr(n, "rel"); rel != "" && len(rel) < 200 && slices.Contains(strings.Fields(strings.ToLower(rel)), "author") {
			c.addAuthor("rel", dom.PlainText(n))
		}
	}
	switch prop := dom.Attr(n, "itemprop"); prop {
	case "author":
		c.addAuthor("itemprop", propertyName(n))
	case "datePublished", "dateModified":
		c.add("itemprop:"+strings.ToLower(prop), dom.Attr(n, "datetime"))
		c.add("itemprop:"+strings.ToLower(prop), dom.Attr(n, "content"))
	}
}

func (c *Claims) readLink(n *html.Node) {
	for rel := range strings.FieldsSeq(strings.ToLower(dom.Attr(n, "rel"))) {
		switch rel {
		case "canonical":
			c.add("canonical", dom.Attr(n, "href"))
		case "icon", "apple-touch-icon", "image_src":
			if href := dom.Attr(n, "href"); !dom.HasScheme(href, "data") {
				c.add("link:"+rel, href)
			}
		}
	}
}

// readTime separates the date of the page from other dates: the page's is usually marked as such.
func (c *Claims) readTime(n *html.Node) {
	when := dom.Attr(n, "datetime")
	if when == "" {
		return
	}
	class := strings.ToLower(dom.Attr(n, "class"))
	switch {
	case strings.Contains(class, "updated") || strings.Contains(class, "modified"):
		if strings.Contains(class, "published") {
			c.add("time:published", when) // both in one: "entry-date published updated"
		}
		c.add("time:modified", when)
	case dom.HasAttr(n, "pubdate") || strings.Contains(class, "publish") || strings.Contains(class, "entry-date") || strings.Contains(class, "post-date"):
		c.add("time:published", when)
	default:
		c.add("time", when)
	}
}

func (c *Claims) readMeta(n *html.Node) {
	content := dom.Attr(n, "content")
	property := strings.ToLower(strings.TrimSpace(dom.Attr(n, "property")))
	name := strings.ToLower(strings.TrimSpace(dom.Attr(n, "name")))
	if name == property {
		name = ""
	}
	for _, key := range []string{property, name} {
		if key == "" {
			continue
		}
		if structured.IsOpenGraph(key) {
			c.addGraph(key, content)
		}
		switch {
		case strings.HasPrefix(key, "og:"), strings.HasPrefix(key, "article:p"), strings.HasPrefix(key, "article:m"):
			c.add(key, content)
		case key == "author" || key == "article:author" || key == "parsely-author" || key == "dc.creator" || key == "dcterms.creator" ||
			key == "citation_author" || key == "sailthru.author" || key == "byl":
			c.addAuthor("meta:"+key, content)
		default:
			c.add("meta:"+key, content)
		}
	}
	if equiv := dom.Attr(n, "http-equiv"); equiv != "" {
		c.add("meta:"+strings.ToLower(equiv), content)
	}
}

func (c *Claims) addGraph(key, value string) {
	if value = dom.Fold(value); value == "" || c.graphed == openGraphMax || len(key) > 100 {
		return
	}
	c.graphed++
	c.graph[key] = append(c.graph[key], clip.Bytes(value, FieldBytesMax))
}

// propertyName is the value of a property's element: the name within it, if it is an item of its own.
func propertyName(n *html.Node) string {
	if content := dom.Attr(n, "content"); content != "" {
		return content
	}
	left := fieldNodesMax
	for child := n.FirstChild; child != nil && left > 0; child = dom.Next(child, n) {
		left--
		if dom.Attr(child, "itemprop") == "name" {
			if content := dom.Attr(child, "content"); content != "" {
				return content
			}
			return dom.PlainText(child)
		}
	}
	return dom.PlainText(n)
}
