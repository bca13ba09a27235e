package render

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp/remote"
)

// browser is one running Chromium.
type browser struct {
	config  Config
	conn    *conn
	process *process // nil for one that runs elsewhere
	// agent is its user agent.
	agent string
	// admit says whether a connection to an egress comes from it.
	admit func(net.Conn) bool

	bytes  atomic.Int64 // memory, as last measured
	tooBig atomic.Bool
}

// flags are what every browser is started with. Beside them only the sandbox is a choice.
func flags() []string {
	return []string{
		"--headless", "--disable-gpu", "--mute-audio", "--hide-scrollbars", "--no-first-run", "--no-default-browser-check",
		// A mouse, which machines in racks have not: pages ask for it by the media features hover and pointer.
		"--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
		"--force-color-profile=srgb", "--disable-dev-shm-usage", "--password-store=basic", "--use-mock-keychain",
		"--disable-extensions", "--disable-default-apps", "--disable-breakpad", "--disable-crash-reporter", "--noerrdialogs",

		// Nothing of the browser's own on the network.
		"--disable-background-networking", "--disable-component-update", "--disable-domain-reliability", "--disable-sync",
		"--disable-client-side-phishing-detection", "--metrics-recording-only", "--no-pings",

		// Nothing of a page's past the proxy of its context. Without that proxy there is one that nobody answers, no
		// name is resolved here, and what is not HTTP is off. <-loopback> takes back that proxies are not asked for
		// loopback and link-local addresses (net/docs/proxy.md).
		"--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--dns-prefetch-disable", "--disable-quic",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-features=" + strings.Join([]string{
			"AsyncDns", "DnsOverHttps", "DialMediaRouteProvider", "MediaRouter", "OptimizationHints", "Prerender2", "Translate",
			"AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "WebTransport",
			// One process for all frames of a job: a job shares none with others, and frames are not kept apart within.
			"IsolateOrigins", "site-per-process",
		}, ","),
		"--disable-site-isolation-trials", "--block-new-web-contents", "--deny-permission-prompts",

		"--js-flags=--max-old-space-size=512",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-hang-monitor", "--disable-prompt-on-repost",
	}
}

// messageMax bounds one message of the browser: a result in base64, or HTML that is escaped.
func (c Config) messageMax() int { return int(2*c.ResultBytesMax) + 16*mebibyte }

// startBrowser starts a browser here, with its sandbox if that works.
func startBrowser(ctx context.Context, config Config, sandbox *atomic.Bool) (*browser, error) {
	path, err := Find(config.Browser)
	if err != nil {
		return nil, err
	}
	removeAbandoned()
	for {
		sandboxed := sandbox.Load()
		args := flags()
		if !sandboxed {
			args = append(args, "--no-sandbox")
		}
		p, err := startProcess(path, args, config.messageMax())
		if err != nil {
			return nil, err
		}
		b := &browser{config: config, conn: newConn(p.transport), process: p}
		b.admit = func(conn net.Conn) bool { return ownedBy(conn.RemoteAddr(), conn.LocalAddr(), browserUser()) }
		err = b.greet(ctx)
		if err == nil {
			config.Logger.Info("browser started", slog.String("agent", b.agent), slog.Int("pid", p.cmd.Process.Pid), slog.Bool("sandbox", sandboxed))
			go b.watch()
			return b, nil
		}
		b.kill()
		<-p.ended
		said := p.output.String()
		if sandboxed && strings.Contains(strings.ToLower(said), "sandbox") {
			config.Logger.Warn("the browser's sandbox does not work here: going on without", slog.String("said", said))
			sandbox.Store(false)
			continue
		}
		return nil, fmt.Errorf("%s did not start: %w: %.500s", path, err, said)
	}
}

// joinBrowser connects to a browser that runs elsewhere.
func joinBrowser(ctx context.Context, config Config) (*browser, error) {
	transport, err := remote.DialContext(ctx, config.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("connecting to the browser's endpoint: %w", err)
	}
	b := &browser{config: config, conn: newConn(transport)}
	if b.admit, err = admitFrom(ctx, config.Endpoint); err != nil {
		b.kill()
		return nil, err
	}
	if err := b.greet(ctx); err != nil {
		b.kill()
		return nil, fmt.Errorf("the browser at the endpoint does not answer: %w", err)
	}
	config.Logger.Info("browser joined", slog.String("agent", b.agent))
	return b, nil
}

// admitFrom lets in what comes from the addresses of an endpoint's host.
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

// greet waits until the browser answers.
func (b *browser) greet(ctx context.Context) error {
	version, err := call(ctx, b.root(), cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	b.agent = strings.Replace(version.UserAgent, "HeadlessChrome/", "Chrome/", 1)
	return nil
}

// userAgent is the browser's own, with a word on who is behind it.
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

// kill ends the browser at once; one that runs elsewhere is only left.
func (b *browser) kill() {
	if b.process != nil {
		b.process.kill()
	}
	b.conn.close()
}

// gone is closed once nothing is left of the browser.
func (b *browser) gone() <-chan struct{} {
	if b.process != nil {
		return b.process.ended
	}
	return b.conn.gone
}

func (b *browser) alive() bool {
	select {
	case <-b.conn.gone:
		return false
	default:
		return true
	}
}

// watchEvery is how often a browser's memory is measured: a page needs longer than this to take a gigabyte.
const watchEvery = time.Second

// watch ends the browser when it grows beyond its bound, and when its connection is lost.
func (b *browser) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.conn.gone:
			b.kill()
			return
		case <-b.process.ended:
			b.conn.close()
			return
		case <-tick.C:
			bytes := groupBytes(b.process.cmd.Process.Pid)
			b.bytes.Store(bytes)
			if bytes > b.config.KillBytes {
				b.config.Logger.Warn("browser killed: too much memory", slog.Int64("bytes", bytes), slog.Int64("bytes_max", b.config.KillBytes))
				b.tooBig.Store(true)
				b.kill()
				return
			}
		}
	}
}

// disposeTimeout is for a job's context to be given up. A browser that takes longer is killed.
const disposeTimeout = 5 * time.Second

// render does one job in a context of its own.
func (b *browser) render(ctx context.Context, job Job, at *turn) (*Result, error) {
	e, err := openEgress(ctx, b.config.EgressHost, job, b.config.WireBytesMax, b.admit)
	if err != nil {
		return nil, err
	}
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

// renderIn does a job in a context that has been made for it.
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

func (b *browser) dispose(ctx context.Context, id cdp.BrowserContextID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), disposeTimeout)
	defer cancel()
	if err := do(ctx, b.root(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: id}); err != nil {
		b.kill()
	}
}

// explain says why the browser is gone where that is known.
func (b *browser) explain(err error) error {
	if errors.Is(err, errBrowserGone) && b.tooBig.Load() {
		return errOutOfMemory
	}
	return err
}
