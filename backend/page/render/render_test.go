package render

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

//go:embed testdata
var testdata embed.FS

// shared is the browser of all tests that need no special one.
var shared = sync.OnceValues(func() (*Renderer, error) { return New(Config{NetworkIdle: 250 * time.Millisecond}) })

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(workerEnv) != "":
		runWorker()
		return
	case os.Getenv(hostEnv) != "":
		runHost()
		return
	case os.Getenv(probeEnv) != "":
		runProbe()
		return
	}
	code := m.Run()
	if r, err := shared(); err == nil {
		_ = r.Close()
	}
	os.Exit(code)
}

// needBrowser skips the test if there is no browser.
func needBrowser(t *testing.T) {
	t.Helper()
	if _, err := chromium.Find(""); err != nil {
		t.Skipf("%v (scripts/install-needs test installs one)", err)
	}
	if err := rig.Sandbox(); err != nil {
		t.Skip(err)
	}
}

func renderer(t *testing.T) *Renderer {
	t.Helper()
	needBrowser(t)
	r, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// web is one server for all names that end in .test and for app.localhost, which browsers treat as a secure context.
// The guard decides about other addresses.
type web struct {
	t      *testing.T
	server *httptest.Server
	guard  *fetch.Client

	mu     sync.Mutex
	asked  []string // host and path
	orders []string
}

func newWeb(t *testing.T) *web {
	t.Helper()
	guard, err := fetch.New(fetch.Config{AllowAnyPort: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &web{t: t, guard: guard}
	w.server = httptest.NewUnstartedServer(w)
	w.server.Config.ErrorLog = nil
	w.server.Start()
	t.Cleanup(w.server.CloseClientConnections)
	t.Cleanup(w.server.Close)
	t.Cleanup(w.server.CloseClientConnections) // before Close, which waits for them
	return w
}

func (w *web) dial(ctx context.Context, hostPort string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(host, ".test") || host == "app.localhost" {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp", w.server.Listener.Addr().String())
	}
	u, err := fetch.ParseURL("http://" + hostPort + "/")
	if err != nil {
		return nil, err
	}
	if err := w.guard.Check(u); err != nil {
		return nil, err
	}
	return nil, &fetch.Error{Reason: fetch.ReasonDNS, URL: u.String(), Err: errors.New("no such host")}
}

func (w *web) job(address string) Job {
	w.t.Helper()
	u, err := fetch.ParseURL(address)
	if err != nil {
		w.t.Fatal(err)
	}
	return Job{URL: u, Dial: w.dial}
}

func (w *web) hits(host string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var paths []string
	for _, asked := range w.asked {
		if path, found := strings.CutPrefix(asked, host); found && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked = append(w.asked, r.Host+r.URL.Path)
	w.mu.Unlock()
	if page, err := testdata.ReadFile("testdata" + r.URL.Path + ".html"); err == nil {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("X-Fixture", strings.TrimPrefix(r.URL.Path, "/"))
		_, _ = rw.Write(page)
		return
	}
	html := func(text string) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(rw, text)
	}
	switch r.URL.Path {
	case "/api/recipes/1":
		_ = json.NewEncoder(rw).Encode(map[string]any{"title": "Pancakes", "steps": []string{"Whisk the eggs.", "Fry until golden."}})
	case "/api/recipes/2":
		_ = json.NewEncoder(rw).Encode(map[string]any{"title": "Bread", "steps": []string{"Knead the dough."}})
	case "/api/items":
		var page int
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		var items []string
		for i := range 10 {
			items = append(items, fmt.Sprintf("Item %d", page*10+i+1))
		}
		_ = json.NewEncoder(rw).Encode(items)
	case "/order":
		_ = r.ParseForm()
		w.mu.Lock()
		w.orders = append(w.orders, r.PostForm.Encode())
		w.mu.Unlock()
		html("<title>Thanks</title><p>Thank you, " + r.PostForm.Get("name") + ".</p>")
	case "/sw.js":
		rw.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprintf(rw, `addEventListener("install", (e) => e.waitUntil(fetch(%q, {mode: "no-cors"}).catch(() => {})))`, r.URL.Query().Get("to")+"/serviceworker")
	case "/redirect":
		http.Redirect(rw, r, r.URL.Query().Get("to"), http.StatusFound)
	case "/cookies":
		http.SetCookie(rw, &http.Cookie{Name: "server", Value: "given", Path: "/"})
		html("<p>" + r.Header.Get("Cookie") + `</p><script>document.cookie = "script=set; path=/"</script>`)
	case "/limited":
		rw.Header().Set("Retry-After", "120")
		rw.WriteHeader(http.StatusTooManyRequests)
		html("<h1>Slow down</h1>")
	case "/missing":
		rw.WriteHeader(http.StatusNotFound)
		html("<h1>Nothing here</h1>")
	case "/zip":
		rw.Header().Set("Content-Type", "application/zip")
		_, _ = io.WriteString(rw, "PK")
	case "/hang":
		select {
		case <-r.Context().Done():
		case <-w.t.Context().Done():
		}
	case "/page":
		html(r.URL.Query().Get("html"))
	default:
		_, _ = io.WriteString(rw, "")
	}
}

// holding is the address of a page with the given HTML.
func holding(html string) string {
	return "http://site.test/page?html=" + url.QueryEscape(html)
}
