package links

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

// References resolves the references of a page against the page's base.
type References struct {
	resolver *resolver
	targets  map[*html.Node]target // of the links to web pages
}

// NewReferences returns those of a page at an address; nil if that is not known.
func NewReferences(root *html.Node, address *whatwg.Url) *References {
	return Against(documentBase(root, address))
}

// Against resolves references against a base; nil if it is not known.
func Against(base *whatwg.Url) *References { return &References{resolver: newResolver(base)} }

// Copied tells that a link has a copy.
func (r *References) Copied(link, clone *html.Node) {
	if to, ok := r.targets[link]; ok {
		r.targets[clone] = to
	}
}

// holdsURL reports whether attributes of this name contain one URL.
func holdsURL(name string) bool {
	switch name {
	case "href", "src", "poster", "action", "formaction", "cite", "data", "background", "longdesc":
		return true
	}
	return false
}

// MakeAbsolute resolves every reference under root, and remembers the targets of its links. links is about how many there
// are. The error is markup.ErrTooComplex.
func (r *References) MakeAbsolute(root *html.Node, links int) error {
	r.targets = make(map[*html.Node]target, min(links, Max)) // large enough for all
	growth := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for i := range n.Attr {
			a := &n.Attr[i]
			var absolute string
			switch {
			case a.Key == "srcset" || a.Key == "imagesrcset":
				absolute = r.absoluteSet(a.Val)
			case holdsURL(a.Key) && (a.Key != "data" || n.DataAtom == atom.Object):
				var to target
				var web, ok bool
				if absolute, to, web, ok = r.resolver.target(a.Val); !ok {
					continue
				}
				if dom.IsLink(n) && a.Key == "href" && web && len(r.targets) < Max {
					r.targets[n] = to
				}
			default:
				continue
			}
			if growth += len(absolute) - len(a.Val); growth > growthBytesMax {
				return fmt.Errorf("%w: making references absolute adds more than %d bytes", markup.ErrTooComplex, growthBytesMax)
			}
			a.Val = absolute
		}
	}
	return nil
}

// documentBase is the first base element's href, resolved (HTML standard 4.2.3), or the page's address.
func documentBase(root *html.Node, address *whatwg.Url) *whatwg.Url {
	for n := range root.Descendants() {
		if n.DataAtom != atom.Base || dom.Attr(n, "href") == "" {
			continue
		}
		var base *whatwg.Url
		var err error
		if address != nil {
			base, err = address.Parse(dom.Attr(n, "href"))
		} else {
			base, err = whatwg.Parse(dom.Attr(n, "href"))
		}
		if err == nil && IsWeb(base) {
			return base
		}
		break
	}
	return address
}

// IsWeb reports whether a URL is of a web page.
func IsWeb(u *whatwg.Url) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// Absolute returns ref resolved against the base, or ref if that fails.
func (r *References) Absolute(ref string) string {
	if plain, ok := r.resolver.plain(ref); ok && len(ref) <= ReferenceBytesMax {
		return plain
	}
	if u := r.Resolve(ref); u != nil {
		return u.Href(false)
	}
	return ref
}

// Resolve returns the URL that ref names, or nil if it is none.
func (r *References) Resolve(ref string) *whatwg.Url {
	if len(ref) > ReferenceBytesMax {
		return nil
	}
	if r.resolver.base == nil {
		u, err := whatwg.Parse(ref)
		if err != nil {
			return nil
		}
		return u
	}
	u, err := r.resolver.base.Parse(ref)
	if err != nil {
		return nil
	}
	return u
}

// Web makes a reference absolute; if it is no http or https URL, the result is empty.
func (r *References) Web(ref string) string {
	if ref == "" || len(ref) > ReferenceBytesMax {
		return ""
	}
	if plain, ok := r.resolver.plain(ref); ok {
		return plain
	}
	if u := r.Resolve(ref); u != nil && IsWeb(u) {
		return u.Href(false)
	}
	return ""
}

// Candidates are those of a srcset (HTML standard 4.8.4.2.1): URL, space, descriptors, comma.
func Candidates(set string) iter.Seq2[string, string] {
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
func (r *References) absoluteSet(set string) string {
	var out strings.Builder
	for ref, descriptor := range Candidates(set) {
		if out.Len() > 0 {
			out.WriteString(", ")
		}
		out.WriteString(r.Absolute(ref))
		if descriptor != "" {
			out.WriteString(" " + descriptor)
		}
	}
	return out.String()
}

// Fragment is the part of the page that a link leads to; empty if it leads elsewhere.
func (r *References) Fragment(a *html.Node) string {
	href := dom.Attr(a, "href")
	if to, ok := r.targets[a]; ok {
		href = to.href
	}
	before, id, found := strings.Cut(strings.TrimSpace(href), "#")
	if !found || id == "" || len(id) > 200 {
		return ""
	}
	if before != "" && (r.resolver.base == nil || r.Absolute(before) != r.resolver.whole) {
		return ""
	}
	return unescapeFragment(id)
}

func unescapeFragment(id string) string {
	if !strings.Contains(id, "%") {
		return id
	}
	var out []byte
	for i := 0; i < len(id); i++ {
		if id[i] == '%' && i+2 < len(id) {
			if b, err := strconv.ParseUint(id[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(b))
				i += 2
				continue
			}
		}
		out = append(out, id[i])
	}
	return string(out)
}

// target is the target of a link.
type target struct {
	href     string // as written
	host     string // with the port, if it is not the scheme's own
	hostname string
}
