package handover

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
)

const get = "GET / HTTP/1.1\nHost: a\n\n"

func post(body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\nHost: a\nContent-Length: %d\n\n%s", len(body), body)
}

// Shows which server answers a client on one connection when the server behind it changes.
func TestConnectionsGoOver(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("b", 3*wholeBuffer)
	for name, play := range map[string]func(c *client, old *server, reload func()){
		"before its first byte": func(c *client, old *server, reload func()) {
			old.await(waiting)
			reload()
			c.send(get)
			c.want("new ")
		},
		"in the middle of the first header": func(c *client, old *server, reload func()) {
			c.send("GET / HTTP/1.1\nHo")
			old.await(arriving)
			go func() {
				eventually(c.t, "the end has begun", old.generation.ending.Load)
				c.send("st: a\n\n")
			}()
			reload()
			c.want("old ")
		},
		"between two requests": func(c *client, old *server, reload func()) {
			c.send(get)
			c.want("old ")
			old.await(waiting)
			reload()
			c.send(get)
			c.want("new ")
			c.send(post("x"))
			c.want("new x")
		},
		"after a body that came in pieces": func(c *client, old *server, reload func()) {
			c.send(post(long))
			c.want("old " + long)
			old.await(waiting)
			reload()
			c.send(post(long))
			c.want("new " + long)
		},
		"while a request is handled": func(c *client, old *server, reload func()) {
			c.send("GET /wait HTTP/1.1\nHost: a\n\n")
			<-old.entered
			reload()
			close(old.goOn)
			c.want("old ") // with Connection: close
			c.wantClosed()
		},
		"while an answer is under way": func(c *client, old *server, reload func()) {
			c.send("GET /stream HTTP/1.1\nHost: a\n\n")
			<-old.entered
			if _, err := c.r.Peek(1); err != nil { // the header does not announce that the connection ends
				c.t.Fatal(err)
			}
			reload()
			close(old.goOn)
			c.want("begun old ")
			c.send(post("x"))
			c.want("new x")
		},
		"while the answer to a request in pieces is under way": func(c *client, old *server, reload func()) {
			pieces := []string{"POST /stream HTTP/1.1\nHo", "st: a\nContent-Length: 2\n\n", "a", "b"}
			c.send(pieces[0])
			old.await(arriving)
			c.send(pieces[1])
			<-old.entered
			old.await(handled) // it reads the body
			c.send(pieces[2])
			c.send(pieces[3])
			if _, err := c.r.Peek(1); err != nil {
				c.t.Fatal(err)
			}
			reload()
			close(old.goOn)
			c.want("begun old ab")
			c.send(post("x"))
			c.want("new x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSocket(t)
			old := serve(t, s, "old")
			c := dial(t, s)
			play(c, old, func() {
				serve(t, s, "new")
				old.end()
			})
		})
	}
}

// A connection with part of another request in net/http's buffer stays with its server.
func TestPipelinedRequestsStay(t *testing.T) {
	t.Parallel()
	head := "POST / HTTP/1.1\nHost: a\nContent-Length: 5\n\n"
	for name, ahead := range map[string]string{
		"a byte of it": head[:1], "most of its header": head[:20], "its header": head, "its header and some of its body": head + "ab",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSocket(t)
			old := serve(t, s, "old")
			c := dial(t, s)
			c.send(get + ahead)
			c.want("old ")
			<-old.entered
			if strings.Contains(ahead, "\n\n") {
				<-old.entered
			} else {
				old.await(arriving)
			}
			next := serve(t, s, "new")
			old.generation.End()
			c.send((head + "abcde")[len(ahead):])
			c.want("old abcde") // the new server must not take the rest for a request
			old.end()
			c.send(get)
			if _, err := c.r.Peek(1); err == nil { // it may have been closed by then
				c.want("new ")
				if got := <-next.entered; got != "/" {
					t.Errorf("the new server was asked for %q, want /", got)
				}
			}
			if got := len(next.entered); got > 0 {
				t.Errorf("the new server was asked for %d more, want none", got)
			}
		})
	}
}

