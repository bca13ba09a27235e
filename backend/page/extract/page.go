package extract

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markdown"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/backend/page/extract/structured"
)

// page is the state of reading a page.
type page struct {
	ctx  context.Context //nolint:containedctx // lives as long as one call
	plan *plan
	// tree is the page's, or what is left of it.
	tree       *markdown.Page
	references *links.References
	// blocks are the parts of the page's text, and content says which of them are main content.
	blocks  *maincontent.Page
	content maincontent.Result
	// claims are the page's statements about itself, as written.
	claims *metadata.Claims
}

func newPage(ctx context.Context, plan *plan, root *html.Node) *page {
	references := links.NewReferences(root, plan.base)
	return &page{ctx: ctx, plan: plan, references: references, tree: markdown.New(root, references)}
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

func (p *page) readClaims(*Document) error {
	p.claims = metadata.Read(p.tree.Root)
	return nil
}

func (p *page) makeAbsolute(*Document) error {
	return p.references.MakeAbsolute(p.tree.Root, p.claims.Links)
}

// readStructured reads the structured data, if it was requested, before anything is removed.
func (p *page) readStructured(document *Document) (err error) {
	if p.plan.structured {
		document.Structured, err = structured.Read(p.ctx, p.tree.Root, p.references, p.claims.Scripts.Values)
	}
	return err
}

// judge finds the page's main content, type and quality, on the whole tree: what is removed later may be decisive, or
// even be the content, such as forum posts that are in noscript only.
func (p *page) judge(document *Document) error {
	p.tree.Rescue()
	model, err := maincontent.Shipped()
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	p.blocks = maincontent.Segment(p.tree.Root)
	address := ""
	if p.plan.base != nil {
		address = p.plan.base.Href(true)
	}
	result, err := model.Read(p.ctx, p.blocks, address)
	if err != nil {
		return err
	}
	p.content = result
	document.Type, document.TypeConfidence, document.Quality = result.Type, result.Confidence, result.Quality
	return nil
}

func (p *page) settleMetadata(document *Document) error {
	document.Metadata = p.claims.Settle(metadata.Page{
		Root: p.tree.Root, References: p.references, Address: p.plan.base, Header: p.plan.header, Blocks: p.blocks, Content: p.content,
	})
	return nil
}

// readLinks lists the page's links before anything is removed: crawls need the links in the navigation.
func (p *page) readLinks(document *Document) error {
	var chosen []*html.Node
	if p.blocks != nil {
		chosen = p.blocks.ChosenTexts(p.content.Choice)
	}
	document.Links = links.Read(p.tree.Root, p.references, p.plan.base, chosen)
	return nil
}

// keepMainContent reduces the page to its main content, if that was requested and there is one.
func (p *page) keepMainContent(document *Document) error {
	if p.plan.named {
		p.tree.ForgetNotes()
	}
	if !p.plan.mainContent {
		return nil
	}
	title := p.tree.Title(document.Metadata.Title, document.Metadata.SiteName)
	node := p.blocks.Keep(p.content.Choice)
	if node == nil {
		return nil
	}
	p.tree.Keep(node, title)
	document.MainContent = true
	return nil
}

// render writes the three forms: HTML as the page has it, markdown and text from the polished tree.
func (p *page) render(document *Document) error {
	written, err := renderHTML(p.tree.Root)
	if err != nil {
		return err
	}
	document.HTML = written
	if err := p.ctx.Err(); err != nil {
		return err
	}
	completed := p.completedCode()
	p.tree.Polish()
	document.Text = p.tree.Text(func(n *html.Node) bool { return completed[n] || p.blocks.Completed(n) })
	if err := p.ctx.Err(); err != nil {
		return err
	}
	document.Markdown, err = p.tree.Markdown(len(document.Text) + len(document.Text)/4)
	return err
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
	for n := range p.tree.Root.Descendants() {
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
	root, _, err := markup.Parse(input, nodesMaxDefault)
	return root, err
}
