package extract

import (
	"fmt"
	"iter"
	"net/netip"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/clip"
)

const (
	linksMax = 20_000
	// referenceBytesMax is the greatest length of a reference: longer ones are inline data.
	referenceBytesMax = 8192
	// growthBytesMax is how much a page may grow by absolute references: a long base before each of many short links
	// would otherwise multiply it.
	growthBytesMax = 32 << 20
	// linkTextBytesMax truncates the text of a link.
	linkTextBytesMax = 1000
	headingBytesMax  = 200
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
	// Around is the text beside the link in its paragraph or similar block; only ScanLinks sets it.
	Around string
}

// holdsURL reports whether attributes of this name contain one URL.
func holdsURL(name string) bool {
	switch name {
	case "href", "src", "poster", "action", "formaction", "cite", "data", "background", "longdesc":
		return true
	}
	return false
}

// makeAbsolute resolves every reference against the page's base.
func (p *page) makeAbsolute(*Document) error {
	if p.base == nil {
		p.base = p.documentBase()
	}
	references := p.references()
	growth := 0
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for i := range n.Attr {
			a := &n.Attr[i]
			var absolute string
			switch {
			case a.Key == "srcset" || a.Key == "imagesrcset":
				absolute = p.absoluteSet(a.Val)
			case holdsURL(a.Key) && (a.Key != "data" || n.DataAtom == atom.Object):
				var to target
				var web, ok bool
				if absolute, to, web, ok = references.target(a.Val); !ok {
					continue
				}
				if isLink(n) && a.Key == "href" && web && len(p.targets) < linksMax {
					p.targets[n] = to
				}
			default:
				continue
			}
			if growth += len(absolute) - len(a.Val); growth > growthBytesMax {
				return fmt.Errorf("%w: making references absolute adds more than %d bytes", ErrTooComplex, growthBytesMax)
			}
			a.Val = absolute
		}
	}
	return nil
}

// documentBase is the first base element's href, resolved (HTML standard 4.2.3), or the page's address.
func (p *page) documentBase() *whatwg.Url {
	for n := range p.root.Descendants() {
		if n.DataAtom != atom.Base || attr(n, "href") == "" {
			continue
		}
		var base *whatwg.Url
		var err error
		if p.plan.base != nil {
			base, err = p.plan.base.Parse(attr(n, "href"))
		} else {
			base, err = whatwg.Parse(attr(n, "href"))
		}
		if err == nil && isWeb(base) {
			return base
		}
		break
	}
	return p.plan.base
}

// references is the resolver for the page's base.
func (p *page) references() *resolver {
	if p.resolver == nil || p.resolver.base != p.base {
		p.resolver = newResolver(p.base)
	}
	return p.resolver
}

func isLink(n *html.Node) bool { return n.DataAtom == atom.A || n.DataAtom == atom.Area }

func isWeb(u *whatwg.Url) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// absolute returns ref resolved against the base, or ref if that fails.
func (p *page) absolute(ref string) string {
	if plain, ok := p.references().plain(ref); ok && len(ref) <= referenceBytesMax {
		return plain
	}
	if u := p.resolve(ref); u != nil {
		return u.Href(false)
	}
	return ref
}

func (p *page) resolve(ref string) *whatwg.Url {
	if len(ref) > referenceBytesMax {
		return nil
	}
	if p.base == nil {
		u, err := whatwg.Parse(ref)
		if err != nil {
			return nil
		}
		return u
	}
	u, err := p.base.Parse(ref)
	if err != nil {
		return nil
	}
	return u
}

// candidates are those of a srcset (HTML standard 4.8.4.2.1): URL, space, descriptors, comma.
func candidates(set string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for set = strings.TrimLeft(set, " \t\r\n\f,"); set != ""; set = strings.TrimLeft(set, " \t\r\n\f,") {
			end := strings.IndexAny(set, " \t\r\n\f")
			if end < 0 {
				end = len(set)
			}
			ref, rest := set[:end], set[end:]
			descriptor := ""
			if trimmed := strings.TrimRight(ref, ","); trimmed != ref {
				ref = trimmed
			} else {
				descriptor, rest, _ = strings.Cut(rest, ",")
			}
			if !yield(ref, strings.TrimSpace(descriptor)) {
				return
			}
			set = rest
		}
	}
}

