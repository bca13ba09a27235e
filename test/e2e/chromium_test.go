package e2e

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// headless is a browser without a window for one test. It speaks the Chrome DevTools Protocol over a pipe: JSON messages, each
// followed by a zero byte.
type headless struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File

	mu      sync.Mutex
	last    int
	replies map[int]chan cdpMessage
	events  func(cdpMessage)
	ended   chan struct{}
}

type cdpMessage struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// chromiumBinary returns the browser's path, or skips the test if there is none.
func chromiumBinary(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium here: scripts/install-needs test installs one")
	return ""
}

// startChromium starts a browser with an empty profile.
func startChromium(t *testing.T) *headless {
	t.Helper()
	binary := chromiumBinary(t)
	toBrowser, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "turnpike-chromium-") // t.TempDir would be removed while the browser's children still write to it
	if err != nil {
		t.Fatal(err)
	}
	c := &headless{
		t: t, in: in, replies: map[int]chan cdpMessage{}, ended: make(chan struct{}),
		cmd: exec.Command(binary, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			"--disable-background-networking", "--force-color-profile=srgb", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+profile),
	}
	c.cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // file descriptors 3 and 4 of the browser
	if err := c.cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", binary, err)
	}
	_ = toBrowser.Close()
	_ = fromBrowser.Close()
	go c.read(out)
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
		_ = in.Close()
		<-c.ended
		_ = os.RemoveAll(profile)
	})
	return c
}

func (c *headless) read(out *os.File) {
	defer close(c.ended)
	defer out.Close()
	messages := bufio.NewReader(out)
	for {
		text, err := messages.ReadBytes(0)
		if err != nil {
			return
		}
		var m cdpMessage
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		reply, events := c.replies[m.ID], c.events
		delete(c.replies, m.ID)
		c.mu.Unlock()
		switch {
		case m.ID != 0 && reply != nil:
			reply <- m
		case m.ID == 0 && events != nil:
			events(m)
		}
	}
}

// send sends a command and returns its result.
func (c *headless) send(ctx context.Context, session, method string, params any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	reply := make(chan cdpMessage, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.replies[id] = reply
	text, err := json.Marshal(cdpMessage{ID: id, SessionID: session, Method: method, Params: raw})
	if err == nil {
		_, err = c.in.Write(append(text, 0))
	}
	c.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("sending %s: %w", method, err)
	}
	select {
	case m := <-reply:
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return m.Result, nil
	case <-c.ended:
		return nil, errors.New("the browser exited")
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// tab is one page of the browser.
type tab struct {
	*headless

	ctx     context.Context // the test's
	session string
	loaded  chan struct{}
	// called receives each call of a binding, with its text.
	called func(binding, text string)
	// complaints lists what the page's policy blocked, and script errors.
	complaints []string
}

func (c *headless) tab(ctx context.Context) *tab {
	c.t.Helper()
	p := &tab{headless: c, ctx: ctx, loaded: make(chan struct{}, 16)}
	var target struct{ TargetID, SessionID string }
	p.into(&target, "", "Target.createTarget", map[string]any{"url": "about:blank"})
	p.into(&target, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	p.session = target.SessionID
	c.mu.Lock()
	c.events = p.event
	c.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.do(domain+".enable", map[string]any{})
	}
	return p
}

func (p *tab) event(m cdpMessage) {
	switch m.Method {
	case "Page.loadEventFired":
		p.loaded <- struct{}{}
	case "Runtime.bindingCalled":
		var call struct{ Name, Payload string }
		if json.Unmarshal(m.Params, &call) == nil && p.called != nil {
			go p.called(call.Name, call.Payload) // it sends commands itself, whose replies this goroutine reads
		}
	case "Runtime.exceptionThrown", "Log.entryAdded":
		p.mu.Lock()
		p.complaints = append(p.complaints, string(m.Params))
		p.mu.Unlock()
	}
}

func (p *tab) into(result any, session, method string, params any) {
	p.t.Helper()
	raw, err := p.send(p.ctx, session, method, params)
	if err == nil && result != nil {
		err = json.Unmarshal(raw, result)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) do(method string, params map[string]any) {
	p.t.Helper()
	p.into(nil, p.session, method, params)
}

// open loads a URL, and returns when the page and its resources are loaded.
func (p *tab) open(url string) {
	p.t.Helper()
	p.do("Page.navigate", map[string]any{"url": url})
	select {
	case <-p.loaded:
	case <-p.ctx.Done():
		p.t.Fatalf("%s did not load", url)
	}
}

// eval decodes the value of an expression; a promise is awaited.
func (p *tab) eval(expression string, into any) {
	p.t.Helper()
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails json.RawMessage `json:"exceptionDetails"`
	}
	p.into(&got, p.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true})
	if got.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(got.Result.Value, into); err != nil {
		p.t.Fatalf("%s: got %s: %v", expression, got.Result.Value, err)
	}
}

// visible waits until an element is shown, and returns its text.
func (p *tab) visible(id string) (text string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`new Promise((seen) => {
		const element = document.getElementById(%q);
		const look = () => { if (!element.hidden) { observer.disconnect(); seen(element.innerText.trim()); } };
		const observer = new MutationObserver(look);
		observer.observe(document.body, { attributes: true, childList: true, subtree: true, characterData: true });
		look();
	})`, id), &text)
	return text
}

func (p *tab) click(id string) {
	p.t.Helper()
	p.eval(fmt.Sprintf("document.getElementById(%q).click()", id), nil)
}

// screen sets the window size in CSS pixels, and the preferred color scheme.
func (p *tab) screen(width, height int, scheme string) {
	p.t.Helper()
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	p.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// screenshot writes a picture of the whole page into the directory TURNPIKE_SCREENSHOTS, if that is set.
func (p *tab) screenshot(name string) {
	p.t.Helper()
	dir := os.Getenv("TURNPIKE_SCREENSHOTS")
	if dir == "" {
		return
	}
	var got struct {
		Data string `json:"data"`
	}
	p.into(&got, p.session, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true})
	png, err := base64.StdEncoding.DecodeString(got.Data)
	if err == nil {
		err = os.WriteFile(dir+"/"+name+".png", png, 0o600)
	}
	if err != nil {
		p.t.Error(err)
	}
}

// pageTimeout limits one test in a browser.
const pageTimeout = 2 * time.Minute