// If it is not certain that nothing was read, the connection is closed, as without this package.
func TestUncertainConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	old := serve(t, s, "old")
	c := dial(t, s)
	c.send("POST /stream HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n1\na\n")
	<-old.entered
	old.await(handled)
	c.send("1\nb\n0\n\n") // in a separate read
	if _, err := c.r.Peek(1); err != nil {
		t.Fatal(err)
	}
	serve(t, s, "new")
	old.end()
	close(old.goOn)
	c.want("begun old ab")
	c.wantClosed()
}

// Without a successor, everything ends as it does without this package.
func TestExitCloses(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	srv := serve(t, s, "old")
	idle, untouched, busy := dial(t, s), dial(t, s), dial(t, s)
	idle.send(get)
	idle.want("old ")
	busy.send("GET /wait HTTP/1.1\nHost: a\n\n")
	<-srv.entered // the request for /
	<-srv.entered
	eventually(t, "all are there", func() bool {
		srv.generation.mu.Lock()
		defer srv.generation.mu.Unlock()
		return len(srv.generation.conns) == 3
	})
	srv.generation.End()
	late := dial(t, s) // serves until it is shut down
	late.send(get)
	late.want("old ")
	srv.shutdown()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	idle.wantClosed()
	late.wantClosed()
	close(srv.goOn)
	busy.want("old ")
	busy.wantClosed()
	_ = untouched.Close() // net/http waits some seconds for its first request
	if c, err := net.Dial("tcp", s.base.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("the socket takes connections, want it closed")
	}
}

// If the successor has ended too, the connection is closed and not lost.
func TestNobodyLeftToTake(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	old := serve(t, s, "old")
	c := dial(t, s)
	c.send("GET /stream HTTP/1.1\nHost: a\n\n")
	<-old.entered
	next := serve(t, s, "new")
	old.end()
	next.end()
	close(old.goOn)
	c.want("begun old ")
	c.wantClosed()
}

// Before the first bytes of TLS arrive, a connection can be handed over: the next server does the handshake.
func TestConnectionsGoOverBeforeTLS(t *testing.T) {
	t.Parallel()
	ca := httptest.NewTLSServer(nil)
	defer ca.Close()
	client := ca.Client().Transport.(*http.Transport)
	s := newSocket(t)
	old := serveWith(t, s, "old", ca.TLS, nil)
	raw := dial(t, s)
	old.await(waiting)
	serveWith(t, s, "new", ca.TLS, nil)
	old.end()
	client.DialContext = func(context.Context, string, string) (net.Conn, error) { return raw.Conn, nil }
	resp, err := ca.Client().Get("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "new " {
		t.Errorf("got %q, error %v, want the new server", body, err)
	}
}

// HTTP/2 without TLS: its frames are never taken for requests, and clients learn which requests were not served.
func TestHTTP2StaysApart(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	old := serve(t, s, "old")
	client := &http.Client{Transport: &http2.Transport{ //nolint:staticcheck // the connection has no TLS
		AllowHTTP: true,
		DialTLSContext: func(ctx context.Context, network, _ string, _ *tls.Config) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.base.Addr().String())
		},
	}}
	defer client.CloseIdleConnections()
	ask := func(want string) {
		t.Helper()
		resp, err := client.Post("http://a/", "", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != want {
			t.Errorf("got %q, error %v, want %q", body, err, want)
		}
	}
	ask("old x")
	if got := old.phase(); got != apart {
		t.Errorf("the connection is at %d, want it apart", got)
	}
	serve(t, s, "new")
	old.end()
	eventually(t, "the client has been told", old.empty)
	ask("new x")
}

// A connection that a reverse proxy takes over for WebSockets stays with the handler.
func TestHijackedConnectionsStay(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	old := serveWith(t, s, "old", nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.Copy(conn, io.MultiReader(io.LimitReader(buffered, int64(buffered.Reader.Buffered())), conn))
	}))
	c := dial(t, s)
	c.send("GET / HTTP/1.1\nHost: a\nConnection: Upgrade\nUpgrade: echo\n\n")
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %v, error %v", resp, err)
	}
	defer resp.Body.Close()
	serve(t, s, "new")
	old.end()
	c.send(get)
	if line, err := c.r.ReadString('\n'); err != nil || line != "GET / HTTP/1.1\r\n" {
		t.Errorf("got %q, error %v, want the echo", line, err)
	}
}

