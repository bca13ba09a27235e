package render

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// event tracks what happens to the page. It runs in the goroutine that reads for all pages, so slow work is done in another
// one.
func (t *tab) event(method string, params jsonv2.Value) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch method {
	case "Network.requestWillBeSent":
		with(params, t.requestStarted)
	case "Network.responseReceived":
		with(params, t.responseReceived)
	case "Network.loadingFinished", "Network.loadingFailed":
		with(params, t.requestEnded)
	case "Page.frameNavigated":
		with(params, t.navigated)
	case "Page.navigatedWithinDocument":
		with(params, t.navigatedWithin)
	case "Page.loadEventFired":
		t.loaded = true
	case "Page.javascriptDialogOpening":
		with(params, t.dialog)
		return
	case "Target.attachedToTarget":
		with(params, t.popup)
		return
	case "Inspector.targetCrashed":
		select {
		case <-t.crashed:
		default:
			close(t.crashed)
		}
	default:
		return
	}
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// with decodes an event for its handler. Invalid events are ignored: none is important enough to fail the page.
func with[E any](params jsonv2.Value, handle func(E)) {
	var event E
	if jsonv2.Unmarshal(params, &event, chromedp.DefaultUnmarshalOptions) == nil {
		handle(event)
	}
}

// These events declare only the fields that are used: a full request may be large, and pages make many.
type (
	requestStarted struct {
		RequestID network.RequestID    `json:"requestId"`
		FrameID   cdp.FrameID          `json:"frameId"`
		Type      network.ResourceType `json:"type"`
		Request   struct {
			URL string `json:"url"`
		} `json:"request"`
		RedirectResponse *struct {
			URL     string          `json:"url"`
			Status  int             `json:"status"`
			Headers network.Headers `json:"headers"`
		} `json:"redirectResponse"`
	}
	requestPaused struct {
		RequestID cdpfetch.RequestID `json:"requestId"`
		FrameID   cdp.FrameID        `json:"frameId"`
		Request   struct {
			URL string `json:"url"`
		} `json:"request"`
		responsePaused
	}
	requestEnded struct {
		RequestID network.RequestID `json:"requestId"`
	}
)

func (t *tab) requestStarted(e requestStarted) {
	switch e.Type {
	case network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypePing, network.ResourceTypeMedia:
		return // they stay open, or nothing waits for them
	case network.ResourceTypeDocument:
		if e.FrameID == t.frame {
			t.asked = e.Request.URL
			if r := e.RedirectResponse; r != nil {
				t.answered(r.URL, r.Status, headerOf(r.Headers))
			}
		}
	default:
	}
	// data: and blob: URLs need no wait, and the browser does not report when a worker has read its own.
	if len(t.inflight) < inflightMax && strings.HasPrefix(e.Request.URL, "http") {
		t.inflight[e.RequestID] = struct{}{}
	}
}

func (t *tab) requestEnded(e requestEnded) { delete(t.inflight, e.RequestID) }

func (t *tab) responseReceived(e network.EventResponseReceived) {
	if e.Type == network.ResourceTypeDocument && e.FrameID == t.frame && len(t.responses) < responsesMax {
		t.responses[e.LoaderID] = e.Response
		t.answered(e.Response.URL, int(e.Response.Status), headerOf(e.Response.Headers))
	}
}

func (t *tab) answered(address string, statusCode int, header http.Header) {
	if u, err := fetch.ParseURL(address); err == nil {
		t.turn.answered(u.HostPort(), statusCode, header)
	}
}

// paused continues a document's request once there is a turn at its host. Frames belong to the page, which has its turn.
// receive handles the response. paused runs in the goroutine that reads for all pages.
func (t *tab) paused(ctx context.Context, e requestPaused) {
	go func() {
		if e.is() {
			t.receive(ctx, e)
			return
		}
		if e.FrameID == t.frame {
			if u, err := fetch.ParseURL(e.Request.URL); err == nil && t.turn.move(ctx, u.HostPort()) != nil {
				t.refuse(ctx, e.RequestID)
				return
			}
		}
		_ = do(ctx, t.session, cdpfetch.ContinueRequest, cdpfetch.ContinueRequestParams{RequestID: e.RequestID})
	}()
}

func (t *tab) navigated(e page.EventFrameNavigated) {
	if e.Frame == nil || e.Frame.ParentID != "" {
		return
	}
	t.loaded, t.loader, t.unreachable = false, e.Frame.LoaderID, e.Frame.UnreachableURL
	t.at = e.Frame.URL + e.Frame.URLFragment
	for loader := range t.responses {
		if loader != t.loader {
			delete(t.responses, loader)
		}
	}
}

func (t *tab) navigatedWithin(e page.EventNavigatedWithinDocument) {
	if e.FrameID == t.frame {
		t.at = e.URL
	}
}

// backgroundTimeout limits work outside the job's own sequence.
const backgroundTimeout = 10 * time.Second

// dialog answers dialogs in place of a user: it dismisses them, but lets a page be left.
func (t *tab) dialog(e page.EventJavascriptDialogOpening) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), backgroundTimeout)
		defer cancel()
		_ = do(ctx, t.session, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: e.Type == page.DialogTypeBeforeunload})
	}()
}

func (t *tab) popup(e target.EventAttachedToTarget) {
	if e.TargetInfo == nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), backgroundTimeout)
		defer cancel()
		_ = do(ctx, session{conn: t.conn}, target.CloseTarget, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID})
	}()
}

// quietness is how idle the network is.
type quietness int

const (
	busy quietness = iota
	almostQuiet
	quiet
)

// quietness counts a page with one or two requests in progress as almost quiet: they may be long polls.
func (t *tab) quietness() quietness {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.loaded || len(t.inflight) > 2:
		return busy
	case len(t.inflight) > 0:
		return almostQuiet
	default:
		return quiet
	}
}

// settle waits until the page has been quiet for Config.NetworkIdle, or almost quiet for four times that, or
// Config.NetworkIdleMax has passed.
func (t *tab) settle(ctx context.Context) error {
	limit := time.NewTimer(t.config.NetworkIdleMax)
	defer limit.Stop()
	for {
		var calm <-chan time.Time
		switch t.quietness() {
		case quiet:
			calm = time.After(t.config.NetworkIdle)
		case almostQuiet:
			calm = time.After(4 * t.config.NetworkIdle)
		case busy:
		}
		select {
		case <-t.changed:
		case <-calm:
			return t.ended(ctx)
		case <-limit.C:
			return t.ended(ctx)
		case <-t.crashed:
			return errTabCrashed
		case <-t.gone:
			return errBrowserGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ended returns why the job cannot continue: the browser shows its own error page instead of the document.
func (t *tab) ended(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t.unreachable != "" {
		return t.navigationError(t.unreachable, "the page cannot be reached")
	}
	return nil
}

func (t *tab) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-t.crashed:
		return errTabCrashed
	case <-t.gone:
		return errBrowserGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watched runs a step of the job and aborts it when the page crashes: the browser would never respond.
func (t *tab) watched(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-t.crashed:
			cancel(errTabCrashed)
		case <-done:
		}
	}()
	if err := step(ctx); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}
