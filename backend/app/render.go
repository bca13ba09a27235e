package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// Variables with settings of rendering.
const (
	// BrowserName says which browser renders pages: a path, the ws:// address of one that runs elsewhere, or off.
	BrowserName       = "TURNPIKE_BROWSER"
	browsersName      = "TURNPIKE_BROWSERS"
	browserPagesName  = "TURNPIKE_BROWSER_PAGES"
	browserEgressName = "TURNPIKE_BROWSER_EGRESS"
	// browserSocketName is the socket of a service that starts browsers as another user.
	browserSocketName = "TURNPIKE_BROWSER_SOCKET"
	// browserSandboxName: with off, browsers may run without their sandbox.
	browserSandboxName = "TURNPIKE_BROWSER_SANDBOX"
	memoryName         = "TURNPIKE_PAGE_MEMORY"
)

// A setting outside of these is an error.
const (
	browsersMax     = 256
	browserPagesMax = 64
	memoryMiBMin    = 128
	memoryMiBMax    = 1 << 20
)

// RenderingConfig is how pages are rendered and how much memory they may use at once.
type RenderingConfig struct {
	Off     bool
	Browser render.Config
	// memoryBytes is 0 for the default of package membudget.
	MemoryBytes int64
}

// RenderingFromEnv reads the settings. If a browser is named, it must exist; otherwise one may be installed later.
func RenderingFromEnv() (RenderingConfig, error) {
	var cfg RenderingConfig
	switch setting := os.Getenv(BrowserName); {
	case setting == "off":
		cfg.Off = true
	case strings.HasPrefix(setting, "ws://"), strings.HasPrefix(setting, "wss://"):
		cfg.Browser.Endpoint = setting
	case setting != "":
		if _, err := chromium.Find(setting); err != nil {
			return cfg, fmt.Errorf("%s: %w", BrowserName, err)
		}
		cfg.Browser.Browser = setting
	}
	cfg.Browser.EgressHost, cfg.Browser.Socket = os.Getenv(browserEgressName), os.Getenv(browserSocketName)
	if err := SandboxFromEnv(&cfg.Browser.Sandbox); err != nil {
		return cfg, err
	}
	var memoryMiB int
	for _, number := range []struct {
		name     string
		min, max int
		at       *int
	}{
		{browsersName, 1, browsersMax, &cfg.Browser.Browsers},
		{browserPagesName, 1, browserPagesMax, &cfg.Browser.PagesPerBrowser},
		{memoryName, memoryMiBMin, memoryMiBMax, &memoryMiB},
	} {
		if err := intFromEnv(number.name, number.min, number.max, number.at); err != nil {
			return cfg, err
		}
	}
	cfg.MemoryBytes = int64(memoryMiB) << 20
	if err := cfg.Browser.Validate(); err != nil {
		return cfg, fmt.Errorf("%s: %w", BrowserName, err)
	}
	return cfg, nil
}

// SandboxFromEnv reads whether browsers may run without their sandbox.
func SandboxFromEnv(sandbox *chromium.Sandbox) error {
	switch setting := os.Getenv(browserSandboxName); setting {
	case "", "on":
	case "off":
		*sandbox = chromium.SandboxOff
	default:
		return fmt.Errorf("%s %q: want on, or off to run browsers without their sandbox", browserSandboxName, setting)
	}
	return nil
}

// openBrowser creates the renderer of b, which starts a browser when the first page needs it.
func (b *Backend) openBrowser(cfg Config) (err error) {
	if cfg.Rendering.Off {
		return nil
	}
	browser := cfg.Rendering.Browser
	browser.Timeout = scrapes.TimeLimitMax // the scrape's own limit is the effective one
	browser.UserAgentComment = fmt.Sprintf("compatible; TurnpikeBot/%s; +%s/docs", Version(), strings.TrimSuffix(cfg.PublicURL, "/"))
	browser.Logger = cfg.Logger
	if b.renderer, err = render.New(browser); err != nil {
		return err
	}
	b.shares = append(b.shares, b.renderer.Places())
	if err := b.renderer.Available(); err != nil {
		cfg.Logger.Warn("pages cannot be rendered, and are scraped without running their scripts", "error", err)
	}
	return nil
}

// memoryBeside, or three quarters of the budget if that is more, is for everything besides the work on pages: pages in
// hand (half the budget by default), connections, and the backend itself.
const memoryBeside = 384 << 20

// LimitMemory makes the garbage collector run in time, unless GOMEMLIMIT is set: pages are needed only briefly, and a
// heap that may first double would exceed the memory budget of pages.
func (c RenderingConfig) LimitMemory() {
	if _, set := os.LookupEnv("GOMEMLIMIT"); set {
		return
	}
	bytes := c.MemoryBytes
	if bytes == 0 {
		bytes = membudget.BytesDefault
	}
	debug.SetMemoryLimit(bytes + max(memoryBeside, bytes/4*3))
}

// pageRenderer returns the renderer for scrapes, or an untyped nil if there is none.
func (b *Backend) pageRenderer() scrapes.Renderer {
	if b.renderer == nil {
		return nil
	}
	return b.renderer
}

// HasBrowser reports whether pages can be rendered.
func (b *Backend) HasBrowser() bool { return b.renderer != nil && b.renderer.Available() == nil }

// examineMemory reports how much memory work on pages may use.
func examineMemory() Finding {
	const name = "Memory (pages)"
	cfg, err := RenderingFromEnv()
	switch {
	case err != nil:
		return Finding{name, false, err.Error()}
	case cfg.MemoryBytes == 0:
		return Finding{name, true, fmt.Sprintf("budget of %d MiB; see %s", membudget.BytesDefault>>20, memoryName)}
	default:
		return Finding{name, true, fmt.Sprintf("budget of %d MiB", cfg.MemoryBytes>>20)}
	}
}

// examineBrowser starts a browser to check whether pages can be rendered. Without one, plain HTTP is used.
func examineBrowser(ctx context.Context) Finding {
	const name = "Chromium or Chrome (rendered pages, screenshots)"
	cfg, err := RenderingFromEnv()
	switch {
	case err != nil:
		return Finding{name, false, err.Error()}
	case cfg.Off:
		return Finding{name, true, "off, as set in " + BrowserName}
	case cfg.Browser.Endpoint != "":
		return Finding{name, true, "remote, as set in " + BrowserName}
	}
	r, err := render.New(cfg.Browser)
	if err != nil {
		return Finding{name, false, err.Error()}
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(ctx, browserCheckTimeout)
	defer cancel()
	state, err := r.Check(ctx)
	if err != nil {
		return Finding{name, false, err.Error()}
	}
	text := fmt.Sprintf("%s, as user %d", state.Agent, state.User)
	if state.User == os.Getuid() {
		text += ", the same as the backend (turnpike browser can run it as a separate user)"
	}
	if state.Confined != "" {
		text += ", confined in its " + state.Confined
	}
	if !state.Sandbox {
		text += ", WITHOUT its sandbox, as set in " + browserSandboxName
	}
	browsers, pages := cmp.Or(cfg.Browser.Browsers, render.BrowsersDefault), cmp.Or(cfg.Browser.PagesPerBrowser, render.PagesPerBrowserDefault)
	return Finding{name, true, fmt.Sprintf("%s; at most %d with %d pages each", text, browsers, pages)}
}

// browserCheckTimeout is how long a browser may take to start for the check.
const browserCheckTimeout = 45 * time.Second
