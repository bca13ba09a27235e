package console_test

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"

	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
)

//go:embed testdata/audit.js
var audit string

// browserTimeout bounds one test in a browser, on a small machine that also runs other tests.
const browserTimeout = 3 * time.Minute

// person uses the console in a real browser.
type person struct {
	t   *testing.T
	ctx context.Context // it is the tab
	url string
	// refused are the violations of the pages' policy, and the errors of their scripts.
	refused []string
}

func (b *bench) person() *person {
	b.t.Helper()
	path, err := chromium.Find("")
	if err != nil {
		b.t.Skipf("%v (scripts/install-needs test installs one)", err)
	}
	timeout, stop := context.WithTimeout(b.t.Context(), browserTimeout)
	b.t.Cleanup(stop)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, closeBrowser := chromedp.NewExecAllocator(timeout, options...)
	b.t.Cleanup(closeBrowser)
	ctx, closeTab := chromedp.NewContext(allocator)
	b.t.Cleanup(closeTab)
	p := &person{t: b.t, ctx: ctx, url: b.url}
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdplog.Enable, cdp.Empty{})
		return err
	}))
	if err := chromedp.Listen(ctx, func(event any) {
		if entry, ok := event.(*cdplog.EventEntryAdded); ok && entry.Entry.Level == cdplog.EntryLevelError {
			p.refused = append(p.refused, entry.Entry.Text+" "+entry.Entry.URL)
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (p *person) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

func evaluate[T any](p *person, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", clipped(expression), err)
	}
	return value
}

func clipped(s string) string { return s[:min(len(s), 100)] }

func (p *person) open(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.url + path))
}

// press presses the button with this text, and waits for the page that follows.
func (p *person) press(text string) {
	p.t.Helper()
	mark := fmt.Sprint(time.Now().UnixNano())
	if !evaluate[bool](p, fmt.Sprintf(`(() => {
		const button = [...document.querySelectorAll("main button, main a, header button")].find((b) => b.textContent.trim() === %q);
		if (!button) return false;
		document.documentElement.dataset.mark = %q;
		button.click();
		return true;
	})()`, text, mark)) {
		p.t.Fatalf("no button says %q on\n%s", text, evaluate[string](p, "document.body.innerText"))
	}
	p.await(fmt.Sprintf(`document.documentElement.dataset.mark !== %q && document.readyState === "complete"`, mark))
}

// await waits until an expression is true.
func (p *person) await(expression string) {
	p.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		done, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression))
		if err == nil && done {
			return
		}
		select {
		case <-tick.C: // during a navigation nothing can be evaluated
		case <-p.ctx.Done():
			p.t.Fatalf("%s: never true (%v)", clipped(expression), err)
		}
	}
}

// reads waits until the page shows the texts.
func (p *person) reads(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.await(fmt.Sprintf(`document.body !== null && document.body.innerText.replaceAll("\u00a0", " ").includes(%q)`, text))
	}
}

func (p *person) types(field, text string) {
	p.t.Helper()
	p.do(chromedp.SendKeys(chromedp.ID(field), text))
}

// screen sets the window's size in CSS pixels and the preferred colour scheme.
func (p *person) screen(width, height int64, scheme string) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// looks checks a page against the accessibility rules on each screen. It also takes screenshots for a person to judge,
// if TURNPIKE_SCREENSHOTS names a directory.
func (p *person) looks(name string) {
	p.t.Helper()
	for _, width := range []int64{360, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			p.screen(width, 800, scheme)
			for _, fault := range evaluate[[]string](p, audit) {
				p.t.Errorf("%s at %d, %s: %s", name, width, scheme, fault)
			}
			dir := os.Getenv("TURNPIKE_SCREENSHOTS")
			if dir == "" {
				continue
			}
			png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), png, 0o600)
			}
			if err != nil {
				p.t.Error(err)
			}
		}
	}
	p.wantNames(name)
}

