package handover

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

const testTimeout = 20 * time.Second

// server is one of the servers that follow each other on a socket.
type server struct {
	t          *testing.T
	name       string
	generation Generation
	http       *http.Server
	entered    chan string   // the paths of the requests that its handlers received
	goOn       chan struct{} // what /wait and /stream wait for
}

func newSocket(t *testing.T) *Socket {
	t.Helper()
	base, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSocket(base, net.KeepAliveConfig{Enable: true})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func serve(t *testing.T, s *Socket, name string) *server {
	t.Helper()
	return serveWith(t, s, name, nil, nil)
}

// serveWith starts a server; nil config: without TLS, nil handler: the server's own.
func serveWith(t *testing.T, s *Socket, name string, config *tls.Config, handler http.Handler) *server {
	t.Helper()
	srv := &server{t: t, name: name, entered: make(chan string, 64), goOn: make(chan struct{})}
	if handler == nil {
		handler = http.HandlerFunc(srv.handle)
	}
	srv.http = &http.Server{
		Handler: handler, ReadHeaderTimeout: testTimeout, IdleTimeout: testTimeout,
		ConnState: func(c net.Conn, state http.ConnState) { srv.generation.Changed(c, state) },
	}
	// As in Caddy, every connection is checked for h2c.
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	srv.http.Protocols = protocols
	if err := http2.ConfigureServer(srv.http, new(http2.Server)); err != nil { //nolint:staticcheck // as Caddy does
		t.Fatal(err)
	}
	var l net.Listener = srv.generation.Listen(s, net.KeepAliveConfig{Enable: true}, func() error { return nil })
	if config != nil {
		l = tls.NewListener(l, config)
	}
	var done sync.WaitGroup
	done.Go(func() {
		if err := srv.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serving: %v", err)
		}
	})
	t.Cleanup(func() {
		_ = srv.http.Close()
		done.Wait()
	})
	return srv
}

// handle responds with the server's name and the request's body.
func (srv *server) handle(w http.ResponseWriter, r *http.Request) {
	srv.entered <- r.URL.Path
	body, err := io.ReadAll(r.Body)
	if err != nil {
		srv.t.Errorf("%s: reading a body: %v", srv.name, err)
	}
	if r.URL.Path == "/stream" {
		_, _ = io.WriteString(w, "begun ")
		_ = http.NewResponseController(w).Flush()
	}
	if r.URL.Path != "/" {
		<-srv.goOn
	}
	_, _ = fmt.Fprintf(w, "%s %s", srv.name, body)
}

// end does what a reload does with the old configuration.
func (srv *server) end() {
	srv.generation.End()
	eventually(srv.t, "nothing arrives", func() bool { return !srv.generation.Arriving() })
	srv.shutdown()
}

// shutdown returns when the server is shutting down; requests in progress may continue.
func (srv *server) shutdown() {
	ctx, cancel := context.WithCancel(srv.t.Context())
	cancel()
	if err := srv.http.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		srv.t.Errorf("shutting down: %v", err)
	}
}

// eventually polls for something that net/http does not report.
func eventually(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(testTimeout); !isSo(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not so within %s: %s", testTimeout, what)
		}
	}
}

// client is one connection.
type client struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, s *Socket) *client {
	t.Helper()
	c, err := net.Dial("tcp", s.base.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(testTimeout))
	return &client{t, c, bufio.NewReader(c)}
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
		c.t.Fatal(err)
	}
}

// want reads one response.
func (c *client) want(want string) {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatalf("reading an answer: %v, want %q", err, want)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != want {
		c.t.Errorf("got %q, error %v, want %q", got, err, want)
	}
}

func (c *client) wantClosed() {
	c.t.Helper()
	rest, err := io.ReadAll(c.r)
	if len(rest) > 0 || errors.Is(err, context.DeadlineExceeded) {
		c.t.Errorf("got %q, error %v, want the connection closed", rest, err)
	}
}

// phase returns the phase of a server's only connection.
func (srv *server) phase() uint32 {
	srv.generation.mu.Lock()
	defer srv.generation.mu.Unlock()
	for c := range srv.generation.conns {
		return c.at.Load()
	}
	return apart
}

func (srv *server) await(phase uint32) {
	srv.t.Helper()
	eventually(srv.t, fmt.Sprintf("the connection is at %d", phase), func() bool { return srv.phase() == phase })
}

// empty reports whether the server has no connection left.
func (srv *server) empty() bool {
	srv.generation.mu.Lock()
	defer srv.generation.mu.Unlock()
	return len(srv.generation.conns) == 0
}
