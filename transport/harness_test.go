package transport

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const patience = 20 * time.Second

// peer is a scripted upstream that sees each connection, and whether our end is still open.
type peer struct {
	t        *testing.T
	address  string
	dialled  atomic.Int64
	open     atomic.Int64
	requests atomic.Int64
	onWrite  func(n int) error // of a connection's nth write, from 1; set before use
	wait     sync.WaitGroup
	// isForeign: net/http closes its connections at some later time.
	isForeign bool
}

// newPeer serves each connection, numbered from 1, and closes it when serve returns.
func newPeer(t *testing.T, serve func(n int, c *line)) *peer {
	t.Helper()
	p := &peer{t: t, address: filepath.Join(t.TempDir(), "s")}
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.wait.Go(func() {
		for n := 1; ; n++ {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			p.wait.Go(func() {
				defer nc.Close()
				serve(n, &line{peer: p, Conn: nc, r: bufio.NewReader(nc)})
			})
		}
	})
	t.Cleanup(func() {
		if n := p.open.Load(); n != 0 && !p.isForeign {
			t.Errorf("got %d connections open at the end, want none", n)
		}
		_ = l.Close()
		p.wait.Wait()
	})
	return p
}

// line is the peer's end of a connection.
type line struct {
	net.Conn

	peer *peer
	r    *bufio.Reader
}

// request reads one complete request, and reports whether there was one.
func (l *line) request() (got *http.Request, body string, ok bool) {
	req, err := http.ReadRequest(l.r)
	if err != nil {
		return nil, "", false
	}
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, "", false
	}
	l.peer.requests.Add(1)
	return req, string(b), true
}

func (l *line) say(text string) { _, _ = io.WriteString(l.Conn, text) }

// hungUp waits until the other end has closed the connection.
func (l *line) hungUp() { _, _ = io.Copy(io.Discard, l.r) }

// answering answers a connection's requests one by one and then closes it.
func answering(texts ...string) func(int, *line) {
	return func(_ int, l *line) {
		for _, text := range texts {
			if _, _, ok := l.request(); !ok {
				return
			}
			l.say(text)
		}
	}
}

// watched is our end of a connection.
type watched struct {
	*net.UnixConn

	peer   *peer
	writes int
	closed atomic.Bool
}

func (w *watched) Write(p []byte) (int, error) {
	w.writes++
	if w.peer.onWrite != nil {
		if err := w.peer.onWrite(w.writes); err != nil {
			return 0, err
		}
	}
	return w.UnixConn.Write(p)
}

func (w *watched) Close() error {
	if w.closed.CompareAndSwap(false, true) {
		w.peer.open.Add(-1)
	}
	return w.UnixConn.Close()
}

func (p *peer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	nc, err := new(net.Dialer).DialContext(ctx, "unix", p.address)
	if err != nil {
		return nil, err
	}
	p.dialled.Add(1)
	p.open.Add(1)
	return &watched{UnixConn: nc.(*net.UnixConn), peer: p}, nil
}

// transport returns a transport to the peer. Its idle connections are closed after the test.
func (p *peer) transport(change ...func(*Transport)) *Transport {
	t := &Transport{Dial: p.dial, Other: refusal{}, IdlePerHostMax: 8, HeaderBytesMax: 64 << 10}
	for _, c := range change {
		c(t)
	}
	p.t.Cleanup(t.CloseIdle)
	return t
}

// refusal is the Other transport where no request may use it.
type refusal struct{}

func (refusal) RoundTrip(*http.Request) (*http.Response, error) { return nil, errOther }

type otherError struct{}

func (otherError) Error() string { return "this went to the other transport" }

var errOther error = otherError{}

func newRequest(ctx context.Context, method, body string, header ...string) *http.Request {
	var r io.Reader = http.NoBody
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://up.test/path?q=1", r)
	if err != nil {
		panic(err)
	}
	req.GetBody = nil // a server's requests have none
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

// ask makes a round trip and reads the body to its end.
func ask(rt http.RoundTripper, req *http.Request) (status int, body string, err error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	b, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, string(b), err
}

func mustAsk(t *testing.T, rt http.RoundTripper, req *http.Request, want string) {
	t.Helper()
	if _, got, err := ask(rt, req); err != nil || got != want {
		t.Fatalf("got %q, error %v, want %q", got, err, want)
	}
}

func traced(ctx context.Context, told func(code int) error) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error { return told(code) },
	})
}

const (
	answerA = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nA"
	answerB = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nB"
	// gzipped is "hi", stored.
	gzipped = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + "\x01\x02\x00\xfd\xffhi" + "\xac\x2a\x93\xd8\x02\x00\x00\x00"
)
