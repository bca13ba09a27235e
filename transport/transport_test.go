package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// isTimeout checks an error as Caddy does, without unwrapping.
func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // this is what is tested
	return ok && timeout.Timeout()
}

func TestContextEnds(t *testing.T) {
	t.Parallel()
	cause := errors.New("the client has left")
	t.Run("before anything", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t, answering(answerA, answerA))
		rt := p.transport()
		mustAsk(t, rt, newRequest(t.Context(), "GET", ""), "A")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if _, _, err := ask(rt, newRequest(ctx, "GET", "")); !errors.Is(err, cause) {
			t.Errorf("got %v, want the cause", err)
		}
		if p.requests.Load() != 1 || p.open.Load() != 1 {
			t.Errorf("got %d requests, %d connections, want 1 and it kept", p.requests.Load(), p.open.Load())
		}
	})
	t.Run("while it connects", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		rt := &Transport{Other: refusal{}, HeaderBytesMax: 1 << 10, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			cancel(cause)
			return nil, fmt.Errorf("dialling: %w", ctx.Err())
		}}
		if _, _, err := ask(rt, newRequest(ctx, "GET", "")); !errors.Is(err, cause) {
			t.Errorf("got %v, want the cause", err)
		}
	})
	for name, answer := range map[string]string{"while it waits for the header": "", "within the header": "HTTP/1.1 200 OK\r\n", "within the body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nA"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			p := newPeer(t, func(_ int, l *line) {
				if _, _, ok := l.request(); ok {
					l.say(answer)
					cancel(cause)
					l.hungUp()
				}
			})
			rt := p.transport(func(t *Transport) { t.HeaderTimeout = patience })
			if _, _, err := ask(rt, newRequest(ctx, "GET", "")); !errors.Is(err, cause) {
				t.Errorf("got %v, want the cause", err)
			}
		})
	}
	t.Run("by its deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		p := newPeer(t, func(_ int, l *line) { l.hungUp() })
		if _, _, err := ask(p.transport(), newRequest(ctx, "GET", "")); !isTimeout(err) {
			t.Errorf("got %v, want a net.Error that is a timeout", err)
		}
	})
	t.Run("while a write waits", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		ours, theirs := net.Pipe()
		defer theirs.Close()
		rt := &Transport{Other: refusal{}, HeaderBytesMax: 1 << 10, Dial: func(context.Context, string, string) (net.Conn, error) { return ours, nil }}
		go func() {
			_, _ = io.ReadFull(theirs, make([]byte, 1))
			cancel(cause)
		}()
		if _, _, err := ask(rt, newRequest(ctx, "GET", "")); !errors.Is(err, cause) {
			t.Errorf("got %v, want the cause", err)
		}
	})
}

func TestHeaderTimeout(t *testing.T) {
	t.Parallel()
	brief := func(t *Transport) { t.HeaderTimeout = 30 * time.Millisecond }
	for name, answer := range map[string]string{
		"nothing": "", "half": "HTTP/1.1 200 OK\r\n", "informational": "HTTP/1.1 103 Early Hints\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, func(_ int, l *line) {
				if _, _, ok := l.request(); ok {
					l.say(answer)
					l.hungUp()
				}
			})
			_, _, err := ask(p.transport(brief), newRequest(t.Context(), "GET", ""))
			if !isTimeout(err) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want a timeout", err)
			}
		})
	}
	t.Run("bounds no body", func(t *testing.T) {
		t.Parallel()
		more := make(chan struct{})
		p := newPeer(t, func(n int, l *line) {
			if _, _, ok := l.request(); ok {
				l.say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
				<-more
				l.say("A")
				answering(answerB)(n, l)
			}
		})
		rt := p.transport(func(t *Transport) { t.HeaderTimeout = time.Second })
		resp, err := rt.RoundTrip(newRequest(t.Context(), "GET", "")) //nolint:bodyclose // read to its end
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(1500*time.Millisecond, func() { close(more) })
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "A" {
			t.Errorf("got %q, error %v", b, err)
		}
		mustAsk(t, rt, newRequest(t.Context(), "GET", ""), "B")
	})
}

func TestInformational(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 40)
	p := newPeer(t, func(n int, l *line) { answering(many+answerA)(n, l) })
	small := func(t *Transport) { t.HeaderBytesMax = 500 }
	seen := 0
	ctx := traced(t.Context(), func(int) error { seen++; return nil })
	mustAsk(t, p.transport(small), newRequest(ctx, "GET", ""), "A")
	if seen != 40 {
		t.Errorf("got %d, want 40", seen)
	}
	if _, _, err := ask(p.transport(small), newRequest(t.Context(), "GET", "")); !errors.Is(err, errHeaderTooLong) {
		t.Errorf("with nobody to tell: got %v, want them bounded together", err)
	}
	refused := errors.New("refused")
	ctx = traced(t.Context(), func(int) error { return refused })
	if _, _, err := ask(p.transport(), newRequest(ctx, "GET", "")); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	p = newPeer(t, answering("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"))
	if _, _, err := ask(p.transport(), newRequest(t.Context(), "GET", "")); !errors.Is(err, errSwitched) {
		t.Errorf("got %v", err)
	}
}

