package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync/atomic"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
)

// browser is one running Chromium.
type browser struct {
	config Config
	conn   *conn
	// agent is its user agent.
	agent string
	// egress opens a listener that only the browser can reach.
	egress func(context.Context) (net.Listener, error)

	// The last events of the browser's host, if it has one.
	started, ended atomic.Pointer[chromium.Event]
	bytes          atomic.Int64 // memory, as last measured

	// stuck: a job's context could not be disposed of in time.
	stuck atomic.Bool
}

// messageMax limits one message of the browser: a base64 result, or escaped HTML.
func (c Config) messageMax() int { return int(2*c.ResultBytesMax) + 16*mebibyte }

// startBrowser asks a host to start a browser.
func startBrowser(ctx context.Context, config Config, dial func(context.Context) (*net.UnixConn, error)) (*browser, error) {
	for {
		conn, err := chromium.DialFor(ctx, dial, chromium.ForBrowser)
		if err != nil {
			return nil, err
		}
		line := &chromium.Line{UnixConn: conn}
		b := &browser{config: config, conn: newConn(chromedp.NewPipeConn(&boundedMessages{ReadCloser: line, max: config.messageMax()}, line))}
		b.egress = func(ctx context.Context) (net.Listener, error) { return chromium.Egress(ctx, dial) }
		b.conn.listen("", b.told)
		if err = b.greet(ctx); err == nil {
			return b, nil
		}
		b.kill()
		<-b.gone()
		switch said := b.ended.Load(); {
		case said == nil && b.started.Load() == nil:
			return nil, fmt.Errorf("the browser host started no browser (check that this user may use it): %w", err)
		case said == nil:
			return nil, err
		case !said.Again:
			return nil, errors.New(said.Error)
		}
	}
}

// told stores an event of the host.
func (b *browser) told(method string, params jsonv2.Value) {
	var said chromium.Event
	if json.Unmarshal(params, &said) != nil {
		return
	}
	switch method {
	case chromium.EventStarted:
		b.started.Store(&said)
	case chromium.EventMemory:
		b.bytes.Store(said.Bytes)
	case chromium.EventEnded:
		b.ended.Store(&said)
	}
}

// joinBrowser connects to a browser that runs elsewhere.
func joinBrowser(ctx context.Context, config Config) (*browser, error) {
	transport, err := remote.DialContext(ctx, config.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("connecting to the browser's endpoint: %w", err)
	}
	b := &browser{config: config, conn: newConn(transport)}
	admit, err := admitFrom(ctx, config.Endpoint)
	if err != nil {
		b.kill()
		return nil, err
	}
	b.egress = func(ctx context.Context) (net.Listener, error) {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(config.EgressHost, "0"))
		if err != nil {
			return nil, err
		}
		return &guarded{listener, admit}, nil
	}
	if err := b.greet(ctx); err != nil {
		b.kill()
		return nil, fmt.Errorf("the browser at the endpoint does not answer: %w", err)
	}
	config.Logger.Info("browser joined", slog.String("agent", b.agent))
	return b, nil
}

// admitFrom admits connections from the addresses of an endpoint's host.
func admitFrom(ctx context.Context, endpoint string) (func(net.Conn) bool, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("looking up the endpoint's host: %w", err)
	}
	return func(conn net.Conn) bool {
		peer, ok := conn.RemoteAddr().(*net.TCPAddr)
		if !ok {
			return false
		}
		for _, addr := range addrs {
			if addr.Unmap() == peer.AddrPort().Addr().Unmap() {
				return true
			}
		}
		return false
	}, nil
}

func (b *browser) root() session { return session{conn: b.conn} }

// greet waits until the browser responds.
func (b *browser) greet(ctx context.Context) error {
	version, err := call(ctx, b.root(), cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	b.agent = strings.Replace(version.UserAgent, "HeadlessChrome/", "Chrome/", 1)
	return nil
}

// userAgent returns the browser's own user agent with the operator's comment.
func (b *browser) userAgent(mobile bool) string {
	agent := strings.Replace(b.agent, "like Gecko)", "like Gecko; "+b.config.UserAgentComment+")", 1)
	if !mobile {
		return agent
	}
	if system, rest, found := strings.Cut(agent, ")"); found && strings.HasPrefix(system, "Mozilla/5.0 (") {
		agent = "Mozilla/5.0 (Linux; Android 10; K)" + rest
	}
	return strings.Replace(agent, " Safari/", " Mobile Safari/", 1)
}

// kill ends the browser at once; one that runs elsewhere is only disconnected.
func (b *browser) kill() { b.conn.close() }

// gone is closed once nothing is left of the browser.
func (b *browser) gone() <-chan struct{} { return b.conn.gone }

func (b *browser) alive() bool {
	select {
	case <-b.conn.gone:
		return false
	default:
		return true
	}
}

// render runs one job in a browser context of its own.
func (b *browser) render(ctx context.Context, job Job, at *turn) (*Result, error) {
	listener, err := b.egress(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the egress: %w", err)
	}
	e := openEgress(listener, job, b.config.WireBytesMax)
	defer e.close()
	own, err := call(ctx, b.root(), target.CreateBrowserContext, target.CreateBrowserContextParams{
		DisposeOnDetach: new(true), ProxyServer: e.address(), ProxyBypassList: "<-loopback>",
	})
	if err != nil {
		return nil, b.explain(err)
	}
	defer b.dispose(ctx, own.BrowserContextID)
	result, err := b.renderIn(ctx, own.BrowserContextID, job, e, at)
	if err != nil {
		return nil, b.explain(err)
	}
	result.Refused, result.Blocked = e.refused()
	return result, nil
}

// renderIn runs a job in the context that was made for it.
func (b *browser) renderIn(ctx context.Context, own cdp.BrowserContextID, job Job, e *egress, at *turn) (*Result, error) {
	if job.Session != nil {
		if err := b.giveCookies(ctx, own, job.Session.Cookies()); err != nil {
			return nil, err
		}
	}
	t, err := b.openTab(ctx, own, job, e, at)
	if err != nil {
		return nil, err
	}
	defer b.conn.forget(t.session.id)
	result, err := t.run(ctx)
	if err != nil || job.Session == nil {
		return result, err
	}
	cookies, err := b.takeCookies(ctx, own, strings.Trim(result.URL.Hostname(), "[]"))
	if err != nil {
		return nil, err
	}
	job.Session.ReplaceCookies(cookies)
	return result, nil
}

// dispose disposes of a job's context. If the browser takes too long, it gets no more jobs, and is killed when its other
// jobs, which are not affected, have ended.
func (b *browser) dispose(ctx context.Context, id cdp.BrowserContextID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.config.disposeTimeout)
	defer cancel()
	if err := do(ctx, b.root(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: id}); err != nil {
		b.stuck.Store(true)
	}
}

// explain replaces err with the reason why the browser is gone, if it is known.
func (b *browser) explain(err error) error {
	if said := b.ended.Load(); errors.Is(err, errBrowserGone) && said != nil && said.TooBig {
		return errOutOfMemory
	}
	return err
}
