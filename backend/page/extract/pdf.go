package extract

import (
	"context"
	"errors"
	"fmt"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/backend/page/pdf"
	"github.com/turnpike-edge/turnpike/clip"
)

// pdfTextBytesMax is how much text is read of a PDF; what is beyond it is left out. It is a long book.
const pdfTextBytesMax = 8 << 20

// readPDF reads the text of a PDF. One without text, as a scan is, gives an empty text and the quality 0. A PDF that
// needs a password is an ErrUnsupportedContent, one that would take too much an ErrTooComplex. What the options say of
// elements and selectors has no meaning here.
func readPDF(ctx context.Context, source Source, options Options) (*Document, error) {
	read, err := pdf.Read(ctx, source.Body, pdf.Limits{TextBytesMax: pdfTextBytesMax})
	switch {
	case errors.Is(err, pdf.ErrTooComplex):
		return nil, fmt.Errorf("%w: %w", ErrTooComplex, err)
	case errors.Is(err, pdf.ErrEncrypted), errors.Is(err, pdf.ErrNotPDF):
		return nil, fmt.Errorf("%w: application/pdf: %w", ErrUnsupportedContent, err)
	case err != nil:
		return nil, err
	}
	document := &Document{
		HTML: read.HTML(), Markdown: read.Markdown(), Text: read.Text(), Quality: read.Quality,
		Metadata: Metadata{
			Title: clip.Bytes(read.Title, metadata.FieldBytesMax), Description: clip.Bytes(read.Subject, metadata.FieldBytesMax),
			Author:   clip.Bytes(read.Author, metadata.FieldBytesMax),
			Language: read.Language, PublishedAt: pdfTime(read.Created), ModifiedAt: pdfTime(read.Modified),
		},
	}
	document.Links = pdfLinks(read.Links, source, options)
	return document, nil
}

func pdfTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// pdfLinks are a PDF's links to the web. Nearly all are absolute as they stand.
func pdfLinks(found []pdf.Link, source Source, options Options) []Link {
	address := options.BaseURL
	if address == "" {
		address = source.URL
	}
	base, baseErr := whatwg.Parse(address)
	var out []Link
	seen := map[string]bool{}
	for _, link := range found {
		u, err := whatwg.Parse(link.URI)
		if err != nil && baseErr == nil {
			u, err = base.Parse(link.URI)
		}
		if err != nil || !links.IsWeb(u) || len(out) >= links.Max {
			continue
		}
		href := u.Href(false)
		if seen[href] {
			continue
		}
		seen[href] = true
		out = append(out, Link{
			URL: href, Href: link.URI, Text: clip.Bytes(link.Text, links.TextBytesMax), Internal: baseErr == nil && u.Host() == base.Host(),
		})
	}
	return out
}
