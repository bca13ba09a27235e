package extract

import (
	"fmt"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	linksMax = 20_000
	// referenceBytesMax is where a reference stops being one: longer ones are inline data.
	referenceBytesMax = 8192
	// growthBytesMax is how much a page may grow by its references becoming absolute: a long base before each of many
	// short links would otherwise multiply it.
	growthBytesMax = 32 << 20
	// linkTextBytesMax ends the text of a link.
	linkTextBytesMax = 1000
)

// referenceAttrs are the attributes that hold one URL.
var referenceAttrs = []string{"href", "src", "poster", "action", "formaction", "cite", "data", "background", "longdesc"}

// makeAbsolute resolves every reference against the page's base.
func (p *page) makeAbsolute(*Document) error {
	p.base = p.documentBase()
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
			case slices.Contains(referenceAttrs, a.Key) && (a.Key != "data" || n.DataAtom == atom.Object):
				u := p.resolve(a.Val)
				if u == nil {
					continue
				}
				absolute = u.Href(false)
				if n.DataAtom == atom.A && a.Key == "href" && isWeb(u) && len(p.targets) < linksMax {
					p.targets[n] = target{href: a.Val, host: u.Host()}
				}
			default:
				continue
			}
			if growth += len(absolute) - len(a.Val); growth > growthBytesMax {
				return fmt.Errorf("%w: absolute references alone take more than %d bytes", ErrTooComplex, growthBytesMax)
			}
			a.Val = absolute
		}
	}
	return nil
}

// documentBase is the first base element's href, resolved (HTML standard 4.2.3), or where the page came from.
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

func isWeb(u *whatwg.Url) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// absolute returns ref resolved against the base, or ref where it cannot be.
func (p *page) absolute(ref string) string {
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

// absoluteSet resolves the candidates of a srcset (HTML standard 4.8.4.2.1): URL, space, descriptors, comma.
func (p *page) absoluteSet(set string) string {
	var out strings.Builder
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
		if out.Len() > 0 {
			out.WriteString(", ")
		}
		out.WriteString(p.absolute(ref))
		if descriptor = strings.TrimSpace(descriptor); descriptor != "" {
			out.WriteString(" " + descriptor)
		}
		set = rest
	}
	return out.String()
}

// readLinks lists the page's links before anything is removed: navigation is what crawls live on.
func (p *page) readLinks(document *Document) error {
	seen := map[string]bool{}
	var host string
	if p.plan.base != nil {
		host = p.plan.base.Host()
	}
	for n := range p.root.Descendants() {
		to, ok := p.targets[n]
		absolute := attr(n, "href")
		if !ok || seen[absolute] {
			continue
		}
		seen[absolute] = true
		document.Links = append(document.Links, Link{
			URL: absolute, Href: to.href, Text: linkText(n),
			Rel: strings.Fields(strings.ToLower(attr(n, "rel"))), Internal: to.host == host,
		})
	}
	return nil
}

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
	shown := fold(text.String())
	if shown == "" {
		shown = fold(alt.String())
	}
	if shown == "" {
		shown = fold(attr(a, "aria-label"))
	}
	return cut(shown, linkTextBytesMax)
}

// fold makes each run of white space one space and trims both ends.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens s to at most n bytes at a rune's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
