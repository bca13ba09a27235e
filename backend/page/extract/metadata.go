package extract

import (
	"net/http"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// metadataBytesMax truncates each field.
	metadataBytesMax = 2000
	// fieldNodesMax is how many nodes are read for one field: elements that may be fields can be nested.
	fieldNodesMax = 1000
	// openGraphMax is how many values of Open Graph and similar vocabularies are kept.
	openGraphMax = 200
	// authorsMax is how many authors are kept.
	authorsMax = 20
	// ownTypeMin is the confidence that a page lists others' items from which on visible dates and authors are theirs.
	ownTypeMin = 0.5
	// linkHeaderBytesMax is how much of a Link header is read.
	linkHeaderBytesMax = 16 << 10
)

// Metadata is the page's description of itself, from its title, meta elements, Open Graph, JSON-LD, visible text, and the
// response's header. Unknown fields are empty. URLs are absolute.
type Metadata struct {
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

// claims are the page's statements about itself, by source and name: "meta:description", "og:title", "ld:author".
type claims struct {
	// one has the first claim of each name.
	one map[string]string
	// authors has all claims of each source.
	authors map[string][]string
	graph   map[string][]string
	graphed int
}

func (c *claims) add(name, value string) {
	if c.one[name] != "" {
		return
	}
	if value = fold(value); value != "" {
		c.one[name] = clip.Bytes(value, metadataBytesMax)
	}
}

func (c *claims) addAuthor(source, name string) {
	if name = fold(name); name != "" && len(c.authors[source]) < authorsMax {
		c.authors[source] = append(c.authors[source], clip.Bytes(name, metadataBytesMax))
	}
}

// first returns the first claim that exists.
func (c *claims) first(names ...string) string {
	for _, name := range names {
		if value := c.one[name]; value != "" {
			return value
		}
	}
	return ""
}

// readMetadata collects the page's claims, as written.
func (p *page) readMetadata(*Document) error {
	p.base = p.documentBase()
	p.said = &claims{one: map[string]string{}, authors: map[string][]string{}, graph: map[string][]string{}}
	var linked []any
	links := 0
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if isLink(n) {
			links++
		}
		if n.DataAtom == atom.Script && isJSONLD(n) {
			linked = append(linked, p.jsonLDScript(n)...)
		}
		p.said.read(n)
	}
	p.said.readJSONLD(linked)
	p.targets = make(map[*html.Node]target, min(links, linksMax)) // large enough for all
	return nil
}

// settleMetadata decides between claims, once the type of the page is known: on a page that lists other items, visible
// dates and authors are theirs.
func (p *page) settleMetadata(document *Document) error {
	c, m := p.said, &document.Metadata
	own := true
	switch document.Type {
	case "listing", "collection", "product":
		own = document.TypeConfidence < ownTypeMin
	}
	m.SiteName = c.first("og:site_name", "ld:website", "meta:application-name", "ld:site")
	m.Title = c.title(m.SiteName, p.hostname())
	m.Description = c.first("meta:description", "og:description", "meta:twitter:description", "ld:description", "meta:dc.description", "meta:dcterms.description")
	m.Language = p.language()
	m.Authors = p.authors(own)
	m.Author = strings.Join(m.Authors, ", ")
	p.settleDates(m, own)
	if ref := canonicalOf(p.plan.header); ref != "" && p.plan.base != nil {
		if u, err := p.plan.base.Parse(ref); err == nil && isWeb(u) {
			m.CanonicalURL = u.Href(false)
		}
	}
	if m.CanonicalURL == "" {
		m.CanonicalURL = p.webURL(c.first("canonical"))
	}
	if m.CanonicalURL == "" {
		m.CanonicalURL = p.webURL(c.first("og:url"))
	}
	m.Image = p.webURL(c.first("og:image", "og:image:url", "og:image:secure_url", "meta:twitter:image", "meta:twitter:image:src", "ld:image", "link:image_src"))
	m.Favicon = p.webURL(c.first("link:icon", "link:apple-touch-icon"))
	if len(c.graph) > 0 {
		m.OpenGraph = c.graph
	}
	return nil
}

func (p *page) hostname() string {
	if p.plan.base == nil {
		return ""
	}
	return p.plan.base.Hostname()
}

// webURL makes a claim absolute; if it is no http or https URL, the result is empty.
func (p *page) webURL(ref string) string {
	if ref == "" || len(ref) > referenceBytesMax {
		return ""
	}
	if plain, ok := p.references().plain(ref); ok {
		return plain
	}
	if u := p.resolve(ref); u != nil && isWeb(u) {
		return u.Href(false)
	}
	return ""
}

