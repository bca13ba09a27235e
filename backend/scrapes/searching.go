package scrapes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
)

// searched describes a page for full-text search. The statement that makes content readable also queues it for search
// if its outcome has this.
type searched struct {
	// URL is the page's URL after redirects.
	URL string `json:"url"`
	// Shareable: anyone who requests the URL gets the same page, so it is no secret of the team.
	Shareable bool `json:"shareable,omitempty"`
}

// Searchable is a stored page for full-text search.
type Searchable struct {
	URL, Title string
	// PublishedAt is in RFC 3339 or a date alone, "" if the page does not say.
	PublishedAt string
	// Text is plain; it is empty if there is only Markdown.
	Text, Markdown string
	Shareable      bool
}

// searchBytesMax is how much of a piece of content is read for search.
const searchBytesMax = 1 << 20

// searchedOf describes the page of c for search. It is nil for an error page, or if no text is stored.
func (e *Engine) searchedOf(p *plan, c *capture) *searched {
	hasText := slices.ContainsFunc(p.formats, func(f page.Format) bool { return f.IsText() && f != page.FormatJSON })
	if p.bare || !hasText || c.statusCode < http.StatusOK || c.statusCode >= http.StatusMultipleChoices {
		return nil
	}
	return &searched{URL: c.source.URL, Shareable: e.config.Shareable && p.isPlain() && isPublic(p, c)}
}

// isPlain reports whether nothing in a request is specific to the team: actions, country, and what it removes of the
// page. Formats, links and the render mode are no secret.
func (p *plan) isPlain() bool {
	return len(p.needs) == 0 && p.country == "" && p.parser == "" && p.task == nil && p.options.RemoveSelectors == nil &&
		len(p.options.RemoveClassNames) == 0
}

// isPublic reports whether a page seems to be the same for everyone: it was fetched by plain HTTP, at an address
// without a query or credentials, no cookie was set on the way, and nothing asks to keep it private or out of indexes.
// A rendered page does not count as public, because it is unknown what the browser fetched for it.
func isPublic(p *plan, c *capture) bool {
	if c.browsed || (p.session != nil && !p.session.Fresh()) {
		return false
	}
	for _, address := range []string{p.url.String(), c.source.URL} {
		if strings.ContainsAny(address, "?@") {
			return false
		}
	}
	for _, name := range []string{"Set-Cookie", "Www-Authenticate", "Authorization"} {
		if len(c.source.Header.Values(name)) > 0 {
			return false
		}
	}
	said := strings.ToLower(strings.Join(c.source.Header.Values("Cache-Control"), ",") + "," + strings.Join(c.source.Header.Values("X-Robots-Tag"), ","))
	for _, word := range []string{"private", "no-store", "noindex", "none", "noarchive"} {
		if strings.Contains(said, word) {
			return false
		}
	}
	head := c.source.Body[:min(len(c.source.Body), headBytesMax)]
	return !bytes.Contains(bytes.ToLower(head), []byte("noindex"))
}

// headBytesMax is how much of a page is searched for a noindex request.
const headBytesMax = 64 << 10

// Searchable reads a page that is stored under a retrieve_id; encoded is its outcome in table content. It returns false
// if search must not find the page.
func (e *Engine) Searchable(ctx context.Context, retrieveID string, encoded json.RawMessage) (Searchable, bool, error) {
	o, err := decodeOutcome(encoded)
	if err != nil {
		return Searchable{}, false, fmt.Errorf("reading the outcome of %s: %w", retrieveID, err)
	}
	if o.Search == nil {
		return Searchable{}, false, nil
	}
	s := Searchable{URL: o.Search.URL, Shareable: o.Search.Shareable, Title: valueOf(o.Page.Title), PublishedAt: valueOf(o.Page.PublishedAt)}
	formats := o.formats()
	switch {
	case slices.Contains(formats, page.FormatMarkdown):
		data, err := e.pieceOf(ctx, retrieveID, o.Attempt, page.FormatMarkdown)
		s.Markdown = string(data)
		return s, err == nil, err
	case slices.Contains(formats, page.FormatText):
		data, err := e.pieceOf(ctx, retrieveID, o.Attempt, page.FormatText)
		s.Text = string(data)
		return s, err == nil, err
	case slices.Contains(formats, page.FormatHTML):
		data, err := e.pieceOf(ctx, retrieveID, o.Attempt, page.FormatHTML)
		if err != nil {
			return s, false, err
		}
		s.Text, err = e.textOf(ctx, s.URL, data)
		return s, err == nil, err
	}
	return s, false, nil
}

// textOf returns the text of stored HTML, from which unwanted parts are already removed.
func (e *Engine) textOf(ctx context.Context, address string, data []byte) (string, error) {
	document, err := membudget.Do(ctx, e.config.Memory, membudget.ReadBytes("text/html", data), func() (*extract.Document, error) {
		return extract.Page(ctx, data, extract.Options{BaseURL: address, RemoveSelectors: []string{}})
	})
	if err != nil {
		return "", fmt.Errorf("reading stored HTML: %w", err)
	}
	return document.Text, nil
}

// pieceOf returns the beginning of a piece of content.
func (e *Engine) pieceOf(ctx context.Context, retrieveID string, attempt int32, format page.Format) ([]byte, error) {
	name, _ := fileOf(format)
	data, err := e.config.Blobs.Read(ctx, contentKey(retrieveID, attempt, name))
	if err != nil {
		return nil, fmt.Errorf("reading content of %s: %w", retrieveID, err)
	}
	return data[:min(len(data), searchBytesMax)], nil
}
