package feeds

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/clip"
)

// attachmentsMax is how many attachments of an entry are kept.
const attachmentsMax = 20

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
