package scrapes

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/memory"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/sitemap"
)

// plentyRunes is how much text a page shows that is certainly no shell, whatever else is in it: twice what the rule looks
// for, for signs that are no letters.
const plentyRunes = 2 * mountTextLetters

// makeBare has p fetch the page and find its links, and make nothing of it.
func (p *plan) makeBare() {
	p.bare, p.formats, p.links, p.parser, p.task = true, nil, nil, "", nil
	p.options.Structured = false
}

// findings are what a page is and leads to, for crawls.
type findings struct {
	finalURL, mediaType string
	statusCode          int
	scan                extract.Scan
}

// findingsOf reads what p asks for of a page's tokens. What is no page has no links but those of a feed.
func (e *Engine) findingsOf(ctx context.Context, p *plan, c *capture) (*findings, error) {
	if !p.scanned {
		return nil, nil //nolint:nilnil // nil is for what was not asked for
	}
	found := &findings{finalURL: c.source.URL, mediaType: c.source.MediaType, statusCode: c.statusCode}
	if isHTML(c.source.MediaType) {
		if err := e.scan(ctx, c); err != nil {
			return nil, err
		}
		found.scan = *c.scan
		return found, nil
	}
	document := c.document
	if document == nil && mayBeFeed(c.source.MediaType) {
		var err error
		if document, err = e.readPage(ctx, p, c); err != nil {
			return nil, err
		}
	}
	if document != nil && document.Feed != nil {
		found.scan.Links = document.Links
	}
	if document != nil {
		found.scan.Title = document.Metadata.Title
	}
	found.scan.Print = extract.PrintOf(string(c.source.Body))
	if p.sitemaps && len(found.scan.Links) == 0 {
		found.scan.Links = listedBy(ctx, c)
	}
	return found, nil
}

// listedBy are the links of a sitemap: what it lists, as far as it can be read.
func listedBy(ctx context.Context, c *capture) (links []extract.Link) {
	base, err := fetch.ParseURL(c.source.URL)
	if err != nil {
		return nil
	}
	for entry, err := range sitemap.Read(ctx, bytes.NewReader(c.source.Body), sitemap.Options{Base: base}) {
		if err != nil {
			break // what was read counts; of what is no sitemap that is nothing
		}
		links = append(links, extract.Link{URL: entry.URL.String()})
	}
	return links
}

// mayBeFeed reports whether feeds are served as a type.
func mayBeFeed(mediaType string) bool {
	return strings.HasSuffix(mediaType, "xml") || mediaType == "application/feed+json"
}

// scan reads a page's tokens, once.
func (e *Engine) scan(ctx context.Context, c *capture) error {
	if c.scan != nil {
		return nil
	}
	source := c.source
	scan, err := memory.Do(ctx, e.config.Memory, memory.HeldBytesOf(c.source.Body), func() (*extract.Scan, error) {
		return extract.ScanLinks(source), nil
	})
	if err != nil {
		return extractProblem(ctx, err, c)
	}
	c.scan = scan
	return nil
}

// metadata is what is told of a page that was not read.
func (f *findings) metadata(c *capture) PageMetadata {
	return PageMetadata{
		StatusCode: c.statusCode, Title: textOrNil(f.scan.Title), CanonicalURL: textOrNil(f.scan.Canonical),
		Rendered: c.browsed, RenderReason: c.reason,
	}
}

// tell adds what was found to what is told of a job.
func (f *findings) tell(k *page.Kept) {
	k.FinalURL, k.MediaType, k.Canonical, k.Heading, k.NoFollow = f.finalURL, f.mediaType, f.scan.Canonical, f.scan.Heading, f.scan.NoFollow
	k.Excerpt = f.scan.Excerpt
	k.ContentKey, k.Simhash, k.Form = f.scan.Content, f.scan.Simhash, f.scan.Form
	if f.statusCode >= http.StatusBadRequest {
		return
	}
	k.Links = make([]page.Link, 0, len(f.scan.Links))
	for i := range f.scan.Links {
		l := &f.scan.Links[i]
		link := page.Link{URL: l.URL, Text: l.Text, Heading: l.Heading, Around: l.Around}
		for _, rel := range l.Rel {
			link.NoFollow = link.NoFollow || rel == "nofollow"
		}
		k.Links = append(k.Links, link)
	}
}

// ScoreLinks says how relevant the links of a page are to a query, in their order: BM25 over all that page.Link has. Errors
// are the context's.
func ScoreLinks(ctx context.Context, links []page.Link, query string) ([]float64, error) {
	read := make([]extract.Link, len(links))
	for i, l := range links {
		read[i] = extract.Link{URL: l.URL, Text: l.Text, Heading: l.Heading, Around: l.Around}
	}
	scored, err := extract.ScoreLinks(ctx, read, query)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(scored))
	for i := range scored {
		scores[i] = scored[i].Score
	}
	return scores, nil
}
