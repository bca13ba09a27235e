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

// html has the page serialised, and takes it out of the browser once there is room for it. A page that moves on in between
// is serialised anew.
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

// taking calls take, which returns how many bytes there were, once there is room for as many as there may be.
func (t *tab) taking(ctx context.Context, bytesMax int64, take func() (int, error)) error {
	if t.job.Room == nil {
		_, err := take()
		return err
	}
	taken, err := t.job.Room(ctx, min(bytesMax, t.config.ResultBytesMax))
	if err != nil {
		return &Error{Reason: ReasonBusy, Err: fmt.Errorf("waiting for room for what the page is: %w", err)}
	}
	n, err := take()
	taken(int64(n))
	return err
}

// pixelBytes is what a pixel of a PNG takes that does not compress at all.
const pixelBytes = 4

// picture takes a screenshot of what is on the screen, or of the page as high as it is.
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

// A4, in inches, is what most of the world prints on.
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
