package extract

import (
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// jsonLDBytesMax is where a JSON-LD script is too long to be a page's description of itself.
	jsonLDBytesMax = 1 << 20
	jsonLDItemsMax = 200
	// metadataBytesMax ends each field.
	metadataBytesMax = 2000
)

// claims are what the page says, by source and name: "meta:description", "og:title", "ld:author". The first of each
// counts.
type claims map[string]string

func (c claims) add(name, value string) {
	if value = fold(value); value != "" && c[name] == "" {
		c[name] = cut(value, metadataBytesMax)
	}
}

// first returns the first claim that was made.
func (c claims) first(names ...string) string {
	for _, name := range names {
		if value := c[name]; value != "" {
			return value
		}
	}
	return ""
}

func (p *page) readMetadata(document *Document) error {
	p.base = p.documentBase()
	said := claims{}
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode {
			said.read(n)
		}
	}
	m := &document.Metadata
	m.Title = said.first("title", "og:title", "meta:twitter:title", "ld:headline", "ld:name", "h1")
	m.Description = said.first("meta:description", "og:description", "meta:twitter:description", "ld:description")
	m.Language = said.first("lang", "meta:content-language", "ld:inlanguage", "og:locale")
	m.SiteName = said.first("og:site_name", "meta:application-name", "ld:site")
	m.Author = said.first("ld:author", "meta:author", "meta:article:author", "meta:parsely-author", "meta:dc.creator", "itemprop:author", "rel:author")
	m.PublishedAt = said.firstDate("article:published_time", "ld:datepublished", "meta:date", "meta:pubdate", "meta:publish-date",
		"meta:parsely-pub-date", "meta:dc.date", "meta:dcterms.created", "itemprop:datepublished", "time")
	m.ModifiedAt = said.firstDate("article:modified_time", "ld:datemodified", "og:updated_time", "meta:last-modified", "itemprop:datemodified")
	m.CanonicalURL = p.webURL(said.first("canonical", "og:url"))
	m.Image = p.webURL(said.first("og:image", "og:image:url", "meta:twitter:image", "ld:image"))
	return nil
}

// webURL makes a claim absolute; one that is no http or https URL is none.
func (p *page) webURL(ref string) string {
	if ref == "" {
		return ""
	}
	if u := p.resolve(ref); u != nil && isWeb(u) {
		return u.Href(false)
	}
	return ""
}

func (c claims) read(n *html.Node) {
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
		for rel := range strings.FieldsSeq(strings.ToLower(attr(n, "rel"))) {
			if rel == "canonical" {
				c.add("canonical", attr(n, "href"))
			}
		}
	case atom.Time:
		c.add("time", attr(n, "datetime"))
	case atom.Script:
		if mediaType, _, _ := strings.Cut(attr(n, "type"), ";"); strings.EqualFold(strings.TrimSpace(mediaType), "application/ld+json") {
			c.readJSONLD(n)
		}
	case atom.A:
		if strings.EqualFold(attr(n, "rel"), "author") {
			c.add("rel:author", plainText(n))
		}
	}
	switch prop := attr(n, "itemprop"); prop {
	case "author":
		c.add("itemprop:author", plainText(n))
	case "datePublished", "dateModified":
		c.add("itemprop:"+strings.ToLower(prop), attr(n, "datetime"))
		c.add("itemprop:"+strings.ToLower(prop), attr(n, "content"))
	}
}

func (c claims) readMeta(n *html.Node) {
	content := attr(n, "content")
	property := strings.ToLower(strings.TrimSpace(attr(n, "property")))
	name := strings.ToLower(strings.TrimSpace(attr(n, "name")))
	for _, key := range []string{property, name} {
		switch {
		case key == "":
		case strings.HasPrefix(key, "og:"), strings.HasPrefix(key, "article:p"), strings.HasPrefix(key, "article:m"):
			c.add(key, content)
		case key == "article:author" && strings.Contains(content, "://"):
			// A profile's address is not a name.
		default:
			c.add("meta:"+key, content)
		}
	}
	if equiv := attr(n, "http-equiv"); equiv != "" {
		c.add("meta:"+strings.ToLower(equiv), content)
	}
}

// plainText is the text under n, up to the length of a field.
func plainText(n *html.Node) string {
	var out strings.Builder
	for child := range n.Descendants() {
		if out.Len() > 4*metadataBytesMax {
			break
		}
		if child.Type == html.TextNode && (child.Parent == n || !isInvisible(child.Parent)) {
			out.WriteString(child.Data)
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// readJSONLD reads what schema.org says of the page and its article, wherever in the first levels it stands.
func (c claims) readJSONLD(script *html.Node) {
	if script.FirstChild == nil || len(script.FirstChild.Data) > jsonLDBytesMax {
		return
	}
	var value any
	if json.Unmarshal([]byte(strings.TrimSpace(script.FirstChild.Data)), &value) != nil {
		return
	}
	queue := []any{value}
	for seen := 0; len(queue) > 0 && seen < jsonLDItemsMax; seen++ {
		head := queue[0]
		queue = queue[1:]
		switch v := head.(type) {
		case []any:
			queue = append(queue, v...)
		case map[string]any:
			c.readItem(v)
			if graph, ok := v["@graph"]; ok {
				queue = append(queue, graph)
			}
			if entity, ok := v["mainEntity"]; ok {
				queue = append(queue, entity)
			}
		}
	}
}

func (c claims) readItem(item map[string]any) {
	kind := textIn(item["@type"])
	switch {
	case kind == "WebSite" || kind == "Organization":
		c.add("ld:site", textIn(item["name"]))
		return
	case kind == "Person" || kind == "BreadcrumbList" || kind == "ImageObject":
		return
	}
	for _, field := range []string{"headline", "name", "description", "datePublished", "dateModified", "inLanguage"} {
		c.add("ld:"+strings.ToLower(field), textIn(item[field]))
	}
	c.add("ld:author", namesIn(item["author"]))
	c.add("ld:image", textIn(item["image"], "url", "contentUrl"))
	c.add("ld:site", textIn(item["publisher"], "name"))
}

// textIn finds a string in a value that schema.org lets be a string, a thing with one, or a list of them.
func textIn(value any, fields ...string) string {
	for range 3 {
		switch v := value.(type) {
		case string:
			return v
		case []any:
			if len(v) == 0 {
				return ""
			}
			value = v[0]
		case map[string]any:
			next := any(nil)
			for _, field := range fields {
				if next == nil {
					next = v[field]
				}
			}
			value = next
		default:
			return ""
		}
	}
	return ""
}

// namesIn joins the names of one or several authors.
func namesIn(value any) string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var names []string
	for _, author := range list[:min(len(list), 20)] {
		if name := fold(textIn(author, "name")); name != "" && !strings.Contains(name, "://") {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// firstDate returns the first claim that is a date.
func (c claims) firstDate(names ...string) string {
	for _, name := range names {
		if date := dateOf(c[name]); date != "" {
			return date
		}
	}
	return ""
}

// dateOf brings a date to RFC 3339, keeping a date without time as it is; "" for what is none.
func dateOf(s string) string {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05 -0700", time.RFC1123Z, time.RFC1123, time.RFC850,
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	// Without a zone the time of day says nothing that could be compared.
	for _, layout := range []string{
		time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05.999999999",
		"2006/01/02", "20060102", "January 2, 2006", "Jan 2, 2006", "2 January 2006",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}
