package scrapes

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/sitemap"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
)

// makeBare makes p fetch the page and find its links, without any formats.
func (p *plan) makeBare() {
	p.bare, p.formats, p.links, p.parser, p.task = true, nil, nil, "", nil
	p.options.Structured = false
}

// findings describe a page and its links, for crawls.
type findings struct {
	finalURL, mediaType string
	statusCode          int
	scan                links.Scan
}

// findingsOf returns the findings that p asks for, read from the page's tokens. A document that is not HTML has no
// links, except those of a feed or a sitemap.
func (e *Engine) findingsOf(ctx context.Context, p *plan, c *capture) (*findings, error) {
	if !p.scanned {
		return nil, nil //nolint:nilnil // nil: not requested
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
	found.scan.Print = links.PrintOf(string(c.source.Body))
	if p.sitemaps && len(found.scan.Links) == 0 {
		found.scan.Links = listedBy(ctx, c)
	}
	return found, nil
}

// listedBy returns the URLs that a sitemap lists, as far as it can be read.
func listedBy(ctx context.Context, c *capture) (links []extract.Link) {
	base, err := fetch.ParseURL(c.source.URL)
	if err != nil {
		return nil
	}
	for entry, err := range sitemap.Read(ctx, bytes.NewReader(c.source.Body), sitemap.Options{Base: base}) {
		if err != nil {
			break // keep what was read; if this is no sitemap, that is nothing
		}
		links = append(links, extract.Link{URL: entry.URL.String()})
	}
	return links
}

// mayBeFeed reports whether mediaType is a type of feeds.
func mayBeFeed(mediaType string) bool {
	return strings.HasSuffix(mediaType, "xml") || mediaType == "application/feed+json"
}

// scan reads a page's tokens, once.
func (e *Engine) scan(ctx context.Context, c *capture) error {
	if c.scan != nil {
		return nil
	}
	source := c.source
	scan, err := membudget.Do(ctx, e.config.Memory, membudget.HeldBytesOf(c.source.Body), func() (*links.Scan, error) {
		return links.ScanPage(source.URL, source.Header, source.Body), nil
	})
	if err != nil {
		return failure.Read(ctx, err, c.source)
	}
	c.scan = scan
	return nil
}

// metadata returns the page metadata of a page that was not read.
func (f *findings) metadata(c *capture) PageMetadata {
	return PageMetadata{
		StatusCode: c.statusCode, Title: textOrNil(f.scan.Title), CanonicalURL: textOrNil(f.scan.Canonical),
		Rendered: c.browsed, RenderReason: c.reason,
	}
}

// tell copies the findings to the result of a job.
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

// ScoreLinks implements urlfilter.ScoreFunc, over all fields of page.Link. Errors are the context's.
func ScoreLinks(ctx context.Context, found []page.Link, query string) ([]float64, error) {
	return links.Scores(ctx, len(found), func(i int) *links.Link {
		l := &found[i]
		return &links.Link{URL: l.URL, Text: l.Text, Heading: l.Heading, Around: l.Around}
	}, query)
}
