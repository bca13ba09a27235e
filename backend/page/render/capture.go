package render

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// capture collects the requested results. The print comes last because it changes the page's layout.
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
	if err := t.openClosed(ctx); err != nil {
		return err
	}
	html, err := t.html(ctx, bytesMax)
	if err != nil {
		return err
	}
	if err := within("HTML", int64(len(html)), bytesMax); err != nil {
		return err
	}
	result.HTML = html

	t.mu.Lock()
	defer t.mu.Unlock()
	// A document that scripts created has no address; it belongs to the document before.
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

// html serialises the page, and transfers the text once there is memory for it. If the page navigates in between, it is
// serialised again.
func (t *tab) html(ctx context.Context, bytesMax int64) ([]byte, error) {
	for {
		made, err := inPage[struct {
			Length   int64 `json:"length"`
			TooLarge bool  `json:"tooLarge"`
		}](ctx, t, "serialise", bytesMax)
		switch {
		case err != nil:
			return nil, err
		case made.TooLarge:
			return nil, within("HTML", made.Length, bytesMax)
		}
		var html *string
		err = t.taking(ctx, made.Length, func() (int, error) {
			taken, err := inPage[struct {
				HTML *string `json:"html"`
			}](ctx, t, "serialised")
			if html = taken.HTML; html == nil {
				return 0, err
			}
			return len(*html), err
		})
		if err != nil || html != nil {
			return []byte(deref(html)), err
		}
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// taking waits for memory for bytesMax, then calls take, which returns the actual number of bytes.
func (t *tab) taking(ctx context.Context, bytesMax int64, take func() (int, error)) error {
	if t.job.Room == nil {
		_, err := take()
		return err
	}
	taken, err := t.job.Room(ctx, min(bytesMax, t.config.ResultBytesMax))
	if err != nil {
		return &Error{Reason: ReasonBusy, Err: fmt.Errorf("waiting for memory for the page's results: %w", err)}
	}
	n, err := take()
	taken(int64(n))
	return err
}

// pixelBytes is the size of a pixel in a PNG that does not compress at all.
const pixelBytes = 4

// picture takes a screenshot of the screen, or of the page in full height.
func (t *tab) picture(ctx context.Context, result *Result) error {
	if t.job.Screenshot == nil {
		return nil
	}
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true)}
	pixels := int64(t.job.Screen.Width) * int64(t.job.Screen.Height)
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
		pixels = int64(params.Clip.Width) * int64(params.Clip.Height)
	}
	err := t.taking(ctx, pixelBytes*pixels, func() (int, error) {
		shot, err := call(ctx, t.session, page.CaptureScreenshot, params)
		if err == nil {
			result.Screenshot = shot.Data
		}
		return len(result.Screenshot), err
	})
	if err != nil {
		return err
	}
	return within("screenshot", int64(len(result.Screenshot)), t.config.ResultBytesMax)
}

// The size of A4 in inches.
const (
	paperWidth  = 8.27
	paperHeight = 11.69
)

func (t *tab) print(ctx context.Context, result *Result) error {
	if !t.job.PDF {
		return nil
	}
	err := t.taking(ctx, t.config.ResultBytesMax, func() (int, error) {
		printed, err := call(ctx, t.session, page.PrintToPDF, page.PrintToPDFParams{
			PaperWidth: paperWidth, PaperHeight: paperHeight, PrintBackground: new(true), GenerateTaggedPDF: new(true),
		})
		if err == nil {
			result.PDF = printed.Data
		}
		return len(result.PDF), err
	})
	if err != nil {
		return err
	}
	return within("PDF", int64(len(result.PDF)), t.config.ResultBytesMax)
}

func within(what string, bytes, bytesMax int64) error {
	if bytes > bytesMax {
		return &Error{Reason: ReasonTooLarge, Err: fmt.Errorf("the %s has more than %d bytes", what, bytesMax)}
	}
	return nil
}
