package extract

import (
	"context"
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/extract/maincontent"
)

// page is a page under work.
type page struct {
	ctx  context.Context //nolint:containedctx // lives as long as one call
	plan *plan
	root *html.Node
	// base is what references resolve against; nil where that is not known.
	base *whatwg.Url
	// targets holds where the links to web pages lead.
	targets map[*html.Node]target
	// blocks and choice are what the page's text is made of, and which of it is content.
	blocks *maincontent.Page
	choice maincontent.Choice
}

// target is where a link leads.
type target struct {
	href string // as written
	host string
}

// judge finds what the page's content, type and quality are, on the whole tree: what is removed later may be what
// tells, or even be the content, as where a forum shows its posts to readers without scripts only.
func (p *page) judge(document *Document) error {
	model, err := maincontent.Shipped()
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	p.blocks = maincontent.Segment(p.root)
	address := ""
	if p.plan.base != nil {
		address = p.plan.base.Href(true)
	}
	result, err := model.Read(p.ctx, p.blocks, address)
	if err != nil {
		return err
	}
	p.choice = result.Choice
	document.Type, document.TypeConfidence, document.Quality = result.Type, result.Confidence, result.Quality
	return nil
}

// keepMainContent narrows the page to its main content, if that was asked for and there is one.
func (p *page) keepMainContent(document *Document) error {
	if !p.plan.mainContent {
		return nil
	}
	node := p.blocks.Keep(p.choice)
	if node == nil {
		return nil
	}
	p.root = node
	document.MainContent = true
	return nil
}

// render writes the three forms. Markdown comes last, since writing it changes the tree.
func (p *page) render(document *Document) error {
	var out strings.Builder
	if err := html.Render(&out, p.root); err != nil {
		return fmt.Errorf("%w: writing HTML: %w", ErrTooComplex, err)
	}
	document.HTML = out.String()
	document.Text = textOf(p.root)
	if err := p.ctx.Err(); err != nil {
		return err
	}
	markdown, err := markdownOf(p.root)
	if err != nil {
		return err
	}
	document.Markdown = markdown
	return nil
}

// Parse returns the tree that Page works on, bounded as Page bounds it. Errors are ErrTooComplex.
func Parse(input []byte) (*html.Node, error) {
	root, _, err := parse(input, nodesMaxDefault)
	return root, err
}