func (c *claims) read(n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		c.add("lang", attr(n, "lang"))
		c.add("lang", attr(n, "xml:lang"))
	case atom.Title:
		if n.Namespace == "" { // an svg has a title too
			c.add("title", plainText(n))
		}
	case atom.H1:
		c.add("h1", plainText(n))
	case atom.Meta:
		c.readMeta(n)
	case atom.Link:
		c.readLink(n)
	case atom.Time:
		c.readTime(n)
	case atom.A:
		if rel := attr(n, "rel"); rel != "" && len(rel) < 200 && hasToken(strings.ToLower(rel), "author") {
			c.addAuthor("rel", plainText(n))
		}
	}
	switch prop := attr(n, "itemprop"); prop {
	case "author":
		c.addAuthor("itemprop", propertyName(n))
	case "datePublished", "dateModified":
		c.add("itemprop:"+strings.ToLower(prop), attr(n, "datetime"))
		c.add("itemprop:"+strings.ToLower(prop), attr(n, "content"))
	}
}

func (c *claims) readLink(n *html.Node) {
	for rel := range strings.FieldsSeq(strings.ToLower(attr(n, "rel"))) {
		switch rel {
		case "canonical":
			c.add("canonical", attr(n, "href"))
		case "icon", "apple-touch-icon", "image_src":
			if href := attr(n, "href"); !hasScheme(href, "data") {
				c.add("link:"+rel, href)
			}
		}
	}
}

// readTime separates the date of the page from other dates: the page's is usually marked as such.
func (c *claims) readTime(n *html.Node) {
	when := attr(n, "datetime")
	if when == "" {
		return
	}
	class := strings.ToLower(attr(n, "class"))
	switch {
	case strings.Contains(class, "updated") || strings.Contains(class, "modified"):
		if strings.Contains(class, "published") {
			c.add("time:published", when) // both in one: "entry-date published updated"
		}
		c.add("time:modified", when)
	case hasAttr(n, "pubdate") || strings.Contains(class, "publish") || strings.Contains(class, "entry-date") || strings.Contains(class, "post-date"):
		c.add("time:published", when)
	default:
		c.add("time", when)
	}
}

func (c *claims) readMeta(n *html.Node) {
	content := attr(n, "content")
	property := strings.ToLower(strings.TrimSpace(attr(n, "property")))
	name := strings.ToLower(strings.TrimSpace(attr(n, "name")))
	if name == property {
		name = ""
	}
	for _, key := range []string{property, name} {
		if key == "" {
			continue
		}
		if isOpenGraph(key) {
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
	if equiv := attr(n, "http-equiv"); equiv != "" {
		c.add("meta:"+strings.ToLower(equiv), content)
	}
}

func (c *claims) addGraph(key, value string) {
	if value = fold(value); value == "" || c.graphed == openGraphMax || len(key) > 100 {
		return
	}
	c.graphed++
	c.graph[key] = append(c.graph[key], clip.Bytes(value, metadataBytesMax))
}

// propertyName is the value of a property's element: the name within it, if it is an item of its own.
func propertyName(n *html.Node) string {
	if content := attr(n, "content"); content != "" {
		return content
	}
	left := fieldNodesMax
	for child := n.FirstChild; child != nil && left > 0; child = nextNode(child, n) {
		left--
		if attr(child, "itemprop") == "name" {
			if content := attr(child, "content"); content != "" {
				return content
			}
			return plainText(child)
		}
	}
	return plainText(n)
}

// plainText is the text under n, up to the length of a field.
func plainText(n *html.Node) string {
	var out strings.Builder
	left := fieldNodesMax
	for child := range n.Descendants() {
		if left--; left < 0 || out.Len() > 4*metadataBytesMax {
			break
		}
		if child.Type == html.TextNode && (child.Parent == n || !isInvisible(child.Parent)) {
			out.WriteString(child.Data)
			out.WriteByte(' ')
		}
	}
	return out.String()
}

func hasToken(list, token string) bool {
	for field := range strings.FieldsSeq(list) {
		if field == token {
			return true
		}
	}
	return false
}

// canonicalOf is the target of the Link header with the relation "canonical" (RFC 8288, section 3; RFC 6596).
func canonicalOf(header http.Header) string {
	for _, value := range header.Values("Link") {
		for rest := clip.Bytes(value, linkHeaderBytesMax); ; {
			_, after, ok := strings.Cut(rest, "<")
			if !ok {
				break
			}
			target, parameters, ok := strings.Cut(after, ">")
			if !ok {
				break
			}
			parameters, rest = cutUnquoted(parameters, ',')
			if hasToken(strings.ToLower(linkParameter(parameters, "rel")), "canonical") {
				return strings.TrimSpace(target)
			}
		}
	}
	return ""
}

// cutUnquoted cuts at the first separator outside of quoted strings.
func cutUnquoted(s string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case quoted && s[i] == '\\':
			i++
		case s[i] == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// linkParameter is the first value of a parameter.
func linkParameter(parameters, name string) string {
	for parameters != "" {
		var parameter string
		parameter, parameters = cutUnquoted(parameters, ';')
		key, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}
