package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
)

// lazySources are the attributes from which scripts take an image's address, the most specific first.
var lazySources = []string{
	"data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src",
	"data-full-src", "data-url", "data-echo", "data-img-src", "data-large-file",
}

var lazySets = []string{"data-srcset", "data-lazy-srcset", "srcset"}

// settleImages sets the addresses of images that scripts would load, before the elements that contain them are removed.
func (p *Page) settleImages() {
	var doubles []*html.Node
	for n := range p.Root.Descendants() {
		switch n.DataAtom {
		case atom.Img:
			p.settleImage(n)
		case atom.Iframe, atom.Video, atom.Audio:
			if src := dom.Attr(n, "data-src"); src != "" && isPlaceholder(dom.Attr(n, "src")) {
				dom.SetAttr(n, "src", p.references.Absolute(src))
			}
		case atom.Noscript:
			if p.adopt(n) {
				doubles = append(doubles, n)
			}
		}
	}
	for _, n := range doubles {
		n.Parent.RemoveChild(n)
	}
}

func (p *Page) settleImage(img *html.Node) {
	if !isPlaceholder(dom.Attr(img, "src")) {
		return
	}
	for _, name := range lazySources {
		if src := dom.Attr(img, name); looksLikeReference(src) {
			dom.SetAttr(img, "src", p.references.Absolute(strings.TrimSpace(src)))
			return
		}
	}
	for _, name := range lazySets {
		if src := largest(dom.Attr(img, name)); looksLikeReference(src) {
			dom.SetAttr(img, "src", p.references.Absolute(src))
			return
		}
	}
	if img.Parent == nil || img.Parent.DataAtom != atom.Picture {
		return
	}
	for source := img.Parent.FirstChild; source != nil; source = source.NextSibling {
		if source.DataAtom != atom.Source {
			continue
		}
		for _, name := range lazySets {
			if src := largest(dom.Attr(source, name)); looksLikeReference(src) {
				dom.SetAttr(img, "src", p.references.Absolute(src))
				return
			}
		}
	}
}

// looksLikeReference reports whether an attribute's value is an address, and not a template or data.
func looksLikeReference(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && len(s) < links.ReferenceBytesMax && !strings.ContainsAny(s, "{}<> \n") && !dom.HasScheme(s, "data") && !dom.HasScheme(s, "blob") &&
		!dom.HasScheme(s, "javascript") && strings.ContainsAny(s, "./")
}

var placeholderNames = dom.Words("blank.gif spacer.gif pixel.gif transparent.gif placeholder.gif placeholder.png placeholder.svg lazy.gif lazyload.gif " +
	"loading.gif 1x1.gif 1x1.png grey.gif gray.gif lazy_placeholder.gif transparent.png blank.png t.gif s.gif clear.gif")

// isPlaceholder reports whether an image's address shows nothing.
func isPlaceholder(src string) bool {
	src = strings.TrimSpace(src)
	if src == "" || src == "#" || dom.HasScheme(src, "data") || dom.HasScheme(src, "blob") || dom.HasScheme(src, "about") {
		return true
	}
	path, _, _ := strings.Cut(src, "?")
	return placeholderNames[strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])]
}

// largest is the largest candidate of a srcset up to a useful size: pages offer some for wall-sized screens.
func largest(set string) string {
	const widthEnough = 2048.0
	best, bestSize := "", -1.0
	for ref, descriptor := range links.Candidates(set) {
		size := 1.0
		if descriptor != "" {
			if value, err := strconv.ParseFloat(descriptor[:len(descriptor)-1], 64); err == nil {
				size = value
			}
		}
		if size > bestSize && (bestSize < 0 || size <= widthEnough) {
			best, bestSize = ref, size
		}
	}
	return best
}

// adopt gives the image before a noscript the address of the one in it, if that is its only content: it is the same image
// for browsers without scripts. It reports whether the noscript contains nothing more.
func (p *Page) adopt(noscript *html.Node) bool {
	var inner *html.Node
	for n := range noscript.Descendants() {
		switch {
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) != "":
			return false
		case n.DataAtom == atom.Img && inner == nil:
			inner = n
		case n.DataAtom == atom.Img:
			return false
		}
	}
	if inner == nil || noscript.Parent == nil {
		return false
	}
	outer := imageBeside(noscript)
	if outer == nil {
		return false
	}
	p.settleImage(inner)
	if src := dom.Attr(inner, "src"); isPlaceholder(dom.Attr(outer, "src")) && !isPlaceholder(src) {
		dom.SetAttr(outer, "src", src)
	}
	if dom.Attr(outer, "alt") == "" && dom.Attr(inner, "alt") != "" {
		dom.SetAttr(outer, "alt", dom.Attr(inner, "alt"))
	}
	return true
}

// imageBeside is the image next to n, if nothing else stands between.
func imageBeside(n *html.Node) *html.Node {
	for _, next := range []func(*html.Node) *html.Node{
		func(n *html.Node) *html.Node { return n.PrevSibling },
		func(n *html.Node) *html.Node { return n.NextSibling },
	} {
		sibling := next(n)
		for sibling != nil && sibling.Type != html.ElementNode {
			if sibling.Type == html.TextNode && strings.TrimSpace(sibling.Data) != "" {
				break
			}
			sibling = next(sibling)
		}
		if sibling == nil || sibling.Type != html.ElementNode {
			continue
		}
		if img := onlyImage(sibling); img != nil && (isPlaceholder(dom.Attr(img, "src")) || isLazy(img)) {
			return img
		}
	}
	return nil
}

// onlyImage is n itself or its only content, if that is an image.
func onlyImage(n *html.Node) *html.Node {
	if n.DataAtom == atom.Img {
		return n
	}
	var only *html.Node
	for child := range n.Descendants() {
		switch {
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) != "", child.DataAtom == atom.Img && only != nil:
			return nil
		case child.DataAtom == atom.Img:
			only = child
		}
	}
	return only
}

func isLazy(img *html.Node) bool {
	if strings.Contains(strings.ToLower(dom.Attr(img, "class")), "lazy") {
		return true
	}
	for _, name := range lazySources {
		if dom.HasAttr(img, name) {
			return true
		}
	}
	return dom.HasAttr(img, "data-srcset")
}

// isPixel reports whether an image is a tracking pixel or a spacer.
func isPixel(img *html.Node) bool {
	for _, name := range []string{"width", "height"} {
		if size := strings.TrimSuffix(dom.Attr(img, name), "px"); size == "1" || size == "0" {
			return true
		}
	}
	return isPlaceholder(dom.Attr(img, "src")) && dom.Attr(img, "alt") == ""
}