// content is a request's body that records how it was used.
type content struct {
	io.Reader

	isRead, isClosed bool
}

func (c *content) Read(p []byte) (int, error) { c.isRead = true; return c.Reader.Read(p) }
func (c *content) Close() error               { c.isClosed = true; return nil }

func TestRequestBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		body   io.Reader
		length int64
		want   error
	}{
		{"as long as it says", strings.NewReader("abc"), 3, nil},
		{"the longest", strings.NewReader(strings.Repeat("a", bodyMax)), bodyMax, nil},
		{"byte by byte", oneByte{strings.NewReader("abc")}, 3, nil},
		{"shorter", strings.NewReader("ab"), 3, io.ErrUnexpectedEOF},
		{"empty", strings.NewReader(""), 3, io.ErrUnexpectedEOF},
		{"longer", strings.NewReader("abcd"), 3, errAny},
		{"broken", io.MultiReader(strings.NewReader("ab"), failing{broken}), 3, broken},
		{"broken after its end", io.MultiReader(strings.NewReader("abc"), failing{broken}), 3, broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, func(_ int, l *line) {
				for {
					_, body, ok := l.request()
					if !ok {
						return
					}
					l.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
				}
			})
			rt := p.transport()
			req := newRequest(t.Context(), "POST", "")
			body := &content{Reader: tt.body}
			req.Body, req.ContentLength = body, tt.length
			_, got, err := ask(rt, req)
			if !errors.Is(err, tt.want) && (!errors.Is(tt.want, errAny) || err == nil) || err == nil && int64(len(got)) != tt.length {
				t.Errorf("got %d bytes, error %v, want %v", len(got), err, tt.want)
			}
			if !body.isClosed || req.Body != body {
				t.Error("the body was not closed, or the request was changed")
			}
			if p.open.Load() != 1 || err != nil && p.requests.Load() != 0 {
				t.Errorf("got %d connections, %d requests, want the connection as it was", p.open.Load(), p.requests.Load())
			}
		})
	}
	t.Run("is not read where nothing is reached", func(t *testing.T) {
		t.Parallel()
		refused := errors.New("refused")
		rt := &Transport{Other: refusal{}, HeaderBytesMax: 1 << 10, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}
		body := &content{Reader: strings.NewReader("abc")}
		req := newRequest(t.Context(), "POST", "")
		req.Body, req.ContentLength = body, 3
		if _, _, err := ask(rt, req); !errors.Is(err, refused) || body.isRead || !body.isClosed {
			t.Errorf("got error %v, read %t, closed %t", err, body.isRead, body.isClosed)
		}
	})
	t.Run("that comes slowly, while the upstream loses patience", func(t *testing.T) {
		t.Parallel()
		leave, left := make(chan struct{}), make(chan struct{})
		p := newPeer(t, func(n int, l *line) {
			answering(answerA)(n, l)
			if n == 1 {
				<-leave
				_ = l.Close()
				close(left)
			}
		})
		rt := p.transport()
		mustAsk(t, rt, newRequest(t.Context(), "GET", ""), "A")
		req := newRequest(t.Context(), "POST", "abc")
		req.Body = io.NopCloser(io.MultiReader(calling{func() {
			close(leave)
			<-left
			<-time.After(2 * staleAfter)
		}}, strings.NewReader("abc")))
		mustAsk(t, rt, req, "A")
	})
}

var errAny = errors.New("any error")

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type calling struct{ call func() }

func (c calling) Read([]byte) (int, error) { c.call(); return 0, io.EOF }

type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

