package render

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/turnpike-edge/turnpike/backend/fetch"
)

// capture takes what the job asked for. The print comes last because it lays the page out anew.
func (t *tab) capture(ctx context.Context) (*Result, error) {
	result := new(Result)
	for _, part := range []func(context.Context, *Result) error{t.document, t.picture, t.print} {
		if err := t.watched(ctx, func(ctx context.Context) error { return part(ctx, result) }); err != nil {
			return nil, err
		}
	}
	if err := t.ended(ctx); err != nil {
		return nil, err
	}
	return result, nil
}

func (t *tab) document(ctx context.Context, result *Result) error {
	bytesMax := t.config.ResultBytesMax
	if own := int64(t.job.HTMLBytesMax); own > 0 {
		bytesMax = min(bytesMax, own)
	}
	serialised, err := inPage[struct {
		HTML   string `json:"html"`
		Length int64  `json:"length"`
	}](ctx, t, "serialise", bytesMax)
	if err != nil {
		return err
	}
	if err := within("HTML", max(serialised.Length, int64(len(serialised.HTML))), bytesMax); err != nil {
		return err
	}
	result.HTML = []byte(serialised.HTML)

	t.mu.Lock()
	defer t.mu.Unlock()
	// A document that scripts made from nothing has no address of its own; it belongs to the one before.
	if result.URL, err = fetch.ParseURL(t.at); err != nil {
		if result.URL, err = fetch.ParseURL(t.asked); err != nil {
			result.URL = t.job.URL
		}
	}
	if response := t.responses[t.loader]; response != nil {
		result.StatusCode, result.Header, result.MediaType = int(response.Status), headerOf(response.Headers), response.MimeType
	}
	return nil
}

// picture takes a screenshot of what is on the screen, or of the page as high as it is.
func (t *tab) picture(ctx context.Context, result *Result) error {
	if t.job.Screenshot == nil {
		return nil
	}
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true)}
	if t.job.Screenshot.FullPage {
		metrics, err := call(ctx, t.session, page.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		params.CaptureBeyondViewport = new(true)
		params.Clip = &page.Viewport{
			Width:  min(max(metrics.CSSContentSize.Width, float64(t.job.Screen.Width)), screenSideMax),
			Height: min(max(metrics.CSSContentSize.Height, float64(t.job.Screen.Height)), pictureSideMax),
			Scale:  1,
		}
	}
	shot, err := call(ctx, t.session, page.CaptureScreenshot, params)
	if err != nil {
		return err
	}
	result.Screenshot = shot.Data
	return within("screenshot", int64(len(shot.Data)), t.config.ResultBytesMax)
}

// A4, in inches, is what most of the world prints on.
const (
	paperWidth  = 8.27
	paperHeight = 11.69
)

func (t *tab) print(ctx context.Context, result *Result) error {
	if !t.job.PDF {
		return nil
	}
	printed, err := call(ctx, t.session, page.PrintToPDF, page.PrintToPDFParams{
		PaperWidth: paperWidth, PaperHeight: paperHeight, PrintBackground: new(true), GenerateTaggedPDF: new(true),
	})
	if err != nil {
		return err
	}
	result.PDF = printed.Data
	return within("PDF", int64(len(printed.Data)), t.config.ResultBytesMax)
}

func within(what string, bytes, bytesMax int64) error {
	if bytes > bytesMax {
		return &Error{Reason: ReasonTooLarge, Err: fmt.Errorf("the %s has more than %d bytes", what, bytesMax)}
	}
	return nil
}
