package render

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// tab is the page of one job, with its state according to its events.
type tab struct {
	session

	config Config
	job    Job
	egress *egress
	turn   *turn
	frame  cdp.FrameID // the main one
	// changed has a buffer of one: it signals that the state has changed.
	changed chan struct{}
	crashed chan struct{}

	mu sync.Mutex
	// inflight are requests in progress, without those that never end by their nature.
	inflight map[network.RequestID]struct{}
	loaded   bool
	// asked is the URL last requested for the main document, at is that of the document shown.
	asked, at string
	loader    cdp.LoaderID
	// unreachable is the URL in whose place the browser shows its own error page.
	unreachable string
	// outsized is set when the document exceeded the size limit and was not shown.
	outsized  bool
	responses map[cdp.LoaderID]*network.Response
}

const (
	inflightMax  = 5000
	responsesMax = 16
)

// openTab opens a page in the browser context and prepares it.
func (b *browser) openTab(ctx context.Context, own cdp.BrowserContextID, job Job, e *egress, at *turn) (*tab, error) {
	if job.Screen == (Screen{}) {
		job.Screen = ScreenDefault
	}
	err := do(ctx, b.root(), cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: own,
	})
	if err != nil {
		return nil, err
	}
	created, err := call(ctx, b.root(), target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: own, Width: int64(job.Screen.Width), Height: int64(job.Screen.Height),
	})
	if err != nil {
		return nil, err
	}
	attached, err := call(ctx, b.root(), target.AttachToTarget, target.AttachToTargetParams{TargetID: created.TargetID, Flatten: new(true)})
	if err != nil {
		return nil, err
	}
	t := &tab{
		session: session{conn: b.conn, id: attached.SessionID},
		config:  b.config, job: job, egress: e, turn: at, frame: cdp.FrameID(created.TargetID),
		changed: make(chan struct{}, 1), crashed: make(chan struct{}), asked: job.URL.String(),
		inflight: map[network.RequestID]struct{}{}, responses: map[cdp.LoaderID]*network.Response{},
	}
	b.conn.listen(t.id, func(method string, params jsonv2.Value) {
		if method == "Fetch.requestPaused" {
			with(params, func(e requestPaused) { t.paused(ctx, e) })
			return
		}
		t.event(method, params)
	})
	if err := t.prepare(ctx, b.userAgent(job.Screen.Mobile)); err != nil {
		b.conn.forget(t.id)
		return nil, err
	}
	return t, nil
}

// withoutPeers removes from pages, before their own scripts run, the interfaces that open sockets past the proxy. The flags
// forbid that already; this is in case a browser version interprets them differently.
const withoutPeers = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport"]) {
	try { Object.defineProperty(globalThis, name, {value: undefined, writable: false, configurable: false}) } catch {}
}`

func (t *tab) prepare(ctx context.Context, userAgent string) error {
	screen := t.job.Screen
	none := new(int64(0))
	for _, step := range []func() error{
		func() error { return do(ctx, t.session, page.Enable, page.EnableParams{}) },
		func() error { return do(ctx, t.session, inspector.Enable, cdp.Empty{}) },
		func() error {
			return do(ctx, t.session, network.Enable, network.EnableParams{MaxTotalBufferSize: none, MaxResourceBufferSize: none, MaxPostDataSize: none})
		},
		func() error {
			return do(ctx, t.session, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
				Width: int64(screen.Width), Height: int64(screen.Height), DeviceScaleFactor: 1, Mobile: screen.Mobile,
				ScreenWidth: int64(screen.Width), ScreenHeight: int64(screen.Height),
			})
		},
		func() error {
			return do(ctx, t.session, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: screen.Mobile})
		},
		func() error {
			return do(ctx, t.session, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: userAgent, AcceptLanguage: t.config.AcceptLanguage})
		},
		func() error {
			return do(ctx, t.session, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: withoutPeers})
		},
		// Pages that a page opens are closed. They are not paused until then: that would also pause workers, whatever the
		// filter. The browser blocks new pages anyway, and their traffic goes through the egress like the page's.
		func() error {
			return do(ctx, t.session, target.SetAutoAttach, target.SetAutoAttachParams{
				AutoAttach: true, Flatten: new(true), Filter: target.Filter{{Type: "page"}, {Exclude: true}},
			})
		},
		// Documents are paused until there is a turn at their host, and again until their charset is known.
		func() error {
			return do(ctx, t.session, cdpfetch.Enable, cdpfetch.EnableParams{
				Patterns: []*cdpfetch.RequestPattern{
					{ResourceType: network.ResourceTypeDocument},
					{ResourceType: network.ResourceTypeDocument, RequestStage: cdpfetch.RequestStageResponse},
				},
			})
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// run runs the job.
func (t *tab) run(ctx context.Context) (*Result, error) {
	if err := t.navigate(ctx); err != nil {
		return nil, err
	}
	if err := t.settle(ctx); err != nil {
		return nil, err
	}
	if err := t.pause(ctx, t.job.Wait); err != nil {
		return nil, err
	}
	for i, action := range t.job.Actions {
		if err := t.act(ctx, i, action); err != nil {
			return nil, err
		}
	}
	return t.capture(ctx)
}

func (t *tab) navigate(ctx context.Context) error {
	answer, err := call(ctx, t.session, page.Navigate, page.NavigateParams{URL: t.job.URL.String()})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case answer.IsDownload:
		mediaType := ""
		if response := t.responses[answer.LoaderID]; response != nil {
			mediaType = " (" + response.MimeType + ")"
		}
		return &Error{Reason: ReasonNavigation, Fetch: fetch.ReasonBadResponse, URL: t.asked, Err: fmt.Errorf("the target is a download%s, not a page", mediaType)}
	case answer.ErrorText != "":
		return t.navigationError(t.asked, answer.ErrorText)
	default:
		return nil
	}
}

// navigationError says why the document at an address did not load. What the egress knows takes precedence over the
// browser's error.
func (t *tab) navigationError(at, text string) *Error {
	if err := t.turn.refused(); err != nil {
		return turnError(at, err)
	}
	if t.outsized {
		return &Error{Reason: ReasonTooLarge, URL: at, Err: fmt.Errorf("the document has more than %d bytes", t.config.ResultBytesMax)}
	}
	e := &Error{Reason: ReasonNavigation, URL: at, Fetch: reasonOfNetError(text), Err: fmt.Errorf("the browser reported: %s", text)}
	u, err := fetch.ParseURL(at)
	if err != nil {
		return e
	}
	failure := t.egress.failure(u)
	switch reason := fetch.ReasonOf(failure); {
	case failure == nil:
	case failure == errWireBytesMax: //nolint:errorlint // it is the egress's own
		return &Error{Reason: ReasonTooLarge, URL: at, Err: errWireBytesMax}
	case reason != "":
		e.Fetch, e.Err = reason, failure
	default:
		e.Fetch, e.Err = fetch.ReasonConnect, failure
	}
	return e
}

// headerOf converts a header from the browser's form, in which lines of one name are joined.
func headerOf(fields network.Headers) http.Header {
	header := http.Header{}
	for name, value := range fields {
		text, ok := value.(string)
		if !ok {
			continue
		}
		for line := range strings.SplitSeq(text, "\n") {
			header.Add(name, line)
		}
	}
	header.Del("Content-Encoding")
	header.Del("Content-Length")
	return header
}
