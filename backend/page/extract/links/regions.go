package links

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// region is the part of a page that contains an element.
type region struct {
	scope Scope
	// node is the element of the region; nil outside of all.
	node *html.Node
	// inMain reports whether a main or article element is around.
	inMain bool
}

// regions finds the parts of a page, by the HTML elements and ARIA roles of landmarks, and by common class names. Each
// element is examined once.
type regions struct {
	known   map[*html.Node]region
	classes map[string]Scope
}

func newRegions() *regions {
	return &regions{known: map[*html.Node]region{}, classes: map[string]Scope{}}
}

// of recurses towards the root: the tree's depth is bounded by the parser.
func (r *regions) of(n *html.Node) region {
	if n == nil || n.Type != html.ElementNode {
		return region{}
	}
	if at, ok := r.known[n]; ok {
		return at
	}
	at := r.of(n.Parent)
	switch scope := r.own(n, at); scope {
	case "":
		at.inMain = at.inMain || n.DataAtom == atom.Main || n.DataAtom == atom.Article
	default:
		at.scope, at.node = scope, n
	}
	r.known[n] = at
	return at
}

// own is the region that n itself begins.
func (r *regions) own(n *html.Node, around region) Scope {
	switch n.DataAtom {
	case atom.Nav:
		return ScopeNav
	case atom.Aside:
		return ScopeAside
	case atom.Header:
		if !around.inMain { // the header of an article is the article's (HTML-AAM 1.0, 3.5)
			return ScopeHeader
		}
		return ""
	case atom.Footer:
		if !around.inMain {
			return ScopeFooter
		}
		return ""
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.A:
		return ""
	}
	var class, id string
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "role":
			switch strings.ToLower(strings.TrimSpace(a.Val)) {
			case "navigation", "menu", "menubar":
				return ScopeNav
			case "banner":
				return ScopeHeader
			case "contentinfo":
				return ScopeFooter
			case "complementary":
				return ScopeAside
			}
		case "class":
			class = a.Val
		case "id":
			id = a.Val
		}
	}
	if scope := r.byClass(class, around); scope != "" {
		return scope
	}
	return r.byClass(id, around)
}

// scopeWords are words of class names and ids.
var scopeWords = map[string]Scope{
	"nav": ScopeNav, "navbar": ScopeNav, "navigation": ScopeNav, "menu": ScopeNav, "breadcrumb": ScopeNav, "breadcrumbs": ScopeNav, "pagination": ScopeNav,
	"pager": ScopeNav, "megamenu": ScopeNav, "topnav": ScopeNav, "sidenav": ScopeNav,
	"header": ScopeHeader, "masthead": ScopeHeader, "topbar": ScopeHeader,
	"footer": ScopeFooter, "colophon": ScopeFooter,
	"sidebar": ScopeAside, "aside": ScopeAside, "related": ScopeAside,
}

// partWords change the meaning of the others, to a part of something smaller or to an option: "card-footer",
// "has-sidebar".
var partWords = map[string]bool{
	"has": true, "no": true, "with": true, "without": true, "card": true, "entry": true, "post": true, "article": true, "item": true, "comment": true,
	"section": true, "content": true, "wrapper": true, "panel": true, "table": true, "block": true, "list": true, "product": true, "message": true,
}

func (r *regions) byClass(class string, around region) Scope {
	if class == "" || len(class) > fieldBytesMax {
		return ""
	}
	scope, ok := r.classes[class]
	if !ok {
		for token := range strings.FieldsSeq(class) {
			if scope = scopeOfClass(token); scope != "" {
				break
			}
		}
		r.classes[class] = scope
	}
	if around.inMain && (scope == ScopeHeader || scope == ScopeFooter) {
		return ""
	}
	return scope
}

// scopeOfClass reads one class: its words, split at signs and where a capital follows a lower-case letter.
func scopeOfClass(class string) Scope {
	var scope Scope
	start := 0
	for i := 0; i <= len(class); i++ {
		if i < len(class) && dom.IsWordByte(class[i]) && (i == start || !dom.IsCapital(class[i]) || dom.IsCapital(class[i-1])) {
			continue
		}
		word := strings.ToLower(class[start:i])
		if partWords[word] {
			return ""
		}
		if scope == "" {
			scope = scopeWords[word]
		}
		start = i
		if i < len(class) && !dom.IsWordByte(class[i]) {
			start++
		}
	}
	return scope
}
