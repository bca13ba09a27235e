package markdown

import (
	"golang.org/x/net/html"

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
