package scrapes

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
	"github.com/turnpike-edge/turnpike/backend/scrapes/shell"
)

// capture is a fetched or rendered page.
type capture struct {
	source     extract.Source
	statusCode int
	// browsed reports whether a browser was used, and reason says why or why not.
	browsed bool
	reason  string
	// screenshot is a PNG. pdf is the target's own file if that is a PDF, or else the printed page.
	screenshot, pdf []byte
	// document is the extracted document, if source was already read.
	document *extract.Document
	// scan is the result of reading source without building a tree.
	scan *links.Scan
}

// The other values of page_metadata.render_reason, beside those of package shell. The phrases are part of the interface
// (docs/rendering.md).
const (
	reasonNever       = "render: never"
	reasonAlways      = "render: always"
	reasonNeededFor   = "needed for " // the fields, separated by commas
	reasonNotNeeded   = "not needed"
	reasonNotPage     = "not a page"
	reasonPoor        = "poor quality"
	withoutBrowser    = "; no browser"
	withBrowserFailed = "; browser failed: "
	withLessText      = "; had less text in the browser"
)

// browserReserve is how much of the time limit is kept for reading the page when auto tries a browser.
const browserReserve = 10 * time.Second

func isHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// isPage reports whether a browser shows a page, and not its own view of a file. A document made by scripts has no type.
func isPage(result *render.Result) bool { return result.MediaType == "" || isHTML(result.MediaType) }

// shown reports whether a browser displays files of a type instead of saving them.
func shown(mediaType string) bool {
	return isHTML(mediaType) || strings.HasPrefix(mediaType, "text/") || strings.HasPrefix(mediaType, "image/") ||
		mediaType == "application/json" || mediaType == "application/xml" || strings.HasSuffix(mediaType, "+xml") || strings.HasSuffix(mediaType, "+json")
}

func captureOf(response *fetch.Response) *capture {
	return &capture{
		source: extract.Source{
			URL: response.URL.String(), StatusCode: response.StatusCode, MediaType: response.MediaType, Header: response.Header, Body: response.Body,
		},
		statusCode: response.StatusCode,
	}
}

func renderedOf(result *render.Result, reason string) *capture {
	return &capture{
		source: extract.Source{
			URL: result.URL.String(), StatusCode: result.StatusCode, MediaType: "text/html", Header: result.Header, Body: result.HTML, Rendered: true,
		},
		statusCode: result.StatusCode, browsed: true, reason: reason, screenshot: result.Screenshot, pdf: result.PDF,
	}
}

// obtain gets the page of p: by plain HTTP if that suffices, in a browser if the request or the page needs it.
func (e *Engine) obtain(ctx context.Context, teamID string, p *plan) (*capture, error) {
	c, err := e.come(ctx, teamID, p)
	if err != nil {
		return nil, err
	}
	if err := p.holdOnTo(ctx, c); err != nil {
		return nil, err
	}
	return c, nil
}

func (e *Engine) come(ctx context.Context, teamID string, p *plan) (*capture, error) {
	if p.needsBrowser() {
		return e.obtainInBrowser(ctx, teamID, p)
	}
	plain, err := e.fetch(ctx, teamID, p)
	if err != nil {
		return nil, err
	}
	switch {
	case p.prints() && !extract.IsPDF(plain.source):
		return e.print(ctx, p, plain)
	case p.prints():
		plain.pdf = plain.source.Body
	}
	switch {
	case p.render == page.RenderNever:
		plain.reason = reasonNever
	case !isHTML(plain.source.MediaType), plain.statusCode == http.StatusNotModified:
		plain.reason = reasonNotPage
	default:
		return e.improve(ctx, p, plain)
	}
	return plain, nil
}

// print prints the page of plain in a browser.
func (e *Engine) print(ctx context.Context, p *plan, plain *capture) (*capture, error) {
	switch {
	case !shown(plain.source.MediaType):
		return nil, failure.Unsupported("raw_pdf is available for PDF files and for pages that a browser can display. Nothing was charged.", plain.source, nil)
	case p.render == page.RenderNever:
		return nil, problem.Validation(problem.BodyFault("formats", "raw_pdf of a page that is not a PDF file needs a browser, which render: never excludes"))
	case !e.hasBrowser():
		return nil, failure.NoBrowser("The format raw_pdf of a page that is not a PDF file", nil)
	}
	result, err := e.browse(ctx, p, true)
	if err != nil {
		return nil, failure.Render(ctx, err)
	}
	reason := reasonNeededFor + string(page.FormatRawPDF)
	if isHTML(plain.source.MediaType) {
		return renderedOf(result, reason), nil
	}
	plain.browsed, plain.reason, plain.pdf = true, reason, result.PDF
	return plain, nil
}

