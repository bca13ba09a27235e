package e2e

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// pagesHost is the loopback address whose pages may be fetched. All else on this machine is private, as in production.
const pagesHost = "127.0.0.77"

const harbour = `<!doctype html><html lang="en"><head><title>Harbour</title></head><body>
<nav>Menu</nav>
<main><article><h1>Harbour</h1>
<p>The ferry %s leaves at nine, and again at noon, when the mail has come down from the town and the tide is right for it.</p>
<p class="advert">Buy ropes.</p><p id="notice">Mind the step.</p>
<p><img src="/ferry.png" alt="A ferry"></p>
<p><a href="/timetable">Timetable</a> <a href="/fares">Fares</a></p></article></main>
<footer>Imprint</footer></body></html>`

// kiosk is a page that its scripts create: with a form, a late change, and the size of its window.
const kiosk = `<!doctype html><html><head><title>Kiosk</title><meta name="viewport" content="width=device-width"></head><body><div id="root"></div><script>
const root = document.getElementById("root")
root.innerHTML = "<h1>Kiosk</h1><p>Tickets for the ferry.</p><input id=to><button>Buy</button><p id=bought></p><p>Window of " + innerWidth + " by " + innerHeight + "</p>"
root.querySelector("button").onclick = () => { document.getElementById("bought").textContent = "A ticket to " + document.getElementById("to").value }
setTimeout(() => { root.append("Sold out") }, 2500)
setTimeout(() => { root.append("The ferry has left") }, 40000) // seen by who waits without need
</script></body></html>`

// pages serves web pages and counts requests: to pages that may be fetched, and to the canary, which listens on the
// machine's other addresses on the same port.
type pages struct {
	port   string
	serial atomic.Int64
	canary atomic.Int64

	// proxy is the proxy for fetches from a particular country.
	proxy string

	mu      sync.Mutex
	hits    map[string]int
	proxied map[string]int    // connections through the proxy, by target
	said    map[string]string // pages with content set by tests, by path
}

func (s *stack) startPages() error {
	p := &pages{hits: map[string]int{}, proxied: map[string]int{}, said: map[string]string{}}
	l, err := net.Listen("tcp", pagesHost+":0")
	if err != nil {
		return fmt.Errorf("the tests' pages: %w", err)
	}
	_, p.port, _ = net.SplitHostPort(l.Addr().String())
	s.serve(l, http.HandlerFunc(p.page))
	canaries := 0
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, p.port))
		if err != nil {
			continue // no IPv6, or the port is taken: one canary is enough
		}
		canaries++
		s.serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			p.canary.Add(1)
			fmt.Fprint(w, "secret")
		}))
	}
	if canaries == 0 {
		return fmt.Errorf("no canary could listen on port %s", p.port)
	}
	if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("the tests' proxy: %w", err)
	}
	p.proxy = "http://" + l.Addr().String()
	s.serve(l, http.HandlerFunc(p.tunnel))
	s.pages = p
	return nil
}

// tunnel handles a proxy's CONNECT.
func (p *pages) tunnel(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.proxied[r.RequestURI]++
	p.mu.Unlock()
	target, err := net.Dial("tcp", r.RequestURI)
	if r.Method != http.MethodConnect || err != nil {
		http.Error(w, "no connection", http.StatusBadGateway)
		return
	}
	defer target.Close()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(target, conn) }()
	_, _ = io.Copy(conn, target)
}

// connections returns how often the proxy connected to the pages.
func (p *pages) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.proxied[net.JoinHostPort(pagesHost, p.port)]
}

func (s *stack) serve(l net.Listener, h http.Handler) {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	s.onStop(func() { _ = server.Close() })
}

// say sets the content of a page, which may have been served before.
func (p *pages) say(page, body string) {
	u, _ := url.Parse(page)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said[u.Path] = body
}

func (p *pages) page(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.hits[r.URL.Path]++
	said, isSaid := p.said[r.URL.Path]
	p.mu.Unlock()
	if isSaid {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(said))))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(said))
		return
	}
	if to := r.URL.Query().Get("to"); to != "" {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	if r.URL.Query().Has("hang") {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Query().Has("app") {
		fmt.Fprint(w, kiosk)
		return
	}
	fmt.Fprintf(w, harbour, r.URL.Path)
}

// fresh returns the URL of a page that was never requested.
func (p *pages) fresh() string {
	return "http://" + net.JoinHostPort(pagesHost, p.port) + "/page/" + strconv.FormatInt(p.serial.Add(1), 10)
}

// fetched returns how often a page was requested.
func (p *pages) fetched(url string) int {
	_, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	path, _, _ = strings.Cut(path, "?")
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits["/"+path]
}

func (p *pages) wantFetched(t *testing.T, url string, want int) {
	t.Helper()
	if got := p.fetched(url); got != want {
		t.Errorf("fetches of %s: got %d, want %d", url, got, want)
	}
}
