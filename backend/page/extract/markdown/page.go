package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
)

// Page is a page that is to be written.
type Page struct {
	// Root is the page's tree, or the part of it that is shown.
	Root *html.Node

	references *links.References
	// notes are the page's footnotes. rawTeX says that one of its scripts reads TeX in text.
	notes  *footnotes
	rawTeX bool
	// title is the heading that was put before the main content.
	title *html.Node
}

// New returns the page under root, whose references are absolute.
func New(root *html.Node, references *links.References) *Page {
	return &Page{Root: root, references: references}
}

// Rescue makes visible what only scripts would show, before scripts and noscript elements are removed, and finds the
// footnotes.
func (p *Page) Rescue() {
	p.rawTeX = readsTeX(p.Root)
	rescueMath(p.Root)
	p.settleImages()
	p.notes = p.findNotes()
	p.copyNotes(p.notes)
}

// ForgetNotes drops the footnotes that are no longer in the page: the client had them removed.
func (p *Page) ForgetNotes() { p.notes.forget(p.Root) }

const (
	// titleBytesMax is the greatest length of a title, and headingsMax how many headings are examined.
	titleBytesMax = 400
	headingsMax   = 20
)

// Title copies the heading that is the title of the shown content; nil if none is certain. title and site are those of
// the page's metadata.
func (p *Page) Title(title, site string) *html.Node {
	headings := 0
	for n := range p.Root.Descendants() {
		if n.DataAtom != atom.H1 || isLinkHome(n) {
			continue
		}
		if headings++; headings > headingsMax {
			return nil
		}
		text := strings.TrimRight(dom.Fold(dom.Visible(dom.Text(n))), permalinkMarks)
		if text == "" || len(text) > titleBytesMax || strings.EqualFold(text, site) || !namesPage(title, text) {
			continue
		}
		return p.copyTree(n)
	}
	return nil
}

// namesPage reports whether a page's title is, or begins with, a heading: the site's name may follow.
func namesPage(title, heading string) bool {
	title, heading = strings.ToLower(dom.Fold(dom.Visible(title))), strings.ToLower(heading)
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
		_, path, _ := strings.Cut(dom.Attr(child, "href"), "://")
		if _, path, _ = strings.Cut(path, "/"); path == "" {
			return true
		}
	}
	return false
}

func (p *Page) copyTree(n *html.Node) *html.Node {
	left := noteNodesMax
	return p.copyNote(n, nil, &left)
}

// Keep reduces the page to a part of it, and puts the title before content that has no heading of that rank and does not
// repeat the title itself.
func (p *Page) Keep(part, title *html.Node) {
	p.Root = part
	if title == nil {
		return
	}
	text := dom.Fold(dom.Visible(dom.Text(title)))
	first := true
	for n := range p.Root.Descendants() {
		switch {
		case n.DataAtom == atom.H1 && dom.HasText(n):
			return
		case dom.IsHeading(n) && strings.EqualFold(dom.Fold(dom.Visible(dom.Text(n))), text):
			return
		case n.Type == html.TextNode && first && strings.TrimSpace(n.Data) != "":
			if first = false; strings.EqualFold(dom.Fold(dom.Visible(n.Data)), text) {
				return
			}
		}
	}
	p.title = title
	switch p.Root.DataAtom {
	case atom.Div, atom.Section, atom.Article, atom.Main:
		p.Root.InsertBefore(title, p.Root.FirstChild)
		return
	}
	around := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: atom.Div.String()}
	if p.Root.Parent != nil {
		p.Root.Parent.RemoveChild(p.Root)
	}
	around.AppendChild(title)
	around.AppendChild(p.Root)
	p.Root = around
}