func TestOther(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*http.Request){
		"TLS":                      func(r *http.Request) { r.URL.Scheme = "https" },
		"no host":                  func(r *http.Request) { r.URL.Host = "" },
		"no URL":                   func(r *http.Request) { r.URL = nil },
		"no header":                func(r *http.Request) { r.Header = nil },
		"CONNECT":                  func(r *http.Request) { r.Method = "CONNECT" },
		"a method that is none":    func(r *http.Request) { r.Method = "GET /x HTTP/1.1\r\nX:" },
		"an opaque URL":            func(r *http.Request) { r.URL.Opaque = "x" },
		"a close":                  func(r *http.Request) { r.Close = true },
		"a close in the header":    func(r *http.Request) { r.Header.Set("Connection", "close") },
		"an upgrade":               func(r *http.Request) { r.Header.Set("Upgrade", "websocket") },
		"an expectation":           func(r *http.Request) { r.Header.Set("Expect", "100-continue") },
		"trailers":                 func(r *http.Request) { r.Trailer = http.Header{"T": nil} },
		"a transfer encoding":      func(r *http.Request) { r.TransferEncoding = []string{"chunked"} },
		"a channel to cancel by":   func(r *http.Request) { r.Cancel = make(chan struct{}) }, //nolint:staticcheck // deprecated, and set still
		"a long body":              func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("")), bodyMax+1 },
		"a body of unknown length": func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("")), -1 },
		"a body that says nothing": func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("")), 0 },
		"a long header":            func(r *http.Request) { r.Header.Set("X", strings.Repeat("x", headerMax)) },
		"a long path":              func(r *http.Request) { r.URL.Path = "/" + strings.Repeat("x", headerMax) },
		"a newline in a value":     func(r *http.Request) { r.Header["X"] = []string{"a\r\nY: b"} },
		"a name that is none":      func(r *http.Request) { r.Header["X\n"] = []string{"a"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rt := &Transport{Other: refusal{}}
			req := newRequest(t.Context(), "GET", "")
			change(req)
			if _, _, err := ask(rt, req); !errors.Is(err, errOther) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"up.test": "up.test:80", "up.test:": "up.test:80", "up.test:8080": "up.test:8080", "127.0.0.1": "127.0.0.1:80",
		"[::1]": "[::1]:80", "[::1]:8080": "[::1]:8080", "bücher.test:81": "xn--bcher-kva.test:81", "/run/up.sock": "/run/up.sock:80",
	} {
		dialled := ""
		rt := &Transport{Other: refusal{}, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
			dialled = network + " " + address
			return nil, io.EOF
		}}
		req := newRequest(t.Context(), "GET", "")
		req.URL = &url.URL{Scheme: "http", Host: host, Path: "/"}
		_, _, _ = ask(rt, req)
		if dialled != "tcp "+want {
			t.Errorf("%s: got %s, want tcp %s", host, dialled, want)
		}
	}
}

// keptBy leaves n connections kept for host.
func keptBy(t *testing.T, rt *Transport, host string, n int) {
	t.Helper()
	var bodies []io.ReadCloser
	for range n {
		req := newRequest(t.Context(), "GET", "")
		req.URL.Host = host
		resp, err := rt.RoundTrip(req) //nolint:bodyclose // all are closed below
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, resp.Body)
	}
	for _, b := range bodies {
		_, _ = io.Copy(io.Discard, b)
		_ = b.Close()
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	forEver := func(_ int, l *line) {
		for {
			if _, _, ok := l.request(); !ok {
				return
			}
			l.say(answerA)
		}
	}
	t.Run("bounds", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t, forEver)
		rt := p.transport(func(t *Transport) { t.IdlePerHostMax, t.IdleMax = 3, 4 })
		keptBy(t, rt, "a", 5)
		if n := len(rt.idle.hosts["a"]); n != 3 {
			t.Errorf("got %d of a host, want 3", n)
		}
		keptBy(t, rt, "b", 3)
		if a, b := len(rt.idle.hosts["a"]), len(rt.idle.hosts["b"]); a != 1 || b != 3 || p.open.Load() != 4 || rt.idle.kept != 4 {
			t.Errorf("got %d and %d, %d open, want the oldest of 6 closed", a, b, p.open.Load())
		}
	})
	t.Run("age", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t, forEver)
		rt := p.transport(func(t *Transport) { t.IdleTimeout = time.Hour })
		keptBy(t, rt, "a", 2)
		rt.idle.sweep(time.Hour)
		if p.open.Load() != 2 {
			t.Errorf("got %d open, want 2", p.open.Load())
		}
		rt.idle.hosts["a"][0].since = time.Now().Add(-2 * time.Hour)
		rt.idle.sweep(time.Hour)
		if p.open.Load() != 1 || rt.idle.kept != 1 {
			t.Errorf("got %d open, want 1", p.open.Load())
		}
		rt.idle.hosts["a"][0].since = time.Now().Add(-2 * time.Hour)
		keptBy(t, rt, "a", 1)
		if p.dialled.Load() != 3 || p.open.Load() != 1 {
			t.Errorf("got %d dialled, %d open, want what is too old not used", p.dialled.Load(), p.open.Load())
		}
	})
	t.Run("sweep ends with the last", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t, answering(answerA))
		rt := p.transport(func(t *Transport) { t.IdleTimeout = time.Hour })
		keptBy(t, rt, "a", 1)
		rt.idle.hosts["a"][0].since = time.Time{}
		rt.idle.sweep(time.Hour)
		if rt.idle.timer != nil || len(rt.idle.hosts) != 0 || p.open.Load() != 0 {
			t.Errorf("got timer %v, hosts %v", rt.idle.timer, rt.idle.hosts)
		}
	})
	t.Run("closed while a request runs", func(t *testing.T) {
		t.Parallel()
		p := newPeer(t, forEver)
		rt := p.transport()
		resp, err := rt.RoundTrip(newRequest(t.Context(), "GET", "")) //nolint:bodyclose // read to its end
		if err != nil {
			t.Fatal(err)
		}
		rt.CloseIdle()
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "A" {
			t.Errorf("got %q, error %v", b, err)
		}
		if p.open.Load() != 0 {
			t.Error("a connection was kept")
		}
	})
}
