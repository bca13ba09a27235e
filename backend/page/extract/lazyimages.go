package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// lazySources are the attributes from which scripts take an image's address, the most specific first.
var lazySources = []string{
	"data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src",
	"data-full-src", "data-url", "data-echo", "data-img-src", "data-large-file",
}

var lazySets = []string{"data-srcset", "data-lazy-srcset", "srcset"}

// settleImages sets the addresses of images that scripts would load, before the elements that contain them are removed.
func (p *page) settleImages() {
	var doubles []*html.Node
	for n := range p.root.Descendants() {
		switch n.DataAtom {
		case atom.Img:
			p.settleImage(n)
		case atom.Iframe, atom.Video, atom.Audio:
			if src := attr(n, "data-src"); src != "" && isPlaceholder(attr(n, "src")) {
				setAttr(n, "src", p.absolute(src))
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

func (p *page) settleImage(img *html.Node) {
	if !isPlaceholder(attr(img, "src")) {
		return
	}
	for _, name := range lazySources {
		if src := attr(img, name); looksLikeReference(src) {
			setAttr(img, "src", p.absolute(strings.TrimSpace(src)))
			return
		}
	}
	for _, name := range lazySets {
		if src := largest(attr(img, name)); looksLikeReference(src) {
			setAttr(img, "src", p.absolute(src))
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
			if src := largest(attr(source, name)); looksLikeReference(src) {
				setAttr(img, "src", p.absolute(src))
				return
			}
		}
	}
}

// looksLikeReference reports whether an attribute's value is an address, and not a template or data.
func looksLikeReference(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && len(s) < referenceBytesMax && !strings.ContainsAny(s, "{}<> \n") && !hasScheme(s, "data") && !hasScheme(s, "blob") &&
		!hasScheme(s, "javascript") && strings.ContainsAny(s, "./")
}

var placeholderNames = words("blank.gif spacer.gif pixel.gif transparent.gif placeholder.gif placeholder.png placeholder.svg lazy.gif lazyload.gif " +
	"loading.gif 1x1.gif 1x1.png grey.gif gray.gif lazy_placeholder.gif transparent.png blank.png t.gif s.gif clear.gif")

// isPlaceholder reports whether an image's address shows nothing.
func isPlaceholder(src string) bool {
	src = strings.TrimSpace(src)
	if src == "" || src == "#" || hasScheme(src, "data") || hasScheme(src, "blob") || hasScheme(src, "about") {
		return true
	}
	path, _, _ := strings.Cut(src, "?")
	return placeholderNames[strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])]
}

// largest is the largest candidate of a srcset up to a useful size: pages offer some for wall-sized screens.
func largest(set string) string {
	const widthEnough = 2048.0
	best, bestSize := "", -1.0
	for ref, descriptor := range candidates(set) {
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
func (p *page) adopt(noscript *html.Node) bool {
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
	if src := attr(inner, "src"); isPlaceholder(attr(outer, "src")) && !isPlaceholder(src) {
		setAttr(outer, "src", src)
	}
	if attr(outer, "alt") == "" && attr(inner, "alt") != "" {
		setAttr(outer, "alt", attr(inner, "alt"))
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
		if img := onlyImage(sibling); img != nil && (isPlaceholder(attr(img, "src")) || isLazy(img)) {
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
	if strings.Contains(strings.ToLower(attr(img, "class")), "lazy") {
		return true
	}
	for _, name := range lazySources {
		if hasAttr(img, name) {
			return true
		}
	}
	return hasAttr(img, "data-srcset")
}

// isPixel reports whether an image is a tracking pixel or a spacer.
func isPixel(img *html.Node) bool {
	for _, name := range []string{"width", "height"} {
		if size := strings.TrimSuffix(attr(img, name), "px"); size == "1" || size == "0" {
			return true
		}
	}
	return isPlaceholder(attr(img, "src")) && attr(img, "alt") == ""
}
