package metadata

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/structured"
)

// jsonLDItemsMax is how many items are examined.
const jsonLDItemsMax = 200

// readJSONLD reads schema.org's data about the page and its subject, from any of the first levels.
func (c *Claims) readJSONLD(values []any) {
	var things []map[string]any
	byID := map[string]map[string]any{}
	queue := values
	for seen := 0; len(queue) > 0 && seen < jsonLDItemsMax; seen++ {
		head := queue[0]
		queue = queue[1:]
		switch v := head.(type) {
		case []any:
			queue = append(queue, v[:min(len(v), jsonLDItemsMax)]...)
		case map[string]any:
			things = append(things, v)
			if id := TextIn(v["@id"]); id != "" && v["name"] != nil {
				byID[id] = v
			}
			for _, inside := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
				if value, ok := v[inside]; ok {
					queue = append(queue, value)
				}
			}
		}
	}
	slices.SortStableFunc(things, func(a, b map[string]any) int { return rankOf(a) - rankOf(b) })
	for _, thing := range things {
		c.readThing(thing, byID)
	}
}

func kindOf(thing map[string]any) string {
	kind := TextIn(thing["@type"])
	short, _ := structured.WithoutSchema(kind)
	return strings.TrimPrefix(short, "schema:")
}

// rankOf puts a page's subject before the page, and that before the page's surroundings.
func rankOf(thing map[string]any) int {
	switch kind := kindOf(thing); kind {
	case "Product", "ProductGroup", "Recipe", "Event", "VideoObject", "Course", "Book", "Movie", "SoftwareApplication", "DiscussionForumPosting",
		"QAPage", "Question", "Report", "HowTo", "Dataset", "LearningResource":
		return 0
	case "WebSite", "Organization", "NewsMediaOrganization", "Corporation":
		return 2
	default:
		if strings.HasSuffix(kind, "Article") || strings.HasSuffix(kind, "Posting") {
			return 0
		}
	}
	return 1
}

func (c *Claims) readThing(thing map[string]any, byID map[string]map[string]any) {
	switch kindOf(thing) {
	case "WebSite":
		c.add("ld:website", TextIn(thing["name"]))
		return
	case "Organization", "NewsMediaOrganization", "Corporation":
		c.add("ld:site", TextIn(thing["name"]))
		return
	case "Person", "BreadcrumbList", "ImageObject", "SiteNavigationElement", "ListItem", "Review", "AggregateRating", "SearchAction":
		return
	}
	for _, field := range []string{"headline", "name", "description", "datePublished", "dateModified", "uploadDate", "inLanguage"} {
		if text := TextIn(thing[field], "alternateName", "name"); text != "" {
			c.add("ld:"+strings.ToLower(field), html.UnescapeString(text))
		}
	}
	if len(c.authors["ld"]) == 0 {
		for _, name := range NamesIn(thing["author"], byID) {
			c.addAuthor("ld", name)
		}
	}
	c.add("ld:image", TextIn(thing["image"], "url", "contentUrl"))
	c.add("ld:site", TextIn(thing["publisher"], "name"))
}

// TextIn finds a string in a value that in schema.org may be a string, an item with one, or a list of them.
func TextIn(value any, fields ...string) string {
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
			next := v["@value"]
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

// NamesIn are the names of one or several authors, who may be described elsewhere.
func NamesIn(value any, byID map[string]map[string]any) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var out []string
	for _, author := range list[:min(len(list), AuthorsMax)] {
		if thing, ok := author.(map[string]any); ok && thing["name"] == nil {
			if known := byID[TextIn(thing["@id"])]; known != nil {
				author = known
			}
		}
		if name := dom.Fold(TextIn(author, "name")); name != "" {
			out = append(out, html.UnescapeString(name))
		}
	}
	return out
}
