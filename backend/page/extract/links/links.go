package links

import (
	"net/netip"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// Max is how many links of a page are kept.
	Max = 20_000
	// ReferenceBytesMax is the greatest length of a reference: longer ones are inline data.
	ReferenceBytesMax = 8192
	// growthBytesMax is how much a page may grow by absolute references: a long base before each of many short links
	// would otherwise multiply it.
	growthBytesMax = 32 << 20
	// TextBytesMax truncates the text of a link.
	TextBytesMax    = 1000
	headingBytesMax = 200
	// fieldBytesMax truncates the title and the first heading of a scanned page; longer class names are ignored.
	fieldBytesMax = 2000
)

// Scope is the part of a page that contains a link.
type Scope string

// The scopes. A link outside of all has the empty one.
const (
	ScopeNav     Scope = "nav"
	ScopeHeader  Scope = "header"
	ScopeContent Scope = "content"
	ScopeFooter  Scope = "footer"
	ScopeAside   Scope = "aside"
)

// Link is a link of a page to an http or https URL.
type Link struct {
	// URL is absolute.
	URL string
	// Href is as written in the page.
	Href string
	// Text is the link's visible text, else its image's alternative text, its label or its title.
	Text string
	// Rel is the rel attribute's keywords, in lower case, e.g. "nofollow".
	Rel []string
	// Internal reports whether the link leads to the host of the page.
	Internal bool
	// Subdomain reports whether the link leads to another host of the same registrable domain.
	Subdomain bool
	// Scope is content if the main content has this link or another to the same URL.
	Scope Scope
	// Heading is the heading above the link.
	Heading string
	// Around is the text beside the link in its paragraph or similar block; only ScanPage sets it.
	Around string
}

// Read lists the links under root, once references are absolute. address is that of the page; chosen are the texts of its
// main content, if it is known.
func Read(root *html.Node, references *References, address *whatwg.Url, chosen []*html.Node) []Link {
	targets := references.targets
	r := &reader{byURL: make(map[string]int, len(targets)), regions: newRegions(), related: map[string]bool{}, chosen: chosen, judged: len(chosen) > 0}
	if len(targets) > 0 {
		r.links = make([]Link, 0, len(targets))
	}
	if address != nil {
		r.host, r.domain = address.Host(), registrableDomain(address.Hostname())
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			if len(r.chosen) > 0 && r.chosen[0] == n {
				r.chosen = r.chosen[1:]
			}
		case dom.IsHeading(n):
			r.heading, r.headingText = n, ""
		case dom.IsLink(n):
			if to, ok := targets[n]; ok {
				r.add(n, to)
			}
		}
	}
	return r.links
}

// reader walks through a page's links.
type reader struct {
	links   []Link
	byURL   map[string]int
	host    string
	domain  string
	related map[string]bool // whether a host has the same registrable domain
	regions *regions
	// chosen are the texts of the main content from here on; judged reports whether there were any.
	chosen []*html.Node
	judged bool
	// heading is the last one before this place, and headingText its text, once requested.
	heading     *html.Node
	headingText string
}

func (r *reader) add(n *html.Node, to target) {
	absolute := dom.Attr(n, "href")
	at := r.regions.of(n)
	scope := at.scope
	if r.isContent(n) || scope == "" && !r.judged && at.inMain {
		scope = ScopeContent
	}
	if i, ok := r.byURL[absolute]; ok {
		// Often an image and its title are two links to the same page.
		first := &r.links[i]
		if first.Text == "" {
			first.Text = linkText(n)
		}
		if scope == ScopeContent {
			first.Scope = scope
		}
		return
	}
	r.byURL[absolute] = len(r.links)
	r.links = append(r.links, Link{
		URL: absolute, Href: to.href, Text: linkText(n), Rel: strings.Fields(strings.ToLower(dom.Attr(n, "rel"))),
		Internal: to.host == r.host, Subdomain: to.host != r.host && r.isRelated(to.hostname), Scope: scope, Heading: r.headingOf(at),
	})
}

// isContent reports whether some of a link's text was chosen as main content.
func (r *reader) isContent(link *html.Node) bool {
	if len(r.chosen) == 0 {
		return false
	}
	for n := r.chosen[0]; n != nil; n = n.Parent {
		if n == link {
			return true
		}
	}
	return false
}

func (r *reader) isRelated(hostname string) bool {
	if r.domain == "" {
		return false
	}
	related, ok := r.related[hostname]
	if !ok {
		related = registrableDomain(hostname) == r.domain
		r.related[hostname] = related
	}
	return related
}

// registrableDomain is the registered part of a host; "" for an IP address, and for a public suffix.
func registrableDomain(hostname string) string {
	if _, err := netip.ParseAddr(strings.Trim(hostname, "[]")); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimSuffix(hostname, "."))
	if err != nil {
		return ""
	}
	return domain
}

// headingOf is the heading above a link: the last one before it, within the same part of the page.
func (r *reader) headingOf(at region) string {
	if r.heading == nil || r.regions.of(r.heading).node != at.node {
		return ""
	}
	if r.headingText == "" {
		r.headingText = clip.Bytes(dom.Fold(dom.PlainText(r.heading)), headingBytesMax)
	}
	return r.headingText
}

// linkText is a link's visible text, or its substitute.
func linkText(a *html.Node) string {
	var text, alt strings.Builder
	for n := range a.Descendants() {
		if text.Len() > TextBytesMax || alt.Len() > TextBytesMax {
			break
		}
		switch {
		case n.Type == html.TextNode && !dom.IsInvisible(n.Parent):
			text.WriteString(n.Data)
		case n.DataAtom == atom.Img:
			alt.WriteString(dom.Attr(n, "alt") + " ")
		default:
			text.WriteByte(' ')
		}
	}
	for _, candidate := range []string{text.String(), alt.String(), dom.Attr(a, "alt"), dom.Attr(a, "aria-label"), dom.Attr(a, "title")} {
		if shown := dom.Fold(candidate); shown != "" {
			return clip.Bytes(shown, TextBytesMax)
		}
	}
	return ""
}
