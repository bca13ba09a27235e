package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// titleBytesMax is the greatest length of a title, and headingsMax how many headings are examined.
	titleBytesMax = 400
	headingsMax   = 20
)

// titleOf copies the heading that is the title of the shown content; nil if none is certain.
func (p *page) titleOf(document *Document) *html.Node {
	headings := 0
	for n := range p.root.Descendants() {
		if n.DataAtom != atom.H1 || isLinkHome(n) {
			continue
		}
		if headings++; headings > headingsMax {
			return nil
		}
		text := strings.TrimRight(fold(visible(textWithin(n))), permalinkMarks)
		if text == "" || len(text) > titleBytesMax || strings.EqualFold(text, document.Metadata.SiteName) || !namesPage(document.Metadata.Title, text) {
			continue
		}
		return p.copyTree(n)
	}
	return nil
}

// namesPage reports whether a page's title is, or begins with, a heading: the site's name may follow.
func namesPage(title, heading string) bool {
	title, heading = strings.ToLower(fold(visible(title))), strings.ToLower(heading)
	if title == "" {
		return true
	}
	return strings.HasPrefix(title, heading) || strings.Contains(heading, title) ||
		strings.Contains(title, heading) && !strings.HasSuffix(title, heading)
}

// isLinkHome reports whether a heading is the site's name: a link to its front page.
func isLinkHome(n *html.Node) bool {
	for child := range n.Descendants() {
		if child.DataAtom != atom.A {
			continue
		}
		_, path, _ := strings.Cut(attr(child, "href"), "://")
		if _, path, _ = strings.Cut(path, "/"); path == "" {
			return true
		}
	}
	return false
}

func (p *page) copyTree(n *html.Node) *html.Node {
	left := noteNodesMax
	return p.copyNote(n, nil, &left)
}

// putTitle puts the title before content that has no heading of that rank and does not repeat the title itself.
func (p *page) putTitle(title *html.Node) {
	if title == nil {
		return
	}
	text := fold(visible(textWithin(title)))
	first := true
	for n := range p.root.Descendants() {
		switch {
		case n.DataAtom == atom.H1 && hasText(n):
			return
		case isHeading(n) && strings.EqualFold(fold(visible(textWithin(n))), text):
			return
		case n.Type == html.TextNode && first && strings.TrimSpace(n.Data) != "":
			if first = false; strings.EqualFold(fold(visible(n.Data)), text) {
				return
			}
		}
	}
	p.title = title
	switch p.root.DataAtom {
	case atom.Div, atom.Section, atom.Article, atom.Main:
		p.root.InsertBefore(title, p.root.FirstChild)
		return
	}
	around := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: atom.Div.String()}
	if p.root.Parent != nil {
		p.root.Parent.RemoveChild(p.root)
	}
	around.AppendChild(title)
	around.AppendChild(p.root)
	p.root = around
}
