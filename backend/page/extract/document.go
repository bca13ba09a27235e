package extract

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/turnpike-edge/turnpike/backend/page/extract/feeds"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/backend/page/extract/structured"
)

// Document is the result of Page and Read for a body.
type Document struct {
	// HTML is the page without what the options remove and with absolute references. For other text it is the text in a
	// pre element.
	HTML string
	// Markdown is CommonMark with tables and strikethrough.
	Markdown string
	// Text is readable plain text: paragraphs apart, list items and table rows on their own lines.
	Text string
	// Links are those of the whole page, before anything was removed, in the order of the page, each URL once.
	Links []Link
	// Metadata is the page's description of itself.
	Metadata Metadata
	// MainContent reports whether HTML, Markdown and Text are of the main content only. If that was requested and none
	// was found it is false, and they are of the whole page.
	MainContent bool
	// Simplified reports that the markup was too deep or too tangled to be kept; the text is complete.
	Simplified bool
	// Type is the page's type, one of PageTypes; empty if the body is no page or the type is unknown.
	Type string
	// TypeConfidence is how probable Type is among all types, 0–1.
	TypeConfidence float64
	// Quality is how well the main content is probably separated from the rest: the expected word F1, 0–1. It is 0 if no
	// main content was found.
	Quality float64
	// Structured is the page's structured data and its tables; nil unless Options.Structured asked for it.
	Structured *Structured
	// Feed is the content of a feed; nil if the body is none.
	Feed *feeds.Feed
}

// The parts of a Document, which packages below define.
type (
	// Link is a link of a page.
	Link = links.Link
	// Metadata is a page's description of itself.
	Metadata = metadata.Fields
	// Structured is a page's structured data and its tables.
	Structured = structured.Data
	// Item is a thing that structured data describes.
	Item = structured.Item
	// Table is a data table.
	Table = structured.Table
)

// PoorQuality is the quality below which a page should be tried again in a browser: the content could not be separated
// well and is likely to be missing.
const PoorQuality = maincontent.PoorBelow

// PageTypes are all values of Document.Type except the empty one.
func PageTypes() []string { return maincontent.Types() }

// Transformer names a transformation beyond removing selectors.
type Transformer string

// The transformers.
const (
	// TransformerNone keeps the whole page.
	TransformerNone Transformer = "none"
	// TransformerPostlight keeps the main content only.
	TransformerPostlight Transformer = "postlight"
)

// Options say how a page is read. The zero value, apart from BaseURL, is right for a plain scrape.
type Options struct {
	// BaseURL is the address of the page, absolute. Without it relative references stay relative.
	BaseURL string
	// RemoveSelectors are CSS selectors of elements to remove. Nil: DefaultSelectors, or none if the transformer keeps
	// only the main content and so decides by itself; empty: none.
	RemoveSelectors []string
	// RemoveClassNames are classes whose elements are removed.
	RemoveClassNames []string
	// RemoveImages removes images.
	RemoveImages bool
	// Transformer is TransformerNone if empty.
	Transformer Transformer
	// Structured asks for Document.Structured.
	Structured bool
	// NodesMax bounds the tree. Default 400,000.
	NodesMax int

	// header is that of the response, if there was one; Read sets it.
	header http.Header
}

const nodesMaxDefault = 400_000

// DefaultSelectors are removed if the options name none (service contract, "Scrapes").
func DefaultSelectors() []string {
	return []string{
		"nav", "header", "footer", "aside", "script", "style", "noscript", "svg",
		"[role=alert]", "[role=banner]", "[role=dialog]", "[role=alertdialog]",
		"[role=region][aria-label*=skip i]", "[aria-modal=true]",
	}
}

var (
	// ErrUnsupportedContent is returned for a body whose type has no text to read.
	ErrUnsupportedContent = errors.New("unsupported content type")
	// ErrTooComplex is returned for a page that would need more memory or time than the limits allow.
	ErrTooComplex = markup.ErrTooComplex
	// ErrInvalidOption is returned for invalid options.
	ErrInvalidOption = errors.New("invalid option")
)

// SelectorError names an invalid selector. It is an ErrInvalidOption.
type SelectorError struct {
	Selector string
	Err      error
}

func (e *SelectorError) Error() string {
	return fmt.Sprintf("selector %.200q %v", e.Selector, e.Err)
}

// Unwrap makes the error both the parser's and an ErrInvalidOption.
func (e *SelectorError) Unwrap() []error { return []error{ErrInvalidOption, e.Err} }

// Page reads an HTML page, given in UTF-8. Errors are ErrInvalidOption (a *SelectorError for a selector),
// ErrTooComplex, or the context's.
func Page(ctx context.Context, input []byte, options Options) (*Document, error) {
	plan, err := options.compile()
	if err != nil {
		return nil, err
	}
	return plan.page(ctx, input)
}

func (p *plan) page(ctx context.Context, input []byte) (*Document, error) {
	root, simplified, err := markup.Parse(input, p.nodesMax)
	if err != nil {
		return nil, err
	}
	work := newPage(ctx, p, root)
	document := &Document{Simplified: simplified}
	err = work.run(document, work.readClaims, work.makeAbsolute, work.readStructured, work.judge, work.settleMetadata, work.readLinks,
		work.remove, work.keepMainContent, work.render)
	if err != nil {
		return nil, err
	}
	return document, nil
}