// absoluteSet resolves the candidates of a srcset.
func (p *page) absoluteSet(set string) string {
	var out strings.Builder
	for ref, descriptor := range candidates(set) {
		if out.Len() > 0 {
			out.WriteString(", ")
		}
		out.WriteString(p.absolute(ref))
		if descriptor != "" {
			out.WriteString(" " + descriptor)
		}
	}
	return out.String()
}

// readLinks lists the page's links before anything is removed: crawls need the links in the navigation.
func (p *page) readLinks(document *Document) error {
	r := &linkReader{page: p, document: document, byURL: make(map[string]int, len(p.targets)), regions: newRegions(), related: map[string]bool{}}
	if len(p.targets) > 0 {
		document.Links = make([]Link, 0, len(p.targets))
	}
	if p.plan.base != nil {
		r.host, r.domain = p.plan.base.Host(), registrableDomain(p.plan.base.Hostname())
	}
	if p.blocks != nil {
		r.chosen = p.blocks.ChosenTexts(p.choice)
	}
	r.judged = len(r.chosen) > 0
	for n := range p.root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			if len(r.chosen) > 0 && r.chosen[0] == n {
				r.chosen = r.chosen[1:]
			}
		case isHeading(n):
			r.heading, r.headingText = n, ""
		case isLink(n):
			if to, ok := p.targets[n]; ok {
				r.add(n, to)
			}
		}
	}
	return nil
}

// linkReader walks through a page's links.
type linkReader struct {
	page     *page
	document *Document
	byURL    map[string]int
	host     string
	domain   string
	related  map[string]bool // whether a host has the same registrable domain
	regions  *regions
	// chosen are the texts of the main content from here on; judged reports whether there were any.
	chosen []*html.Node
	judged bool
	// heading is the last one before this place, and headingText its text, once requested.
	heading     *html.Node
	headingText string
}

func (r *linkReader) add(n *html.Node, to target) {
	absolute := attr(n, "href")
	at := r.regions.of(n)
	scope := at.scope
	if r.isContent(n) || scope == "" && !r.judged && at.inMain {
		scope = ScopeContent
	}
	if i, ok := r.byURL[absolute]; ok {
		// Often an image and its title are two links to the same page.
		first := &r.document.Links[i]
		if first.Text == "" {
			first.Text = linkText(n)
		}
		if scope == ScopeContent {
			first.Scope = scope
		}
		return
	}
	r.byURL[absolute] = len(r.document.Links)
	r.document.Links = append(r.document.Links, Link{
		URL: absolute, Href: to.href, Text: linkText(n), Rel: strings.Fields(strings.ToLower(attr(n, "rel"))),
		Internal: to.host == r.host, Subdomain: to.host != r.host && r.isRelated(to.hostname), Scope: scope, Heading: r.headingOf(at),
	})
}

// isContent reports whether some of a link's text was chosen as main content.
func (r *linkReader) isContent(link *html.Node) bool {
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

func (r *linkReader) isRelated(hostname string) bool {
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
func (r *linkReader) headingOf(at region) string {
	if r.heading == nil || r.regions.of(r.heading).node != at.node {
		return ""
	}
	if r.headingText == "" {
		r.headingText = clip.Bytes(fold(plainText(r.heading)), headingBytesMax)
	}
	return r.headingText
}

// linkText is a link's visible text, or its substitute.
func linkText(a *html.Node) string {
	var text, alt strings.Builder
	for n := range a.Descendants() {
		if text.Len() > linkTextBytesMax || alt.Len() > linkTextBytesMax {
			break
		}
		switch {
		case n.Type == html.TextNode && !isInvisible(n.Parent):
			text.WriteString(n.Data)
		case n.DataAtom == atom.Img:
			alt.WriteString(attr(n, "alt") + " ")
		default:
			text.WriteByte(' ')
		}
	}
	for _, candidate := range []string{text.String(), alt.String(), attr(a, "alt"), attr(a, "aria-label"), attr(a, "title")} {
		if shown := fold(candidate); shown != "" {
			return clip.Bytes(shown, linkTextBytesMax)
		}
	}
	return ""
}

// fold replaces each run of white space by one space and trims both ends.
func fold(s string) string {
	if isFolded(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// isFolded reports whether s has no white space but single spaces between words. It may be false for folded text.
func isFolded(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' || c == ' ' && before == ' ' {
			return false
		}
		before = s[i]
	}
	return s == "" || before != ' '
}