// wantNames checks, as a screen reader does, that every control has a name.
func (p *person) wantNames(name string) {
	p.t.Helper()
	tree, err := chromedp.Run(p.ctx, func(ctx context.Context, _ *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	if err != nil {
		p.t.Fatal(err)
	}
	text := func(v *accessibility.Value) string {
		if v == nil {
			return ""
		}
		return strings.Trim(string(v.Value), `"`)
	}
	roles := map[string]int{}
	for _, node := range tree.Nodes {
		role := text(node.Role)
		roles[role]++
		if node.Ignored {
			continue
		}
		switch role {
		case "button", "link", "textbox", "checkbox", "radio", "combobox", "progressbar", "region", "navigation", "image", "img", "table", "searchbox":
			if strings.TrimSpace(text(node.Name)) == "" && role != "table" {
				p.t.Errorf("%s: a %s has no name", name, role)
			}
		}
	}
	if roles["main"] != 1 || roles["banner"] != 1 {
		p.t.Errorf("%s: got landmarks main %d, banner %d, want one of each", name, roles["main"], roles["banner"])
	}
}

// A person signs in, makes a monitor, sees its plan, and its first change.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.double.set(func() { b.double.diff = theChange })
	p := b.person()
	p.open("/console")
	p.reads("Use an API key of your team")
	p.looks("sign-in")
	p.types("key", otherKey)
	p.press("Sign in")
	p.reads("This key was not accepted")
	p.looks("sign-in-refused")
	p.types("key", goodKey)
	p.press("Sign in")
	p.reads("123,456", "24 of 40", "No monitors yet.")
	if cookies := evaluate[string](p, "document.cookie"); cookies != "" {
		t.Errorf("scripts see %q", cookies)
	}
	p.looks("overview")

	p.press("Create monitor")
	p.types("query", "Tell me when the price of the Pro plan at https://example.com/pricing changes")
	p.types("frequency", "every 5 seconds")
	p.types("email", "you@example.com")
	p.looks("new-monitor")
	p.press("Create monitor")
	p.reads("is more often than every 10 minutes")
	p.looks("new-monitor-refused")
	p.do(chromedp.SetValue(chromedp.ID("frequency"), "every hour"))
	p.press("Create monitor")
	p.reads("The monitor has been created")
	p.reads("The plan is being created")
	p.looks("monitor-provisioning")
	p.reads("active", "The first run: later ones are compared with it.") // the page reloads itself
	if got := evaluate[int](p, `document.querySelectorAll("svg.dag .step").length`); got != 6 {
		t.Errorf("got %d steps drawn, want 6", got)
	}
	p.reads("after steps 4 and 5")
	p.press("Run now")
	p.reads("The price of Pro went from 49.00 to 39.00 EUR.")
	p.looks("monitor")
	p.press("View changes")
	p.reads("49.00 EUR to 39.00 EUR", "Team: for five people and more")
	p.looks("event")
	for _, page := range [][2]string{
		{"/monitors", "monitors"}, {"/monitors/" + monitorID + "/runs/" + runID, "run"}, {"/monitors/" + monitorID + "/delete", "delete"},
	} {
		p.open("/console" + page[0])
		p.looks(page[1])
	}
	p.wantNothingRefused()
}

func (p *person) wantNothingRefused() {
	p.t.Helper()
	for _, text := range p.refused {
		if !strings.Contains(text, "status of 40") { // an error page has such a status itself
			p.t.Errorf("the browser refused something: %s", text)
		}
	}
}

func TestOtherPagesInABrowser(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	p := b.person()
	p.open("/console")
	p.types("key", goodKey)
	p.press("Sign in")
	p.reads("123,456")
	for _, page := range [][2]string{
		{"/credits", "credits"},
		{"/top-up?credits=20000", "top-up"},
		{"/keys", "keys"},
		{"/keys/" + keyID + "/revoke", "revoke"},
		{"/jobs", "jobs"},
		{"/batches/" + batchID, "batch"},
		{"/crawls/" + crawlID, "crawl"},
		{"/scrapes/" + scrapeID, "scrape"},
		{"/searches/" + searchID, "search"},
		{"/answers/" + answerID, "answer"},
		{"/maps/" + mapID, "map"},
		{"/monitors", "monitors-empty"},
		{"/schedules", "schedules"},
		{"/nothing", "error"},
		{"/find?id=x", "find"},
	} {
		p.open("/console" + page[0])
		p.looks(page[1])
	}
	p.open("/console/top-up?credits=20000")
	p.press("Buy 20,000 credits for 19.00 USD")
	p.reads("Purchase complete")
	p.looks("bought")
	p.open("/console/keys")
	p.types("name", "deploy")
	p.press("Create key")
	p.reads("This key is shown only once")
	p.looks("key-made")
	p.wantNothingRefused()
}

// A double click buys once, with scripts and without.
func TestDoubleClickInABrowser(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	p := b.person()
	p.open("/console")
	p.types("key", goodKey)
	p.press("Sign in")
	p.reads("123,456")
	p.open("/console/top-up?credits=10000")
	evaluate[bool](p, `(() => { const b = document.querySelector("main button"); b.click(); b.click(); b.click(); return true })()`)
	p.reads("Purchase complete")
	b.double.set(func() {
		if b.double.charges != 1 {
			t.Errorf("got %d charges, want 1", b.double.charges)
		}
	})
}

// Everything can be reached by keyboard, and the focus is visible.
func TestKeyboardInABrowser(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	p := b.person()
	p.open("/console")
	p.types("key", goodKey)
	p.press("Sign in")
	p.reads("123,456")
	p.open("/console/monitors/new")
	reached := map[string]bool{}
	for range 40 {
		p.do(chromedp.KeyEvent("\t"))
		at := evaluate[struct{ Name, Outline string }](p, `(() => {
			const e = document.activeElement, s = getComputedStyle(e);
			return { Name: e.id || e.textContent.trim(), Outline: s.outlineStyle + " " + s.outlineWidth };
		})()`)
		if at.Name != "" && !strings.Contains(at.Outline, "none") {
			reached[at.Name] = true
		}
	}
	for _, name := range []string{"Skip to content", "Monitors", "Sign out", "query", "frequency", "email", "More options", "Create monitor"} {
		if !reached[name] {
			t.Errorf("%s is not reached, or nothing shows that it is: got %v", name, reached)
		}
	}
}

// Without scripts everything works the same, except that the person reloads pages.
func TestWithoutScriptsInABrowser(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	p := b.person()
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	p.open("/console")
	p.types("key", goodKey)
	p.do(chromedp.Click(chromedp.CSS("main button")), chromedp.WaitVisible(chromedp.ID("balance")))
	p.open("/console/monitors/new")
	p.types("query", "the price at https://example.com/")
	p.do(chromedp.Click(chromedp.CSS("form.panel .actions button")), chromedp.WaitVisible(chromedp.ID("plan")))
	p.open("/console/monitors/" + monitorID)
	p.do(chromedp.WaitVisible(chromedp.CSS("svg.dag")))
	p.open("/console/find?id=" + url.QueryEscape(batchID))
	p.do(chromedp.WaitVisible(chromedp.CSS("progress")))
}
