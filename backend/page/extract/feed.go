package extract

import (
	"context"
	"errors"

	"github.com/turnpike-edge/turnpike/backend/page/extract/feeds"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

// readFeed reads a feed, or returns nil if the body is none.
func readFeed(ctx context.Context, source Source, options Options) (*Document, error) {
	plan, err := options.compile()
	if err != nil {
		return nil, err
	}
	feed, err := feeds.Read(ctx, source.MediaType, source.Body, plan.base, plan.nodesMax)
	if feed == nil || err != nil {
		return nil, err
	}
	// The feed becomes a page, so that all its outputs are produced like those of pages.
	root, simplified, err := markup.Parse(feed.Page(true), plan.nodesMax)
	if errors.Is(err, ErrTooComplex) {
		simplified = true
		root, _, err = markup.Parse(feed.Page(false), plan.nodesMax)
	}
	if err != nil {
		return nil, err
	}
	document := &Document{Feed: &feed.Feed, Simplified: simplified || feed.Simplified}
	p := newPage(ctx, plan, root)
	// The entries of a feed are content, whatever would be a page's main content.
	plan.mainContent = false
	if err := p.run(document, p.readClaims, p.makeAbsolute, p.readStructured, p.readLinks, p.remove, p.render); err != nil {
		return nil, err
	}
	for i := range document.Links {
		document.Links[i].Scope = links.ScopeContent
	}
	m := &document.Metadata
	m.Title, m.Description, m.Language = feed.Title, feed.Description, feed.Language
	m.SiteName, m.Image = feed.Title, feed.Icon
	return document, nil
}
