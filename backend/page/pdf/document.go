package pdf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/font"
	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

var (
	// ErrNotPDF is returned for what is no PDF, or has nothing left of one.
	ErrNotPDF = object.ErrNotPDF
	// ErrEncrypted is returned for a file that opens with a password only, or by a method other than a password.
	ErrEncrypted = object.ErrEncrypted
	// ErrTooComplex is returned for a file that uses up a limit before it has given any text.
	ErrTooComplex = errors.New("the PDF is too complex")
)

// Limits bounds what reading a file may take. Fields that are 0 have their defaults.
type Limits = object.Limits

// Document is what is read of a PDF.
type Document struct {
	// What the file says of itself; empty or zero where it does not.
	Title, Author, Subject, Keywords string
	// Language is a BCP 47 tag, as written.
	Language          string
	Created, Modified time.Time
	// Pages is how many there are, PagesRead how many of them were read.
	Pages, PagesRead int
	// Blocks are the text, in reading order.
	Blocks []Block
	// Links are those to URIs, each URI once.
	Links []Link
	// Quality is how good the text is likely to be, 0–1: how many pages with anything on them have text, and how much of
	// it is known to be the right characters. It is 0 for scanned pages without recognised text.
	Quality float64
	// Truncated reports that a limit cut something off.
	Truncated bool
}

// Link is an annotation that leads to a URI.
type Link struct {
	URI string
	// Text is what the page shows there, if that can be told.
	Text string
	Page int // from 1
}

// Kind is what a block is.
type Kind uint8

// The kinds of blocks.
const (
	Paragraph Kind = iota
	Heading
	ListItem
	Table
	Code
)

// Block is a piece of the text.
type Block struct {
	Kind Kind
	// Level is 1–6 of a heading, and from 1 how deep a list item is.
	Level int
	// Text is without line breaks, but for code and for paragraphs whose lines belong apart.
	Text string
	// Spans are the links in Text, in order and without overlap.
	Spans []Span
	// Marker is the number of an item of a numbered list, with what follows it, "2."; empty for a bullet.
	Marker string
	// Rows are a table's; all have the same number of cells.
	Rows [][]string
	// Page is the page on which it begins, from 1.
	Page int
}

// Span is a part of a text that is a link.
type Span struct {
	Start, End int // bytes of the text
	URI        string
}

// reader is what one Read needs.
type reader struct {
	*object.File
	budget    *object.Budget
	fonts     *font.Reader
	layersOff map[object.Ref]bool
	tags      map[place]tag
	// For Quality.
	seenGlyphs, unknownGlyphs int
	cut                       bool
	links                     []Link
}

// Read reads a PDF. It takes a few hundred megabytes at the very most with the default limits, and a few times the file's
// size as a rule. Errors are ErrNotPDF, ErrEncrypted, ErrTooComplex, or the context's.
func Read(ctx context.Context, body []byte, limits Limits) (*Document, error) {
	b := object.NewBudget(ctx, limits)
	if !b.Alive() {
		return nil, b.Err
	}
	f, err := object.Open(body, b)
	if err != nil {
		return nil, refusal(ctx, err)
	}
	r := &reader{File: f, budget: b, fonts: font.NewReader(f, b)}
	r.readLayers()
	r.tags = r.readTags()
	doc := &Document{}
	r.readInfo(doc)
	pages, total := r.pages(b.Limits.PagesMax)
	if total == 0 && b.Err == nil {
		return nil, fmt.Errorf("%w: it has no pages", ErrNotPDF)
	}
	doc.Pages = total
	content := r.readPages(pages)
	doc.PagesRead = len(content)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	doc.Truncated = r.cut || r.fonts.Cut || b.Err != nil || doc.PagesRead < doc.Pages
	r.compose(ctx, doc, content)
	if len(doc.Blocks) == 0 && b.Err != nil {
		return nil, refusal(ctx, b.Err)
	}
	return doc, nil
}

// refusal is the error that a caller sees.
func refusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, object.ErrLimit) {
		return fmt.Errorf("%w: %w", ErrTooComplex, err)
	}
	return err
}
