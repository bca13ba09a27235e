package extract

import (
	"context"
	"fmt"
	neturl "net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
)

// mainContentElementsMax is where main content is no longer looked for: its scoring is not linear.
const mainContentElementsMax = 50_000

// page is a page under work.
type page struct {
	ctx  context.Context //nolint:containedctx // lives as long as one call
	plan *plan
	root *html.Node
	// base is what references resolve against; nil where that is not known.
	base *whatwg.Url
	// targets holds where the links to web pages lead.
	targets map[*html.Node]target
}

// target is where a link leads.
type target struct {
	href string // as written
	host string
}

// findMainContent narrows the page to its main content, if that was asked for and there is one.
func (p *page) findMainContent(document *Document) error {
	if !p.plan.mainContent {
		return nil
	}
	node := p.mainContent()
	if node == nil || textOf(node) == "" {
		return nil
	}
	p.root = node
	document.MainContent = true
	return nil
}

func (p *page) mainContent() (node *html.Node) {
	// The finder was written for pages of good will; the page itself is the answer where it fails.
	defer func() {
		if recover() != nil {
			node = nil
		}
	}()
	var pageURL *neturl.URL
	if p.base != nil {
		pageURL, _ = neturl.Parse(p.base.Href(true))
	}
	parser := readability.NewParser()
	parser.MaxElemsToParse = mainContentElementsMax
	parser.DisableJSONLD = true
	article, err := parser.ParseDocument(p.root, pageURL)
	if err != nil {
		return nil
	}
	return article.Node
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
