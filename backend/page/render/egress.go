package render

import (
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// egress is the HTTP proxy of one job, and the only way to the network for its browser context. Each job has its own
// listener, so that refusals, traffic and connections can be attributed to it.
type egress struct {
	dial     DialFunc
	blocks   blocklist
	listener net.Listener
	server   *http.Server
	onward   *http.Transport
	left     atomic.Int64 // bytes

	mu     sync.Mutex
	closed bool
	conns  map[*meteredConn]struct{}
	// open counts the connections to a host and port; freed is closed and replaced when one ends.
	open    map[string]int
	freed   chan struct{}
	blocked int
	// failures is why connections to a host and port failed.
	failures map[string]error
}

// failuresMax limits the memory for failures of a page that tries many hosts.
const failuresMax = 1000

// browserConns is how many connections a browser opens to one host, so that the browser does the waiting. hostConns leaves
// room for a page's WebSockets, of which the browser would open hundreds.
const (
	browserConns = 6
	hostConns    = 8
)

// openEgress serves the connections of a listener, which all come from the job's browser.
func openEgress(listener net.Listener, job Job, bytesMax int64) *egress {
	e := &egress{
		dial: job.Dial, blocks: blocksFor(job.URL.Hostname()), listener: listener,
		conns: map[*meteredConn]struct{}{}, open: map[string]int{}, freed: make(chan struct{}), failures: map[string]error{},
	}
	e.left.Store(bytesMax)
	e.onward = &http.Transport{
		DialContext:        func(ctx context.Context, _, hostPort string) (net.Conn, error) { return e.connect(ctx, hostPort) },
		DisableCompression: true, // the browser decodes
		MaxConnsPerHost:    browserConns, MaxIdleConns: 32, IdleConnTimeout: 30 * time.Second,
	}
	quiet := log.New(io.Discard, "", 0)
	forward := &httputil.ReverseProxy{
		Rewrite: func(*httputil.ProxyRequest) {}, Transport: e.onward, FlushInterval: -1, ErrorLog: quiet,
		// An error page of ours could be taken for the target's; a closed connection is an error to the browser.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	e.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodConnect:
				e.tunnel(w, r)
			case r.URL.Scheme == "http" && r.URL.Host != "":
				forward.ServeHTTP(w, r)
			default:
				http.Error(w, "this is a proxy", http.StatusBadRequest)
			}
		}),
		ReadHeaderTimeout: 30 * time.Second, ErrorLog: quiet,
	}
	go func() { _ = e.server.Serve(e.listener) }()
	return e
}

// guarded is a listener that rejects peers before they send anything.
type guarded struct {
	net.Listener

	admit func(net.Conn) bool
}

func (g *guarded) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil || g.admit(conn) {
			return conn, err
		}
		_ = conn.Close()
	}
}

func (e *egress) address() string { return "http://" + e.listener.Addr().String() }

// close ends every connection of the job. The server no longer tracks hijacked tunnels, so they are closed here.
func (e *egress) close() {
	_ = e.server.Close()
	e.onward.CloseIdleConnections()
	e.mu.Lock()
	e.closed = true
	e.wake()
	conns := slices.Collect(maps.Keys(e.conns))
	e.mu.Unlock()
	for _, conn := range conns {
		_ = conn.Close()
	}
}

// connect is the only place that opens the job's connections.
func (e *egress) connect(ctx context.Context, hostPort string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	if e.blocks.has(host) {
		e.mu.Lock()
		e.blocked++
		e.mu.Unlock()
		return nil, errors.New("the host is on the blocklist of ads and trackers")
	}
	if e.left.Load() <= 0 {
		return nil, errWireBytesMax
	}
	if err := e.place(ctx, hostPort); err != nil {
		return nil, err
	}
	conn, err := e.dial(ctx, hostPort)
	if err != nil {
		e.free(hostPort)
		e.fail(hostPort, err)
		return nil, err
	}
	metered := &meteredConn{Conn: conn, egress: e, hostPort: hostPort}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	delete(e.failures, hostPort) // the failure was temporary
	e.conns[metered] = struct{}{}
	return metered, nil
}

// place waits until the job may have one more connection to a host.
func (e *egress) place(ctx context.Context, hostPort string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.open[hostPort] >= hostConns && !e.closed {
		freed := e.freed
		e.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
		}
		e.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if e.closed {
		return net.ErrClosed
	}
	e.open[hostPort]++
	return nil
}

func (e *egress) free(hostPort string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open[hostPort]--; e.open[hostPort] <= 0 {
		delete(e.open, hostPort)
	}
	e.wake()
}

// wake lets waiting calls of place check again. The mutex is held.
func (e *egress) wake() {
	close(e.freed)
	e.freed = make(chan struct{})
}

func (e *egress) fail(hostPort string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.failures) < failuresMax {
		e.failures[hostPort] = err
	}
}

// failure returns why no connection to the host of a URL could be made; nil if one could.
func (e *egress) failure(u fetch.URL) error {
	if e.left.Load() <= 0 {
		return errWireBytesMax
	}
	host, port, err := net.SplitHostPort(u.Host())
	if err != nil {
		host, port = u.Hostname(), "80"
		if u.Scheme() == "https" {
			port = "443"
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failures[net.JoinHostPort(strings.Trim(host, "[]"), port)]
}

// refused returns what the guard refused, sorted.
func (e *egress) refused() (hostPorts []string, blocked int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for hostPort, err := range e.failures {
		if reason := fetch.ReasonOf(err); reason == fetch.ReasonBlockedAddress || reason == fetch.ReasonBlockedPort {
			hostPorts = append(hostPorts, hostPort)
		}
	}
	slices.Sort(hostPorts)
	return hostPorts[:min(len(hostPorts), refusedShownMax)], e.blocked
}

// tunnel implements CONNECT (RFC 9110, section 9.3.6): TLS and WebSockets.
func (e *egress) tunnel(w http.ResponseWriter, r *http.Request) {
	onward, err := e.connect(r.Context(), r.Host)
	if err != nil {
		http.Error(w, "no connection", http.StatusBadGateway)
		return
	}
	defer onward.Close()
	browser, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer browser.Close()
	if _, err := io.WriteString(browser, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() {
		defer onward.Close()
		defer browser.Close()
		_, _ = io.Copy(onward, buffered)
	}()
	_, _ = io.Copy(browser, onward)
}

// meteredConn is a connection whose bytes count against the job's limit.
type meteredConn struct {
	net.Conn

	egress   *egress
	hostPort string
}

func (c *meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if over := c.count(n); over != nil {
		return 0, over
	}
	return n, err
}

func (c *meteredConn) Write(p []byte) (int, error) {
	if err := c.count(len(p)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *meteredConn) count(n int) error {
	if c.egress.left.Add(-int64(n)) <= 0 {
		return errWireBytesMax
	}
	return nil
}

func (c *meteredConn) Close() error {
	c.egress.mu.Lock()
	_, open := c.egress.conns[c]
	delete(c.egress.conns, c)
	c.egress.mu.Unlock()
	if open { // only the first Close
		c.egress.free(c.hostPort)
	}
	return c.Conn.Close()
}
