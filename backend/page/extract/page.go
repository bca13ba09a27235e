package extract

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// page is the state of reading a page.
type page struct {
	ctx  context.Context //nolint:containedctx // lives as long as one call
	plan *plan
	root *html.Node
	// base is what references resolve against; nil if it is not known.
	base     *whatwg.Url
	resolver *resolver // against base, once needed
	// targets has the targets of the links to web pages.
	targets map[*html.Node]target
	// blocks and choice are the parts of the page's text, and which of them are main content.
	blocks *maincontent.Page
	choice maincontent.Choice
	// said has the page's claims about itself, as written.
	said *claims
	// jsonLD has the values of the page's JSON-LD scripts, within the bounds that jsonLeft counts.
	jsonLD    []any
	jsonBytes int
	jsonLeft  int
	// notes are the page's footnotes. rawTeX says that one of its scripts reads TeX in text.
	notes  *footnotes
	rawTeX bool
	// title is the heading that was put before the main content.
	title *html.Node
}

func newPage(ctx context.Context, plan *plan, root *html.Node) *page {
	return &page{ctx: ctx, plan: plan, root: root, targets: map[*html.Node]target{}, jsonLeft: jsonValuesMax}
}

// run takes the steps one after the other, and checks the context before each.
func (p *page) run(document *Document, steps ...func(*Document) error) error {
	for _, step := range steps {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if err := step(document); err != nil {
			return err
		}
	}
	return nil
}

// target is the target of a link.
type target struct {
	href     string // as written
	host     string // with the port, if it is not the scheme's own
	hostname string
}

// rescue makes visible what only scripts would show, before scripts and noscript elements are removed.
func (p *page) rescue() {
	p.rawTeX = readsTeX(p.root)
	rescueMath(p.root)
	p.settleImages()
}

// judge finds the page's main content, type and quality, on the whole tree: what is removed later may be decisive, or
// even be the content, such as forum posts that are in noscript only.
func (p *page) judge(document *Document) error {
	p.rescue()
	p.notes = p.findNotes()
	p.copyNotes(p.notes)
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

// keepMainContent reduces the page to its main content, if that was requested and there is one.
func (p *page) keepMainContent(document *Document) error {
	if p.plan.named {
		p.notes.forget(p.root)
	}
	if !p.plan.mainContent {
		return nil
	}
	title := p.titleOf(document)
	node := p.blocks.Keep(p.choice)
	if node == nil {
		return nil
	}
	p.root = node
	p.putTitle(title)
	document.MainContent = true
	return nil
}

// render writes the three forms: HTML as the page has it, markdown and text from the polished tree.
func (p *page) render(document *Document) error {
	written, err := renderHTML(p.root)
	if err != nil {
		return err
	}
	document.HTML = written
	if err := p.ctx.Err(); err != nil {
		return err
	}
	completed := p.completedCode()
	p.polish()
	document.Text = textOf(p.root, p.notes, func(n *html.Node) bool {
		return n == p.title || completed[n] || p.blocks.Completed(n)
	})
	if err := p.ctx.Err(); err != nil {
		return err
	}
	markdown, err := markdownOf(p.root, p.notes, len(document.Text)+len(document.Text)/4)
	if err != nil {
		return err
	}
	document.Markdown = markdown
	return nil
}

// buffers are reused for the next page, so that they need not grow again.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bufferBytesMax is the size up to which a buffer is kept.
const bufferBytesMax = 1 << 20

func renderHTML(root *html.Node) (string, error) {
	out := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // nothing else is put there
	defer func() {
		if out.Cap() <= bufferBytesMax {
			out.Reset()
			buffers.Put(out)
		}
	}()
	if err := html.Render(out, root); err != nil {
		return "", fmt.Errorf("%w: writing HTML: %w", ErrTooComplex, err)
	}
	return out.String(), nil
}

// completedCode are the blocks of code that only complete the main content. Polishing replaces their text nodes.
func (p *page) completedCode() map[*html.Node]bool {
	completed := map[*html.Node]bool{}
	for n := range p.root.Descendants() {
		if n.Type != html.TextNode || !p.blocks.Completed(n) {
			continue
		}
		for around := n.Parent; around != nil; around = around.Parent {
			if around.DataAtom == atom.Pre || around.DataAtom == atom.Code {
				completed[around] = true
				break
			}
		}
	}
	return completed
}

// Parse returns the tree that Page works on, with the same bounds. Errors are ErrTooComplex.
func Parse(input []byte) (*html.Node, error) {
	root, _, err := parse(input, nodesMaxDefault)
	return root, err
}
