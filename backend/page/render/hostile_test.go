package render

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestHostilePages: each page ends with a result or a clear error, and the browser stays usable.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	r, err := New(Config{
		Browsers: 1, PagesPerBrowser: 4, NetworkIdle: 100 * time.Millisecond, NetworkIdleMax: 2 * time.Second,
		ActionTimeout: 200 * time.Millisecond, ResultBytesMax: 4 * mebibyte, WireBytesMax: 8 * mebibyte,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	w := newWeb(t)
	if _, err := r.Render(t.Context(), w.job(holding("<p>first, so that no case pays for the start</p>"))); err != nil {
		t.Fatal(err)
	}
	const short, long = 4 * time.Second, time.Minute
	t.Run("pages", func(t *testing.T) {
		for name, c := range map[string]struct {
			html    string
			reasons []Reason // "" for a result
			limit   time.Duration
			actions []Action
		}{
			"endless script":    {`<p>x</p><script>for (;;) {}</script>`, []Reason{ReasonTimeout}, short, nil},
			"endless promises":  {`<p>x</p><script>const again = () => Promise.resolve().then(again); again()</script>`, []Reason{ReasonTimeout}, short, nil},
			"alert loop":        {`<p>x</p><script>for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) }</script><p>after</p>`, []Reason{""}, long, nil},
			"leaving asked":     {`<p>x</p><script>addEventListener("beforeunload", (e) => e.preventDefault())</script>`, []Reason{""}, long, nil},
			"huge document":     {`<script>document.write("<p>" + "x".repeat(6 << 20))</script>`, []Reason{ReasonTooLarge}, long, nil},
			"many nodes":        {`<body><p>x</p><script>for (let i = 0; i < 300000; i++) document.body.append(document.createElement("b"))</script>`, []Reason{"", ReasonTimeout}, long, nil},
			"reload loop":       {`<p>x</p><script>location.reload()</script>`, []Reason{"", ReasonTimeout}, long, nil},
			"popups":            {`<p>x</p><script>for (let i = 0; i < 20; i++) open("/boxes?" + i)</script>`, []Reason{""}, long, nil},
			"hanging image":     {`<p>x</p><img src="/hang">`, []Reason{""}, long, nil},
			"polling":           {`<p>x</p><script>setInterval(() => fetch("/missing?" + Math.random()), 20)</script>`, []Reason{""}, long, nil},
			"missing element":   {`<p>x</p>`, []Reason{ReasonAction}, long, []Action{{Kind: ActionClick, Selector: "#none"}}},
			"changed built-ins": {`<p>x</p><script>Object.defineProperty(Element.prototype, "outerHTML", {get: () => "forged"}); Promise = undefined; MutationObserver = undefined</script>`, []Reason{""}, long, nil},
			"large data URL":    {`<p>x</p><script>new Image().src = "data:image/png;base64," + "A".repeat(30 << 20)</script>`, []Reason{"", ReasonCrashed, ReasonTimeout}, long, nil},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				job := w.job(holding(c.html))
				job.Actions = c.actions
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				result, err := r.Render(ctx, job)
				got := ReasonOf(err)
				if err != nil && got == "" {
					t.Fatalf("got error %v without a reason", err)
				}
				for _, want := range c.reasons {
					if got != want {
						continue
					}
					if name == "reload loop" && err == nil && len(result.HTML) == 0 {
						return // read between two loads
					}
					if err == nil && (!strings.Contains(string(result.HTML), "<p>x</p>") || strings.Contains(string(result.HTML), "forged</html>")) {
						t.Errorf("got:\n%.500s", result.HTML)
					}
					return
				}
				t.Errorf("got %v, want one of %q", err, c.reasons)
			})
		}
	})
	if _, err := r.Render(t.Context(), w.job(holding("<p>still here</p>"))); err != nil {
		t.Errorf("after hostile pages: %v", err)
	}
}

// A browser that uses too much memory is killed, and the next job gets a new one.
func TestMemoryBound(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	if runtime.GOOS != "linux" {
		t.Skip("memory of a process group is not known on this system")
	}
	r, err := New(Config{Browsers: 1, KillBytes: 400 * mebibyte, NetworkIdle: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	w := newWeb(t)
	job := w.job(holding(`<script>
		const kept = [];
		setInterval(() => { const b = new Uint8Array(32 << 20); for (let i = 0; i < b.length; i += 4096) b[i] = 1; kept.push(b) }, 20);
	</script>`))
	job.Wait = 50 * time.Second
	_, err = r.Render(t.Context(), job)
	checkError(t, err, Error{Reason: ReasonCrashed}, "")
	if _, err := r.Render(t.Context(), w.job(holding("<p>new</p>"))); err != nil {
		t.Errorf("after a browser was killed: %v", err)
	}
	if got := r.Stats(); got.Started != 2 {
		t.Errorf("got %+v, want 2 browsers started", got)
	}
}
