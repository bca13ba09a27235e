package render

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
)

// Defaults for the number of browsers, and of pages in each.
const (
	BrowsersDefault        = 2
	PagesPerBrowserDefault = 2
)

// Config configures a Renderer. The zero value is right if a browser is installed.
type Config struct {
	// Browser is the path of a Chromium or Chrome, or a name to look up. Default: the first that Find knows.
	Browser string
	// Endpoint is the ws:// or wss:// DevTools address of a browser that runs elsewhere; then none is started.
	Endpoint string
	// EgressHost is used with Endpoint: the address at which the browser's only proxy listens and at which the browser
	// reaches it. Default 127.0.0.1.
	EgressHost string
	// Socket is the path of the Unix socket of a Host that runs as another user and starts the browsers. Default: this
	// process starts them.
	Socket string
	// Sandbox says whether browsers may run without Chromium's sandbox. Default [SandboxRequired].
	Sandbox chromium.Sandbox

	// Browsers is the maximum number of browsers. Default [BrowsersDefault].
	Browsers int
	// PagesPerBrowser is the maximum number of open pages of one browser. Default [PagesPerBrowserDefault].
	PagesPerBrowser int
	// RecyclePages is after how many pages a browser is replaced. Default 200.
	RecyclePages int
	// RecycleBytes is the memory of all its processes above which a browser is replaced once its pages are done. Default 1
	// GiB.
	RecycleBytes int64
	// KillBytes is the memory above which a browser is killed at once, with its pages. Default 2 GiB.
	KillBytes int64
	// IdleAfter is how long a browser without pages is kept. Default 1 minute.
	IdleAfter time.Duration

	// StartTimeout limits the start of a browser. Default 30 s.
	StartTimeout time.Duration
	// Timeout limits a whole job, including the wait for a free page. Default 60 s.
	Timeout time.Duration
	// NetworkIdle is how long a page must have had no request in progress to count as settled. Default 500 ms.
	NetworkIdle time.Duration
	// NetworkIdleMax caps the wait for that: some pages never become idle. Default 10 s.
	NetworkIdleMax time.Duration
	// ActionTimeout is how long an action's element may take to appear. Default 10 s.
	ActionTimeout time.Duration
	// disposeTimeout limits the disposal of a page's context. Default 5 s.
	disposeTimeout time.Duration

	// WireBytesMax limits the network traffic of one job, both directions together. Default 100 MiB.
	WireBytesMax int64
	// ResultBytesMax limits each of HTML, screenshot and PDF. Default 20 MiB.
	ResultBytesMax int64

	// UserAgentComment is added to the browser's user agent. It names a page that says who fetches and why. Default
	// "compatible; TurnpikeBot/dev; +https://github.com/turnpike-edge/turnpike".
	UserAgentComment string
	// AcceptLanguage is sent with every request. Default "en".
	AcceptLanguage string
	// Logger logs the start, end and failure of browsers. Default: no log.
	Logger *slog.Logger
}

const mebibyte = 1 << 20

func (c Config) withDefaults() Config {
	c.EgressHost = cmp.Or(c.EgressHost, "127.0.0.1")
	c.Browsers = cmp.Or(c.Browsers, BrowsersDefault)
	c.PagesPerBrowser = cmp.Or(c.PagesPerBrowser, PagesPerBrowserDefault)
	c.RecyclePages = cmp.Or(c.RecyclePages, 200)
	c.RecycleBytes = cmp.Or(c.RecycleBytes, 1024*mebibyte)
	c.IdleAfter = cmp.Or(c.IdleAfter, time.Minute)
	c.StartTimeout = cmp.Or(c.StartTimeout, 30*time.Second)
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.NetworkIdle = cmp.Or(c.NetworkIdle, 500*time.Millisecond)
	c.NetworkIdleMax = cmp.Or(c.NetworkIdleMax, 10*time.Second)
	c.ActionTimeout = cmp.Or(c.ActionTimeout, 10*time.Second)
	c.disposeTimeout = cmp.Or(c.disposeTimeout, 5*time.Second)
	c.WireBytesMax = cmp.Or(c.WireBytesMax, 100*mebibyte)
	c.ResultBytesMax = cmp.Or(c.ResultBytesMax, 20*mebibyte)
	c.UserAgentComment = cmp.Or(c.UserAgentComment, "compatible; TurnpikeBot/dev; +https://github.com/turnpike-edge/turnpike")
	c.AcceptLanguage = cmp.Or(c.AcceptLanguage, "en")
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"Browsers", int64(c.Browsers)},
		{"PagesPerBrowser", int64(c.PagesPerBrowser)},
		{"RecyclePages", int64(c.RecyclePages)},
		{"RecycleBytes", c.RecycleBytes},
		{"KillBytes", c.KillBytes},
		{"IdleAfter", int64(c.IdleAfter)},
		{"StartTimeout", int64(c.StartTimeout)},
		{"Timeout", int64(c.Timeout)},
		{"NetworkIdle", int64(c.NetworkIdle)},
		{"NetworkIdleMax", int64(c.NetworkIdleMax)},
		{"ActionTimeout", int64(c.ActionTimeout)},
		{"WireBytesMax", c.WireBytesMax},
		{"ResultBytesMax", c.ResultBytesMax},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("%s must not be negative", limit.name))
		}
	}
	if c.Socket != "" && (c.Browser != "" || c.Endpoint != "") {
		errs = append(errs, errors.New("Socket cannot be combined with Browser or Endpoint: the browser service has its own browser"))
	}
	if c.Endpoint != "" {
		errs = append(errs, c.validateEndpoint())
	}
	if c.EgressHost != "" && net.ParseIP(c.EgressHost) == nil {
		errs = append(errs, fmt.Errorf("EgressHost %q must be an IP address", c.EgressHost))
	}
	return errors.Join(errs...)
}

func (c Config) validateEndpoint() error {
	switch endpoint, err := url.Parse(c.Endpoint); {
	case err != nil || endpoint.Host == "" || (endpoint.Scheme != "ws" && endpoint.Scheme != "wss"):
		return errors.New("Endpoint must be a ws:// or wss:// address, such as ws://browser:9222/devtools/browser/<id>")
	case c.Browser != "":
		return errors.New("Browser and Endpoint cannot both be set")
	default:
		return nil
	}
}
