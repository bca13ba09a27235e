package extract

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/extract/maincontent"
)

// Document is what Page and Content make of a body.
type Document struct {
	// HTML is the page without what the options remove and with absolute references. For other text it is the text
	// in a pre element.
	HTML string
	// Markdown is CommonMark with tables and strikethrough.
	Markdown string
	// Text is readable plain text: paragraphs apart, list items and table rows on lines of their own.
	Text string
	// Links are those of the whole page, before anything was removed, in the order of the page, each URL once.
	Links []Link
	// Metadata is what the page says of itself.
	Metadata Metadata
	// MainContent reports whether HTML, Markdown and Text are of the main content only. It is false when that was asked
	// for and none was found; they are then of the whole page.
	MainContent bool
	// Simplified reports that the markup was too deep or too tangled to be kept; the text is complete.
	Simplified bool
	// Type is the page's type, one of PageTypes; empty for what is no page, and where it cannot be told.
	Type string
	// TypeConfidence is how probable Type is among all types, 0–1.
	TypeConfidence float64
	// Quality is how well the main content is likely to be told from the rest: the word F1 that is expected, 0–1. It is 0
	// where nothing was found.
	Quality float64
}

// PoorQuality is the quality below which a page is better tried again in a browser: so little of it can be told apart that
// its content is likely to be missing.
const PoorQuality = maincontent.PoorBelow

// PageTypes are all that Document.Type can be but for the empty one.
func PageTypes() []string { return maincontent.Types() }

// Link is a link of a page to an http or https URL.
type Link struct {
	// URL is absolute.
	URL string
	// Href is as written in the page.
	Href string
	// Text is what the link shows, or its image's alternative text.
	Text string
	// Rel is the rel attribute's keywords, in lower case, e.g. "nofollow".
	Rel []string
	// Internal reports whether the link leads to the host of the page.
	Internal bool
}

// Metadata is what a page says of itself, from its title, meta elements, OpenGraph and JSON-LD. Fields that it does
// not say are empty. URLs are absolute.
type Metadata struct {
	Title        string
	Description  string
	Language     string // BCP 47, as written
	CanonicalURL string
	// PublishedAt and ModifiedAt are in RFC 3339, or a date alone where the page gives no time.
	PublishedAt string
	ModifiedAt  string
	Author      string
	SiteName    string
	Image       string
}

// Transformer names what is done to a page beyond removing selectors.
type Transformer string

// The transformers.
const (
	// TransformerNone keeps the whole page.
	TransformerNone Transformer = "none"
	// TransformerPostlight keeps the main content only.
	TransformerPostlight Transformer = "postlight"
)

// Options is how a page is read. The zero value, but for BaseURL, is right for a plain scrape.
type Options struct {
	// BaseURL is where the page came from, absolute. Without it relative references stay relative.
	BaseURL string
	// RemoveSelectors are CSS selectors of elements to remove. Nil: DefaultSelectors, or none where the transformer
	// keeps the main content only and so decides by itself; empty: none.
	RemoveSelectors []string
	// RemoveClassNames are classes whose elements are removed.
	RemoveClassNames []string
	// RemoveImages removes images.
	RemoveImages bool
	// Transformer is TransformerNone if empty.
	Transformer Transformer
	// NodesMax bounds the tree. Default 400,000.
	NodesMax int
}

const nodesMaxDefault = 400_000

// DefaultSelectors are removed where the options name none (service contract, "Scrapes").
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
	// ErrTooComplex is returned for a page that would need more memory or time than pages get.
	ErrTooComplex = errors.New("page is too complex")
	// ErrInvalidOption is returned for options that cannot be followed.
	ErrInvalidOption = errors.New("invalid option")
)

// SelectorError names a selector that is none. It is an ErrInvalidOption.
type SelectorError struct {
	Selector string
	Err      error
}

func (e *SelectorError) Error() string {
	return fmt.Sprintf("selector %.200q is not valid CSS: %v", e.Selector, e.Err)
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
	root, simplified, err := parse(input, plan.nodesMax)
	if err != nil {
		return nil, err
	}
	p := &page{ctx: ctx, plan: plan, root: root, targets: map[*html.Node]target{}}
	document := &Document{Simplified: simplified}
	for _, step := range []func(*Document) error{
		p.readMetadata, p.makeAbsolute, p.readLinks, p.judge, p.remove, p.keepMainContent, p.render,
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(document); err != nil {
			return nil, err
		}
	}
	return document, nil
}
