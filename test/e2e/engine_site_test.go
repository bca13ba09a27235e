//go:build linux

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// siteHost is the only address of this machine that an engine may fetch.
const siteHost = "127.0.0.79"

// site serves the pages that an engine fetches, and counts the requests.
type site struct {
	port string
	url  string
	// own holds a test's own handlers by path.
	own map[string]http.HandlerFunc

	mu   sync.Mutex
	hits map[string]int
}

func newSite(t *testing.T) *site {
	t.Helper()
	l, err := net.Listen("tcp", siteHost+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := siteAt(l)
	s.serve(t, l)
	return s
}

// siteAt returns a site that is not served yet.
func siteAt(l net.Listener) *site {
	s := &site{url: "http://" + l.Addr().String(), hits: map[string]int{}, own: map[string]http.HandlerFunc{}}
	_, s.port, _ = net.SplitHostPort(l.Addr().String())
	return s
}

func (s *site) serve(t *testing.T, l net.Listener) {
	t.Helper()
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
}

// asked returns how often a path was requested.
func (s *site) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[path]
}

// holding returns the URL of a page with this HTML.
func (s *site) holding(html string) string { return s.url + "/page?html=" + url.QueryEscape(html) }

// redirecting returns the URL of a redirect with a status.
func (s *site) redirecting(status int, to string) string {
	return fmt.Sprintf("%s/redirect?status=%d&to=%s", s.url, status, url.QueryEscape(to))
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.hits[r.URL.Path]++
	s.mu.Unlock()
	if handle := s.own[r.URL.Path]; handle != nil {
		handle(w, r)
		return
	}
	html := func(text string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}
	query := r.URL.Query()
	switch first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); first {
	case "page":
		html(query.Get("html"))
	case "redirect":
		status, err := strconv.Atoi(query.Get("status"))
		if err != nil {
			status = http.StatusFound
		}
		w.Header().Set("Location", query.Get("to"))
		w.WriteHeader(status)
	case "chain": // a chain of redirects that ends at "to"
		left, _ := strconv.Atoi(query.Get("left"))
		to := query.Get("to")
		if left > 0 {
			to = fmt.Sprintf("/chain?left=%d&to=%s", left-1, url.QueryEscape(to))
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	case "article":
		html(article(r.URL.Path))
	case "reports": // asks for violation reports to be sent to another host
		w.Header().Set("Reporting-Endpoints", `e="`+query.Get("to")+`/reporting"`)
		w.Header().Set("Report-To", `{"group": "e", "max_age": 60, "endpoints": [{"url": "`+query.Get("to")+`/report-to"}]}`)
		w.Header().Set("NEL", `{"report_to": "e", "max_age": 60, "success_fraction": 1}`)
		w.Header().Set("Content-Security-Policy-Report-Only", "default-src 'none'; report-to e; report-uri "+query.Get("to")+"/csp")
		w.Header().Set("Link", "<"+query.Get("to")+"/hinted>; rel=preload; as=script, <"+query.Get("to")+">; rel=preconnect")
		w.Header().Set("Refresh", "0;url="+query.Get("to")+"/refreshed")
		html("<p>reports</p><script>1</script>")
	case "sw.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprintf(w, `addEventListener("install", (e) => e.waitUntil(fetch(%q, {mode: "no-cors"}).catch(() => {})))`, query.Get("to")+"/serviceworker")
	default:
		// The renderer's own test pages.
		text, err := os.ReadFile(filepath.Join("../../backend/page/render/testdata", filepath.Clean("/"+r.URL.Path)+".html"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		html(string(text))
	}
}

// article returns an ordinary page of 20 kB.
func article(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html lang="en"><head><title>Tides at %[1]s</title><meta name="description" content="When the water comes">
<link rel="canonical" href="/article/canonical"></head><body><nav><a href="/">Home</a> <a href="/about">About</a></nav><main><article><h1>Tides at %[1]s</h1>`, name)
	for i := range 60 {
		fmt.Fprintf(&b, `<p>On day %d the water stood %d centimetres above the mark at <a href="/day/%d">nine in the morning</a>, and fell slowly after noon,
			when the wind turned to the west and the boats that had waited could leave the harbour one after the other.</p>`, i, i*7%90, i)
	}
	b.WriteString(`<table><tr><th>Day</th><th>Height</th></tr>`)
	for i := range 40 {
		fmt.Fprintf(&b, `<tr><td>%d</td><td>%d cm</td></tr>`, i, i*7%90)
	}
	b.WriteString(`</table></article></main><footer>Imprint</footer></body></html>`)
	return b.String()
}
