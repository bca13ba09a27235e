package scrapes

import (
	"context"
	"errors"
	"math"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
)

// scrape fetches, reads and stores the page.
func (e *Engine) scrape(ctx context.Context, teamID string, p *plan, retrieveID string, attempt int32) (*outcome, *content, error) {
	c, err := e.obtain(ctx, teamID, p)
	if err != nil {
		return nil, nil, err
	}
	if c.document == nil && !p.bare {
		if c.document, err = e.readPage(ctx, p, c); err != nil {
			return nil, nil, err
		}
	}
	found, err := e.findingsOf(ctx, p, c)
	if err != nil {
		return nil, nil, err
	}
	made, err := e.make(ctx, teamID, p, c)
	if err != nil {
		return nil, nil, err
	}
	o := &outcome{
		Attempt: attempt, HasLinks: p.links != nil, Page: pageMetadata(c, found), Search: e.searchedOf(p, c),
		retryAfter: retryAfterOf(c), found: found,
	}
	o.Page.LLMExtract = made.read
	for _, format := range p.formats {
		o.Contents = append(o.Contents, storedFormat{Format: format, Bytes: int64(len(made.files[format]))})
	}
	err = e.keep(ctx, retrieveID, o, made)
	if err == nil {
		err = e.keepRecord(ctx, retrieveID, o, p)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, failure.TimeLimit(err)
		}
		return nil, nil, problem.Internal(err)
	}
	return o, made, nil
}

// make makes the requested formats of a page that has been read.
func (e *Engine) make(ctx context.Context, teamID string, p *plan, c *capture) (*content, error) {
	made := &content{files: map[page.Format][]byte{}}
	for _, format := range p.formats {
		switch format {
		case page.FormatHTML:
			made.files[format] = []byte(c.document.HTML)
		case page.FormatMarkdown:
			made.files[format] = []byte(c.document.Markdown)
		case page.FormatText:
			made.files[format] = []byte(c.document.Text)
		case page.FormatScreenshot:
			made.files[format] = c.screenshot
		case page.FormatRawPDF:
			made.files[format] = c.pdf
		case page.FormatJSON:
			extracted, err := e.extract(ctx, teamID, p, c)
			if err != nil {
				return nil, err
			}
			made.files[format], made.read = extracted.JSON, (*LLMRead)(extracted.Read)
		}
	}
	if p.links == nil {
		return made, nil
	}
	var err error
	if made.links, err = p.links.apply(ctx, c.document.Links); err != nil {
		return nil, failure.Read(ctx, err, c.source)
	}
	return made, nil
}

// extract makes JSON of a page, with the parser or the task of p.
func (e *Engine) extract(ctx context.Context, teamID string, p *plan, c *capture) (made extraction.Result, err error) {
	if p.parser != "" || e.config.Extractor.Reads() {
		release, err := e.config.Memory.Take(ctx, membudget.ReadBytes(c.source.MediaType, c.source.Body))
		if err != nil {
			return made, failure.Memory(ctx, err)
		}
		defer release()
	}
	if p.parser != "" {
		made.JSON, err = e.config.Parsers.Parse(ctx, teamID, p.parser, c.source, c.document)
	} else {
		made, err = e.config.Extractor.Extract(ctx, *p.task, c.source, c.document)
	}
	if err != nil && ctx.Err() == nil {
		if said, ok := errors.AsType[*problem.Error](err); ok {
			return made, said
		}
	}
	if err != nil {
		return made, failure.Read(ctx, err, c.source)
	}
	return made, nil
}

// fetch fetches the page of p by plain HTTP.
func (e *Engine) fetch(ctx context.Context, teamID string, p *plan) (*capture, error) {
	r := fetch.Request{URL: p.url, Header: p.conditions, Session: p.session, Follow: p.follow, Record: p.recording != nil, Room: func(ctx context.Context, bytesMax int64) error {
		return p.hold.Set(ctx, membudget.HeldBytes(bytesMax))
	}}
	response, err := e.download(ctx, teamID, p, r)
	if err != nil {
		return nil, failure.Fetch(ctx, err)
	}
	if err := e.record(p, response); err != nil {
		return nil, err
	}
	c := captureOf(response)
	if err := p.holdOnTo(ctx, c); err != nil {
		return nil, err
	}
	return c, nil
}

// download requests the page from the target, through the team's HTTP cache if there is one. Bare pages are not stored,
// so they are not cached, and conditions refer to a copy of their own.
func (e *Engine) download(ctx context.Context, teamID string, p *plan, r fetch.Request) (*fetch.Response, error) {
	if e.config.Copies == nil || p.bare || p.conditions != nil {
		return e.config.Fetcher.Get(ctx, r)
	}
	return e.config.Copies.Get(ctx, teamID, r)
}

func pageMetadata(c *capture, found *findings) PageMetadata {
	if c.document == nil {
		return found.metadata(c)
	}
	said := c.document.Metadata
	metadata := PageMetadata{
		StatusCode: c.statusCode, Title: textOrNil(said.Title), Description: textOrNil(said.Description),
		Language: textOrNil(said.Language), CanonicalURL: textOrNil(said.CanonicalURL), PublishedAt: textOrNil(said.PublishedAt),
		Author: textOrNil(said.Author), Rendered: c.browsed, RenderReason: c.reason, PageType: textOrNil(c.document.Type),
	}
	if c.document.Type != "" {
		quality := math.Round(c.document.Quality*1000) / 1000
		metadata.ExtractionQuality = &quality
	}
	return metadata
}