// Clients that never retry send requests on kept and new connections while servers replace each other: each request is
// answered, and was handled once.
func TestNothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	const clients, generations, perGeneration = 12, 40, 60
	s := newSocket(t)
	var handled sync.Map // the requests, by their body's first word
	var served atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("reading a body: %v", err)
			return
		}
		id, _, _ := strings.Cut(r.Header.Get("Id"), " ")
		if _, twice := handled.LoadOrStore(id, true); twice {
			t.Errorf("request %s was handled twice", id)
		}
		if len(body)%3 == 0 { // the header goes out before the end of the response
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = w.Write(body)
		served.Add(1)
	})
	stop := make(chan struct{})
	var asking sync.WaitGroup
	for n := range clients {
		asking.Go(func() { ask(t, s, n, stop) })
	}
	current := serveWith(t, s, "0", nil, handler)
	var last int64
	for n := range generations {
		eventually(t, "requests are served", func() bool { return served.Load() >= last+perGeneration || t.Failed() })
		last = served.Load()
		next := serveWith(t, s, fmt.Sprint(n+1), nil, handler)
		current.end()
		current = next
	}
	close(stop)
	asking.Wait()
	t.Logf("%d requests, %d changes of server", served.Load(), generations)
}

// ask sends one request after the other; every fourth client uses a new connection for each.
func ask(t *testing.T, s *Socket, n int, stop chan struct{}) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var conn net.Conn
	var r *bufio.Reader
	defer func() {
		if conn != nil {
			_ = conn.Close()
		}
	}()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		if conn == nil {
			var err error
			if conn, err = net.Dial("tcp", s.base.Addr().String()); err != nil {
				t.Error(err)
				return
			}
			r = bufio.NewReader(conn)
		}
		body := bytes.Repeat([]byte{'x'}, random.IntN(300))
		text := fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: a\r\nId: %d-%d\r\nContent-Length: %d\r\n\r\n%s", n, i, len(body), body)
		// Sometimes a request arrives in two pieces.
		cut := len(text)
		if random.IntN(8) == 0 {
			cut = random.IntN(len(text))
		}
		for _, piece := range [][]byte{text[:cut], text[cut:]} {
			if _, err := conn.Write(piece); err != nil {
				t.Errorf("request %d-%d: %v", n, i, err)
				return
			}
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Errorf("request %d-%d got no answer: %v", n, i, err)
			return
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("request %d-%d: got %q, error %v, want %q", n, i, got, err, body)
			return
		}
		if resp.Close || n%4 == 0 {
			_ = conn.Close()
			conn = nil
		}
	}
}

// A closed listener returns that error, and every other failure is reported.
func TestListener(t *testing.T) {
	t.Parallel()
	failing := &failing{errors: make(chan error), done: make(chan struct{})}
	s := NewSocket(failing, net.KeepAliveConfig{})
	var g Generation
	released := 0
	l := g.Listen(s, net.KeepAliveConfig{}, func() error { released++; return nil })
	fault := errors.New("too many open files")
	go func() { failing.errors <- fault }()
	if _, err := l.Accept(); !errors.Is(err, fault) {
		t.Errorf("got %v, want %v", err, fault)
	}
	if err := l.Close(); err != nil || released != 1 {
		t.Errorf("closing: got %v, released %d times, want once", err, released)
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) || released != 1 {
		t.Errorf("closing again: got %v, released %d times, want %v and once", err, released, net.ErrClosed)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accepting: got %v, want %v", err, net.ErrClosed)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

type failing struct {
	errors chan error
	done   chan struct{}
}

func (f *failing) Accept() (net.Conn, error) {
	select {
	case err := <-f.errors:
		return nil, err
	case <-f.done:
		return nil, net.ErrClosed
	}
}
func (f *failing) Close() error   { close(f.done); return nil }
func (f *failing) Addr() net.Addr { return new(net.TCPAddr) }
