package render

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// canary listens on one loopback port over TCP and UDP and records every contact.
type canary struct {
	port string

	mu   sync.Mutex
	seen []string
}

func (c *canary) saw(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, what)
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	c := new(canary)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, c.port, _ = net.SplitHostPort(listener.Addr().String())
	c.tcp(t, listener)
	if listener, err := net.Listen("tcp", "[::1]:"+c.port); err == nil {
		c.tcp(t, listener)
	} else {
		t.Logf("no canary on ::1: %v", err)
	}
	for _, host := range []string{"127.0.0.1", "::1"} {
		packets, err := net.ListenPacket("udp", net.JoinHostPort(host, c.port))
		if err != nil {
			t.Logf("no UDP canary on %s: %v", host, err)
			continue
		}
		t.Cleanup(func() { packets.Close() })
		go func() {
			buffer := make([]byte, 100)
			for {
				n, from, err := packets.ReadFrom(buffer)
				if err != nil {
					return
				}
				c.saw("UDP from " + from.String() + ": " + string(buffer[:n]))
			}
		}()
	}
	return c
}

func (c *canary) tcp(t *testing.T, listener net.Listener) {
	t.Helper()
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 200)
			_ = conn.SetReadDeadline(time.Now().Add(time.Second))
			n, _ := conn.Read(buffer)
			c.saw("TCP from " + conn.RemoteAddr().String() + ": " + string(buffer[:n]))
			conn.Close()
		}
	}()
}

func reach(bases ...string) string {
	return "http://app.localhost/reach?" + url.Values{"to": bases}.Encode()
}

// finished is clicked once the page has tried everything.
var finished = []Action{{Kind: ActionClick, Selector: "#finished"}}

// TestCanary: no page reaches loopback, however it is spelled. The same page with an allowed host shows that it really
// tries.
func TestCanary(t *testing.T) {
	t.Parallel()
	checkCanary(t, renderer(t))
}

func checkCanary(t *testing.T, r *Renderer) {
	t.Helper()
	w, c := newWeb(t), newCanary(t)
	control := w.job(reach("http://control.test"))
	control.Actions = finished
	if _, err := r.Render(t.Context(), control); err != nil {
		t.Fatal(err)
	}
	hits := w.hits("control.test")
	for _, way := range []string{
		"/background", "/beacon", "/embed", "/eventsource", "/fetch", "/form", "/iframe", "/img", "/import", "/object", "/preload",
		"/redirected", "/refresh", "/script", "/serviceworker", "/stylesheet", "/video", "/websocket", "/worker", "/xhr",
	} {
		if !slices.Contains(hits, way) {
			t.Errorf("the page did not try %s: the test shows nothing of it; got %q", way, hits)
		}
	}
	if slices.Contains(hits, "/window") {
		t.Error("a window that the page opened was loaded")
	}

	var bases []string
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:7f00:1]"} {
		bases = append(bases, "http://"+host+":"+c.port)
	}
	job := w.job(reach(bases...))
	job.Actions = finished
	result, err := r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result.HTML), "peers: undefined") {
		t.Errorf("the page has RTCPeerConnection:\n%s", result.HTML)
	}
	if got, want := result.Refused, []string{"127.0.0.1:" + c.port, "::1:" + c.port}; len(got) < 4 {
		t.Errorf("got refusals %q, want at least %q", got, want)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) > 0 {
		t.Errorf("the canary was reached:\n%s", strings.Join(c.seen, "\n"))
	}
}

// A document is blocked with a clear reason, whether it is requested, redirected to or navigated to by the page.
func TestBlockedDocuments(t *testing.T) {
	t.Parallel()
	r, w, c := renderer(t), newWeb(t), newCanary(t)
	target := "http://127.0.0.1:" + c.port + "/"
	for name, address := range map[string]string{
		"asked for":    target,
		"redirect":     "http://site.test/redirect?to=" + url.QueryEscape(target),
		"meta refresh": holding(`<meta http-equiv="refresh" content="0;url=` + target + `">`),
		"script":       holding(`<script>location = "` + target + `"</script>`),
		"IPv6":         "http://[::1]:" + c.port + "/",
		"metadata":     "http://169.254.169.254/latest/meta-data/",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.Render(t.Context(), w.job(address))
			checkError(t, err, Error{Reason: ReasonNavigation, Fetch: fetch.ReasonBlockedAddress}, "not public")
		})
	}
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.seen) > 0 {
			t.Errorf("the canary was reached: %q", c.seen)
		}
	})
}

// Web pages cannot open files or the browser's own pages.
func TestFilesAreClosed(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	for _, address := range []string{"file:///etc/passwd", "chrome://version/", "view-source:file:///etc/passwd"} {
		result, err := r.Render(t.Context(), w.job(holding(`<p>before</p><iframe src="`+address+`"></iframe><script>setTimeout(() => { location = "`+address+`" }, 0)</script>`)))
		if err != nil {
			continue // the browser showed an error page instead
		}
		if html := string(result.HTML); !strings.Contains(html, "before") || strings.Contains(html, "root:") {
			t.Errorf("%s: got\n%s", address, html)
		}
	}
}