// obtainInBrowser gets a page for a request that needs a browser. A file that the browser displays is read as the file
// that it is.
func (e *Engine) obtainInBrowser(ctx context.Context, teamID string, p *plan) (*capture, error) {
	reason := reasonAlways
	if len(p.needs) > 0 {
		reason = reasonNeededFor + strings.Join(p.needs, ", ")
	}
	result, err := e.browse(ctx, p, p.prints())
	if err == nil && isPage(result) {
		return renderedOf(result, reason), nil
	}
	if err != nil && !savesFiles(err) {
		return nil, failure.Render(ctx, err)
	}
	file, fetchErr := e.fetch(ctx, teamID, p)
	if fetchErr != nil {
		return nil, fetchErr
	}
	if extract.IsPDF(file.source) && p.prints() {
		file.pdf = file.source.Body
	}
	switch {
	case err == nil && !extract.IsPDF(file.source):
		file.browsed, file.reason, file.screenshot = true, reason, result.Screenshot
		if p.prints() {
			file.pdf = result.PDF
		}
		return file, nil
	case isHTML(file.source.MediaType): // then it was no file: the browser's error counts
		return nil, failure.Render(ctx, err)
	case len(p.needs) > 0:
		return nil, failure.Unsupported(
			"A browser does not display files of this type, which is required for "+strings.Join(p.needs, ", ")+". Nothing was charged.", file.source, err)
	}
	file.reason = reasonNotPage
	return file, nil
}

// savesFiles reports whether err may come from a target that a browser saves instead of displaying it.
func savesFiles(err error) bool {
	e, ok := errors.AsType[*render.Error](err)
	return ok && e.Reason == render.ReasonNavigation && e.Fetch == fetch.ReasonBadResponse
}

// improve tries a page in a browser if more content seems to be there than the server sent. If that fails, it returns
// the plain page.
func (e *Engine) improve(ctx context.Context, p *plan, plain *capture) (*capture, error) {
	if p.bare {
		if err := e.scan(ctx, plain); err != nil {
			return nil, err
		}
		if !e.hasBrowser() || plain.scan.TextRunes >= shell.PlentyRunes {
			plain.reason = reasonNotNeeded
			return plain, nil
		}
	}
	seen, err := e.signsOf(ctx, plain)
	if err != nil {
		return nil, err
	}
	reason := seen.Reason()
	switch {
	case reason == "" && p.bare:
		plain.reason = reasonNotNeeded
		return plain, nil
	case reason == "":
		if plain.document, err = e.readPage(ctx, p, plain); err != nil {
			return nil, err
		}
		if !seen.Poor(plain.statusCode, plain.document) {
			plain.reason = reasonNotNeeded
			return plain, nil
		}
		reason = reasonPoor
	}
	if !e.hasBrowser() {
		plain.reason = reason + withoutBrowser
		return plain, nil
	}
	deadline, _ := ctx.Deadline()
	browsing, cancel := context.WithDeadline(ctx, deadline.Add(-browserReserve))
	defer cancel()
	result, err := e.browse(browsing, p, false)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, failure.Render(ctx, err)
	case err != nil:
		plain.reason = reason + withBrowserFailed + failure.Reason(err)
	case !isPage(result) || shell.Read(result.HTML).Worse(seen, result.StatusCode, plain.statusCode):
		plain.reason = reason + withLessText
	default:
		return renderedOf(result, reason), nil
	}
	return plain, nil
}

// holdOnTo sets the hold to the size of a capture. Small ones are not counted: there are at most as many as scrapes.
func (p *plan) holdOnTo(ctx context.Context, c *capture) error {
	pictures := int64(len(c.screenshot))
	if !extract.IsPDF(c.source) {
		pictures += int64(len(c.pdf)) // else it is the body
	}
	var held int64
	if int64(len(c.source.Body))+pictures > fetch.RoomBytes {
		held = membudget.HeldBytesOf(c.source.Body) + membudget.HeldBytes(pictures+p.recording.bytes())
	}
	if err := p.hold.Set(ctx, held); err != nil {
		return failure.Memory(ctx, err)
	}
	return nil
}

// signsOf reads the signs of a page.
func (e *Engine) signsOf(ctx context.Context, c *capture) (shell.Signs, error) {
	page := c.source.Body
	seen, err := membudget.Do(ctx, e.config.Memory, membudget.ReadBytes("text/html", page), func() (shell.Signs, error) { return shell.Read(page), nil })
	if err != nil {
		return shell.Signs{}, failure.Read(ctx, err, c.source)
	}
	return seen, nil
}

// readPage extracts the document of a capture.
func (e *Engine) readPage(ctx context.Context, p *plan, c *capture) (*extract.Document, error) {
	source, options := c.source, p.options
	document, err := membudget.Do(ctx, e.config.Memory, membudget.ReadBytes(source.MediaType, source.Body), func() (*extract.Document, error) {
		return extract.Read(ctx, source, options)
	})
	switch {
	case (errors.Is(err, extract.ErrUnsupportedContent) || errors.Is(err, extract.ErrTooComplex)) && !p.needsText():
		return &extract.Document{}, nil
	case err != nil:
		return nil, failure.Read(ctx, err, c.source)
	}
	return document, nil
}

// needsBrowser reports whether the request needs a browser for any page.
func (p *plan) needsBrowser() bool { return p.render == page.RenderAlways || len(p.needs) > 0 }

func (p *plan) prints() bool { return slices.Contains(p.formats, page.FormatRawPDF) }

// needsText reports whether any requested format is made from the page's text.
func (p *plan) needsText() bool {
	return p.links != nil || slices.ContainsFunc(p.formats, func(f page.Format) bool { return f != page.FormatRawPDF && f != page.FormatScreenshot })
}
